/** What would the query's words be in the documents' language? Weighted terms for BM25, with the way back for the reasons. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { documentStem, DOCUMENT_STEM_CHARACTERS, QUERY_STEM_CHARACTERS, wordTokens } from '../alignment/word-tokens.ts';
import type { Analyzer } from './analysis.ts';

/** Documents as the tables see them: their words, cut to stems. */
export const translationAnalyzer: Analyzer = {
  units: (text) => wordTokens(text, DOCUMENT_STEM_CHARACTERS).map(({ token }) => token),
  terms: (unit) => [unit],
};

/** Flattens the table a little: a second meaning counts more. Chosen on held-back pairs of eight languages (test/experiments/README.md). */
const TRANSLATION_POWER = 0.7;

export type TranslatedQuery = {
  /** Document word -> sum over query words q of count(q) * p(word | q)^.7: the (fractional) frequency in the query. */
  readonly terms: ReadonlyMap<string, number>;
  /** Document word -> the query's words that may mean it, as they were written, the most probable first. */
  readonly origins: ReadonlyMap<string, readonly WordOrigin[]>;
};

/** `token` is the query word as a table of the other direction names it; `probability` that of the document word, given this one. */
export type WordOrigin = { readonly surface: string; readonly token: string; readonly probability: number };

/**
 * Expands every word of the query into its translations. With these weights BM25 scores
 * sum over q, w of p(w | q)^.7 idf(w) tf(w) / (tf(w) + ...).
 */
export function translateQuery(query: string, table: TranslationTable): TranslatedQuery {
  const terms = new Map<string, number>();
  const origins = new Map<string, WordOrigin[]>();
  for (const { token, start, end } of wordTokens(query, QUERY_STEM_CHARACTERS)) {
    const surface = query.slice(start, end);
    for (const translation of table.translate(token)) {
      terms.set(translation.token, (terms.get(translation.token) ?? 0) + translation.probability ** TRANSLATION_POWER);
      const known = origins.get(translation.token) ?? [];
      if (!known.some((origin) => origin.surface === surface)) known.push({ surface, token: documentStem(token), probability: translation.probability });
      origins.set(translation.token, known);
    }
  }
  return { terms, origins: new Map([...origins].map(([term, list]) => [term, list.sort((a, b) => b.probability - a.probability)])) };
}
