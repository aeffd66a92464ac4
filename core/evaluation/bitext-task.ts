/** How many of the sentence pairs hidden in two texts does mining find? The task of BUCC, its threshold found on a training split. */
import type { BitextSet } from '../corpus/bitext-set.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { bestThreshold, bootstrapF1, foundSetScores, type FoundSetScores, type FoundUnit } from '../metrics/found-set.ts';
import { mineBitext, type MinedPair } from '../retrieval/bitext-mining.ts';
import { commonLanguage } from '../retrieval/guess-language.ts';
import { sentenceSimilarities } from '../retrieval/sentence-similarities.ts';

export type BitextTask = {
  readonly encoder: Encoder;
  /** Where the targets are encoded by another one, into the same space. */
  readonly targetEncoder?: Encoder;
  readonly train: BitextSet;
  readonly test: BitextSet;
  /** BCP 47; null: recognised from the sentences of the training split. */
  readonly sourceLanguage?: string | null;
  readonly targetLanguage?: string | null;
  /** As mineBitext and sentenceSimilarities have them. */
  readonly neighbours?: number;
  readonly lexicalWeight?: number;
  readonly lengthWeight?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
};

export type BitextResult = FoundSetScores & {
  /** The margin from which a pair counts, found on the training split alone. */
  readonly threshold: number;
  /** 95 %, by drawing source sentences again. */
  readonly interval: { readonly low: number; readonly high: number };
  readonly train: FoundSetScores;
  /** What each source sentence of the test split adds to the sums. */
  readonly units: readonly FoundUnit[];
  readonly sourceLanguage: string | null;
  readonly targetLanguage: string | null;
};

const BOOTSTRAP_SEED = 1;

/**
 * Mines both splits; the threshold that is best on `train` decides on `test`.
 * @throws what sentenceSimilarities throws; the signal's reason once aborted.
 * @see Hu et al. 2023, section 4 and Table 6; Zweigenbaum et al. 2018 (BUCC).
 */
export async function evaluateBitext(task: BitextTask): Promise<BitextResult> {
  const { encoder, train, test } = task;
  const languages = {
    sourceLanguage: task.sourceLanguage ?? commonLanguage(train.sources.map(({ text }) => text), encoder),
    targetLanguage: task.targetLanguage ?? commonLanguage(train.targets.map(({ text }) => text), encoder),
  };
  const trained = judge(await mine(task, train, languages), train);
  const { threshold, ...trainScores } = bestThreshold(trained, train.gold.length);
  const kept = judge(await mine(task, test, languages), test).filter(({ score }) => score >= threshold);
  const scores = foundSetScores({ right: kept.filter(({ isRight }) => isRight).length, found: kept.length, gold: test.gold.length });
  const units = unitsOf(kept, test);
  return { ...scores, threshold, interval: bootstrapF1(units, { seed: BOOTSTRAP_SEED }), train: trainScores, units, ...languages };
}

type Languages = Pick<BitextResult, 'sourceLanguage' | 'targetLanguage'>;

function mine({ encoder, targetEncoder, neighbours, lexicalWeight, lengthWeight, threads, signal }: BitextTask, { sources, targets }: BitextSet, languages: Languages): Promise<readonly MinedPair[]> {
  const blocks = sentenceSimilarities({
    encoder,
    ...(targetEncoder === undefined ? {} : { targetEncoder }),
    sources: sources.map(({ text }) => text),
    targets: targets.map(({ text }) => text),
    ...languages,
    ...(lexicalWeight === undefined ? {} : { lexicalWeight }),
    ...(lengthWeight === undefined ? {} : { lengthWeight }),
    ...(threads === undefined ? {} : { threads }),
    ...(signal === undefined ? {} : { signal }),
  });
  return mineBitext({ blocks, targets: targets.length, ...(neighbours === undefined ? {} : { neighbours }) });
}

type JudgedPair = MinedPair & { readonly isRight: boolean };

function judge(pairs: readonly MinedPair[], { gold }: BitextSet): readonly JudgedPair[] {
  const right = new Set(gold.map(({ source, target }) => `${String(source)} ${String(target)}`));
  return pairs.map((pair) => ({ ...pair, isRight: right.has(`${String(pair.source)} ${String(pair.target)}`) }));
}

function unitsOf(kept: readonly JudgedPair[], { sources, gold }: BitextSet): { right: number; found: number; gold: number }[] {
  const units = sources.map(() => ({ right: 0, found: 0, gold: 0 }));
  for (const { source, isRight } of kept) {
    const unit = units[source];
    if (unit === undefined) continue;
    unit.found += 1;
    unit.right += isRight ? 1 : 0;
  }
  for (const { source } of gold) {
    const unit = units[source];
    if (unit !== undefined) unit.gold += 1;
  }
  return units;
}
