/** What can be found in a collection by its letters? BM25 over words, over character n-grams and over translated words. */
import { foldForSearch } from '../text/search-folding.ts';
import { characterTerms, createCharacterAnalyzer, createWordAnalyzer, wholeWordTerm, wordTerms } from './analysis.ts';
import type { Analyzer, MatchingForm } from './analysis.ts';
import { defaultBm25Parameters, translatedBm25Parameters } from './bm25.ts';
import type { Bm25Parameters, WeightedTerms } from './bm25.ts';
import { matchingForm } from './matching-form.ts';
import type { ScoredList } from './scored-list.ts';
import { createBm25Search } from './segments/bm25-search.ts';
import type { Allowed } from './segments/bm25-search.ts';
import { createDocumentTerms } from './segments/document-terms.ts';
import { sectionsInMemory } from './segments/section-file.ts';
import { createSegmentBuilder } from './segments/segment-builder.ts';
import { openSegment } from './segments/segment.ts';
import type { Segment } from './segments/segment.ts';
import { termHash } from './segments/term-hash.ts';

export type LexicalIndex = {
  /** Number of documents. */
  readonly size: number;
  /** The best documents by BM25 (those without a term of the query fill the list up with score 0); `allowed` narrows the search. */
  readonly byWords: (query: string, depth: number, allowed: Allowed) => ScoredList;
  readonly byCharacters: (query: string, depth: number, allowed: Allowed) => ScoredList;
  /** Terms as translateQuery gives them. */
  readonly byTranslation: (terms: WeightedTerms, depth: number, allowed: Allowed) => ScoredList;
  /** The matching forms of the query's words as they are looked up: a word that is unknown is replaced by its spellings in the collection. */
  readonly wordForms: (query: string) => ReadonlySet<string>;
  /** When two spellings count as one word here. */
  readonly form: MatchingForm;
  /** How many documents hold a word (in its matching form); where words have no spaces between them, at least so many. */
  readonly wordFrequency: (form: string) => number;
  /** How many documents hold a word as tables see it. */
  readonly translatedFrequency: (token: string) => number;
};

/**
 * The lexical index over segments.
 * Unknown words of a query are looked up by their spellings without marks: "oro" finds ọ̀rọ̀ when no document has "oro".
 */
export function openLexicalIndex(segments: readonly Segment[], form: MatchingForm, parameters: Bm25Parameters = defaultBm25Parameters): LexicalIndex {
  const words = createBm25Search(segments, 'words', parameters);
  const characters = createBm25Search(segments, 'characters', parameters);
  const translated = createBm25Search(segments, 'translated', translatedBm25Parameters);
  const wordAnalyzer = createWordAnalyzer(form);
  const characterAnalyzer = createCharacterAnalyzer(form);

  const isKnown = (word: string): boolean => {
    const whole = wholeWordTerm(word);
    return whole !== null && characters.documentFrequency(whole) > 0;
  };
  /** The collection's words of a spelling without marks. */
  const spellings = (bare: string): readonly string[] => {
    const hash = termHash(bare);
    const marked = new Set(segments.flatMap((segment) => segment.spellings(hash)).filter((word) => foldForSearch(word) === bare));
    return [...(isKnown(bare) ? [bare] : []), ...marked].sort();
  };
  /** Matching forms of a unit of the query with weights that add to 1. */
  const formsOf = (unit: string): readonly { readonly form: string; readonly weight: number }[] => {
    const own = form(unit);
    if (own === '' || wholeWordTerm(own) === null || isKnown(own)) return [{ form: own, weight: 1 }];
    const variants = spellings(foldForSearch(own));
    return variants.length === 0 ? [{ form: own, weight: 1 }] : variants.map((variant) => ({ form: variant, weight: 1 / variants.length }));
  };
  const queryTerms = (query: string, analyzer: Analyzer, termsOf: (form: string) => readonly string[]): WeightedTerms => {
    const terms = new Map<string, number>();
    for (const unit of analyzer.units(query)) {
      for (const { form: variant, weight } of formsOf(unit)) {
        const found = variant === form(unit) ? analyzer.terms(unit) : termsOf(variant);
        for (const term of found) terms.set(term, (terms.get(term) ?? 0) + weight);
      }
    }
    return terms;
  };

  return {
    size: words.size,
    form,
    byWords: (query, depth, allowed) => words.top(queryTerms(query, wordAnalyzer, wordTerms), depth, allowed),
    byCharacters: (query, depth, allowed) => characters.top(queryTerms(query, characterAnalyzer, characterTerms), depth, allowed),
    byTranslation: (terms, depth, allowed) => translated.top(terms, depth, allowed),
    wordForms: (query) => new Set(wordAnalyzer.units(query).flatMap((unit) => formsOf(unit).map((variant) => variant.form)).filter((word) => word !== '')),
    wordFrequency: (word) => Math.min(words.size, ...characterTerms(word).map(characters.documentFrequency)),
    translatedFrequency: translated.documentFrequency,
  };
}

/** The lexical index of texts, in memory: for evaluation, which searches as the library does. A document's number is its place. */
export function buildLexicalIndex(texts: readonly string[], form: MatchingForm = matchingForm): LexicalIndex {
  return prepareLexicalIndex(texts, form)(defaultBm25Parameters);
}

/** The same, cut into terms once, for as many settings of BM25 as one likes. */
export function prepareLexicalIndex(texts: readonly string[], form: MatchingForm = matchingForm): (parameters: Bm25Parameters) => LexicalIndex {
  const builder = createSegmentBuilder({ documentTerms: createDocumentTerms({ form, tokenSums: null }), tokenSums: null, modelId: '', rules: '' });
  texts.forEach((text, chunk) => builder.add({ batch: 0, chunk, path: '', text, speaker: null, tier: null }));
  const segment = openSegment(sectionsInMemory(builder.finish()));
  return (parameters) => openLexicalIndex([segment], form, parameters);
}
