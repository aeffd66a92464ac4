/** How are two texts mined for translations, and where do the candidates go? */
import { writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { collect } from '../../core/corpus/records.ts';
import { readSentences } from '../../core/corpus/sentences.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { mineBitext, type SimilarityBlock } from '../../core/retrieval/bitext-mining.ts';
import { sentenceSimilarities } from '../../core/retrieval/sentence-similarities.ts';
import type { IndexEvent } from '../contract/index.ts';
import type { CallOutput, MineTask } from './messages.ts';

/**
 * Proposed before a person has decided anything: the F1-best thresholds of the train splits of es-en and sw-en are 1.17 and 1.25
 * (2026-11-20); what scores more is right about as often as not.
 */
export const PROPOSED_THRESHOLD = 1.2;
/** A margin of 1 is no nearer than the neighbours. */
const LEAST_SCORE = 1;

export type MineWishes = { readonly signal: AbortSignal; readonly report: (event: IndexEvent) => void };

/** Reads, mines, writes the candidates (best first) as JSON. @throws what the readers, `openEncoder` and `mineBitext` throw. */
export async function runMineTask({ modelFolder, source, target, outputFile, threads }: MineTask, { signal, report }: MineWishes): Promise<CallOutput<'mine'>> {
  const say = (phase: 'reading' | 'encoding' | 'finishing', done: number, total: number | null): void => report({ kind: 'progress', phase, done, total, unit: 'sentences', leftMs: null });
  say('reading', 0, null);
  const encoder = await openEncoder(modelFolder);
  const [sources, targets] = [await sentencesOf(source.path, { signal, report }), await sentencesOf(target.path, { signal, report })];
  const blocks = sentenceSimilarities({ encoder, sources, targets, sourceLanguage: source.language, targetLanguage: target.language, threads, signal });
  const told = async function* (): AsyncGenerator<SimilarityBlock> {
    for await (const block of blocks) {
      say('encoding', block.firstSource, sources.length);
      yield block;
    }
  };
  const mined = (await mineBitext({ blocks: told(), targets: targets.length })).filter(({ score }) => score >= LEAST_SCORE);
  say('finishing', sources.length, sources.length);
  await writeJsonAtomic(outputFile, mined.map((pair) => ({ source: sources[pair.source], target: targets[pair.target], score: pair.score })));
  return { candidates: mined.length, proposed: PROPOSED_THRESHOLD };
}

/** Each sentence once, in order; bad lines are told. */
async function sentencesOf(path: string, { signal, report }: MineWishes): Promise<readonly string[]> {
  const { records, problems } = await collect(readSentences(path, signal));
  for (const { code, message, line } of problems) report({ kind: 'problem', code, message, path, line });
  return [...new Set(records.map(({ text }) => text))];
}
