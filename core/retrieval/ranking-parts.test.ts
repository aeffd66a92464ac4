import { describe, expect, it } from 'vitest';
import { exactDenseIndex, expectVectors } from './dense-index.ts';
import { fuse, standardise } from './fusion.ts';
import { chooseWeights, hybridWeights, sameLanguage } from './method-weights.ts';
import { rankCollection } from './rank-collection.ts';
import { buildLexicalIndex } from './lexical-index.ts';
import { topDocuments } from './scored-list.ts';
import type { ScoredList } from './scored-list.ts';
import { seededRandom } from '../base/random.ts';

const list = (scores: Record<number, number>): ScoredList => {
  const order = Object.entries(scores).sort(([, a], [, b]) => b - a);
  return { documents: Uint32Array.from(order, ([document]) => Number(document)), scores: Float64Array.from(order, ([, score]) => score) };
};

describe('topDocuments', () => {
  it('equals a full sort, ties by the lower number', () => {
    const random = seededRandom(3, 'top');
    for (const size of [0, 1, 5, 50, 400]) {
      const scores = Float64Array.from({ length: size }, () => Math.max(0, random.integer(20) - 8));
      const sorted = Array.from(scores.keys()).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
      for (const depth of [1, 7, 50, 1000]) expect([...topDocuments(scores, depth).documents]).toEqual(sorted.slice(0, depth));
    }
  });

  it('orders negative scores too, and leaves out -Infinity', () => {
    expect([...topDocuments(Float64Array.of(-0.5, -Infinity, -0.1, 0.2, -Infinity), 3).documents]).toEqual([3, 2, 0]);
    expect([...topDocuments(Float64Array.of(-0.5, -Infinity, -0.1, 0.2, -0.3), 2).documents]).toEqual([3, 2]);
  });
});

describe('fuse', () => {
  it('gives the sum of z-scores worked by hand', () => {
    const fused = fuse([{ list: list({ 0: 3, 1: 1 }), weight: 1 }, { list: list({ 1: 10, 0: 0 }), weight: 0.5 }]);
    expect([...fused.documents]).toEqual([0, 1]); // z: 0 -> 1 - .5, 1 -> -1 + .5
    expect([...fused.scores]).toEqual([0.5, -0.5]);
  });

  it('does not depend on the scale or origin of a method', () => {
    const scores = { 0: 3, 1: 1, 2: 7, 3: 0 };
    const other = list({ 0: 0.1, 3: 0.9, 2: 0.2, 1: 0.4 });
    const moved = list(Object.fromEntries(Object.entries(scores).map(([document, score]) => [document, 40 * score + 5])));
    const a = fuse([{ list: list(scores), weight: 1 }, { list: other, weight: 1 }]);
    const b = fuse([{ list: moved, weight: 1 }, { list: other, weight: 1 }]);
    expect([...a.documents]).toEqual([...b.documents]);
    a.scores.forEach((score, i) => expect(score).toBeCloseTo(b.scores[i] ?? NaN, 9));
  });

  it('gives a document that a list lacks the lowest z of that list', () => {
    const fused = fuse([{ list: list({ 0: 2, 1: 0 }), weight: 1 }, { list: list({ 2: 2, 1: 0 }), weight: 1 }]);
    expect([...fused.documents]).toEqual([0, 2, 1]);
    expect([...fused.scores]).toEqual([0, 0, -2]);
  });

  it('leaves out methods of weight 0 and takes nothing from lists of equal scores', () => {
    expect([...standardise(Float64Array.of(0.3, 0.3, 0.3))]).toEqual([0, 0, 0]);
    expect([...fuse([{ list: list({ 0: 2, 1: 1 }), weight: 1 }, { list: list({ 5: 9, 6: 1 }), weight: 0 }]).documents]).toEqual([0, 1]);
    expect(fuse([]).documents).toHaveLength(0);
  });
});

