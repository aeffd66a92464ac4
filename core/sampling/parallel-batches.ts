/** Which translation pairs are aligned in a step? Batches that mix the language pairs, small ones favoured. */
import { createBatchSampler, type BatchSampler } from './mixed-batches.ts';

/** Shares follow the square root of a source's size (default-retriever.md; places.ts). */
export const SQUARE_ROOT = 0.5;

export type ParallelSource = {
  /** int32 [pairs] each (keys.ts), made in one call for all sources: equal for equal sentences. */
  readonly sourceKeys: Int32Array;
  readonly targetKeys: Int32Array;
  /** > 0, factor on the source's share; 1 when left out. */
  readonly weight?: number;
};

/**
 * Batches of pairs in which no sentence stands twice, in whatever language or corpus: a second copy would be a false
 * negative. Each pair once per epoch of its source.
 * @param exponent 0.5 when left out; 1 = in proportion to size, 0 = equal parts.
 */
export function createParallelSampler(options: { readonly sources: readonly ParallelSource[]; readonly batchSize: number; readonly seed: number; readonly exponent?: number }): BatchSampler {
  return createBatchSampler({
    sources: options.sources.map(({ sourceKeys, targetKeys, weight = 1 }) => ({ size: sourceKeys.length, weight, keys: [sourceKeys, targetKeys] })),
    batchSize: options.batchSize,
    exponent: options.exponent ?? SQUARE_ROOT,
    seed: options.seed,
    purpose: 'parallel-batches',
  });
}
