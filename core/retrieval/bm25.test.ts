import { describe, expect, it } from 'vitest';
import { characterAnalyzer, ngramLengths, wordAnalyzer, wordSpans } from './analysis.ts';
import { buildBm25, inverseDocumentFrequency } from './bm25.ts';
import { matchingForm } from './matching-form.ts';

const words = (text: string): string[] => wordSpans(text).map(({ start, end }) => text.slice(start, end));

describe('buildBm25', () => {
  it('gives the score worked by hand', () => {
    const index = buildBm25(['river bank bank', 'river', 'mountain pass'], wordAnalyzer, { k1: 0.9, b: 0.4 });
    const idf = Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5));
    const expected = (idf * 2) / (2 + 0.9 * (1 - 0.4 + (0.4 * 3) / 2));
    expect([...index.scores(index.queryTerms('bank'))]).toEqual([expect.closeTo(expected, 6), 0, 0]);
  });

  it('counts a term of the query as often as it occurs there', () => {
    const index = buildBm25(['river bank', 'river'], wordAnalyzer);
    const once = index.scores(index.queryTerms('bank'))[0] ?? 0;
    expect(once).toBeGreaterThan(0);
    expect(index.scores(index.queryTerms('bank bank'))[0]).toBeCloseTo(2 * once, 10);
  });

  it('adds fractional weights in proportion', () => {
    const index = buildBm25(['river bank', 'river'], wordAnalyzer);
    expect(index.scores(new Map([['bank', 0.25]]))[0]).toBeCloseTo((index.scores(new Map([['bank', 1]]))[0] ?? 0) / 4, 10);
  });

  it('answers empty, unknown, huge and punctuation queries with zeros', () => {
    const index = buildBm25(['one two'], wordAnalyzer);
    for (const query of ['', '   ', '?!… *"([', '\0', 'zebra', 'x '.repeat(50_000)]) expect([...index.scores(index.queryTerms(query))]).toEqual([0]);
  });

  it('stands on an empty collection and on empty documents', () => {
    expect(buildBm25([], wordAnalyzer).scores(new Map([['a', 1]]))).toHaveLength(0);
    const index = buildBm25(['', 'word'], wordAnalyzer);
    expect([...index.scores(index.queryTerms('word'))].map((score) => score > 0)).toEqual([false, true]);
  });

  it('has a positive idf even for a term of every document', () => {
    expect(inverseDocumentFrequency(10, 10)).toBeGreaterThan(0);
    expect(inverseDocumentFrequency(1, 10)).toBeGreaterThan(inverseDocumentFrequency(2, 10));
  });

  it('knows the document frequency of a term', () => {
    const index = buildBm25(['a b', 'b b', 'c'], wordAnalyzer);
    expect(['a', 'b', 'd'].map((term) => index.documentFrequency(term))).toEqual([1, 2, 0]);
  });
});

describe('wordSpans', () => {
  it('keeps marks, inner apostrophes and joiners inside a word', () => {
    expect(words("क्षत्रिय हिन्दी o'zbek p’unchay yorùbá ߒߞߏ߫ می‌خواهم")).toEqual(['क्षत्रिय', 'हिन्दी', "o'zbek", 'p’unchay', 'yorùbá', 'ߒߞߏ߫', 'می‌خواهم']);
  });

  it('parts words at full stops, but keeps initials together', () => {
    expect(words('the U.S. economy.Next kʰə.ta')).toEqual(['the', 'U.S', 'economy', 'Next', 'kʰə', 'ta']);
  });

  it('divides scripts without spaces by dictionary', () => {
    expect(words('ภาษาไทยไม่มีช่องว่าง')).toEqual(expect.arrayContaining(['ภาษา', 'ไทย', 'ไม่มี']));
    expect(words('我们在北京学习语言')).toContain('北京');
    expect(words('abc北京def')).toEqual(['abc', '北京', 'def']);
  });

  it('gives offsets into the text as it was given', () => {
    const text = '  Ọ̀rọ̀, 𞤀𞤁!';
    expect(wordSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(['Ọ̀rọ̀', '𞤀𞤁']);
  });
});

describe('matchingForm', () => {
  it('is equal for composed and decomposed text, upper and lower case, both sigmas and all apostrophes', () => {
    expect(matchingForm('Ọ̀RỌ̀'.normalize('NFD'))).toBe(matchingForm('ọ̀rọ̀'.normalize('NFC')));
    expect(matchingForm('ΛΌΓΟΣ')).toBe(matchingForm('λόγος'));
    expect(matchingForm('oʻzbek')).toBe(matchingForm("o'zbek"));
  });

  it('drops the vowel signs of Arabic and Hebrew but keeps the marks that tell words apart elsewhere', () => {
    expect(matchingForm('كَتَبَ')).toBe('كتب');
    expect(matchingForm('שָׁלוֹם')).toBe('שלום');
    expect(matchingForm('mà')).not.toBe(matchingForm('ma'));
    expect(matchingForm('हिन्दी')).toBe('हिन्दी');
  });
});

describe('characterAnalyzer', () => {
  it('gives n-grams with edges, and the whole word', () => {
    expect(characterAnalyzer.terms('Bank')).toEqual(['_ban', 'bank', 'ank_', '=bank']);
    expect(characterAnalyzer.terms('to')).toEqual(['_to_']);
  });

  it('takes shorter n-grams where a character says more', () => {
    expect(['北京', 'かな', 'ไทย', 'မြန်မာ', 'हिन्दी', 'كتاب'].map((word) => ngramLengths(word))).toEqual([[2], [2], [3], [3], [4], [3, 4]]);
    expect(characterAnalyzer.terms('كتب')).toEqual(['_كت', 'كتب', 'تب_', '_كتب', 'كتب_', '=كتب']);
  });
});
