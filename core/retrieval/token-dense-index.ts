/**
 * Which documents have the most similar vectors, when vectors are sums over tokens? Candidates by the tokens that say most for the query,
 * then every vector of every candidate compared exactly.
 */
import { bestWindow } from '../encoding/token-sums.ts';
import type { TokenSums } from '../encoding/token-sums.ts';
import { windowRanges } from '../encoding/windows.ts';
import { emptyDenseList, isUsable } from './dense-index.ts';
import type { DenseIndex, DenseList } from './dense-index.ts';
import { kthLargest, topDocuments } from './scored-list.ts';
import { basesOf } from './segments/bm25-search.ts';
import { addFull, addSparse, isFullList } from './segments/posting-lists.ts';
import { damagedSegment } from './segments/segment.ts';
import type { Segment, SegmentTokens } from './segments/segment.ts';

/** Up to so many documents all are compared (10 to 20 ms). */
export const EXACT_DOCUMENTS = 20_000;
/**
 * Otherwise: the tokens with the largest scores choose, and so many documents are compared. Measured on 199,173 chunks of recombined English
 * sentences, 30 questions, recall@10 of the exact ten: 300 tokens .987, 128 .990, 64 1.000 (8,000 candidates), .987 (4,000) (2026-11-20).
 */
const TELLING_TOKENS = 64;
const CANDIDATES = 8000;
/** In large collections so many of them: of 995,645 such chunks 8,000 find .967 of the exact ten, 12,000 .983, 16,000 .997 (2026-11-20). */
const CANDIDATE_SHARE = 0.015;
/** Which scores are among the largest is told from one in so many of them. */
const SAMPLE_STEP = 16;

export type TokenDenseOptions = {
  /** With more documents than this the search is approximate; Infinity compares all. */
  readonly exactDocuments?: number;
};

/** What a query makes of every token (core/encoding/token-sums.ts): its score, float32 [V], and the offset. */
export type TokenQuery = { readonly scores: Float32Array; readonly offset: number };

export type TokenDenseSearch = {
  readonly isExact: boolean;
  /** As `DenseIndex.nearest`. */
  readonly nearest: (query: TokenQuery, depth: number, allowed: Uint8Array | null) => DenseList;
};

/** A dense index over whatever searches by tokens, here or in another thread. */
export function denseIndexOf({ isExact, nearest }: { readonly isExact: boolean; readonly nearest: (...query: Parameters<TokenDenseSearch['nearest']>) => DenseList | Promise<DenseList> }, tokenSums: TokenSums): DenseIndex {
  return {
    isExact,
    nearest: async (query, depth, allowed = null) => {
      if (!isUsable(query)) return emptyDenseList;
      const { tokens, offset } = tokenSums.scores(query);
      return nearest({ scores: tokens.slice(), offset }, depth, allowed); // outside the kernels' memory: read faster
    },
  };
}

