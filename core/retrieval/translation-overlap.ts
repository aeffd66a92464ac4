/** How many words of two sentences translate each other? The cosine between one side's translated words and the other side's words. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { DOCUMENT_STEM_CHARACTERS, wordTokens } from '../alignment/word-tokens.ts';
import { inverseDocumentFrequency } from './bm25.ts';
import { translateQuery } from './query-translation.ts';

type Bag = { readonly ids: Uint32Array; readonly weights: Float64Array };

/** Similarities of one sentence to all of the other side: float64 [M], each in [0, 1]. */
export type OverlapRow = (sentence: number) => Float64Array;

/**
 * Lexical similarity by word translation:
 *
 *   cos( t(x), w(y) ),  w(y)_v = tf(v, y) idf(v),  t(x)_v = sum over words q of x of p(v | q)^.7 idf(v)
 *
 * over the words v of the other side; idf from the other side's sentences.
 * @param from sentences that `table` translates.  @param into sentences in the table's target language.
 */
export function translationOverlap({ from, into, table }: { readonly from: readonly string[]; readonly into: readonly string[]; readonly table: TranslationTable }): OverlapRow {
  const vocabulary = new Map<string, number>();
  const documents = into.map((text) => countWords(text, vocabulary));
  const frequency = new Float64Array(vocabulary.size);
  for (const words of documents) for (const id of words.keys()) frequency[id] = (frequency[id] ?? 0) + 1;
  const idf = frequency.map((count) => inverseDocumentFrequency(count, into.length));
  const bags = documents.map((words) => bagOf(words, idf));
  const lists = invert(bags, vocabulary.size);
  return (sentence) => {
    const row = new Float64Array(into.length);
    const translated = new Map<number, number>();
    for (const [term, weight] of translateQuery(from[sentence] ?? '', table).terms) {
      const id = vocabulary.get(term);
      if (id !== undefined) translated.set(id, weight);
    }
    const { ids, weights } = bagOf(translated, idf);
    ids.forEach((id, place) => {
      const weight = weights[place] ?? 0;
      for (let i = lists.offsets[id] ?? 0; i < (lists.offsets[id + 1] ?? 0); i += 1) {
        const document = lists.documents[i] ?? 0;
        row[document] = (row[document] ?? 0) + weight * (lists.weights[i] ?? 0);
      }
    });
    return row;
  };
}

function countWords(text: string, vocabulary: Map<string, number>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { token } of wordTokens(text, DOCUMENT_STEM_CHARACTERS)) {
    const id = vocabulary.get(token) ?? vocabulary.size;
    vocabulary.set(token, id);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Weighted by idf, of length 1. */
function bagOf(counts: ReadonlyMap<number, number>, idf: Float64Array): Bag {
  const ids = Uint32Array.from(counts.keys());
  const weights = Float64Array.from(counts, ([id, count]) => count * (idf[id] ?? 0));
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0));
  return { ids, weights: length === 0 ? weights : weights.map((weight) => weight / length) };
}

function invert(bags: readonly Bag[], vocabularySize: number): { readonly offsets: Uint32Array; readonly documents: Uint32Array; readonly weights: Float64Array } {
  const offsets = new Uint32Array(vocabularySize + 1);
  for (const { ids } of bags) for (const id of ids) offsets[id + 1] = (offsets[id + 1] ?? 0) + 1;
  for (let id = 0; id < vocabularySize; id += 1) offsets[id + 1] = (offsets[id + 1] ?? 0) + (offsets[id] ?? 0);
  const next = offsets.slice();
  const documents = new Uint32Array(offsets[vocabularySize] ?? 0);
  const weights = new Float64Array(documents.length);
  bags.forEach((bag, document) => {
    bag.ids.forEach((id, place) => {
      const at = next[id] ?? 0;
      next[id] = at + 1;
      documents[at] = document;
      weights[at] = bag.weights[place] ?? 0;
    });
  });
  return { offsets, documents, weights };
}
