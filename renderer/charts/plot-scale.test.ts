/** Do values stand where the axis says, between round numbers? */
import { describe, expect, it } from 'vitest';
import { linearScale, logarithmicScale } from './plot-scale.ts';

const range = { from: 0, to: 100 };

describe('a linear scale', () => {
  it('leaves a twentieth of room, keeps order, and marks round numbers inside', () => {
    const { at, ticks } = linearScale([0.2, 0.6], range);
    expect(at(0.4)).toBeCloseTo(50, 9);
    expect(at(0.2)).toBeCloseTo(100 / 22, 9);
    expect(ticks.map((tick) => tick.toFixed(2))).toEqual(['0.20', '0.30', '0.40', '0.50', '0.60']);
    expect(linearScale([0, 1], { from: 100, to: 0 }).at(1)).toBeLessThan(10);
  });

  it('of equal values stands in the middle; of none has no ticks', () => {
    expect(linearScale([3, 3], range)).toMatchObject({ ticks: [3] });
    expect(linearScale([3, 3], range).at(3)).toBe(50);
    expect(linearScale([], range).ticks).toEqual([]);
  });
});

describe('a logarithmic scale', () => {
  it('gives equal room to equal factors, and a place to nothing', () => {
    const { at, ticks } = logarithmicScale([0, 1000, 10_000, 100_000], range);
    expect(at(10_000) - at(1000)).toBeCloseTo(at(100_000) - at(10_000), 9);
    expect(at(0)).toBeLessThan(at(1000));
    expect(ticks).toEqual([0, 1000, 10_000, 100_000]);
  });
});
