/** Which terms have the documents of a segment, and how often? Collected document by document, kept in pieces that are never copied. */
import type { TermStretches } from './document-terms.ts';
import { growingNumbers } from './growing-numbers.ts';

/** Terms and frequencies of documents, one after another; a document lies in one piece. */
export type PostingPiece = { readonly termNumbers: Uint32Array; readonly frequencies: Uint16Array; readonly used: number };

export type CollectedPostings = {
  readonly pieces: readonly PostingPiece[];
  /** Distinct terms of each document. */
  readonly distinct: Uint32Array;
  /** Terms of each document with repetitions. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** In how many documents each term occurs, by its number. */
  readonly documentFrequencies: Uint32Array;
  readonly total: number;
};

export type PostingCollector = {
  readonly addDocument: (terms: TermStretches) => void;
  readonly postings: () => number;
  readonly collected: () => CollectedPostings;
};

const MOST_FREQUENCY = 2 ** 16 - 1;
const PIECE = 2 ** 18;
const FIRST_TERMS = 2 ** 14;

export function createPostingCollector(): PostingCollector {
  const pieces: { termNumbers: Uint32Array; frequencies: Uint16Array; used: number }[] = [];
  const distinctOf = growingNumbers((n) => new Uint32Array(n));
  const lengths = growingNumbers((n) => new Uint32Array(n));
  /** Of each term its count in the document at hand (zero between documents) and how many documents have it, side by side in one line of the cache. */
  let terms = new Uint32Array(2 * FIRST_TERMS);
  let touched = new Uint32Array(FIRST_TERMS);
  let total = 0;

  /** A piece with room for so many postings. */
  const pieceFor = (wanted: number): { termNumbers: Uint32Array; frequencies: Uint16Array; used: number } => {
    const last = pieces.at(-1);
    if (last !== undefined && last.used + wanted <= last.termNumbers.length) return last;
    const size = Math.max(PIECE, wanted);
    const piece = { termNumbers: new Uint32Array(size), frequencies: new Uint16Array(size), used: 0 };
    pieces.push(piece);
    return piece;
  };

  return {
    addDocument: ({ numbers, bounds, count, times }) => {
      let [own, list] = [terms, touched]; // plain variables: the loops below are most of indexing
      let distinct = 0;
      let length = 0;
      for (let stretch = 0; stretch < 2 * count; stretch += 2) {
        const from = bounds[stretch] ?? 0;
        const to = bounds[stretch + 1] ?? 0;
        const often = times[stretch >>> 1] ?? 1;
        length += often * (to - from);
        if (distinct + to - from > list.length) list = touched = longer(list, distinct + to - from);
        for (let i = from; i < to; i += 1) {
          const number = numbers[i] ?? 0;
          const at = 2 * number;
          if (at >= own.length) own = terms = longer(own, at + 2);
          const before = own[at] ?? 0;
          own[at] = before + often;
          if (before !== 0) continue;
          list[distinct] = number;
          distinct += 1;
        }
      }
      const piece = pieceFor(distinct);
      const { termNumbers, frequencies, used } = piece;
      for (let i = 0; i < distinct; i += 1) {
        const number = list[i] ?? 0;
        const at = 2 * number;
        const frequency = own[at] ?? 0;
        termNumbers[used + i] = number;
        frequencies[used + i] = frequency > MOST_FREQUENCY ? MOST_FREQUENCY : frequency;
        own[at] = 0;
        own[at + 1] = (own[at + 1] ?? 0) + 1;
      }
      piece.used = used + distinct;
      total += distinct;
      distinctOf.push(distinct);
      lengths.push(length);
    },
    postings: () => total,
    collected: () => ({ pieces, distinct: distinctOf.take(), lengths: lengths.take(), documentFrequencies: Uint32Array.from({ length: terms.length / 2 }, (_, number) => terms[2 * number + 1] ?? 0), total }),
  };
}

/** The same numbers with room for more: at least `least`, at least twice as many. */
function longer(array: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(2 * array.length, least));
  larger.set(array);
  return larger;
}
