/** Why was this text found, and where in it does one see that? Highlights and reasons of a hit. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { DOCUMENT_STEM_CHARACTERS, wordTokens } from '../alignment/word-tokens.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { characterTerms, wordSpans } from './analysis.ts';
import type { Span } from './analysis.ts';
import type { LexicalIndex } from './lexical-index.ts';
import type { ComponentWeights } from './method-weights.ts';
import { translateQuery } from './query-translation.ts';
import type { WordOrigin } from './query-translation.ts';
import type { NearestPart } from './rank-collection.ts';

/** Offsets into the hit's text, UTF-16, end exclusive, whole graphemes; highlights do not overlap. */
export type Highlight = Span & { readonly kind: 'same-word' | 'translated-word' | 'similar-meaning' };

export type Reason =
  | { readonly kind: 'same-words'; readonly words: readonly string[] }
  | { readonly kind: 'similar-words'; readonly words: readonly string[] }
  | { readonly kind: 'translated-words'; readonly words: readonly { readonly query: string; readonly document: string }[] }
  /** Cosine of the query and the nearest part of the text. */
  | { readonly kind: 'similar-meaning'; readonly similarity: number };

export type Explanation = { readonly highlights: readonly Highlight[]; readonly reasons: readonly Reason[] };

export type ExplainRequest = {
  readonly query: string;
  /** What dense search found nearest in this text; null when it did not find the text. */
  readonly nearest: NearestPart | null;
  readonly text: string;
  readonly weights: ComponentWeights;
  readonly table: TranslationTable | null;
  /** The table of the other direction, where the model has one: a word that does not mean the query's word back is no reason. */
  readonly back?: TranslationTable | null;
  readonly lexical: Pick<LexicalIndex, 'form' | 'wordForms' | 'wordFrequency' | 'translatedFrequency'>;
  /** How many documents are in the language of this one, itself included. */
  readonly documentsInLanguage: number;
  readonly encoder: Pick<Encoder, 'windowSpans'> | null;
};

const LEAST_SPELLING_OVERLAP = 0.5; // Dice of character n-grams: "walked" and "walking" .57
const LEAST_PROBABILITY = 0.1; // of a translation that is worth showing
const FIRM_PROBABILITY = 0.3; // of a translation that the other direction does not know
const LEAST_SIMILARITY = 0.15; // below it, similar meaning is no reason
/** Words in more than this share of the documents of the language are no reason ("the"), once there are enough documents to tell. */
const COMMON_SHARE = 0.35;
const FEW_DOCUMENTS = 10;
const MOST_WORDS = 12; // of one reason

/** Explains one hit from its text; only methods that took part (weight above 0) give reasons. */
export function explainHit(request: ExplainRequest): Explanation {
  const { text, weights } = request;
  const highlights: Highlight[] = [];
  const reasons: Reason[] = [];
  const taken = (span: Span): boolean => highlights.some((highlight) => highlight.start < span.end && span.start < highlight.end);
  const mark = (span: Span, kind: Highlight['kind']): void => {
    const whole = wholeGraphemes(text, span);
    if (!taken(whole)) highlights.push({ ...whole, kind });
  };
  if (weights.words > 0 || weights.characters > 0) {
    const { same, similar } = sharedWords(request);
    for (const span of [...same, ...similar]) mark(span, 'same-word');
    if (same.length > 0) reasons.push({ kind: 'same-words', words: surfaces(text, same, request.lexical.form) });
    if (similar.length > 0) reasons.push({ kind: 'similar-words', words: surfaces(text, similar, request.lexical.form) });
  }
  if (weights.translated > 0 && request.table !== null) {
    const pairs = translatedWords(request, request.table);
    for (const { span } of pairs) mark(span, 'translated-word');
    if (pairs.length > 0) reasons.push({ kind: 'translated-words', words: distinctPairs(pairs) });
  }
  if (weights.dense > 0) {
    const { nearest, encoder } = request;
    if (nearest !== null && nearest.similarity >= LEAST_SIMILARITY) {
      reasons.push({ kind: 'similar-meaning', similarity: nearest.similarity });
      const span = nearest.window === 0 || encoder === null ? undefined : encoder.windowSpans(text)[nearest.window];
      if (span !== undefined) for (const part of without(wholeGraphemes(text, span), highlights)) if (/\p{L}|\p{N}/u.test(text.slice(part.start, part.end))) highlights.push({ ...part, kind: 'similar-meaning' });
    }
  }
  return { highlights: highlights.sort((a, b) => a.start - b.start), reasons };
}

/** Words of the text that are the query's, and words that share half of their n-grams with one of the query's. */
function sharedWords({ query, text, weights, lexical, documentsInLanguage }: ExplainRequest): { readonly same: Span[]; readonly similar: Span[] } {
  const isCommon = (form: string): boolean => isInMost(lexical.wordFrequency(form), documentsInLanguage);
  const forms = [...lexical.wordForms(query)];
  const telling = forms.some((form) => !isCommon(form)) ? forms.filter((form) => !isCommon(form)) : forms;
  const wanted = new Set(telling);
  const isSimilar = weights.characters > 0 ? spellingComparison(telling) : () => false;
  const same: Span[] = [];
  const similar: Span[] = [];
  for (const span of wordSpans(text)) {
    const form = lexical.form(text.slice(span.start, span.end));
    if (wanted.has(form)) same.push(span);
    else if (isSimilar(form)) similar.push(span);
  }
  return { same, similar };
}

