/** Are the places of a batch shared out as the exponent says? */
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import { placesOfSources } from './places.ts';

function places(sizes: readonly number[], batchSize: number, exponent: number): readonly number[] {
  return [...placesOfSources({ sources: sizes.map((size) => ({ size })), batchSize, exponent })];
}

describe('places', () => {
  it('follow the square root, the size or nothing', () => {
    expect(places([10_000, 2500, 400], 85, 0.5)).toEqual([50, 25, 10]);
    expect(places([600, 300, 100], 10, 1)).toEqual([6, 3, 1]);
    expect(places([10_000, 2500, 400], 30, 0)).toEqual([10, 10, 10]);
  });

  it('are within one of the exact share for the corpora of the default recipe', () => {
    const sizes = [9483, 21094, 2152, 2152, 617, 617, 617];
    const total = sizes.reduce((sum, size) => sum + Math.sqrt(size), 0);
    places(sizes, 512, 0.5).forEach((count, source) => expect(Math.abs(count - (512 * Math.sqrt(sizes[source] ?? 0)) / total)).toBeLessThan(1));
  });

  it('follow weights', () => {
    expect([...placesOfSources({ sources: [{ size: 100, weight: 3 }, { size: 100 }], batchSize: 40, exponent: 0.5 })]).toEqual([30, 10]);
  });

  it('are at least one and at most the size, empty sources having none', () => {
    expect(places([1_000_000, 1, 0], 10, 1)).toEqual([9, 1, 0]);
    expect(places([5, 1000], 100, 0)).toEqual([5, 95]);
    expect(places([2, 3], 100, 0.5)).toEqual([2, 3]);
    expect(places([], 100, 0.5)).toEqual([]);
  });

  it('refuse a batch with fewer places than sources', () => {
    expect(() => places([5, 5, 5], 2, 0.5)).toThrow(InvariantError);
  });
});
