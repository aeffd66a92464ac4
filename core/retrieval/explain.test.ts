/** Is a translated word paired with the query word that it stands for, and with none where the two directions do not agree? */
import { describe, expect, test } from 'vitest';
import type { TranslationTable } from '../alignment/translation-table.ts';
import { explainHit } from './explain.ts';

const tableOf = (sourceLanguage: string, targetLanguage: string, rows: Readonly<Record<string, Readonly<Record<string, number>>>>): TranslationTable => ({
  sourceLanguage,
  targetLanguage,
  translate: (token) => Object.entries(rows[token] ?? {}).map(([target, probability]) => ({ token: target, probability })),
});
/** As the sample's model has them: "its" is nearer to the word for "family" than "family" itself, one way. */
const table = tableOf('en', 'ar', { its: { أسرة: 0.192, مصباح: 0.35 }, family: { أسرة: 0.163 }, lamp: { قديم: 0.12 } });
const back = tableOf('ar', 'en', { أسرة: { family: 0.541, its: 0.204 } });
const lexical = { form: (text: string) => text, wordForms: () => new Set<string>(), wordFrequency: () => 0, translatedFrequency: () => 0 };

const pairsOf = (reverse: TranslationTable | null) => {
  const { reasons } = explainHit({ query: 'its family lamp', text: 'أسرة مصباح قديم', weights: { words: 0, characters: 0, translated: 1, dense: 0 }, nearest: null, table, back: reverse, lexical, documentsInLanguage: 3, encoder: null });
  return reasons.flatMap((reason) => (reason.kind === 'translated-words' ? reason.words.map(({ query, document }) => `${query} ${document}`) : []));
};

describe('a translated word', () => {
  test('stands for the query word that both directions agree on', () => {
    expect(pairsOf(back)).toContain('family أسرة');
    expect(pairsOf(null)).toContain('its أسرة');
  });

  test('that only one direction knows is a reason where that direction is sure', () => {
    expect(pairsOf(back)).toContain('its مصباح');
    expect(pairsOf(back).join(' ')).not.toContain('قديم');
  });
});
