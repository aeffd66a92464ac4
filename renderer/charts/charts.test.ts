/** Are the lengths, intervals and table rows of the charts right? */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankCloseness } from './rank-closeness.ts';
import { tableRows } from './table-rows.ts';
import { wilsonInterval } from './wilson.ts';

describe('the bar of a rank', () => {
  it('is full at the first place, empty at the last, half at the square root', () => {
    expect(rankCloseness(1, 240)).toBe(1);
    expect(rankCloseness(240, 240)).toBe(0);
    expect(rankCloseness(10, 100)).toBeCloseTo(0.5, 12);
    expect(rankCloseness(1, 1)).toBe(1);
  });
});

describe('the interval of a share', () => {
  it('equals a reference value (Newcombe 1998: 81 of 263 gives 0.2553 to 0.3662)', () => {
    const { low, high } = wilsonInterval(81 / 263, 263);
    expect(low).toBeCloseTo(0.2553, 4);
    expect(high).toBeCloseTo(0.3662, 4);
  });

  it('holds the share, stays between 0 and 1, and says nothing when nothing was measured', () => {
    expect(wilsonInterval(0.5, 0)).toEqual({ low: 0, high: 1 });
    fc.assert(fc.property(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
      const { low, high } = wilsonInterval(share, n);
      return low >= 0 && high <= 1 && low <= share + 1e-12 && high >= share - 1e-12;
    }));
  });
});

describe('the table of a curve', () => {
  const points = Array.from({ length: 1_000 }, (_, step) => ({ step, value: step }));

  it('holds a few points, the first and the last among them, in order', () => {
    const rows = tableRows(points, 8);
    expect(rows).toHaveLength(8);
    expect(rows[0]?.step).toBe(0);
    expect(rows.at(-1)?.step).toBe(999);
    expect(rows.map((row) => row.step)).toEqual([...rows.map((row) => row.step)].sort((a, b) => a - b));
  });

  it('holds all when there are few', () => {
    expect(tableRows(points.slice(0, 3), 8)).toHaveLength(3);
    expect(tableRows([], 8)).toEqual([]);
  });
});
