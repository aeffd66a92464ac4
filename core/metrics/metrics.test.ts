import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { compareIds, rankDocuments } from './order.ts';
import { pairAccuracy } from './pair-accuracy.ts';
import { evaluateRun, metricsPerQuery, queryMetrics, rankingMetricNames } from './ranking.ts';
import { comparePaired } from './significance.ts';

const scored = (...ids: string[]) => ids.map((documentId, i) => ({ documentId, score: -i }));

describe('rankDocuments', () => {
  it('puts larger scores first and breaks ties by the larger id', () => {
    expect(rankDocuments([{ documentId: 'a', score: 1 }, { documentId: 'c', score: 1 }, { documentId: 'b', score: 2 }]).map((d) => d.documentId)).toEqual(['b', 'c', 'a']);
  });

  it('counts scores as equal that are equal as float32', () => {
    expect(rankDocuments([{ documentId: 'a', score: 1 + 1e-9 }, { documentId: 'b', score: 1 }]).map((d) => d.documentId)).toEqual(['b', 'a']);
  });

  it('compares ids as UTF-8 bytes do', () => {
    const ids = ['a', 'ab', 'B', '2', '10', 'é', '\uFF5E', '😀', 'ไทย', ''];
    const bytes = (id: string) => Buffer.from(id, 'utf8');
    expect(ids.toSorted(compareIds)).toEqual(ids.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b))));
  });
});

