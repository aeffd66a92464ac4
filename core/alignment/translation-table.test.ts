import { describe, expect, it } from 'vitest';
import { openTranslationTable, trainTranslationTable, type TranslationTableData } from './translation-table.ts';
import { QUERY_STEM_CHARACTERS, wordTokens } from './word-tokens.ts';

const PAIRS = [
  ['nyumba kubwa', 'big house'],
  ['nyumba ndogo', 'small house'],
  ['mto mkubwa', 'big river'],
  ['mto mdogo', 'small river'],
  ['nyumba ya Amina', 'house of Amina'],
  ['mto wa Nile', 'river of Nile'],
  ['maji ya mto', 'water of river'],
  ['maji safi', 'clean water'],
  ['nyumba safi', 'clean house'],
].map(([source = '', target = '']) => ({ source, target, weight: 1 }));

const trained = (pairs = PAIRS): Promise<TranslationTableData> => trainTranslationTable({ pairs, sourceLanguage: 'sw', targetLanguage: 'en' });

/** A table written by hand: no training between the numbers and what is asked. */
function handWritten(rows: Readonly<Record<string, readonly (readonly [string, number])[]>>): TranslationTableData {
  const targets = [...new Set(Object.values(rows).flatMap((row) => row.map(([word]) => word)))];
  const offsets = [0];
  for (const row of Object.values(rows)) offsets.push((offsets.at(-1) ?? 0) + row.length);
  const entries = Object.values(rows).flat();
  return {
    sourceLanguage: 'sw',
    targetLanguage: 'en',
    sources: Object.keys(rows),
    targets,
    offsets: Uint32Array.from(offsets),
    targetIds: Uint32Array.from(entries, ([word]) => targets.indexOf(word)),
    probabilities: Float32Array.from(entries, ([, probability]) => probability),
  };
}

describe('trainTranslationTable', () => {
  it('learns the words of a small corpus', async () => {
    const table = openTranslationTable(await trained());
    for (const [word, translation] of [['nyumba', 'house'], ['mto', 'river'], ['maji', 'water']] as const) expect(table.translate(word)[0]?.token).toBe(translation);
    expect([table.sourceLanguage, table.targetLanguage]).toEqual(['sw', 'en']);
  });

  it('keeps query words longer than document words', async () => {
    const data = await trained([{ source: 'international communities', target: 'international communities', weight: 1 }]);
    expect(data.sources).toEqual(['internat', 'communit']);
    expect(data.targets).toEqual(['intern', 'commun']);
  });

  it('keeps at most 20 translations of a word, none below .01, most probable first', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ source: 'kitu', target: `word${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`, weight: 1 }));
    const data = await trained([...many, ...Array.from({ length: 30 }, () => ({ source: 'kitu', target: 'thing', weight: 1 }))]);
    const row = openTranslationTable(data).translate('kitu');
    expect(row.length).toBeGreaterThan(1);
    expect(row.length).toBeLessThanOrEqual(20);
    expect(row[0]?.token).toBe('thing');
    row.forEach(({ probability }, i) => {
      expect(probability).toBeGreaterThanOrEqual(0.01);
      if (i > 0) expect(probability).toBeLessThanOrEqual(row[i - 1]?.probability ?? 0);
    });
  });

  it('gives the same table again', async () => {
    expect(await trained()).toEqual(await trained());
  });

  it('makes an empty table of no pairs', async () => {
    expect(openTranslationTable(await trained([])).translate('kitu')).toEqual([{ token: 'kitu', probability: 1 }]);
  });
});

describe('openTranslationTable', () => {
  const table = openTranslationTable(
    handWritten({
      // trigrams of <habari>: 6; of <habari za>... one word each
      habari: [['news', 0.75], ['hello', 0.25]],
      kiswahili: [['swahil', 1]],
      ki: [['it', 1]],
    }),
  );

  it('gives the row of a word it has seen, and nothing else', () => {
    expect(table.translate('habari')).toEqual([{ token: 'news', probability: 0.75 }, { token: 'hello', probability: 0.25 }]);
  });

  it('gives an unknown word itself, as documents would have it: names and numbers are copied', () => {
    expect(table.translate('zanzibar')).toEqual([{ token: 'zanzib', probability: 1 }]);
    expect(table.translate('1884')).toEqual([{ token: '1884', probability: 1 }]);
  });

  it('gives an unknown word the translations of a word spelled alike, by the squared similarity', () => {
    // <habarini> has 8 trigrams, <habari> 6, 5 of them shared (not ri>): s = 10 / 14; one neighbour, so its share is s^2 / s = s
    const found = table.translate('habarini');
    const similarity = 10 / 14;
    expect(found.map(({ token }) => token)).toEqual(['habari', 'news', 'hello']);
    expect(found[1]?.probability).toBeCloseTo(similarity * 0.75, 6);
    expect(found[2]?.probability).toBeCloseTo(similarity * 0.25, 6);
  });

  it('does not guess for words of fewer than four characters, nor from such words', () => {
    expect(table.translate('kii')).toEqual([{ token: 'kii', probability: 1 }]);
    expect(table.translate('kiki').map(({ token }) => token)).toEqual(['kiki']);
  });

  it('counts characters, not UTF-16 units, when it compares spellings', () => {
    const deseret = openTranslationTable(handWritten({ '𐐨𐐩𐐪𐐫𐐬': [['first', 1]] }));
    expect(deseret.translate('𐐨𐐩𐐪').map(({ token }) => token)).toEqual(['𐐨𐐩𐐪']);
    expect(deseret.translate('𐐨𐐩𐐪𐐫').map(({ token }) => token)).toContain('first');
  });

  it('translates every word of a query, in order, through wordTokens', async () => {
    const learned = openTranslationTable(await trained());
    const found = wordTokens('Maji ya nyumba?', QUERY_STEM_CHARACTERS).map(({ token }) => learned.translate(token)[0]?.token);
    expect(found).toHaveLength(3);
    expect([found[0], found[2]]).toEqual(['water', 'house']);
  });

  it('gives the same answer when asked again', () => {
    expect(table.translate('habarini')).toEqual(table.translate('habarini'));
  });
});
