/** Which questions are kept out of training? Whole documents with all their questions, a few hundred at most. */
import { seededPermutation } from '../base/random.ts';
import type { RetrievalExample } from './corpora.ts';

/** `documents[documentOf[i]]` answers `queries[i]`; the other documents are there to be confused with. */
export type HeldOutQuestions = { readonly queries: readonly string[]; readonly documents: readonly string[]; readonly documentOf: readonly number[] };

const SHARE = 0.02;
const MOST_DOCUMENTS = 150;
const MOST_DISTRACTORS = 850;
const LEAST_TO_SPLIT = 200;

/** Splits by document, so that no held-back passage is trained on. Nothing is held back of fewer than 200 documents. */
export function holdOutQuestions(examples: readonly RetrievalExample[], seed: number): { readonly training: readonly RetrievalExample[]; readonly heldOut: HeldOutQuestions | null } {
  const passageByKey = new Map(examples.map((example) => [example.documentKey, example.passage]));
  const keys = [...passageByKey.keys()];
  if (keys.length < LEAST_TO_SPLIT) return { training: examples, heldOut: null };
  const order = [...seededPermutation(keys.length, { seed, purpose: 'held-out questions' })].map((index) => keys[index] ?? '');
  const chosen = order.slice(0, Math.min(MOST_DOCUMENTS, Math.ceil(keys.length * SHARE)));
  const place = new Map(chosen.map((key, index) => [key, index]));
  const held = examples.filter((example) => place.has(example.documentKey));
  const documents = [...chosen, ...order.slice(chosen.length, chosen.length + MOST_DISTRACTORS)].map((key) => passageByKey.get(key) ?? '');
  return {
    training: examples.filter((example) => !place.has(example.documentKey)),
    heldOut: { queries: held.map((example) => example.query), documents, documentOf: held.map((example) => place.get(example.documentKey) ?? 0) },
  };
}
