/** Which documents does a method put first? The best of a collection by score, as numbers of documents. */

/** Documents of a collection (their numbers) with scores, the best first; equal scores by the lower number. */
export type ScoredList = { readonly documents: Uint32Array; readonly scores: Float64Array };

type Scores = Float32Array | Float64Array;

export const emptyList: ScoredList = { documents: new Uint32Array(0), scores: new Float64Array(0) };

/**
 * The `depth` documents with the largest scores.
 * @param scores float [N]; -Infinity = not a candidate.
 */
export function topDocuments(scores: Scores, depth: number): ScoredList {
  const kept = bestUnordered(scores, depth);
  const documents = kept.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const sorted = new Float64Array(documents.length);
  for (let i = 0; i < sorted.length; i += 1) sorted[i] = scores[documents[i] ?? 0] ?? 0;
  return { documents, scores: sorted };
}

/**
 * The `depth` of some documents with the largest scores.
 * @param documents rising numbers.  @param scores float [N], by number.
 */
export function topOf(documents: Uint32Array, scores: Float32Array, depth: number): ScoredList {
  const list = topDocuments(scoresOf(documents, scores), depth);
  return { documents: list.documents.map((place) => documents[place] ?? 0), scores: list.scores };
}

/** The scores of some documents, in their order. */
export function scoresOf(documents: Uint32Array, scores: Float32Array): Float32Array<ArrayBuffer> {
  const own = new Float32Array(documents.length);
  for (let i = 0; i < own.length; i += 1) own[i] = scores[documents[i] ?? 0] ?? 0;
  return own;
}

/** The best `depth` in any order: a threshold first, so that only few need ordering. */
function bestUnordered(scores: Scores, depth: number): Uint32Array<ArrayBuffer> {
  const threshold = scores.length <= depth ? -Infinity : kthLargest(scores, depth);
  const kept = new Uint32Array(Math.min(scores.length, depth));
  let count = 0;
  for (let document = 0; document < scores.length; document += 1) {
    if ((scores[document] ?? 0) > threshold) {
      kept[count] = document;
      count += 1;
    }
  }
  for (let document = 0; document < scores.length && count < kept.length && threshold > -Infinity; document += 1) {
    if (scores[document] === threshold) {
      kept[count] = document;
      count += 1;
    }
  }
  return kept.slice(0, count);
}

/** The `depth`-th largest score, by a heap of the largest so far whose root is the smallest of them; there are at least `depth` scores. */
export function kthLargest(scores: Scores, depth: number): number {
  const heap = Float64Array.from(scores.subarray(0, depth)).sort(); // ascending order is a heap
  let root = heap[0] ?? -Infinity;
  for (let i = depth; i < scores.length; i += 1) {
    const score = scores[i] ?? -Infinity;
    if (score <= root) continue;
    siftDown(heap, score);
    root = heap[0] ?? -Infinity;
  }
  return root;
}

/** Puts a value in place of the root and restores the heap. */
function siftDown(heap: Float64Array, value: number): void {
  let place = 0;
  for (let child = 1; child < heap.length; child = 2 * place + 1) {
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
    if ((heap[child] ?? 0) >= value) break;
    heap[place] = heap[child] ?? 0;
    place = child;
  }
  heap[place] = value;
}
