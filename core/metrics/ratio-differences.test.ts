/** Is the test of ratios the sign test for means, exact where everything can be counted, and silent where nothing differs? */
import { describe, expect, it } from 'vitest';
import { ratioDifferenceTest, ratioOf } from './ratio-differences.ts';
import { comparePaired } from './significance.ts';

describe('ratioOf', () => {
  it('is a mean without denominators, and F1 with 2 right by found + gold', () => {
    expect(ratioOf({ numerators: [1, 0, 1, 1] })).toBe(0.75);
    expect(ratioOf({ numerators: [2, 0, 0], denominators: [2, 1, 1] })).toBe(0.5); // one right, two found, two gold
    expect(ratioOf({ numerators: [] })).toBe(0);
    expect(ratioOf({ numerators: [0], denominators: [0] })).toBe(0);
  });
});

describe('ratioDifferenceTest', () => {
  const a = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 1 : 0));
  const b = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 || i % 5 === 0 ? 1 : 0));

  it('agrees with the sign test of means', () => {
    const mine = ratioDifferenceTest({ a: [{ numerators: a }], b: [{ numerators: b }], seed: 1 });
    const theirs = comparePaired({ a, b, seed: 1 });
    expect(mine.difference).toBeCloseTo(theirs.difference, 12);
    expect(mine.pValue).toBeCloseTo(theirs.pValue, 1);
    expect(mine.pValue).toBeLessThan(0.05);
  });

  it('comes near the exact share of swaps: three items that all differ leave 2 of 8 as far', () => {
    const { difference, pValue } = ratioDifferenceTest({ a: [{ numerators: [0, 0, 0] }], b: [{ numerators: [1, 1, 1] }], seed: 3 });
    expect(difference).toBe(1);
    expect(pValue).toBeCloseTo(0.25, 1);
  });

  it('swaps numerators with their denominators', () => {
    // A finds one wrong pair in each of 12 units, B finds the right one: F1 0 against 1
    const wrong = { numerators: new Array<number>(12).fill(0), denominators: new Array<number>(12).fill(2) };
    const right = { numerators: new Array<number>(12).fill(2), denominators: new Array<number>(12).fill(2) };
    const { difference, pValue } = ratioDifferenceTest({ a: [wrong], b: [right], seed: 1 });
    expect(difference).toBe(1);
    expect(pValue).toBeLessThan(0.002);
  });

  it('averages tasks of different sizes, gives 1 where nothing differs, and refuses unlike items', () => {
    expect(ratioDifferenceTest({ a: [{ numerators: [0, 0] }, { numerators: [1] }], b: [{ numerators: [1, 0] }, { numerators: [1] }], seed: 1 }).difference).toBe(0.25);
    expect(ratioDifferenceTest({ a: [{ numerators: a }], b: [{ numerators: a }], seed: 1 }).pValue).toBe(1);
    expect(() => ratioDifferenceTest({ a: [{ numerators: [1] }], b: [{ numerators: [1, 2] }], seed: 1 })).toThrow(RangeError);
  });
});
