import { describe, expect, it } from 'vitest';
import { characterAnalyzer, ngramLengths, wordAnalyzer, wordSpans } from './analysis.ts';
import { defaultBm25Parameters, inverseDocumentFrequency } from './bm25.ts';
import type { Bm25Parameters, WeightedTerms } from './bm25.ts';
import { buildLexicalIndex } from './lexical-index.ts';
import { createBm25Search } from './segments/bm25-search.ts';
import { createDocumentTerms } from './segments/document-terms.ts';
import { sectionsInMemory } from './segments/section-file.ts';
import { createSegmentBuilder } from './segments/segment-builder.ts';
import { openSegment } from './segments/segment.ts';
import type { Segment } from './segments/segment.ts';
import type { ScoredList } from './scored-list.ts';
import { seededRandom } from '../base/random.ts';
import { matchingForm } from './matching-form.ts';

const SCORE_TOLERANCE = 5e-5;

const words = (text: string): string[] => wordSpans(text).map(({ start, end }) => text.slice(start, end));

/** The formula, document by document. */
function reference(texts: readonly string[], terms: WeightedTerms, { k1, b } = defaultBm25Parameters): number[] {
  const documents = texts.map((text) => wordAnalyzer.units(text).flatMap((unit) => wordAnalyzer.terms(unit)));
  const mean = Math.max(1, documents.reduce((sum, document) => sum + document.length, 0) / documents.length);
  const holders = new Map([...terms.keys()].map((term) => [term, documents.filter((document) => document.includes(term)).length]));
  return documents.map((document) => {
    let score = 0;
    for (const [term, weight] of terms) {
      const frequency = document.filter((own) => own === term).length;
      score += (weight * inverseDocumentFrequency(holders.get(term) ?? 0, documents.length) * frequency) / (frequency + k1 * (1 - b + (b * document.length) / mean));
    }
    return score;
  });
}

function segmentOf(texts: readonly string[]): Segment {
  const builder = createSegmentBuilder({ documentTerms: createDocumentTerms({ form: matchingForm, tokenSums: null }), tokenSums: null, modelId: '', rules: '' });
  texts.forEach((text, chunk) => builder.add({ batch: 0, chunk, path: '', text, speaker: null, tier: null }));
  return openSegment(sectionsInMemory(builder.finish()));
}

const searchOf = (texts: readonly string[], parameters?: Bm25Parameters) => createBm25Search([segmentOf(texts)], 'words', parameters);
const scoresOf = ({ documents, scores }: ScoredList): number[] => Array.from(documents.toSorted(), (document) => scores[documents.indexOf(document)] ?? NaN);

describe('BM25 over segments', () => {
  it('gives the score worked by hand', () => {
    const idf = Math.log(1 + (3 - 1 + 0.5) / (1 + 0.5));
    const expected = (idf * 2) / (2 + 0.9 * (1 - 0.4 + (0.4 * 3) / 2));
    expect(scoresOf(searchOf(['river bank bank', 'river', 'mountain pass'], { k1: 0.9, b: 0.4 }).top(new Map([['bank', 1]]), 10, null))).toEqual([expect.closeTo(expected, 6), 0, 0]);
  });

  it('weighs terms in proportion, whole counts and fractions', () => {
    const search = searchOf(['river bank', 'river']);
    const score = (weight: number): number => search.top(new Map([['bank', weight]]), 1, null).scores[0] ?? 0;
    expect(score(1)).toBeGreaterThan(0);
    expect(score(2)).toBeCloseTo(2 * score(1), 6);
    expect(score(0.25)).toBeCloseTo(score(1) / 4, 6);
  });

  it('finds the same best documents as the formula, in one segment or several, all documents or some', () => {
    const random = seededRandom(5, 'bm25');
    const texts = Array.from({ length: 600 }, () => Array.from({ length: 5 + random.integer(40) }, () => `w${Math.floor(300 ** random.next())}`).join(' '));
    const segments = [texts.slice(0, 150), texts.slice(150, 160), texts.slice(160)].map(segmentOf);
    const allowed = Uint8Array.from(texts, (_, i) => Number(i % 3 !== 0));
    for (const search of [searchOf(texts), createBm25Search(segments, 'words')]) {
      for (let q = 0; q < 20; q += 1) {
        const terms = new Map(Array.from({ length: 1 + random.integer(12) }, () => [`w${Math.floor(300 ** random.next())}`, 1 + random.integer(2)] as const));
        const expected = reference(texts, terms);
        for (const mask of [null, allowed]) {
          for (const depth of [1, 10, 100, 1000]) {
            const found = search.top(terms, depth, mask);
            const order = Array.from(texts.keys()).filter((i) => mask?.[i] !== 0).sort((a, b) => (expected[b] ?? 0) - (expected[a] ?? 0) || a - b).slice(0, depth);
            expect(found.documents).toHaveLength(order.length);
            const apart = order.map((document, place) => Math.abs((found.scores[place] ?? NaN) - (expected[document] ?? NaN)));
            expect(Math.max(...apart)).toBeLessThan(SCORE_TOLERANCE);
          }
        }
      }
    }
  });

  it('finds nearly the same best documents where frequent terms are only taken to add what is likely', () => {
    const random = seededRandom(5, 'likely');
    const vocabulary = Array.from({ length: 120 }, (_, i) => `w${i}`);
    const texts = Array.from({ length: 3000 }, () => Array.from({ length: 20 + random.integer(40) }, () => vocabulary[Math.floor(120 * random.next() ** 3)] ?? '').join(' '));
    const segments = [segmentOf(texts.slice(0, 1700)), segmentOf(texts.slice(1700))];
    const [sure, likely] = [Infinity, 0].map((sureDocuments) => createBm25Search(segments, 'words', { ...defaultBm25Parameters, sureDocuments }));
    for (const terms of [['w0', 'w1', 'w2', 'w90'], ['w0', 'w3', 'w60', 'w61', 'w110'], ['w0', 'w1', 'w2', 'w3', 'w4']]) {
      const [exact, found] = [sure, likely].map((search) => search?.top(new Map(terms.map((term) => [term, 1])), 100, null).documents ?? new Uint32Array(0));
      const same = new Set(exact);
      expect(found?.slice(0, 10)).toEqual(exact?.slice(0, 10));
      expect(found?.filter((document) => same.has(document)).length).toBeGreaterThanOrEqual(95);
    }
  });

  it('answers empty, unknown, huge and punctuation queries with zeros', () => {
    const index = buildLexicalIndex(['one two']);
    for (const query of ['', '   ', '?!… *"([', '\0', 'zebra', 'x '.repeat(50_000)]) expect([...index.byWords(query, 10, null).scores]).toEqual([0]);
  });

  it('stands on an empty collection and on empty documents', () => {
    expect(searchOf([]).top(new Map([['a', 1]]), 10, null).documents).toHaveLength(0);
    expect(scoresOf(searchOf(['', 'word']).top(new Map([['word', 1]]), 10, null)).map((score) => score > 0)).toEqual([false, true]);
  });

  it('has a positive idf even for a term of every document', () => {
    expect(inverseDocumentFrequency(10, 10)).toBeGreaterThan(0);
    expect(inverseDocumentFrequency(1, 10)).toBeGreaterThan(inverseDocumentFrequency(2, 10));
  });

  it('knows the document frequency of a term', () => {
    const search = searchOf(['a b', 'b b', 'c']);
    expect(['a', 'b', 'd'].map((term) => search.documentFrequency(term))).toEqual([1, 2, 0]);
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
