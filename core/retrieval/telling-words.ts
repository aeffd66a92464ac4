/** Which words of a text say what it is about? Those that few documents have: the query of "more like this". */
import { wordSpans } from './analysis.ts';
import type { LexicalIndex } from './lexical-index.ts';

const MOST_WORDS = 24;

/** The (at most) 24 distinct words of a text that the fewest other documents have, in the order of the text; all of it when it has no words. */
export function telling(text: string, lexical: Pick<LexicalIndex, 'form' | 'wordFrequency'>): string {
  const words = new Map<string, { readonly surface: string; readonly frequency: number }>();
  for (const { start, end } of wordSpans(text)) {
    const surface = text.slice(start, end);
    const form = lexical.form(surface);
    if (!words.has(form)) words.set(form, { surface, frequency: lexical.wordFrequency(form) });
  }
  const all = [...words.values()];
  const kept = new Set(all.toSorted((a, b) => a.frequency - b.frequency).slice(0, MOST_WORDS));
  return kept.size === 0 ? text : all.filter((word) => kept.has(word)).map(({ surface }) => surface).join(' ');
}
