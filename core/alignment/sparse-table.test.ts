import { describe, expect, it } from 'vitest';
import { pruneTable, type SparseTable } from './sparse-table.ts';

const table: SparseTable = {
  sourceSize: 3,
  targetSize: 6,
  offsets: Uint32Array.of(0, 4, 4, 6),
  targets: Uint32Array.of(0, 2, 3, 5, 1, 4),
  probabilities: Float32Array.of(0.25, 0.5, 0.125, 0.125, 0.5, 0.5),
};

describe('pruneTable', () => {
  it('keeps the most probable first, ties by id', () => {
    const pruned = pruneTable(table, { most: 3, least: 0 });
    expect([...pruned.offsets]).toEqual([0, 3, 3, 5]);
    expect([...pruned.targets]).toEqual([2, 0, 3, 1, 4]);
    expect([...pruned.probabilities]).toEqual([0.5, 0.25, 0.125, 0.5, 0.5]);
    expect([pruned.sourceSize, pruned.targetSize]).toEqual([3, 6]);
  });

  it('drops what is less than the least, and keeps what equals it', () => {
    expect([...pruneTable(table, { most: 9, least: 0.25 }).targets]).toEqual([2, 0, 1, 4]);
    expect(pruneTable(table, { most: 9, least: 0.9 }).targets).toHaveLength(0);
  });

  it('rescales a row to 1 when asked', () => {
    const { probabilities } = pruneTable(table, { most: 2, least: 0, rescale: true });
    expect(probabilities[0]).toBeCloseTo(2 / 3, 6);
    expect(probabilities[1]).toBeCloseTo(1 / 3, 6);
  });

  it('changes nothing in the table it is given', () => {
    const before = structuredClone(table);
    pruneTable(table, { most: 1, least: 0 });
    expect(table).toEqual(before);
  });
});
