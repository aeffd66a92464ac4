/** In which of the model's languages is this text? The one whose words the translation tables know best. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { documentStem, QUERY_STEM_CHARACTERS, wordTokens } from '../alignment/word-tokens.ts';
import type { Encoder } from '../encoding/encoder.ts';

const MOST_WORDS = 24;
/** Below this share of known words a text is in none of the languages. */
const LEAST_KNOWN = 0.4;

/**
 * The model's language with the largest share of known words among (at most) 24 distinct words spread over the text.
 * @returns its tag; null when no language knows two words in five, or two languages know equally many.
 */
export function guessLanguage(text: string, encoder: Pick<Encoder, 'languages' | 'pivot' | 'translation'>): string | null {
  const known = candidates(encoder);
  if (known.every(({ tables }) => tables.length === 0)) return null;
  const words = sampleWords(text);
  if (words.length === 0) return null;
  const shares = known.map(({ tag, tables }) => ({ tag, share: words.filter((word) => tables.some((table) => isKnown(table, word))).length / words.length }));
  const [first, second] = shares.sort((a, b) => b.share - a.share);
  if (first === undefined || first.share < LEAST_KNOWN || first.share === second?.share) return null;
  return first.tag;
}

/** Every language with the tables that translate from it. */
function candidates({ languages, pivot, translation }: Pick<Encoder, 'languages' | 'pivot' | 'translation'>): { readonly tag: string; readonly tables: readonly TranslationTable[] }[] {
  const others = languages.map(({ tag }) => tag).filter((tag) => tag !== pivot);
  const tablesBetween = (pairs: readonly (readonly [string, string])[]): TranslationTable[] => pairs.map(([from, to]) => translation(from, to)).filter((table) => table !== null);
  return [
    { tag: pivot, tables: tablesBetween(others.map((tag) => [pivot, tag])) },
    ...others.map((tag) => ({ tag, tables: tablesBetween([[tag, pivot]]) })),
  ];
}

/** A word without a row of its own is given back as it is, with probability 1 and before all others. */
function isKnown(table: TranslationTable, word: string): boolean {
  const [best] = table.translate(word);
  return best !== undefined && !(best.probability === 1 && best.token === documentStem(word));
}

/** Long texts are sampled before they are cut into words. */
const SAMPLES = 4;
const SAMPLE_CHARACTERS = 1000;

function sampleOf(text: string): string {
  if (text.length <= SAMPLES * SAMPLE_CHARACTERS) return text;
  const step = Math.floor((text.length - SAMPLE_CHARACTERS) / (SAMPLES - 1));
  return Array.from({ length: SAMPLES }, (_, i) => text.slice(i * step, i * step + SAMPLE_CHARACTERS)).join(' ');
}

function sampleWords(text: string): readonly string[] {
  const words = [...new Set(wordTokens(sampleOf(text), QUERY_STEM_CHARACTERS).map(({ token }) => token))].filter((word) => !/\p{N}/u.test(word));
  const step = Math.max(1, Math.floor(words.length / MOST_WORDS));
  return words.filter((_, i) => i % step === 0).slice(0, MOST_WORDS);
}

const MOST_TEXTS = 200;

/** The language that most of (at most 200) texts spread over the list are in; null when fewer than half are recognised. */
export function commonLanguage(texts: readonly string[], encoder: Parameters<typeof guessLanguage>[1]): string | null {
  const step = Math.max(1, Math.floor(texts.length / MOST_TEXTS));
  const sample = texts.filter((_, i) => i % step === 0).slice(0, MOST_TEXTS);
  const counts = new Map<string, number>();
  for (const text of sample) {
    const tag = guessLanguage(text, encoder);
    if (tag !== null) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first === undefined || first[1] * 2 < sample.length ? null : first[0];
}
