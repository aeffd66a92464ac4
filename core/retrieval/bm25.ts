/** Which documents share the most telling terms with a query? BM25 over inverted lists in memory. */
import type { Analyzer } from './analysis.ts';

export type Bm25Parameters = {
  /** How soon further occurrences of a term stop counting, >= 0. */
  readonly k1: number;
  /** How much long documents are held back, 0 (not) to 1 (in proportion). */
  readonly b: number;
};

/** Anserini's defaults, which the measured baselines use. */
export const defaultBm25Parameters: Bm25Parameters = { k1: 0.9, b: 0.4 };

/** Terms of a query with weights (how often each occurs, or a probability). */
export type WeightedTerms = ReadonlyMap<string, number>;

export type Bm25Index = {
  /** Number of documents N. */
  readonly size: number;
  /** Adds the scores of all N documents for these terms into a fresh array, float64 [N], >= 0. */
  readonly scores: (terms: WeightedTerms) => Float64Array;
  /** The terms of a text with how often each occurs. */
  readonly queryTerms: (text: string) => Map<string, number>;
  /** In how many documents a term occurs. */
  readonly documentFrequency: (term: string) => number;
  /** All terms of the collection. */
  readonly vocabulary: () => Iterable<string>;
};

/**
 * Builds the index.
 *
 *   score(q, d) = sum over terms t of weight(t) * idf(t) * tf / (tf + k1 (1 - b + b |d| / mean|d|))
 *   idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))
 *
 * as Lucene 8 and later (without the constant factor k1 + 1), with exact document lengths.
 *
 * @param texts the documents; a document's number is its position.
 * @see Robertson and Zaragoza 2009; Kamphuis et al. 2020 ("Which BM25 do you mean?").
 */
export function buildBm25(texts: Iterable<string>, analyzer: Analyzer, parameters: Bm25Parameters = defaultBm25Parameters): Bm25Index {
  const vocabulary = new Map<string, number>();
  const counted = countTerms(texts, analyzer, vocabulary);
  const lists = invert(counted, vocabulary.size, parameters);
  const size = counted.lengths.length;

  return {
    size,
    documentFrequency: (term) => {
      const id = vocabulary.get(term);
      return id === undefined ? 0 : (lists.offsets[id + 1] ?? 0) - (lists.offsets[id] ?? 0);
    },
    vocabulary: () => vocabulary.keys(),
    queryTerms: (text) => {
      const terms = new Map<string, number>();
      for (const unit of analyzer.units(text)) for (const term of analyzer.terms(unit)) terms.set(term, (terms.get(term) ?? 0) + 1);
      return terms;
    },
    scores: (terms) => {
      const scores = new Float64Array(size);
      for (const [term, weight] of terms) {
        const id = vocabulary.get(term);
        if (id === undefined) continue;
        const end = lists.offsets[id + 1] ?? 0;
        for (let i = lists.offsets[id] ?? 0; i < end; i += 1) {
          const document = lists.documents[i] ?? 0;
          scores[document] = (scores[document] ?? 0) + weight * (lists.impacts[i] ?? 0);
        }
      }
      return scores;
    },
  };
}

/** Terms of each document, one after another. */
type CountedTerms = {
  /** Document d has the entries starts[d] .. starts[d + 1]. */
  readonly starts: Uint32Array;
  readonly termIds: Uint32Array;
  readonly frequencies: Uint32Array;
  /** Terms in each document, repetitions counted. */
  readonly lengths: Float64Array;
};

