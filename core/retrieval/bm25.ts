/** How much does a term of a query tell about a document? The formula of BM25; segments/bm25-search.ts adds it up. */

export type Bm25Parameters = {
  /** How soon further occurrences of a term stop counting, >= 0. */
  readonly k1: number;
  /** How much long documents are held back, 0 (not) to 1 (in proportion). */
  readonly b: number;
};

/** Anserini's defaults, which the measured baselines use. */
export const defaultBm25Parameters: Bm25Parameters = { k1: 0.9, b: 0.4 };

/**
 * Of translated words. A query has some twenty translations for each of its words, so a long text has one of them by chance: its length counts in
 * full. Chosen on the development split (test/experiments/choices.md).
 */
export const translatedBm25Parameters: Bm25Parameters = { k1: 0.9, b: 1 };

/** Terms of a query with weights (how often each occurs, or a probability). */
export type WeightedTerms = ReadonlyMap<string, number>;

/**
 * ln(1 + (N - df + 0.5) / (df + 0.5)), > 0.
 * @see Robertson and Zaragoza 2009; Kamphuis et al. 2020 ("Which BM25 do you mean?").
 */
export function inverseDocumentFrequency(documentFrequency: number, documents: number): number {
  const half = 1 / 2;
  return Math.log(1 + (documents - documentFrequency + half) / (documentFrequency + half));
}
