/** Which rows does a batch use, and in which bags does each occur? The index that makes the backward pass a sum per row. */
import { InvariantError } from '../base/errors.ts';
import { expectIndices, expectOffsets } from './kernels.ts';

export type RowsInUse = {
  /** int32 [U]: the ids that occur, ascending. */
  readonly rows: Int32Array<ArrayBuffer>;
  /** int32 [V]: the place of an id in `rows`, or -1. */
  readonly slots: Int32Array<ArrayBuffer>;
};

export type Occurrences = {
  /** int32 [U + 1] */
  readonly starts: Int32Array<ArrayBuffer>;
  /** int32 [T]: the bag of each occurrence, grouped by row, in token order within a row. */
  readonly bags: Int32Array<ArrayBuffer>;
};

/**
 * The distinct ids of one or several packed batches, so that the gradients of several losses can be added in the same rows.
 * @param batches int32 [T] each, ids in [0, V).
 */
export function findRowsInUse(options: { readonly batches: readonly Int32Array[]; readonly vocabularySize: number }): RowsInUse {
  const { batches, vocabularySize } = options;
  const slots = new Int32Array(vocabularySize).fill(-1);
  let count = 0;
  for (const ids of batches) {
    expectIndices('findRowsInUse', 'ids', ids, vocabularySize);
    for (const id of ids) {
      if (slots[id] === -1) {
        slots[id] = 0;
        count += 1;
      }
    }
  }
  const rows = new Int32Array(count);
  let next = 0;
  for (let id = 0; id < vocabularySize; id += 1) {
    if (slots[id] === -1) continue;
    rows[next] = id;
    slots[id] = next;
    next += 1;
  }
  return { rows, slots };
}

/**
 * Groups the tokens of a packed batch by row (a counting sort).
 * @param ids int32 [T]; @param offsets int32 [B + 1], as for `embeddingBagForward`.
 * @throws InvariantError 'embedding-bag.row' for an id that is not among the rows in use.
 */
export function groupByRow(options: { readonly ids: Int32Array; readonly offsets: Int32Array; readonly inUse: RowsInUse }): Occurrences {
  const { ids, offsets, inUse } = options;
  expectOffsets('groupByRow', 'offsets', offsets, ids.length);
  const starts = new Int32Array(inUse.rows.length + 1);
  for (const id of ids) {
    const slot = inUse.slots[id] ?? -1;
    if (slot === -1) throw new InvariantError('embedding-bag.row', `groupByRow: id ${id} is not among the rows in use.`);
    starts[slot + 1] = (starts[slot + 1] ?? 0) + 1;
  }
  for (let u = 0; u < inUse.rows.length; u += 1) starts[u + 1] = (starts[u + 1] ?? 0) + (starts[u] ?? 0);
  const next = starts.slice(0, inUse.rows.length);
  const bags = new Int32Array(ids.length);
  for (let bag = 0; bag + 1 < offsets.length; bag += 1) {
    for (let t = offsets[bag] ?? 0; t < (offsets[bag + 1] ?? 0); t += 1) {
      const slot = inUse.slots[ids[t] ?? 0] ?? 0;
      const place = next[slot] ?? 0;
      bags[place] = bag;
      next[slot] = place + 1;
    }
  }
  return { starts, bags };
}
