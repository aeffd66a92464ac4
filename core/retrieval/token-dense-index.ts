/**
 * Which documents have the most similar vectors, when vectors are sums over tokens? Candidates by the tokens that say most for the query,
 * then every vector of every candidate compared exactly.
 */
import { bestWindow } from '../encoding/token-sums.ts';
import type { TokenSums } from '../encoding/token-sums.ts';
import { windowRanges } from '../encoding/windows.ts';
import { emptyDenseList, isUsable } from './dense-index.ts';
import type { DenseIndex } from './dense-index.ts';
import { kthLargest, topDocuments } from './scored-list.ts';
import { basesOf } from './segments/bm25-search.ts';
import { addFull, addSparse, isFullList } from './segments/posting-lists.ts';
import { damagedSegment } from './segments/segment.ts';
import type { Segment, SegmentTokens } from './segments/segment.ts';

/** Up to so many documents all are compared (10 to 20 ms). */
const EXACT_DOCUMENTS = 20_000;
/**
 * Otherwise: the tokens with the largest scores choose, and so many documents are compared. Measured on 199,173 chunks of recombined English
 * sentences, 30 questions, recall@10 of the exact ten: 300 tokens .987, 128 .990, 64 1.000 (8,000 candidates), .987 (4,000) (2026-11-20).
 */
const TELLING_TOKENS = 64;
const CANDIDATES = 8000;

export type TokenDenseOptions = {
  /** With more documents than this the search is approximate; Infinity compares all. */
  readonly exactDocuments?: number;
};

/** Segments must have tokens. A token that occurs again in a document counts half as much again, at most twice. */
export function createTokenDenseIndex(segments: readonly Segment[], tokenSums: TokenSums, { exactDocuments = EXACT_DOCUMENTS }: TokenDenseOptions = {}): DenseIndex {
  const bases = basesOf(segments);
  const size = segments.reduce((sum, { facts }) => sum + facts.size, 0);
  const isExact = size <= exactDocuments;
  const norms = new Float32Array(isExact ? 0 : size).fill(1);
  const units = new Float32Array(isExact ? 0 : size).fill(1 / 2);
  const stored = segments.map((segment) => {
    const tokens = segment.tokens();
    return { ...tokens, starts: factorStarts(tokens) };
  });
  const candidateScores = new Float32Array(isExact ? 0 : size);

  /** Scores of candidates; the others have -Infinity. */
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
    nearest: (query, depth, allowed = null) => {
      if (!isUsable(query) || size === 0) return Promise.resolve(emptyDenseList);
      const { tokens: scores, offset } = tokenSums.scores(query);
      const chosen = isExact ? null : chooseCandidates(scores);
      if (chosen !== null && allowed !== null) for (let d = 0; d < size; d += 1) if (allowed[d] === 0) chosen[d] = -Infinity;
      const least = chosen === null ? 0 : Math.max(Number.MIN_VALUE, kthLargest(chosen, Math.max(CANDIDATES, depth)));
      const similarities = new Float32Array(size).fill(-Infinity);
      const windows = new Map<number, number>();
      const windowOf = isExact ? new Int32Array(size) : null;
      stored.forEach(({ ids, ends, factors, starts }, s) => {
        const base = bases[s] ?? 0;
        for (let d = 0; d < ends.length; d += 1) {
          if (chosen === null ? allowed !== null && allowed[base + d] === 0 : (chosen[base + d] ?? 0) < least) continue;
          const { similarity, window } = bestWindow({ ids, from: d === 0 ? 0 : (ends[d - 1] ?? 0), to: ends[d] ?? 0, factors, factorsAt: starts[d] ?? 0, scores, offset });
          if (!(similarity > 0)) continue;
          similarities[base + d] = similarity;
          if (windowOf === null) windows.set(base + d, window);
          else windowOf[base + d] = window;
        }
      });
      const list = topDocuments(similarities, depth);
      return Promise.resolve({ ...list, windows: Int32Array.from(list.documents, (document) => windowOf?.[document] ?? windows.get(document) ?? 0) });
    },
  };
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
