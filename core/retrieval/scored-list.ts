/** Which documents does a method put first? The best of a collection by score, as numbers of documents. */

/** Documents of a collection (their numbers) with scores, the best first; equal scores by the lower number. */
export type ScoredList = { readonly documents: Uint32Array; readonly scores: Float64Array };

/**
 * The `depth` documents with the largest scores.
 * @param scores float64 [N]; -Infinity = not a candidate.
 */
export function topDocuments(scores: Float64Array, depth: number): ScoredList {
  const candidates = Uint32Array.from(scores, (_, document) => document);
  const kept = candidates.length > depth ? aboveThreshold(scores, candidates, depth) : candidates.filter((document) => (scores[document] ?? -Infinity) > -Infinity);
  const documents = kept.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).subarray(0, depth);
  return { documents, scores: Float64Array.from(documents, (document) => scores[document] ?? 0) };
}

/** The candidates that may be among the best `depth`: first a threshold, so that only few need sorting. */
function aboveThreshold(scores: Float64Array, candidates: Uint32Array, depth: number): Uint32Array<ArrayBuffer> {
  const values = scores.slice().sort();
  const threshold = values[values.length - depth] ?? -Infinity;
  let places = depth - (values.length - firstAbove(values, threshold)); // for documents exactly at the threshold
  return Uint32Array.from(
    candidates.filter((document) => {
      const score = scores[document] ?? -Infinity;
      if (score === -Infinity) return false;
      if (score > threshold) return true;
      if (score < threshold || places === 0) return false;
      places -= 1;
      return true;
    }),
  );
}

/** Position of the first value above `threshold` in ascending values. */
function firstAbove(values: Float64Array, threshold: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) > threshold) high = middle;
    else low = middle + 1;
  }
  return low;
}
