import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../base/random.ts';
import { createStaticEncoder } from '../../encoding/static-encoder.ts';
import { TEST_SENTENCES, testModel } from '../../encoding/test-models.ts';
import { characterAnalyzer, wordAnalyzer } from '../analysis.ts';
import type { Analyzer } from '../analysis.ts';
import { matchingForm } from '../matching-form.ts';
import { translationAnalyzer } from '../query-translation.ts';
import { createDocumentTerms } from './document-terms.ts';
import type { LexicalPart } from './document-terms.ts';
import { listSum } from './list-sum.ts';
import { addFull, addSparse, isFullList } from './posting-lists.ts';
import { sectionsInMemory } from './section-file.ts';
import { createSegmentBuilder } from './segment-builder.ts';
import { openSegment } from './segment.ts';
import type { Segment } from './segment.ts';
import { termHash } from './term-hash.ts';
import { termNumbers } from './term-numbers.ts';

const words = ['the', 'The', 'the,', 'a', 'no.', 'xy', 'banana', 'Bananas!', '("Bananas").', '"the', '...', '"', 'U.S.', 'x.y', '(a', '1984', '1984.)', 'e.g.', 'state-of-the-art', "o'zbek", 'ọ̀rọ̀', 'Ọrọ', 'हिन्दी', 'क्षत्रिय।', 'كتاب', 'والكتاب،', 'שלום', 'ภาษาไทยไม่มีช่องว่างระหว่างคำและประโยคยาวมากจนเกินขนาดที่จำไว้', '我们在北京学习语言', '𐐀𐐁𐐂𐐃𐐄', '𐐀', '😀', '—', 'aaaaaa', '_', '__x__', 'straße', 'STRASSE', '\u200dب\u200d'];
const random = seededRandom(11, 'segments');
/** Some texts are mostly Arabic and Hebrew, so that their other words are cut as those are. */
const texts = Array.from({ length: 300 }, (_, i) => {
  const own = i % 3 === 0 ? ['كتاب', 'والكتاب،', 'שלום', ...words] : words;
  return Array.from({ length: 1 + random.integer(40) }, () => own[Math.floor(own.length * random.next() ** (i % 3 === 0 ? 3 : 2))] ?? '').join(i % 2 === 0 ? ' ' : '\u3000 \n');
});

function segmentOf(own: readonly string[], documentTerms = createDocumentTerms({ form: matchingForm, tokenSums: null })): Segment {
  const builder = createSegmentBuilder({ documentTerms, tokenSums: null, modelId: '', rules: '' });
  own.forEach((text, chunk) => builder.add({ batch: 0, chunk, path: '', text, speaker: null, tier: null }));
  return openSegment(sectionsInMemory(builder.finish()));
}

/** How often a term stands in each document, read from its list. */
function frequenciesIn(segment: Segment, part: LexicalPart, term: string): number[] {
  const { size } = segment.facts;
  const dictionary = segment.dictionary(part);
  const place = dictionary.find(termHash(term));
  const scores = new Float32Array(size);
  if (place >= 0) (isFullList(dictionary.documentFrequency(place), size) ? addFull : addSparse)(dictionary.list(place), { weight: 1, norms: new Float32Array(size).fill(1), units: new Float32Array(size).fill(1 / 2), scores, base: 0, size });
  return Array.from(scores, (score) => Math.round(score / (1 - score))); // score = f / (f + 1)
}

const analyzers: Readonly<Record<LexicalPart, Analyzer>> = { words: wordAnalyzer, characters: characterAnalyzer, translated: translationAnalyzer };
const isLexicalPart = (name: string): name is LexicalPart => Object.hasOwn(analyzers, name);

