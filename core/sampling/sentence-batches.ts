/** Which sentences without a translation take part in a step of the language contrastive loss? As many of each language. */
import { createBatchSampler, type BatchSampler } from './mixed-batches.ts';

/** Every language gets an equal part: the loss is there for the languages with little. */
const EQUAL_PARTS = 0;

/** One source per language: int32 [sentences] keys (keys.ts), made in one call for all languages. */
export function createSentenceSampler(options: { readonly languages: readonly Int32Array[]; readonly batchSize: number; readonly seed: number }): BatchSampler {
  return createBatchSampler({
    sources: options.languages.map((keys) => ({ size: keys.length, keys: [keys] })),
    batchSize: options.batchSize,
    exponent: EQUAL_PARTS,
    seed: options.seed,
    purpose: 'sentence-batches',
  });
}
