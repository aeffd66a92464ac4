/** Into which terms does a text fall for lexical search? Words, or character n-grams inside words. */
import { matchingForm } from './matching-form.ts';

/**
 * A way to terms. A text falls into units, a unit into terms; terms of a unit depend on the unit alone, so that an index
 * can remember them and meets every distinct unit once.
 */
export type Analyzer = {
  readonly units: (text: string) => readonly string[];
  readonly terms: (unit: string) => readonly string[];
};

/** A stretch of a text, in UTF-16 offsets, end exclusive. */
export type Span = { readonly start: number; readonly end: number };

// Letters, digits and marks, held together by joiners and inner apostrophes (o'zbek, ma’lumot, می‌خواهم); as UAX #29, but one
// run of a script without spaces stays whole here and is divided below.
const WORD_RUN = /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}\u200c\u200d]|['’‘.](?=[\p{L}\p{M}])(?<=\p{L}\p{M}*['’‘.]))*/gu;
const UNSPACED_SCRIPTS = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々〆';
const UNSPACED_RUN = new RegExp(`[${UNSPACED_SCRIPTS}][${UNSPACED_SCRIPTS}\\p{M}\\u200b]*`, 'gu');
const HAS_UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/** Runs of a text that are words, or, in scripts without spaces, whole stretches between spaces and punctuation. */
export function wordRuns(text: string): Span[] {
  const runs: Span[] = [];
  for (const match of text.matchAll(WORD_RUN)) {
    const start = match.index;
    const end = start + match[0].length;
    if (!HAS_UNSPACED.test(match[0])) {
      runs.push({ start, end });
      continue;
    }
    let place = 0;
    for (const inner of match[0].matchAll(UNSPACED_RUN)) {
      if (inner.index > place) runs.push({ start: start + place, end: start + inner.index });
      place = inner.index + inner[0].length;
      runs.push({ start: start + inner.index, end: start + place });
    }
    if (start + place < end) runs.push({ start: start + place, end });
  }
  return runs;
}

let segmenter: Intl.Segmenter | undefined;

/** The words of a text, in order; scripts without spaces are divided by ICU's dictionaries (Intl.Segmenter). */
export function wordSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const run of wordRuns(text)) {
    const surface = text.slice(run.start, run.end);
    if (!HAS_UNSPACED.test(surface)) {
      spans.push(run);
      continue;
    }
    segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
    for (const { segment, index } of segmenter.segment(surface)) spans.push({ start: run.start + index, end: run.start + index + segment.length });
  }
  return spans;
}

/** Words, in the form in which they are compared (matchingForm). */
export const wordAnalyzer: Analyzer = {
  units: (text) => wordSpans(text).map(({ start, end }) => text.slice(start, end)),
  terms: (unit) => {
    const word = matchingForm(unit);
    return word === '' ? [] : [word];
  },
};

const NGRAM_LENGTH = 4;
/** Scripts where a character says more than a letter does, so that shorter n-grams are words already. */
const shorterNgrams: readonly { readonly script: RegExp; readonly length: number }[] = [
  { script: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u, length: 2 },
  { script: /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u, length: 3 },
];
const WORD_EDGE = '_';
const WHOLE_WORD = '=';

/** Length of the n-grams of a word, by its script: 2 for Han and Kana, 3 for Thai, Lao, Khmer and Burmese, else 4. */
export function ngramLength(word: string): number {
  return shorterNgrams.find(({ script }) => script.test(word))?.length ?? NGRAM_LENGTH;
}

/**
 * Character n-grams (code points) inside words, with a mark at both edges, and the whole word as one more term:
 * "bank" -> _ban bank ank_ =bank. A word too short for an n-gram is one term. Scripts without spaces have no whole words here.
 *
 * Inside words with edges, because n-grams across words were worse in 10 of 14 collections; the whole word, because it helped on
 * three development sets (MRR@100 .881 -> .885, .660 -> .662, .473 -> .483; 2026-11-20).
 */
export const characterAnalyzer: Analyzer = {
  units: (text) => wordRuns(text).map(({ start, end }) => text.slice(start, end)),
  terms: (unit) => {
    const word = matchingForm(unit);
    if (word === '') return [];
    const n = ngramLength(word);
    const grams = ngrams(`${WORD_EDGE}${word}${WORD_EDGE}`, n);
    return n === NGRAM_LENGTH && grams.length > 1 ? [...grams, `${WHOLE_WORD}${word}`] : grams;
  },
};

/** All n-grams of n code points, in order; the whole text when it is shorter. */
export function ngrams(text: string, n: number): string[] {
  const points = Array.from(text);
  if (points.length <= n) return [text];
  const grams: string[] = [];
  for (let i = 0; i + n <= points.length; i += 1) grams.push(points.slice(i, i + n).join(''));
  return grams;
}