function countTerms(texts: Iterable<string>, analyzer: Analyzer, vocabulary: Map<string, number>): CountedTerms {
  const idsOfUnit = new Map<string, Uint32Array>();
  const starts: number[] = [0];
  const lengths: number[] = [];
  const termIds = new GrowingNumbers();
  const frequencies = new GrowingNumbers();
  let countOf = new Uint32Array(1 << 16);
  for (const text of texts) {
    const touched: number[] = [];
    let length = 0;
    for (const unit of analyzer.units(text)) {
      let ids = idsOfUnit.get(unit);
      if (ids === undefined) {
        ids = Uint32Array.from(analyzer.terms(unit), (term) => idOf(term, vocabulary));
        idsOfUnit.set(unit, ids);
        if (vocabulary.size > countOf.length) countOf = enlarge(countOf, vocabulary.size);
      }
      for (const id of ids) {
        const before = countOf[id] ?? 0;
        if (before === 0) touched.push(id);
        countOf[id] = before + 1;
      }
      length += ids.length;
    }
    for (const id of touched) {
      termIds.push(id);
      frequencies.push(countOf[id] ?? 0);
      countOf[id] = 0;
    }
    lengths.push(length);
    starts.push(termIds.length);
  }
  return { starts: Uint32Array.from(starts), termIds: termIds.take(), frequencies: frequencies.take(), lengths: Float64Array.from(lengths) };
}

function idOf(term: string, vocabulary: Map<string, number>): number {
  const known = vocabulary.get(term);
  if (known !== undefined) return known;
  vocabulary.set(term, vocabulary.size);
  return vocabulary.size - 1;
}

type InvertedLists = {
  /** Term t has the entries offsets[t] .. offsets[t + 1], documents ascending. */
  readonly offsets: Uint32Array;
  readonly documents: Uint32Array;
  /** idf(t) * tf / (tf + ...) of each entry. */
  readonly impacts: Float32Array;
};

function invert(counted: CountedTerms, vocabularySize: number, { k1, b }: Bm25Parameters): InvertedLists {
  const { starts, termIds, frequencies, lengths } = counted;
  const size = lengths.length;
  const offsets = new Uint32Array(vocabularySize + 1);
  for (const id of termIds) offsets[id + 1] = (offsets[id + 1] ?? 0) + 1;
  const idf = new Float64Array(vocabularySize);
  for (let id = 0; id < vocabularySize; id += 1) {
    idf[id] = inverseDocumentFrequency(offsets[id + 1] ?? 0, size);
    offsets[id + 1] = (offsets[id + 1] ?? 0) + (offsets[id] ?? 0);
  }
  const documents = new Uint32Array(termIds.length);
  const impacts = new Float32Array(termIds.length);
  const next = offsets.slice();
  const meanLength = size === 0 ? 1 : Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / size);
  for (let document = 0; document < size; document += 1) {
    const norm = k1 * (1 - b + (b * (lengths[document] ?? 0)) / meanLength);
    for (let i = starts[document] ?? 0; i < (starts[document + 1] ?? 0); i += 1) {
      const id = termIds[i] ?? 0;
      const place = next[id] ?? 0;
      next[id] = place + 1;
      const frequency = frequencies[i] ?? 0;
      documents[place] = document;
      impacts[place] = ((idf[id] ?? 0) * frequency) / (frequency + norm);
    }
  }
  return { offsets, documents, impacts };
}

/** ln(1 + (N - df + 0.5) / (df + 0.5)), > 0. */
export function inverseDocumentFrequency(documentFrequency: number, documents: number): number {
  const half = 1 / 2;
  return Math.log(1 + (documents - documentFrequency + half) / (documentFrequency + half));
}

function enlarge(array: Uint32Array<ArrayBuffer>, needed: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}

/** A list of unsigned 32-bit numbers that grows; a plain array would spend twice the memory. */
class GrowingNumbers {
  length = 0;
  #numbers: Uint32Array<ArrayBuffer> = new Uint32Array(1 << 16);

  push(value: number): void {
    if (this.length === this.#numbers.length) this.#numbers = enlarge(this.#numbers, this.length + 1);
    this.#numbers[this.length] = value;
    this.length += 1;
  }

  take(): Uint32Array {
    return this.#numbers.slice(0, this.length);
  }
}