/** Segments must have tokens. A token that occurs again in a document counts half as much again, at most twice. */
export function createTokenDenseSearch(segments: readonly Segment[], { exactDocuments = EXACT_DOCUMENTS }: TokenDenseOptions = {}): TokenDenseSearch {
  const bases = basesOf(segments);
  const size = segments.reduce((sum, { facts }) => sum + facts.size, 0);
  const isExact = size <= exactDocuments;
  const candidateCount = Math.max(CANDIDATES, Math.round(CANDIDATE_SHARE * size));
  const norms = new Float32Array(isExact ? 0 : size).fill(1);
  const units = new Float32Array(isExact ? 0 : size).fill(1 / 2);
  const stored = segments.map((segment) => {
    const tokens = segment.tokens();
    return { ...tokens, starts: factorStarts(tokens) };
  });
  const candidateScores = new Float32Array(isExact ? 0 : size);
  const candidates = new Uint32Array(isExact ? 0 : size);
  const everyDocument = Uint32Array.from({ length: isExact ? size : 0 }, (_, d) => d);

  /** What the tokens that say most add up to, document by document. */
  const chooseCandidates = (scores: Float32Array): Float32Array => {
    candidateScores.fill(0);
    const telling = tellingTokens(scores);
    segments.forEach((segment, s) => {
      const dictionary = segment.dictionary('tokens');
      const shape = { norms, units, scores: candidateScores, base: bases[s] ?? 0, size: segment.facts.size };
      for (const token of telling) {
        const place = dictionary.find(token);
        if (place < 0) continue;
        const list = dictionary.list(place);
        if (isFullList(dictionary.documentFrequency(place), segment.facts.size)) addFull(list, { ...shape, weight: scores[token] ?? 0 });
        else addSparse(list, { ...shape, weight: scores[token] ?? 0 });
      }
    });
    return candidateScores;
  };

  return {
    isExact,
    nearest: ({ scores, offset }, depth, allowed) => {
      if (size === 0) return emptyDenseList;
      const compared = isExact ? everyDocument : likeliest(chooseCandidates(scores), Math.max(candidateCount, depth), allowed);
      const similarities = new Float32Array(compared.length);
      const windows = new Int32Array(compared.length);
      let s = -1;
      let end = 0;
      for (let i = 0; i < compared.length; i += 1) {
        const document = compared[i] ?? 0;
        while (document >= end) {
          s += 1;
          end += segments[s]?.facts.size ?? Infinity;
        }
        similarities[i] = -Infinity;
        const segment = stored[s];
        if (segment === undefined || allowed?.[document] === 0) continue;
        const d = document - (bases[s] ?? 0);
        const best = bestWindow({ ids: segment.ids, from: d === 0 ? 0 : (segment.ends[d - 1] ?? 0), to: segment.ends[d] ?? 0, factors: segment.factors, factorsAt: segment.starts[d] ?? 0, scores, offset });
        if (!(best.similarity > 0)) continue;
        similarities[i] = best.similarity;
        windows[i] = best.window;
      }
      const { documents: places, scores: sorted } = topDocuments(similarities, depth);
      return { documents: places.map((place) => compared[place] ?? 0), scores: sorted, windows: Int32Array.from(places, (place) => windows[place] ?? 0) };
    },
  };

  /** The documents with the largest scores above 0, about `count` of those that may be found; rising. */
  function likeliest(chosen: Float32Array, count: number, allowed: Uint8Array | null): Uint32Array {
    let touched = 0;
    for (let d = 0; d < size; d += 1) {
      candidates[touched] = d;
      if ((chosen[d] ?? 0) > 0 && (allowed === null || allowed[d] === 1)) touched += 1;
    }
    const all = candidates.subarray(0, touched);
    const sample = new Float32Array(Math.ceil(touched / SAMPLE_STEP));
    for (let i = 0; i < sample.length; i += 1) sample[i] = chosen[all[i * SAMPLE_STEP] ?? 0] ?? 0;
    const least = touched <= count ? 0 : kthLargest(sample, Math.min(sample.length, Math.ceil(count / SAMPLE_STEP)));
    let kept = 0;
    for (let i = 0; i < touched; i += 1) {
      const document = all[i] ?? 0;
      all[kept] = document;
      if ((chosen[document] ?? 0) >= least) kept += 1;
    }
    return all.subarray(0, kept);
  }
}

/** The tokens with the largest positive scores, the largest first. */
function tellingTokens(scores: Float32Array): readonly number[] {
  const least = scores.length <= TELLING_TOKENS ? -Infinity : kthLargest(scores, TELLING_TOKENS);
  const kept: number[] = [];
  for (let token = 0; token < scores.length; token += 1) if ((scores[token] ?? 0) >= least && (scores[token] ?? 0) > 0) kept.push(token);
  return kept.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, TELLING_TOKENS);
}

/** Where the factors of each document begin. */
function factorStarts({ ends, factors }: SegmentTokens): Uint32Array {
  const starts = new Uint32Array(ends.length);
  let at = 0;
  for (let d = 0; d < ends.length; d += 1) {
    starts[d] = at;
    at += 2 * (1 + windowCount((ends[d] ?? 0) - (d === 0 ? 0 : (ends[d - 1] ?? 0))));
  }
  if (at !== factors.length) throw damagedSegment('factors that do not fit its tokens');
  return starts;
}

const counts = new Map<number, number>();

function windowCount(tokens: number): number {
  const known = counts.get(tokens);
  if (known !== undefined) return known;
  const count = windowRanges(tokens).length;
  counts.set(tokens, count);
  return count;
}
