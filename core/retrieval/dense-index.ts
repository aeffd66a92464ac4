/** Which documents have the most similar vectors? An exact scan in memory; a document's score is that of its best vector. */
import { InputError } from '../base/errors.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { emptyList, topDocuments } from './scored-list.ts';
import type { ScoredList } from './scored-list.ts';

/** Finds documents by vector. A document may have several vectors (the whole text and its windows). */
export type DenseIndex = {
  readonly isExact: boolean;
  /**
   * The `depth` documents with the largest cosine, -1 to 1; documents without a vector are never found.
   * @param query float32 [H], length 1; a query without known tokens (all zeros) finds nothing.
   * @param allowed 1 for each document that may be found; null or left out: all.
   */
  readonly nearest: (query: Float32Array, depth: number, allowed?: Uint8Array | null) => Promise<DenseList>;
};

/** `windows[i]`: which vector of documents[i] was the nearest; 0 = the whole text, then its windows in order. */
export type DenseList = ScoredList & { readonly windows: Int32Array };

export type DenseRows = {
  readonly width: number;
  /** Rows one after another, each of length 1; [rows, H] in blocks of whole rows. */
  readonly blocks: readonly Float32Array[];
  /** Number of the document of each row, and which of its vectors the row is. */
  readonly owners: Uint32Array;
  readonly windows: Int32Array;
  /** Number of documents. */
  readonly size: number;
};

export const emptyDenseList: DenseList = { ...emptyList, windows: new Int32Array(0) };

const LANES = 4;
const SLACK_BYTES = 4096; // alignment of the arrays in the kernel's memory

/** Compares the query with every row. Keeps a copy of the rows in the kernels' memory. */
export function exactDenseIndex({ width, blocks, owners, windows, size }: DenseRows): DenseIndex {
  const rows = owners.length;
  const paddedWidth = Math.ceil(width / LANES) * LANES;
  const memory = createKernelMemory((rows * (paddedWidth + 1) + paddedWidth) * Float32Array.BYTES_PER_ELEMENT + SLACK_BYTES);
  const kernels = createKernels(memory);
  const vectors = memory.float32(rows * paddedWidth);
  const queries = memory.float32(paddedWidth);
  const rowScores = memory.float32(rows);
  let row = 0;
  for (const block of blocks) {
    for (let start = 0; start < block.length; start += width, row += 1) vectors.set(block.subarray(start, start + width), row * paddedWidth);
  }
  return {
    isExact: true,
    nearest: (query, depth, allowed = null) => {
      if (!isUsable(query) || rows === 0) return Promise.resolve(emptyDenseList);
      queries.set(query);
      kernels.scoreMatrix({ queries, documents: vectors, width: paddedWidth, scores: rowScores });
      const scores = new Float64Array(size).fill(-Infinity);
      const nearestWindow = new Int32Array(size);
      for (let i = 0; i < rows; i += 1) {
        const owner = owners[i] ?? 0;
        const score = rowScores[i] ?? 0;
        if (score > (scores[owner] ?? 0) && allowed?.[owner] !== 0) {
          scores[owner] = score;
          nearestWindow[owner] = windows[i] ?? 0;
        }
      }
      const list = topDocuments(scores, depth);
      return Promise.resolve({ ...list, windows: Int32Array.from(list.documents, (document) => nearestWindow[document] ?? 0) });
    },
  };
}

/** Whether a vector can be compared: finite and not all zeros. */
export function isUsable(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Number.isFinite(sum) && sum > 0;
}

/**
 * Whether rows may be stored: right number, all finite. LanceDB would cut, pad or accept them silently.
 * @throws InputError 'index.bad-vector' naming what was found.
 */
export function expectVectors(vectors: Float32Array, width: number, place: string): void {
  if (vectors.length % width !== 0 || vectors.length === 0) throw new InputError('index.bad-vector', `${place}: expected vectors of ${width} numbers, the model gave ${vectors.length} numbers in all.`);
  for (const value of vectors) if (!Number.isFinite(value)) throw new InputError('index.bad-vector', `${place}: expected finite numbers in its vectors, the model gave ${value}. The model is damaged; train it again.`);
}
