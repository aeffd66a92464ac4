/** Are the rows of a batch found once each, and every occurrence under its row? */
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import { findRowsInUse, groupByRow } from './embedding-bag.ts';

describe('rows in use', () => {
  it('are the distinct ids of all batches, ascending, with their places', () => {
    const inUse = findRowsInUse({ batches: [Int32Array.of(5, 1, 5), Int32Array.of(), Int32Array.of(0, 1)], vocabularySize: 7 });
    expect([...inUse.rows]).toEqual([0, 1, 5]);
    expect([...inUse.slots]).toEqual([0, 1, -1, -1, -1, 2, -1]);
  });

  it('refuse ids outside the vocabulary', () => {
    expect(() => findRowsInUse({ batches: [Int32Array.of(7)], vocabularySize: 7 })).toThrow(InvariantError);
    expect(() => findRowsInUse({ batches: [Int32Array.of(-1)], vocabularySize: 7 })).toThrow(InvariantError);
  });
});

describe('occurrences', () => {
  it('are grouped by row, a repeated id once per occurrence, an unused row of another batch with none', () => {
    const ids = Int32Array.of(5, 1, 5, 0, 5);
    const inUse = findRowsInUse({ batches: [ids, Int32Array.of(3)], vocabularySize: 6 });
    const { starts, bags } = groupByRow({ ids, offsets: Int32Array.of(0, 3, 3, 5), inUse });
    expect([...inUse.rows]).toEqual([0, 1, 3, 5]);
    expect([...starts]).toEqual([0, 1, 2, 2, 5]);
    expect([...bags]).toEqual([2, 0, 0, 0, 2]);
  });

  it('refuse an id that is not among the rows', () => {
    const inUse = findRowsInUse({ batches: [Int32Array.of(1)], vocabularySize: 3 });
    expect(() => groupByRow({ ids: Int32Array.of(2), offsets: Int32Array.of(0, 1), inUse })).toThrow(InvariantError);
  });
});
