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
  /** The lists of parts numbered below `partCount`; of parts that `sameAs` names as one, those of that one hold them all. */
  readonly byPart: (partCount: number, sameAs?: (part: number) => number) => PartLists;
};

/** By part: its documents, rising, at [starts[p], ends[p]), and how often they have it. */
export type PartLists = { readonly starts: Uint32Array; readonly ends: Uint32Array; readonly documents: Uint32Array; readonly frequencies: Uint16Array };

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
    byPart: (partCount, sameAs = (part) => part) => {
      const [numbers, often, until] = [parts.take(), times.take(), ends.take()];
      for (let i = 0; i < numbers.length; i += 1) numbers[i] = sameAs(numbers[i] ?? 0);
      const starts = startsOf(numbers, partCount);
      const next = starts.slice();
      const documents = new Uint32Array(numbers.length);
      const frequencies = new Uint16Array(numbers.length);
      for (let document = 0, i = 0; document < until.length; document += 1) {
        for (const end = until[document] ?? 0; i < end; i += 1) {
          const part = numbers[i] ?? 0;
          const place = next[part] ?? 0;
          if (place > (starts[part] ?? 0) && documents[place - 1] === document) frequencies[place - 1] = added(frequencies[place - 1] ?? 0, often[i] ?? 1);
          else {
            next[part] = place + 1;
            documents[place] = document;
            frequencies[place] = often[i] ?? 1;
          }
        }
      }
      return { starts, ends: next.subarray(0, partCount), documents, frequencies };
    },
  };
}

const added = (frequency: number, more: number): number => (frequency + more > MOST_FREQUENCY ? MOST_FREQUENCY : frequency + more);

/** Of numbers below `count`: where those of each begin when they are sorted; [count]. */
function startsOf(numbers: Uint32Array, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < numbers.length; i += 1) starts[(numbers[i] ?? 0) + 1] = (starts[(numbers[i] ?? 0) + 1] ?? 0) + 1;
  for (let number = 0; number < count; number += 1) starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0);
  return starts.subarray(0, count);
}

/** By term of a kind: the parts that have it (as often as they have it) at [starts[t], starts[t + 1]). */
export type TermParts = { readonly starts: Uint32Array; readonly parts: Uint32Array };

/** Turns the terms of the parts that have documents around. @param kind a place in `termKinds`. */
export function partsByTerm(options: { readonly documentTerms: DocumentTerms; readonly kind: number; readonly termCount: number; readonly lists: PartLists }): TermParts {
  const { documentTerms, kind, termCount, lists } = options;
  const [bounds, numbers] = [documentTerms.bounds(), documentTerms.numbers()];
  const starts = new Uint32Array(termCount + 2); // shifted by one while it is filled
  const eachTerm = (visit: (term: number, part: number) => void): void => {
    for (let part = 0; part < lists.starts.length; part += 1) {
      if (lists.starts[part] === lists.ends[part]) continue;
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

/** The lists of terms, joined from those of their parts. */
export type TermLists = {
  /** How many documents the longest list of a part of the term has: so many hold the term at least. */
  readonly atLeast: (term: number) => number;
  readonly join: (term: number) => PostingList;
  /** Adds the frequencies (at most `most`) to one byte a document, all zero before. @returns how many documents hold the term. */
  readonly addTo: (bytes: Uint8Array, at: number, term: number, most: number) => number;
};

/** Room to join lists over so many documents, for one term after another. */
export type JoiningRoom = { readonly sums: Uint16Array; readonly marks: Uint32Array; readonly markedWords: Uint32Array; readonly documents: Uint32Array; readonly frequencies: Uint16Array };

export function joiningRoom(size: number): JoiningRoom {
  return { sums: new Uint16Array(size), marks: new Uint32Array((size >>> WORD_BITS) + 1), markedWords: new Uint32Array((size >>> (2 * WORD_BITS)) + 1), documents: new Uint32Array(size), frequencies: new Uint16Array(size) };
}

/**
 * Frequencies add up in an array of all documents; which documents were touched is marked in a field of bits, and which of its words in
 * a smaller one, so that they come out in order without sorting.
 */
export function termLists({ starts: termStarts, parts }: TermParts, { starts, ends, documents, frequencies }: PartLists, room: JoiningRoom): TermLists {
  const { sums, marks, markedWords } = room;
  return {
    atLeast: (term) => {
      let longest = 0;
      for (let p = termStarts[term] ?? 0, end = termStarts[term + 1] ?? 0; p < end; p += 1) longest = Math.max(longest, (ends[parts[p] ?? 0] ?? 0) - (starts[parts[p] ?? 0] ?? 0));
      return longest;
    },
    join: (term) => {
      const [first, end] = [termStarts[term] ?? 0, termStarts[term + 1] ?? 0];
      if (end - first === 1) {
        const part = parts[first] ?? 0;
        return { documents, frequencies, from: starts[part] ?? 0, to: ends[part] ?? 0 };
      }
      for (let p = first; p < end; p += 1) {
        const part = parts[p] ?? 0;
        for (let i = starts[part] ?? 0, to = ends[part] ?? 0; i < to; i += 1) {
          const document = documents[i] ?? 0;
          const word = document >>> WORD_BITS;
          marks[word] = (marks[word] ?? 0) | (1 << (document & WORD_MASK));
          markedWords[word >>> WORD_BITS] = (markedWords[word >>> WORD_BITS] ?? 0) | (1 << (word & WORD_MASK));
          sums[document] = added(sums[document] ?? 0, frequencies[i] ?? 0);
        }
      }
      let to = 0;
      for (let group = 0; group < markedWords.length; group += 1) {
        for (let words = markedWords[group] ?? 0; words !== 0; words &= words - 1) {
          const word = WORD * group + lowestBit(words);
          for (let bits = marks[word] ?? 0; bits !== 0; bits &= bits - 1) {
            const document = WORD * word + lowestBit(bits);
            room.documents[to] = document;
            room.frequencies[to] = sums[document] ?? 0;
            sums[document] = 0;
            to += 1;
          }
          marks[word] = 0;
        }
        markedWords[group] = 0;
      }
      return { documents: room.documents, frequencies: room.frequencies, from: 0, to };
    },
    addTo: (bytes, at, term, most) => {
      let count = 0;
      for (let p = termStarts[term] ?? 0, end = termStarts[term + 1] ?? 0; p < end; p += 1) {
        const part = parts[p] ?? 0;
        for (let i = starts[part] ?? 0, to = ends[part] ?? 0; i < to; i += 1) {
          const place = at + (documents[i] ?? 0);
          const before = bytes[place] ?? 0;
          const sum = before + (frequencies[i] ?? 0);
          if (before === 0) count += 1;
          bytes[place] = sum > most ? most : sum;
        }
      }
      return count;
    },
  };
}

/** The place of the lowest bit that is set. */
const lowestBit = (bits: number): number => WORD_MASK - Math.clz32(bits & -bits);
