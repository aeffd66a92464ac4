/** What will word vectors and their maps take? Memory of the vectors, and the products of self-learning. */
import type { ClweSettings } from './clwe.ts';

const FLOAT_BYTES = 4;
/** fastText's published vectors, and what skip-gram trains unless asked otherwise. */
const WIDTH = { vectors: 300, trained: 100 };
/** Each language is held as it was read, brought to length 1, and mapped. */
const COPIES = 3;
/** Words of each language that self-learning compares with each other, and the rounds that it takes (VecMap stops at 500, usually far before). */
const USUAL_MOST_FREQUENT = 4000;
const ROUNDS = 60;
/** Each round compares all with all twice. */
const SCANS = 2;

/** @param languages as many as the settings name, the pivot among them. @returns bytes, and multiplications with additions (2 each). */
export function clweCost({ vectors, mostWords, mostFrequent = USUAL_MOST_FREQUENT, skipGram, supervision }: ClweSettings, languages: number): { readonly memoryBytes: number; readonly operations: number } {
  const width = Object.keys(vectors).length > 0 ? WIDTH.vectors : (skipGram.width ?? WIDTH.trained);
  const isLearned = supervision === 'unsupervised' || supervision === 'semi-supervised';
  return { memoryBytes: COPIES * FLOAT_BYTES * languages * mostWords * width, operations: isLearned ? (languages - 1) * ROUNDS * SCANS * 2 * mostFrequent ** 2 * width : 0 };
}