describe('queryMetrics', () => {
  it('gives the values worked by hand', () => {
    const metrics = queryMetrics(scored('x', 'b', 'y', 'a'), new Map([['a', 1], ['b', 2], ['c', 1], ['x', 0]]));
    const dcg = 2 / Math.log2(3) + 1 / Math.log2(5);
    const ideal = 2 + 1 / Math.log2(3) + 1 / Math.log2(4);
    expect(metrics).toEqual({ 'MRR@100': 1 / 2, 'MRR@10': 1 / 2, 'R@1': 0, 'R@10': 2 / 3, 'R@100': 2 / 3, 'nDCG@10': expect.closeTo(dcg / ideal, 12) });
  });

  it('cuts at k', () => {
    const ids = Array.from({ length: 200 }, (_, i) => `d${i}`);
    expect(queryMetrics(scored(...ids), new Map([['d10', 1]]))).toMatchObject({ 'MRR@10': 0, 'R@10': 0, 'MRR@100': 1 / 11, 'R@100': 1, 'nDCG@10': 0 });
    expect(queryMetrics(scored(...ids), new Map([['d100', 1]]))).toMatchObject({ 'MRR@100': 0, 'R@100': 0 });
  });

  it('is 1 everywhere for a perfect ranking and 0 everywhere when nothing is relevant', () => {
    expect(Object.values(queryMetrics(scored('a', 'b'), new Map([['a', 1]])))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(Object.values(queryMetrics(scored('a', 'b'), new Map([['a', 0]])))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('evaluateRun', () => {
  it('counts a query without results as 0 and leaves out queries without judgements', () => {
    const run = new Map([['q1', scored('a')], ['unjudged', scored('a')]]);
    const qrels = new Map([['q1', new Map([['a', 1]])], ['q2', new Map([['b', 1]])]]);
    expect(evaluateRun(run, qrels)['MRR@10']).toBe(1 / 2);
    expect([...metricsPerQuery(run, qrels).keys()]).toEqual(['q1', 'q2']);
  });

  it('does not depend on the order in which documents are given', () => {
    const qrels = new Map([['q', new Map([['b', 1], ['d', 3]])]]);
    const documents = scored('a', 'b', 'c', 'd');
    expect(evaluateRun(new Map([['q', documents.toReversed()]]), qrels)).toEqual(evaluateRun(new Map([['q', documents]]), qrels));
  });

  it('is all 0 for no queries', () => {
    expect(rankingMetricNames.map((name) => evaluateRun(new Map(), new Map())[name])).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('pairAccuracy', () => {
  it('gives the values worked by hand, in both directions', () => {
    const sources = Float32Array.of(1, 0, 0, 1, 0.6, 0.8);
    const targets = Float32Array.of(1, 0, 0.6, 0.8, 0.6, 0.8);
    // source 0 -> 0 right; 1 -> 1 (tie of .8, lower index) right; 2 -> 1 wrong. target 0 -> 0 right; 1 -> 2 wrong; 2 -> 2 right.
    expect(pairAccuracy({ sources, targets, width: 2 })).toMatchObject({ pairs: 3, forward: 2 / 3, backward: 2 / 3, accuracy: 2 / 3 });
  });

  it('is 1 for equal distinct rows, 1/n for rows that are all the same', () => {
    const distinct = Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
    expect(pairAccuracy({ sources: distinct, targets: distinct, width: 3 }).accuracy).toBe(1);
    const same = new Float32Array(15).fill(0.5);
    expect(pairAccuracy({ sources: same, targets: same, width: 5 }).accuracy).toBeCloseTo(1 / 3, 12);
  });

  it('finds answers also where every similarity is negative', () => {
    const sources = Float32Array.of(1, 0, 0, 1);
    const targets = Float32Array.of(-0.1, -0.9, -0.9, -0.1);
    expect(pairAccuracy({ sources, targets, width: 2 }).accuracy).toBe(1);
  });

  it('refuses arrays of different size', () => {
    expect(() => pairAccuracy({ sources: new Float32Array(4), targets: new Float32Array(6), width: 2 })).toThrow(RangeError);
  });
});

describe('comparePaired', () => {
  it('equals the exact test over all sign flips within the noise of the draws', () => {
    const a = [0, 0, 0, 0, 0, 0];
    const b = [1, 2, 3, -1, 2, 4];
    let asFar = 0;
    for (let signs = 0; signs < 64; signs += 1) {
      const total = b.reduce((sum, d, i) => sum + ((signs >> i) & 1 ? d : -d), 0);
      if (Math.abs(total) >= 11) asFar += 1;
    }
    expect(comparePaired({ a, b, seed: 1 }).pValue).toBeCloseTo(asFar / 64, 1);
  });

  it('finds no difference between a run and itself', () => {
    expect(comparePaired({ a: [0.5, 1], b: [0.5, 1], seed: 1 })).toMatchObject({ difference: 0, pValue: 1, better: 0, worse: 0, equal: 2, interval: { low: 0, high: 0 } });
  });

  it('finds a steady difference, and its interval leaves out 0', () => {
    const random = seededRandom(7, 'test');
    const a = Array.from({ length: 100 }, () => random.next());
    const b = a.map((value) => value + 0.1 + 0.05 * random.normal());
    const result = comparePaired({ a, b, seed: 3 });
    expect(result.pValue).toBeLessThan(0.001);
    expect(result.interval.low).toBeGreaterThan(0);
    expect(result.interval.low).toBeLessThan(result.difference);
    expect(result.interval.high).toBeGreaterThan(result.difference);
  });

  it('gives the same answer for the same seed', () => {
    const values = { a: [0.1, 0.4, 0.3, 1], b: [0.2, 0.3, 0.9, 1] };
    expect(comparePaired({ ...values, seed: 5 })).toEqual(comparePaired({ ...values, seed: 5 }));
  });

  it('rarely calls chance a difference', () => {
    const random = seededRandom(11, 'null');
    let rejected = 0;
    for (let trial = 0; trial < 100; trial += 1) {
      const a = Array.from({ length: 40 }, () => random.next());
      const b = Array.from({ length: 40 }, () => random.next());
      if (comparePaired({ a, b, seed: trial, draws: 500 }).pValue < 0.05) rejected += 1;
    }
    expect(rejected).toBeLessThan(13); // 5 expected; 13 or more has a chance below .002
  });

  it('stands on no queries at all', () => {
    expect(comparePaired({ a: [], b: [], seed: 1 })).toMatchObject({ queries: 0, difference: 0, pValue: 1 });
  });
});
