/** Which documents of a segment under construction hold a term? Those that hold one of its parts: lists are kept by part and joined by term when the segment is written. */
import { growingNumbers } from './growing-numbers.ts';
import { PART_STRIDE } from './document-terms.ts';
import type { DocumentParts, DocumentTerms } from './document-terms.ts';

/** Documents and frequencies at places [from, to), documents rising; valid until the next list. */
export type PostingList = { readonly documents: Uint32Array; readonly frequencies: Uint16Array; readonly from: number; readonly to: number };

export type PartPostings = {
  readonly addDocument: (parts: DocumentParts) => void;
  /** Documents so far. */
  readonly size: () => number;
  /** By part: its documents at [starts[p], starts[p + 1]). */
  readonly byPart: (partCount: number) => PartLists;
};

export type PartLists = { readonly starts: Uint32Array; readonly documents: Uint32Array; readonly frequencies: Uint16Array };

const MOST_FREQUENCY = 2 ** 16 - 1;

export function createPartPostings(): PartPostings {
  const parts = growingNumbers((n) => new Uint32Array(n));
  const times = growingNumbers((n) => new Uint16Array(n));
  const ends = growingNumbers((n) => new Uint32Array(n));
  return {
    addDocument: ({ numbers, times: often, count }) => {
      parts.append(numbers.subarray(0, count));
      for (let i = 0; i < count; i += 1) times.push(Math.min(MOST_FREQUENCY, often[i] ?? 1));
      ends.push(parts.length());
    },
    size: ends.length,
    byPart: (partCount) => {
      const [numbers, often, until] = [parts.take(), times.take(), ends.take()];
      const starts = startsOf(numbers, partCount);
      const next = starts.slice();
      const documents = new Uint32Array(numbers.length);
      const frequencies = new Uint16Array(numbers.length);
      for (let document = 0, i = 0; document < until.length; document += 1) {
        for (const end = until[document] ?? 0; i < end; i += 1) {
          const part = numbers[i] ?? 0;
          const place = next[part] ?? 0;
          next[part] = place + 1;
          documents[place] = document;
          frequencies[place] = often[i] ?? 1;
        }
      }
      return { starts, documents, frequencies };
    },
  };
}

/** Of numbers below `count`: where those of each begin when they are sorted; [count + 1]. */
function startsOf(numbers: Uint32Array, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < numbers.length; i += 1) starts[(numbers[i] ?? 0) + 1] = (starts[(numbers[i] ?? 0) + 1] ?? 0) + 1;
  for (let number = 0; number < count; number += 1) starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0);
  return starts;
}

/** By term of a kind: the parts that have it (as often as they have it) at [starts[t], starts[t + 1]). */
export type TermParts = { readonly starts: Uint32Array; readonly parts: Uint32Array };

/** Turns the terms of the parts that have documents around. @param kind a place in `termKinds`. */
export function partsByTerm(options: { readonly documentTerms: DocumentTerms; readonly kind: number; readonly termCount: number; readonly lists: PartLists }): TermParts {
  const { documentTerms, kind, termCount, lists } = options;
  const [bounds, numbers] = [documentTerms.bounds(), documentTerms.numbers()];
  const starts = new Uint32Array(termCount + 2); // shifted by one while it is filled
  const eachTerm = (visit: (term: number, part: number) => void): void => {
    for (let part = 0; part + 1 < lists.starts.length; part += 1) {
      if (lists.starts[part] === lists.starts[part + 1]) continue;
      const at = PART_STRIDE * part + kind;
      for (let i = bounds[at] ?? 0, end = bounds[at + 1] ?? 0; i < end; i += 1) visit(numbers[i] ?? 0, part);
    }
  };
  eachTerm((term) => {
    starts[term + 2] = (starts[term + 2] ?? 0) + 1;
  });
  for (let term = 2; term < starts.length; term += 1) starts[term] = (starts[term] ?? 0) + (starts[term - 1] ?? 0);
  const parts = new Uint32Array(starts.at(-1) ?? 0);
  eachTerm((term, part) => {
    const place = starts[term + 1] ?? 0;
    starts[term + 1] = place + 1;
    parts[place] = part;
  });
  return { starts: starts.subarray(0, termCount + 1), parts };
}

const WORD_BITS = 5;
const WORD = 2 ** WORD_BITS;
const WORD_MASK = WORD - 1;

/**
 * Joins the lists of the parts of a term. Frequencies add up in an array of all documents; which documents were touched is marked in a
 * field of bits, and which of its words in a smaller one, so that they come out in order without sorting.
 */
export function createListJoiner({ lists, size }: { readonly lists: PartLists; readonly size: number }): (termParts: TermParts, term: number) => PostingList {
  const { starts, documents, frequencies } = lists;
  const sums = new Uint32Array(size);
  const marks = new Uint32Array((size >>> WORD_BITS) + 1);
  const markedWords = new Uint32Array((size >>> (2 * WORD_BITS)) + 1);
  const joined = { documents: new Uint32Array(size), frequencies: new Uint16Array(size) };
  return ({ starts: termStarts, parts }, term) => {
    const [first, end] = [termStarts[term] ?? 0, termStarts[term + 1] ?? 0];
    if (end - first === 1) {
      const part = parts[first] ?? 0;
      return { documents, frequencies, from: starts[part] ?? 0, to: starts[part + 1] ?? 0 };
    }
    for (let p = first; p < end; p += 1) {
      const part = parts[p] ?? 0;
      for (let i = starts[part] ?? 0, to = starts[part + 1] ?? 0; i < to; i += 1) {
        const document = documents[i] ?? 0;
        const sum = sums[document] ?? 0;
        if (sum === 0) {
          const word = document >>> WORD_BITS;
          marks[word] = (marks[word] ?? 0) | (1 << (document & WORD_MASK));
          markedWords[word >>> WORD_BITS] = (markedWords[word >>> WORD_BITS] ?? 0) | (1 << (word & WORD_MASK));
        }
        sums[document] = sum + (frequencies[i] ?? 0);
      }
    }
    let to = 0;
    for (let group = 0; group < markedWords.length; group += 1) {
      for (let words = markedWords[group] ?? 0; words !== 0; words &= words - 1) {
        const word = WORD * group + lowestBit(words);
        for (let bits = marks[word] ?? 0; bits !== 0; bits &= bits - 1) {
          const document = WORD * word + lowestBit(bits);
          const sum = sums[document] ?? 0;
          joined.documents[to] = document;
          joined.frequencies[to] = sum > MOST_FREQUENCY ? MOST_FREQUENCY : sum;
          sums[document] = 0;
          to += 1;
        }
        marks[word] = 0;
      }
      markedWords[group] = 0;
    }
    return { ...joined, from: 0, to };
  };
}

/** The place of the lowest bit that is set. */
const lowestBit = (bits: number): number => WORD_MASK - Math.clz32(bits & -bits);
