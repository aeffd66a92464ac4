/** How are two texts mined for translations, and where do the candidates go? */
import { writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { readTexts } from '../../core/corpus/sources.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { mineBitext, type SimilarityBlock } from '../../core/retrieval/bitext-mining.ts';
import { commonLanguage } from '../../core/retrieval/guess-language.ts';
import { sentenceSimilarities } from '../../core/retrieval/sentence-similarities.ts';
import type { IndexEvent } from '../contract/index.ts';
import { corpusSource } from '../project/inspection.ts';
import type { CallOutput, MineTask } from './messages.ts';

/**
 * Proposed before a person has decided anything: the F1-best thresholds of the train splits of es-en and sw-en are 1.17 and 1.25
 * (2026-11-20); what scores more is right about as often as not.
 */
export const PROPOSED_THRESHOLD = 1.2;
/** A margin of 1 is no nearer than the neighbours. */
const LEAST_SCORE = 1;

export type MineWishes = { readonly signal: AbortSignal; readonly report: (event: IndexEvent) => void };

export type MinedPair = { readonly source: string; readonly target: string; readonly score: number };

/** Mines and writes the candidates (best first) as JSON. @throws as `mineTexts`. */
export async function runMineTask({ outputFile, ...task }: MineTask, wishes: MineWishes): Promise<CallOutput<'mine'>> {
  const mined = await mineTexts(task, wishes);
  await writeJsonAtomic(outputFile, mined);
  return { candidates: mined.length, proposed: PROPOSED_THRESHOLD };
}

/** null: the language that most of its sentences are in. */
type MinedText = Omit<MineTask['source'], 'language'> & { readonly language: string | null };

/** The candidates of two texts, best first. @throws what the readers, `openEncoder` and `mineBitext` throw. */
export async function mineTexts({ modelFolder, source, target, threads }: Pick<MineTask, 'modelFolder' | 'threads'> & { readonly source: MinedText; readonly target: MinedText }, { signal, report }: MineWishes): Promise<readonly MinedPair[]> {
  const say = (phase: 'reading' | 'encoding' | 'finishing', done: number, total: number | null, leftMs: number | null = null): void => report({ kind: 'progress', phase, done, total, unit: 'sentences', leftMs });
  say('reading', 0, null);
  const encoder = await openEncoder(modelFolder);
  const [sources, targets] = [await sentencesOf(source, { signal, report }), await sentencesOf(target, { signal, report })];
  const blocks = sentenceSimilarities({ encoder, sources, targets, sourceLanguage: source.language ?? commonLanguage(sources, encoder), targetLanguage: target.language ?? commonLanguage(targets, encoder), threads, signal });
  const told = async function* (): AsyncGenerator<SimilarityBlock> {
    let compareFrom = 0;
    for await (const block of blocks) {
      const now = performance.now();
      if (block.firstSource === 0) compareFrom = now; // before it everything is encoded, which says nothing of the time of the rest
      say('encoding', block.firstSource, sources.length, block.firstSource === 0 ? null : ((now - compareFrom) / block.firstSource) * (sources.length - block.firstSource));
      yield block;
    }
  };
  const mined = (await mineBitext({ blocks: told(), targets: targets.length })).filter(({ score }) => score >= LEAST_SCORE);
  say('finishing', sources.length, sources.length);
  return mined.map((pair) => ({ source: sources[pair.source] ?? '', target: targets[pair.target] ?? '', score: pair.score }));
}

/** Each sentence once, in order; bad lines are told. */
async function sentencesOf({ path, format, encoding, mapping }: MinedText, { signal, report }: MineWishes): Promise<readonly string[]> {
  const sentences = new Set<string>();
  for await (const readings of readTexts(corpusSource({ paths: [path], format, languages: null, encoding, mapping }), signal)) {
    for (const reading of readings) {
      if (reading.kind === 'record') sentences.add(reading.value.text);
      else report({ kind: 'problem', code: reading.problem.code, message: reading.problem.message, path, line: reading.problem.line });
    }
  }
  return [...sentences];
}
