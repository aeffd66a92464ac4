import { describe, expect, it } from 'vitest';
import { explainHit, wholeGraphemes } from './explain.ts';
import { buildLexicalIndex } from './lexical-index.ts';
import type { ScoredList } from './scored-list.ts';

/** [name, text, query that must find it]: the scripts of reliability.md, table 1.9. */
const cases: readonly (readonly [name: string, text: string, query: string])[] = [
  ['Thai, a word inside a run', 'ภาษาไทยไม่มีช่องว่างระหว่างคำ', 'ช่องว่าง'],
  ['Lao', 'ພາສາລາວບໍ່ມີຍະຫວ່າງ', 'ພາສາລາວ'],
  ['Khmer', 'ភាសាខ្មែរមិនមានដកឃ្លា', 'ភាសាខ្មែរ'],
  ['Burmese', 'မြန်မာဘာသာစကား', 'စကား'],
  ['Chinese', '我们在北京学习语言', '北京'],
  ['Japanese', '日本語の形態素解析', '形態素'],
  ['Tibetan', 'བོད་སྐད་ཀྱི་ཚིག', 'སྐད'],
  ['Amharic', 'አማርኛ፡ቋንቋ፡ነው', 'ቋንቋ'],
  ['Devanagari with virama', 'क्षत्रिय और हिन्दी भाषा', 'हिन्दी'],
  ['Telugu', 'తెలుగు క్షేత్రం పెద్దది', 'క్షేత్రం'],
  ['Tamil', 'தமிழ் மொழி இனிது', 'தமிழ்'],
  ['vocalised Arabic by a bare query', 'كَتَبَ الطَّالِبُ رِسَالَةً', 'كتب'],
  ['bare Arabic by a vocalised query', 'كتب الطالب رسالة', 'رِسَالَة'],
  ['Hebrew with points by a bare query', 'שָׁלוֹם עוֹלָם', 'שלום'],
  ['Urdu with ZWNJ', 'می‌خواهم بروم خانه', 'میخواهم'],
  ['N’Ko with tone marks', 'ߒߞߏ ߞߊ߲ߜߍ ߖߊ߬ߡߊ߬ߣߊ߫', 'ߖߊ߬ߡߊ߬ߣߊ߫'],
  ['apostrophes, each way of typing one', "o'zbek tili va p'unchay", 'oʻzbek'],
  ['Yoruba, decomposed text by a composed query', 'ọ̀rọ̀ yorùbá dára'.normalize('NFD'), 'yorùbá'.normalize('NFC')],
  ['Yoruba, composed text by a decomposed query', 'ọ̀rọ̀ yorùbá dára'.normalize('NFC'), 'ọ̀rọ̀'.normalize('NFD')],
  ['Yoruba by a query without tones', 'ọ̀rọ̀ yorùbá dára', 'oro'],
  ['IPA with tie bars', 'ˈt͡ʃaː.kʰə̃ means house', 't͡ʃaː'],
  ['click letters', 'ǃkung ǂʼamkoe speech', 'ǂʼamkoe'],
  ['Greek in capitals', 'ο λόγος του', 'ΛΟΓΟΣ'],
  ['Turkish dotted capital', 'İstanbul büyük', 'istanbul'],
  ['Adlam (outside the basic plane)', '𞤀𞤣𞤤𞤢𞤥 𞤨𞤵𞤤𞤢𞤪', '𞤨𞤵𞤤𞤢𞤪'],
  ['Hangul by decomposed query', '한국어 문장', '한국어'.normalize('NFD')],
];
const others = ['completely different words here', 'еще один документ', 'ഒരു വാക്യം', '另外一個文件', 'أوراق أخرى'];

describe.each(cases)('%s', (_, text, query) => {
  const index = buildLexicalIndex([...others, text]);
  const best = ({ documents, scores }: ScoredList): number => ((scores[0] ?? 0) > 0 ? (documents[0] ?? -1) : -1);

  it('is found by words and by characters', () => {
    expect(best(index.byCharacters(query, 10, null))).toBe(others.length);
    expect(best(index.byWords(query, 10, null))).toBe(others.length);
  });

  it('has highlights that are whole graphemes of the text', () => {
    const { highlights, reasons } = explainHit({ query, text, weights: { words: 1, characters: 1, translated: 0, dense: 0 }, nearest: null, table: null, lexical: index, documentsInLanguage: 1, encoder: null });
    expect(reasons.length).toBeGreaterThan(0);
    const boundaries = new Set([text.length, ...Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), ({ index: at }) => at)]);
    for (const { start, end } of highlights) {
      expect(end).toBeGreaterThan(start);
      expect([boundaries.has(start), boundaries.has(end)]).toEqual([true, true]);
    }
    highlights.forEach((highlight, i) => expect(highlight.start).toBeGreaterThanOrEqual(highlights[i - 1]?.end ?? 0));
  });
});

describe('explainHit', () => {
  const texts = Array.from({ length: 12 }, (_, i) => `the lake and the number${i} boat${i % 6}`);
  const index = buildLexicalIndex(texts);
  const explain = (query: string) => explainHit({ query, text: texts[0] ?? '', weights: { words: 0, characters: 1, translated: 0, dense: 0 }, nearest: null, table: null, lexical: index, documentsInLanguage: texts.length, encoder: null });

  it('does not show words that most documents have, unless the query has no others', () => {
    expect(explain('the number0').reasons).toContainEqual({ kind: 'same-words', words: ['number0'] });
    expect(explain('the lake').reasons).toContainEqual({ kind: 'same-words', words: ['the', 'lake'] });
  });

  it('shows words that are spelled alike', () => {
    expect(explain('number00').reasons).toContainEqual({ kind: 'similar-words', words: ['number0'] });
  });

  it('gives no reason when nothing is shared', () => {
    expect(explain('zebra')).toEqual({ highlights: [], reasons: [] });
  });
});

describe('wholeGraphemes', () => {
  it.each([
    ['a combining mark', 'e\u0301a', 0, 1, 'e\u0301'],
    ['a Devanagari cluster', 'हिन्दी', 0, 1, 'हि'],
    ['a surrogate pair', 'a😀b', 1, 2, '😀'],
    ['a family of emoji', '👨‍👩‍👧!', 0, 2, '👨‍👩‍👧'],
    ['Thai with a tone mark', 'น้ำ', 0, 1, 'น้ำ'],
    ['plain letters', 'abc', 1, 2, 'b'],
  ])('widens %s', (_, text, start, end, expected) => {
    const span = wholeGraphemes(text, { start, end });
    expect(text.slice(span.start, span.end)).toBe(expected);
  });
});
