import { describe, expect, it } from 'vitest';
import { estimateLeftMs } from './progress.ts';

describe('estimateLeftMs', () => {
  it('goes by the pace so far: a quarter done in 10 s leaves 30 s', () => {
    expect(estimateLeftMs({ elapsedMs: 10_000, done: 25, total: 100 })).toBe(30_000);
  });

  it('knows nothing before the first piece is done, or without a total', () => {
    expect(estimateLeftMs({ elapsedMs: 10_000, done: 0, total: 100 })).toBeNull();
    expect(estimateLeftMs({ elapsedMs: 10_000, done: 5, total: null })).toBeNull();
  });

  it('is never negative, also when more was done than foreseen', () => {
    expect(estimateLeftMs({ elapsedMs: 10_000, done: 100, total: 100 })).toBe(0);
    expect(estimateLeftMs({ elapsedMs: 10_000, done: 120, total: 100 })).toBe(0);
  });
});
