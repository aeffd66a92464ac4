/** What can be found in a collection by its letters? BM25 over words, over character n-grams and over translated words. */
import { foldForSearch } from '../text/search-folding.ts';
import { characterAnalyzer, characterTerms, wholeWords, wholeWordTerm, wordAnalyzer, wordTerms } from './analysis.ts';
import type { Analyzer } from './analysis.ts';
import { buildBm25 } from './bm25.ts';
import type { WeightedTerms } from './bm25.ts';
import { matchingForm } from './matching-form.ts';
import { translationAnalyzer } from './query-translation.ts';

export type LexicalPart = 'words' | 'characters' | 'translated';

export type LexicalIndex = {
  /** Number of documents. */
  readonly size: number;
  /** BM25 scores of all documents, float64 [N]. */
  readonly wordScores: (query: string) => Float64Array;
  readonly characterScores: (query: string) => Float64Array;
  /** Terms as translateQuery gives them. */
  readonly translatedScores: (terms: WeightedTerms) => Float64Array;
  /** The matching forms of the query's words as they are looked up: a word that is unknown is replaced by its spellings in the collection. */
  readonly wordForms: (query: string) => ReadonlySet<string>;
  /** How many documents hold a word (in its matching form); where words have no spaces between them, at least so many. */
  readonly wordFrequency: (form: string) => number;
  /** How many documents hold a word as tables see it. */
  readonly translatedFrequency: (token: string) => number;
  /** Builds these parts now rather than at the first search that needs them. */
  readonly prepare: (parts: readonly LexicalPart[]) => void;
};

/**
 * Builds the index; each part when it is first asked, or with `prepare`.
 * Unknown words of a query are looked up by their spellings without marks: "oro" finds ọ̀rọ̀ when no document has "oro".
 */
export function buildLexicalIndex(texts: readonly string[]): LexicalIndex {
  const words = lazily(() => buildBm25(texts, wordAnalyzer));
  const characters = lazily(() => buildBm25(texts, characterAnalyzer));
  const translated = lazily(() => buildBm25(texts, translationAnalyzer));
  const spellings = lazily(() => spellingVariants(wholeWords(characters().vocabulary())));

  const built: Readonly<Record<LexicalPart, () => void>> = { words, characters: spellings, translated };

  /** Matching forms of a unit of the query with weights that add to 1. */
  const formsOf = (unit: string): readonly { readonly form: string; readonly weight: number }[] => {
    const form = matchingForm(unit);
    const whole = wholeWordTerm(form);
    if (form === '' || whole === null || characters().documentFrequency(whole) > 0) return [{ form, weight: 1 }];
    const variants = spellings().get(foldForSearch(form)) ?? [];
    return variants.length === 0 ? [{ form, weight: 1 }] : variants.map((variant) => ({ form: variant, weight: 1 / variants.length }));
  };
  const queryTerms = (query: string, analyzer: Analyzer, termsOf: (form: string) => readonly string[]): WeightedTerms => {
    const terms = new Map<string, number>();
    for (const unit of analyzer.units(query)) {
      for (const { form, weight } of formsOf(unit)) {
        const found = form === matchingForm(unit) ? analyzer.terms(unit) : termsOf(form);
        for (const term of found) terms.set(term, (terms.get(term) ?? 0) + weight);
      }
    }
    return terms;
  };

  return {
    size: texts.length,
    wordScores: (query) => words().scores(queryTerms(query, wordAnalyzer, wordTerms)),
    characterScores: (query) => characters().scores(queryTerms(query, characterAnalyzer, characterTerms)),
    translatedScores: (terms) => translated().scores(terms),
    wordForms: (query) => new Set(wordAnalyzer.units(query).flatMap((unit) => formsOf(unit).map(({ form }) => form)).filter((form) => form !== '')),
    wordFrequency: (form) => Math.min(texts.length, ...characterTerms(form).map((term) => characters().documentFrequency(term))),
    translatedFrequency: (token) => translated().documentFrequency(token),
    prepare: (parts) => {
      for (const part of parts) built[part]();
    },
  };
}

/** Spelling without marks -> the collection's words so spelled that are not themselves without marks. */
function spellingVariants(vocabulary: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const variants = new Map<string, string[]>();
  for (const word of vocabulary) {
    const bare = foldForSearch(word);
    const list = variants.get(bare);
    if (list === undefined) variants.set(bare, [word]);
    else list.push(word);
  }
  return variants;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
