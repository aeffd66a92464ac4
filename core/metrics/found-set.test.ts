/** Facts about precision, recall, F1 and thresholds. */
import { describe, expect, it } from 'vitest';
import { bestThreshold, bootstrapF1, foundSetScores } from './found-set.ts';

describe('F1', () => {
  it('is 4/7 when 2 of 3 found are right and 4 were to be found', () => {
    expect(foundSetScores({ right: 2, found: 3, gold: 4 })).toEqual({ precision: 2 / 3, recall: 1 / 2, F1: 4 / 7 });
  });

  it('is 0, not NaN, when nothing is found or nothing is right', () => {
    expect(foundSetScores({ right: 0, found: 0, gold: 4 })).toEqual({ precision: 0, recall: 0, F1: 0 });
    expect(foundSetScores({ right: 0, found: 0, gold: 0 })).toEqual({ precision: 0, recall: 0, F1: 0 });
  });
});

describe('the best threshold', () => {
  const found = [1.5, 1.4, 1.3, 1.2, 1.1].map((score, i) => ({ score, isRight: i !== 2 && i !== 4 }));

  it('lies midway below the last that counts, and what it keeps has the F1 that it says', () => {
    const best = bestThreshold(found, 4);
    expect(best.threshold).toBeCloseTo(1.15, 12); // 3 right of 4 found, 4 gold: F1 .75; two: 4/6
    expect(best.F1).toBeCloseTo(0.75, 12);
    const kept = found.filter(({ score }) => score >= best.threshold);
    expect(foundSetScores({ right: kept.filter(({ isRight }) => isRight).length, found: kept.length, gold: 4 }).F1).toBe(best.F1);
  });

  it('is the same whatever the order, and never parts equal scores', () => {
    expect(bestThreshold([...found].reverse(), 4)).toEqual(bestThreshold(found, 4));
    const equal = [{ score: 1, isRight: true }, { score: 1, isRight: false }, { score: 0.5, isRight: false }];
    expect(bestThreshold(equal, 1)).toMatchObject({ threshold: 0.75, precision: 1 / 2, recall: 1 });
  });

  it('keeps nothing when nothing is right', () => {
    expect(bestThreshold([{ score: 2, isRight: false }], 3)).toMatchObject({ threshold: Infinity, F1: 0 });
  });
});

describe('the bootstrap interval of F1', () => {
  const units = Array.from({ length: 200 }, (_, i) => ({ right: i < 40 ? 1 : 0, found: i < 70 ? 1 : 0, gold: i < 40 || i >= 180 ? 1 : 0 }));
  const { F1 } = foundSetScores({ right: 40, found: 70, gold: 60 });

  it('holds F1, is narrower with more units, and is the same again for one seed', () => {
    const { low, high } = bootstrapF1(units, { seed: 1 });
    expect(low).toBeLessThan(F1);
    expect(high).toBeGreaterThan(F1);
    const more = bootstrapF1([...units, ...units, ...units, ...units], { seed: 1 });
    expect(more.high - more.low).toBeLessThan(high - low);
    expect(bootstrapF1(units, { seed: 1 })).toEqual({ low, high });
  });

  it('is a point when all is right', () => {
    expect(bootstrapF1(units.map(() => ({ right: 1, found: 1, gold: 1 })), { seed: 1 })).toEqual({ low: 1, high: 1 });
  });
});
