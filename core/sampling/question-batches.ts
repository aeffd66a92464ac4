/** Which questions and passages are compared in a step? Batches in which every other passage is a fair negative. */
import { createBatchSampler, type BatchSampler } from './mixed-batches.ts';
import { NO_KEY } from './keys.ts';

/** In proportion to size: question-passage data is one language, and its corpora are one task. */
const IN_PROPORTION = 1;

export type QuestionSource = {
  /** int32 [pairs] (keys.ts): equal for equal passages; make it of the passage's text, or of document ids where these are passages. */
  readonly passageKeys: Int32Array;
  /** int32 [pairs]: equal for equal questions; must not meet the numbers of `passageKeys` (make both in one call of `keysOfTexts`). */
  readonly queryKeys: Int32Array;
};

/** Batches of question-passage pairs without a repeated passage or question; each pair once per epoch. */
export function createQuestionSampler(options: { readonly sources: readonly QuestionSource[]; readonly batchSize: number; readonly seed: number }): BatchSampler {
  return createBatchSampler({
    sources: options.sources.map(({ passageKeys, queryKeys }) => ({ size: passageKeys.length, keys: [passageKeys, queryKeys] })),
    batchSize: options.batchSize,
    exponent: IN_PROPORTION,
    seed: options.seed,
    purpose: 'question-batches',
  });
}

/**
 * Which negatives to leave out of a retrieval loss: passages of the document that the query's own passage is from.
 * @param queryDocuments int32 [B]: the document key of each query's passage. @param documents int32 [N], N >= B: of all passages.
 * @returns bool [B, N] as bytes, row-major: 1 where j != i and the keys are equal; NO_KEY equals nothing.
 */
export function sameDocumentMask(options: { readonly queryDocuments: Int32Array; readonly documents: Int32Array }): Uint8Array<ArrayBuffer> {
  const { queryDocuments, documents } = options;
  const mask = new Uint8Array(queryDocuments.length * documents.length);
  for (let i = 0; i < queryDocuments.length; i += 1) {
    const own = queryDocuments[i] ?? NO_KEY;
    if (own === NO_KEY) continue;
    for (let j = 0; j < documents.length; j += 1) {
      if (j !== i && documents[j] === own) mask[i * documents.length + j] = 1;
    }
  }
  return mask;
}