/** Whether a word shares half of its n-grams (Dice's coefficient) with one of these words; words of a single n-gram resemble nothing. */
function spellingComparison(words: readonly string[]): (word: string) => boolean {
  const holders = new Map<string, number[]>();
  const sizes = words.map((word, i) => {
    const terms = new Set(characterTerms(word));
    if (terms.size > 1) for (const term of terms) holders.set(term, [...(holders.get(term) ?? []), i]);
    return terms.size;
  });
  const known = new Map<string, boolean>();
  const compare = (word: string): boolean => {
    const terms = new Set(characterTerms(word));
    const shared = new Map<number, number>();
    for (const term of terms) for (const i of holders.get(term) ?? []) shared.set(i, (shared.get(i) ?? 0) + 1);
    return [...shared].some(([i, count]) => (2 * count) / (terms.size + (sizes[i] ?? 0)) >= LEAST_SPELLING_OVERLAP);
  };
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const now = compare(word);
    known.set(word, now);
    return now;
  };
}

const isInMost = (frequency: number, documents: number): boolean => documents >= FEW_DOCUMENTS && frequency > COMMON_SHARE * documents;

type TranslatedWord = { readonly span: Span; readonly query: string; readonly document: string };

function translatedWords({ query, text, lexical, documentsInLanguage, back = null }: ExplainRequest, table: TranslationTable): readonly TranslatedWord[] {
  const { terms, origins } = translateQuery(query, table);
  return wordTokens(text, DOCUMENT_STEM_CHARACTERS).flatMap(({ token, start, end }) => {
    const isTelling = (terms.get(token) ?? 0) >= LEAST_PROBABILITY && !isInMost(lexical.translatedFrequency(token), documentsInLanguage);
    const origin = isTelling ? bestOrigin(token, origins.get(token) ?? [], back) : null;
    return origin === null ? [] : [{ span: { start, end }, query: origin, document: text.slice(start, end) }];
  });
}

/**
 * The query word that a document word stands for: the one that both tables agree on most, by p(document | query) p(query | document).
 * A table of one direction alone pairs a rare word with whatever often stands beside it ("its" with a word for "family").
 * @returns null where no origin is probable enough: only one direction believes it, and not firmly.
 */
function bestOrigin(token: string, origins: readonly WordOrigin[], back: TranslationTable | null): string | null {
  const [first] = origins;
  if (back === null || first === undefined) return first?.surface ?? null;
  const meanings = back.translate(token);
  let best: { readonly surface: string; readonly agreement: number } | null = null;
  for (const { surface, token: meaning, probability } of origins) {
    const agreement = probability * (meanings.find((other) => other.token === meaning)?.probability ?? 0);
    if (agreement > (best?.agreement ?? 0)) best = { surface, agreement };
  }
  return best?.surface ?? (first.probability >= FIRM_PROBABILITY ? first.surface : null);
}

function distinctPairs(pairs: readonly TranslatedWord[]): { query: string; document: string }[] {
  const seen = new Map(pairs.map(({ query, document }) => [`${query}\n${document}`, { query, document }]));
  return [...seen.values()].slice(0, MOST_WORDS);
}

function surfaces(text: string, spans: readonly Span[], formOf: (text: string) => string): string[] {
  const seen = new Map<string, string>();
  for (const { start, end } of spans) {
    const surface = text.slice(start, end);
    const form = formOf(surface);
    if (!seen.has(form)) seen.set(form, surface);
  }
  return [...seen.values()].slice(0, MOST_WORDS);
}

let graphemes: Intl.Segmenter | undefined;
/** Code units beside which a visible character may go on: marks, joiners, letters of scripts that build clusters, surrogates. */
const JOINS = /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Nd}\p{P}\p{Z}\n]|\p{M}/u;

/** The span widened so that it begins and ends between visible characters. */
export function wholeGraphemes(text: string, { start, end }: Span): Span {
  if (!JOINS.test(text.charAt(start)) && !JOINS.test(text.charAt(end)) && !JOINS.test(text.charAt(start - 1)) && !JOINS.test(text.charAt(end - 1))) return { start, end };
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const segments = graphemes.segment(text);
  const first = start < text.length ? segments.containing(start)?.index : undefined;
  const last = end > start && end < text.length ? segments.containing(end - 1) : undefined;
  return { start: first ?? start, end: last === undefined ? end : last.index + last.segment.length };
}

/** What is left of a span when others are taken out of it. */
function without({ start, end }: Span, others: readonly Span[]): Span[] {
  const parts: Span[] = [];
  let from = start;
  for (const other of others.toSorted((a, b) => a.start - b.start)) {
    if (other.end <= from || other.start >= end) continue;
    if (other.start > from) parts.push({ start: from, end: other.start });
    from = Math.max(from, other.end);
  }
  if (from < end) parts.push({ start: from, end });
  return parts;
}