function expectPlainCounts(segment: Segment, own: readonly string[]): void {
  for (const part of Object.keys(analyzers).filter(isLexicalPart)) {
    const terms = own.map((text) => analyzers[part].units(text).flatMap((unit) => [...analyzers[part].terms(unit)]));
    const distinct = [...new Set(terms.flat())];
    expect(distinct.length).toBeGreaterThan(20);
    expect(Array.from(segment.dictionary(part).lengths)).toEqual(terms.map(({ length }) => length));
    for (const term of distinct) expect(frequenciesIn(segment, part, term), `${part} ${term}`).toEqual(terms.map((some) => some.filter((one) => one === term).length));
  }
}

describe('a segment', () => {
  it('has every term of its documents as often as the analyzers give it, in all scripts', () => {
    expectPlainCounts(segmentOf(texts), texts);
  });

  it('is the same when its parts are known from a segment before', () => {
    const documentTerms = createDocumentTerms({ form: matchingForm, tokenSums: null });
    segmentOf(texts.slice(100).map((text) => `${text} elsewhere`), documentTerms);
    const second = segmentOf(texts.slice(0, 150), documentTerms);
    expectPlainCounts(second, texts.slice(0, 150));
    expect(second.dictionary('words').find(termHash('elsewhere'))).toBe(-1);
  });

  it('has the tokens of its documents in their order and as terms', async () => {
    const { tokenSums } = createStaticEncoder(await testModel(), 'test');
    if (tokenSums === undefined) throw new Error('a static encoder has token sums');
    for (const isWordLocal of [true, false]) {
      const own = { ...tokenSums, isWordLocal };
      const documentTerms = createDocumentTerms({ form: matchingForm, tokenSums: own });
      const builder = createSegmentBuilder({ documentTerms, tokenSums: own, modelId: '', rules: '' });
      const some = [...texts.slice(0, 40), TEST_SENTENCES.join(' ')];
      some.forEach((text, chunk) => builder.add({ batch: 0, chunk, path: '', text, speaker: null, tier: null }));
      const segment = openSegment(sectionsInMemory(builder.finish()));
      const { ids, ends, factors } = segment.tokens();
      const expected = some.map((text) => tokenSums.tokens(text.replaceAll(/\s+/gu, ' ')));
      expect(expected.map((_, i) => Array.from(ids.subarray(ends[i - 1] ?? 0, ends[i])))).toEqual(expected.map((tokens) => Array.from(tokens)));
      expect(Array.from(factors)).toEqual(expected.flatMap((tokens) => Array.from(tokenSums.factors(tokens))));
      const lists = segment.dictionary('tokens');
      expect(Array.from(lists.lengths)).toEqual(expected.map(({ length }) => length));
      for (const id of new Set(expected.flatMap((tokens) => Array.from(tokens)))) expect(lists.documentFrequency(lists.find(id))).toBe(expected.filter((tokens) => tokens.includes(id)).length);
    }
  });

  it('finds words written with marks by their bare spelling', () => {
    expect(segmentOf(texts).spellings(termHash('oro'))).toEqual(expect.arrayContaining([matchingForm('ọ̀rọ̀'), matchingForm('Ọrọ')]));
  });
});

describe('numbers and sums of terms', () => {
  it('gives equal terms one number, however many there are', () => {
    const numbers = termNumbers();
    const terms = Array.from({ length: 50_000 }, (_, i) => `term ${i}`);
    expect(terms.map(numbers.numberOf)).toEqual(terms.map((_, i) => i));
    expect(terms.map(numbers.numberOf)).toEqual(terms.map((_, i) => i));
    expect(numbers.numberOfUnits(Uint16Array.from('term 7', (character) => character.charCodeAt(0)), 0, 6)).toBe(7);
    expect(numbers.hashOf(49_999)).toBe(termHash('term 49999'));
  });

  it('sums lists of any length as zlib does', () => {
    const bytes = Uint8Array.from({ length: 400 }, () => random.integer(256));
    for (const length of [0, 1, 7, 127, 128, 300]) expect(listSum(bytes, 50, 50 + length)).toBe(crc32(bytes.subarray(50, 50 + length)));
  });
});
