/** Which documents share the most telling terms with a query? BM25 over the lists of segments, exact, reading no more than the best need. */
import type { LexicalPart } from './document-terms.ts';
import { createFullLists } from './full-lists.ts';
import { addFull, addFullTo, addSparse, isFullList } from './posting-lists.ts';
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

/** After so many frequent terms, documents that can no longer be among the best are left out. */
const TERMS_BETWEEN_LOOKS = 3;
/** A list of candidates is kept once it holds less than this share of all documents. */
const FEW_CANDIDATES = 1 / 2;
/** More than the rounding of float32 sums can make. */
const ROUNDING = 1e-3;
/** Full lists hold this for it and everything above. */
const MOST_IN_FULL = 255;

/**
 *   score(q, d) = sum over terms t of weight(t) * idf(t) * tf / (tf + k1 (1 - b + b |d| / mean|d|))
 *   idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))
 *
 * as Lucene 8 and later (without the constant factor k1 + 1), with exact document lengths; N, df and the mean are those of all segments.
 * Sparse lists are added first, then frequent terms, the rarest first. What the terms to come can add at most is known: documents that cannot
 * reach the best `depth` even with all of it are left out (Turtle and Flood 1995, max-score).
 */
export function createBm25Search(segments: readonly Segment[], part: LexicalPart, { k1, b }: Bm25Parameters = defaultBm25Parameters): Bm25Search {
  const size = segments.reduce((sum, { facts }) => sum + facts.size, 0);
  const bases = basesOf(segments);
  const fullList = createFullLists(segments, part);
  let arrays: { readonly norms: Float32Array; readonly units: Float32Array; readonly scores: Float32Array; readonly candidates: Uint32Array; readonly room: Float32Array; readonly leastNorm: number } | null = null;

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
    arrays = { norms, units: norms.map((norm) => 1 / (1 + norm)), scores: new Float32Array(size), candidates: new Uint32Array(size), room: new Float32Array(size), leastNorm: norms.reduce((least, norm) => Math.min(least, norm), Infinity) };
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
      const { norms, units, scores, leastNorm } = prepared();
      scores.fill(0);
      const entries = [...terms].map(([term, count]) => {
        const places = placesOf(term);
        return { places, weight: count * inverseDocumentFrequency(frequencyAt(places), size) };
      });
      const shapeOf = (s: number, weight: number) => ({ norms, units, scores, base: bases[s] ?? 0, size: segments[s]?.facts.size ?? 0, weight });
      const isFull = (s: number, place: number): boolean => isFullList(segments[s]?.dictionary(part).documentFrequency(place) ?? 0, segments[s]?.facts.size ?? 0);
      const frequent: FrequentTerm[] = [];
      for (const { places, weight } of entries) {
        const full: { readonly segment: number; readonly bytes: Uint8Array }[] = [];
        let most = 0;
        places.forEach((place, s) => {
          if (place < 0) return;
          if (isFull(s, place)) {
            const list = fullList(s, place);
            full.push({ segment: s, bytes: list.bytes });
            most = Math.max(most, list.most);
          } else addSparse(segments[s]?.dictionary(part).list(place) ?? new Uint8Array(0), shapeOf(s, weight));
        });
        if (full.length > 0) frequent.push({ weight, full, bound: weight * (most >= MOST_IN_FULL ? 1 : most / (most + leastNorm)) });
      }
      if (allowed !== null) for (let d = 0; d < size; d += 1) if (allowed[d] === 0) scores[d] = -Infinity;
      addFrequent(frequent.sort((x, y) => y.weight - x.weight), depth, shapeOf);
      return topDocuments(scores, depth);
    },
  };

  /** Adds frequent terms to the documents that may still be among the best. */
  function addFrequent(frequent: readonly FrequentTerm[], depth: number, shapeOf: (s: number, weight: number) => Parameters<typeof addFull>[1]): void {
    const { scores, candidates, room } = prepared();
    let rest = frequent.reduce((sum, { bound }) => sum + bound, 0);
    let count = size; // documents left, all or the first of `candidates`
    frequent.forEach(({ weight, full, bound }, i) => {
      if (size > depth && i % TERMS_BETWEEN_LOOKS === 0) {
        const isAll = count === size;
        if (!isAll) for (let c = 0; c < count; c += 1) room[c] = scores[candidates[c] ?? 0] ?? 0;
        const least = count <= depth ? -Infinity : kthLargest(isAll ? scores : room.subarray(0, count), depth);
        let kept = 0;
        for (let c = 0; c < count; c += 1) {
          const document = isAll ? c : (candidates[c] ?? 0);
          if ((scores[document] ?? 0) + rest < least - ROUNDING) continue;
          candidates[kept] = document;
          kept += 1;
        }
        count = isAll && kept > size * FEW_CANDIDATES ? size : kept;
      }
      let at = 0;
      for (const { segment, bytes } of full) {
        const shape = shapeOf(segment, weight);
        if (count === size) addFull(bytes, shape);
        else {
          while (at < count && (candidates[at] ?? 0) < shape.base) at += 1;
          at = addFullTo(bytes, shape, candidates, at, count);
        }
      }
      rest -= bound;
    });
  }
}

type FrequentTerm = { readonly weight: number; /** The most it adds to a score. */ readonly bound: number; readonly full: readonly { readonly segment: number; readonly bytes: Uint8Array }[] };

/** The number of the first document of each segment. */
export function basesOf(segments: readonly Segment[]): readonly number[] {
  let base = 0;
  return segments.map(({ facts }) => {
    const own = base;
    base += facts.size;
    return own;
  });
}
