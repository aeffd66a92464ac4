/** Which documents share the most telling terms with a query? BM25 over the lists of segments, exact, reading no more than the best need. */
import type { LexicalPart } from './document-terms.ts';
import { addFull, addSparse, isFullList } from './posting-lists.ts';
import type { Segment } from './segment.ts';
import { termHash } from './term-hash.ts';
import { kthLargest, topDocuments } from '../scored-list.ts';
import type { ScoredList } from '../scored-list.ts';
import { defaultBm25Parameters, inverseDocumentFrequency } from '../bm25.ts';
import type { Bm25Parameters, WeightedTerms } from '../bm25.ts';

/** Documents that may answer: 1 for each that may; null = all. */
export type Allowed = Uint8Array | null;

export type Bm25Search = {
  /** Number of documents, those that may not answer included. */
  readonly size: number;
  /** The `depth` best documents; those that share no term have score 0 and fill the list up, lower numbers first. */
  readonly top: (terms: WeightedTerms, depth: number, allowed: Allowed) => ScoredList;
  readonly documentFrequency: (term: string) => number;
};

/** Above this share of a segment's documents, all are completed rather than one by one. */
const MANY_CANDIDATES = 1 / 3;

/**
 *   score(q, d) = sum over terms t of weight(t) * idf(t) * tf / (tf + k1 (1 - b + b |d| / mean|d|))
 *   idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))
 *
 * as Lucene 8 and later (without the constant factor k1 + 1), with exact document lengths; N, df and the mean are those of all segments.
 * Sparse lists are added first. Terms of many documents can add at most weight * idf each: only documents that can still reach the
 * best `depth` with all of them are completed (Turtle and Flood 1995, max-score).
 */
export function createBm25Search(segments: readonly Segment[], part: LexicalPart, { k1, b }: Bm25Parameters = defaultBm25Parameters): Bm25Search {
  const size = segments.reduce((sum, { facts }) => sum + facts.size, 0);
  const bases = basesOf(segments);
  let arrays: { readonly norms: Float32Array; readonly units: Float32Array; readonly scores: Float32Array; readonly candidates: Uint32Array } | null = null;

  /** Made at the first search of this part. */
  const prepared = () => {
    if (arrays !== null) return arrays;
    const lengths = segments.map((segment) => segment.dictionary(part).lengths);
    let total = 0;
    for (const own of lengths) for (const length of own) total += length;
    const meanLength = size === 0 ? 1 : Math.max(1, total / size);
    const norms = new Float32Array(size);
    lengths.forEach((own, s) => {
      const base = bases[s] ?? 0;
      for (let d = 0; d < own.length; d += 1) norms[base + d] = k1 * (1 - b + (b * (own[d] ?? 0)) / meanLength);
    });
    arrays = { norms, units: norms.map((norm) => 1 / (1 + norm)), scores: new Float32Array(size), candidates: new Uint32Array(Math.max(0, ...segments.map(({ facts }) => facts.size))) };
    return arrays;
  };
  const placesOf = (term: string): readonly number[] => {
    const hash = termHash(term);
    return segments.map((segment) => segment.dictionary(part).find(hash));
  };
  const frequencyAt = (places: readonly number[]): number => places.reduce((sum, place, s) => sum + (place < 0 ? 0 : (segments[s]?.dictionary(part).documentFrequency(place) ?? 0)), 0);

  return {
    size,
    documentFrequency: (term) => frequencyAt(placesOf(term)),
    top: (terms, depth, allowed) => {
      const { norms, units, scores, candidates } = prepared();
      scores.fill(0);
      const entries = [...terms].map(([term, count]) => {
        const places = placesOf(term);
        return { places, weight: count * inverseDocumentFrequency(frequencyAt(places), size) };
      });
      const full: { readonly place: number; readonly weight: number; readonly segment: number }[] = [];
      segments.forEach((segment, s) => {
        const dictionary = segment.dictionary(part);
        const shape = { norms, units, scores, base: bases[s] ?? 0, size: segment.facts.size };
        for (const { places, weight } of entries) {
          const place = places[s] ?? -1;
          if (place < 0) continue;
          if (isFullList(dictionary.documentFrequency(place), segment.facts.size)) full.push({ place, weight, segment: s });
          else addSparse(dictionary.list(place), { ...shape, weight });
        }
      });
      if (allowed !== null) for (let d = 0; d < size; d += 1) if (allowed[d] === 0) scores[d] = -Infinity;
      if (full.length > 0) {
        const least = size > depth ? kthLargest(scores, depth) : -Infinity;
        segments.forEach((segment, s) => {
          const own = full.filter((list) => list.segment === s);
          if (own.length === 0) return;
          const base = bases[s] ?? 0;
          const shape = { norms, units, scores, base, size: segment.facts.size };
          const bound = own.reduce((sum, { weight }) => sum + weight, 0);
          let count = 0;
          for (let d = 0; d < segment.facts.size; d += 1) {
            if ((scores[base + d] ?? 0) + bound < least) continue;
            candidates[count] = d;
            count += 1;
          }
          if (count === 0) return;
          const only = count > segment.facts.size * MANY_CANDIDATES ? null : { documents: candidates, count };
          const dictionary = segment.dictionary(part);
          for (const { place, weight } of own) addFull(dictionary.list(place), { ...shape, weight }, only);
        });
      }
      return topDocuments(scores, depth);
    },
  };
}

/** The number of the first document of each segment. */
export function basesOf(segments: readonly Segment[]): readonly number[] {
  let base = 0;
  return segments.map(({ facts }) => {
    const own = base;
    base += facts.size;
    return own;
  });
}
