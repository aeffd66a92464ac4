/** An encoder that needs no training, for tests and benchmarks: every word has a random direction; texts that share words are near. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { seededRandom } from '../base/random.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { wordSpans } from './analysis.ts';
import type { Span } from './analysis.ts';
import { matchingForm } from './matching-form.ts';

const WINDOW_WORDS = 32;
const STRIDE_WORDS = 16;

/** The vector of a text is the normalised sum of its words' directions, which depend on the word and the width alone. */
export function createHashEncoder(options: { readonly width: number; readonly modelId?: string; readonly languages?: Encoder['languages']; readonly tables?: readonly TranslationTable[] }): Encoder {
  const { width, modelId = `hash-${options.width}`, languages = [], tables = [] } = options;
  const directions = new Map<string, Float32Array>();
  const direction = (word: string): Float32Array => {
    const known = directions.get(word);
    if (known !== undefined) return known;
    const random = seededRandom(width, word);
    const made = Float32Array.from({ length: width }, () => random.normal());
    directions.set(word, made);
    return made;
  };
  const vectorOf = (text: string, spans: readonly Span[]): Float32Array => {
    const sum = new Float32Array(width);
    for (const { start, end } of spans) {
      const added = direction(matchingForm(text.slice(start, end)));
      for (let i = 0; i < width; i += 1) sum[i] = (sum[i] ?? 0) + (added[i] ?? 0);
    }
    const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
    return length === 0 ? sum : sum.map((value) => value / length);
  };
  const windows = (text: string): { readonly spans: readonly Span[]; readonly place: Span }[] => {
    const words = wordSpans(text);
    const all = [{ spans: words, place: { start: 0, end: text.length } }];
    if (words.length <= WINDOW_WORDS) return all;
    for (let from = 0; from < words.length - STRIDE_WORDS; from += STRIDE_WORDS) {
      const spans = words.slice(from, from + WINDOW_WORDS);
      all.push({ spans, place: { start: spans[0]?.start ?? 0, end: spans.at(-1)?.end ?? text.length } });
    }
    return all;
  };
  return {
    width,
    modelId,
    pivot: 'en',
    languages,
    encode: (texts) => Promise.resolve(joined(texts.map((text) => vectorOf(text, wordSpans(text))), width)),
    encodeDocuments: (texts) => Promise.resolve(texts.map((text) => joined(windows(text).map(({ spans }) => vectorOf(text, spans)), width))),
    windowSpans: (text) => windows(text).map(({ place }) => place),
    translation: (source, target) => tables.find((table) => table.sourceLanguage === source && table.targetLanguage === target) ?? null,
  };
}

function joined(rows: readonly Float32Array[], width: number): Float32Array {
  const all = new Float32Array(rows.length * width);
  rows.forEach((row, i) => all.set(row, i * width));
  return all;
}
