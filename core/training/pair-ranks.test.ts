import { describe, expect, it } from 'vitest';
import { meanPairAccuracy, rankOfPartners } from './pair-ranks.ts';

// rows are sources, columns targets; source 2 prefers target 0, target 1 prefers source 0
const scores = Float32Array.of(0.9, 0.8, 0.1, 0.2, 0.7, 0.3, 0.6, 0.1, 0.5);

describe('rankOfPartners', () => {
  it('ranks the partner in its row or in its column', () => {
    expect(rankOfPartners(scores, 3, 'rows')).toEqual([1, 1, 2]);
    expect(rankOfPartners(scores, 3, 'columns')).toEqual([1, 2, 1]);
  });

  it('counts equal scores as before it, so that vectors of zeros find nothing', () => {
    expect(rankOfPartners(new Float32Array(9), 3, 'rows')).toEqual([3, 3, 3]);
  });
});

describe('meanPairAccuracy', () => {
  it('is the share of first ranks, mean of both directions', () => {
    expect(meanPairAccuracy([1, 1, 2], [1, 2, 3])).toBeCloseTo((2 / 3 + 1 / 3) / 2, 12);
    expect(meanPairAccuracy([], [])).toBe(0);
  });
});