describe('exactDenseIndex', () => {
  const index = exactDenseIndex({
    width: 3,
    blocks: [Float32Array.of(1, 0, 0, 0, 1, 0), Float32Array.of(0, 0.6, 0.8)],
    owners: Uint32Array.of(0, 0, 2),
    windows: Int32Array.of(0, 1, 0),
    size: 4,
  });

  it('scores a document by its best vector and says which it was', async () => {
    const found = await index.nearest(Float32Array.of(0, 1, 0), 10);
    expect([...found.documents]).toEqual([0, 2]);
    expect([...found.windows]).toEqual([1, 0]);
    expect(found.scores[1]).toBeCloseTo(0.6, 6);
  });

  it('finds nothing for a query without known tokens', async () => {
    expect((await index.nearest(new Float32Array(3), 10)).documents).toHaveLength(0);
    expect((await index.nearest(Float32Array.of(NaN, 0, 0), 10)).documents).toHaveLength(0);
  });

  it('equals inner products one by one, at widths that are no multiple of four', async () => {
    const random = seededRandom(9, 'dense');
    const [width, rows] = [13, 50];
    const block = Float32Array.from({ length: width * rows }, () => random.normal());
    const query = Float32Array.from({ length: width }, () => random.normal());
    const exact = exactDenseIndex({ width, blocks: [block], owners: Uint32Array.from({ length: rows }, (_, i) => i), windows: new Int32Array(rows), size: rows });
    const found = await exact.nearest(query, rows);
    expect(found.documents).toHaveLength(rows);
    found.documents.forEach((document, i) => {
      let sum = 0;
      for (let k = 0; k < width; k += 1) sum += (query[k] ?? 0) * (block[document * width + k] ?? 0);
      expect(found.scores[i]).toBeCloseTo(sum, 4);
    });
  });

  it('vectors of the wrong length or with NaN are refused by name', () => {
    expect(() => expectVectors(new Float32Array(5), 3, 'a.txt')).toThrow(/a\.txt/);
    expect(() => expectVectors(Float32Array.of(1, NaN, 0), 3, 'a.txt')).toThrow(/finite/);
  });
});

describe('chooseWeights', () => {
  const encoder = { pivot: 'en', languages: [{ tag: 'sw', pairs: 10, sentences: 0 }, { tag: 'th', pairs: 10, sentences: 0 }, { tag: 'bem', pairs: 0, sentences: 50 }], translation: (source: string, target: string) => (source === 'bem' || (source !== 'en' && target !== 'en') ? null : { sourceLanguage: source, targetLanguage: target, translate: () => [] }) };
  const choose = (queryLanguage: string | null, documentLanguage: string | null, isQueryLatin = true) => chooseWeights({ method: 'hybrid', queryLanguage, documentLanguage, isQueryLatin, areDocumentsLatin: true, encoder });

  it.each([
    ['within a trained language', 'sw', 'sw', hybridWeights.within],
    ['within the pivot', 'en', 'en', hybridWeights.within],
    ['with tags that differ in script or region only', 'sw-KE', 'sw', hybridWeights.within],
    ['within a language without pairs', 'bem', 'bem', hybridWeights.withinUntrained],
    ['across two Latin languages with a table', 'sw', 'en', hybridWeights.acrossLatin],
    ['across without a table', 'sw', 'th', hybridWeights.acrossWithoutTable],
    ['across from a language without pairs', 'bem', 'en', hybridWeights.acrossUntrained],
    ['when a language is not known', null, 'sw', hybridWeights.within],
  ])('%s', (_, query, document, expected) => {
    expect(choose(query, document)).toEqual(expected);
  });

  it('across scripts leaves characters out', () => {
    expect(choose('th', 'en', false)).toEqual(hybridWeights.across);
  });

  it('without a model is characters alone', () => {
    expect(chooseWeights({ method: 'hybrid', queryLanguage: 'sw', documentLanguage: 'en', isQueryLatin: true, areDocumentsLatin: true, encoder: null })).toEqual(hybridWeights.withinUntrained);
  });

  it('private-use languages are themselves only', () => {
    expect(sameLanguage('x-one', 'x-two')).toBe(false);
    expect(sameLanguage('x-one', 'X-One')).toBe(true);
  });
});

describe('rankCollection', () => {
  it('gives each document to the plan of its language', async () => {
    const lexical = buildLexicalIndex(['alpha beta', 'alpha', 'beta']);
    const onlyFirst = { weights: { words: 1, characters: 0, translated: 0, dense: 0 }, table: null, holds: (document: number) => document === 0 };
    const nothing = { weights: { words: 0, characters: 0, translated: 1, dense: 0 }, table: null, holds: (document: number) => document !== 0 };
    expect([...(await rankCollection({ lexical, dense: null }, { query: 'alpha beta', queryVector: null, plans: [onlyFirst, nothing], depth: 10 })).documents]).toEqual([0]);
  });
});
