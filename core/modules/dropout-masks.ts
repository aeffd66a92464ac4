/**
 * Which elements are kept by dropout? A function of (seed, sequence, place, element): not of the batch that the sequence is calculated in, so
 * that a batch in one piece, in slices, or calculated again has the same masks.
 */
import type { PackedBatch } from './packed-tokens.ts';

/** Two draws of 16 bits come from each step of the generator, so a rate is met to 1/65536. */
const DRAW_BITS = 16;
const DRAWS = 2 ** DRAW_BITS;

export type MaskArguments = {
  readonly batch: PackedBatch;
  /** One number per step of the training. */
  readonly seed: number;
  /** A number per sequence in the caller's order that names it within the step. */
  readonly keys: ArrayLike<number>;
  /** The place, as in dropout.ts; of probabilities without the group, which is no property of the sequence. */
  readonly place: string;
  /** In [0, 1): the part left out. */
  readonly rate: number;
};

/** uint8 [T, width], 1 = keep; the row that fills gaps is kept. */
export function tokenMask(options: MaskArguments & { readonly width: number; readonly tokenRows: number }): Uint8Array {
  const { batch, width } = options;
  const mask = new Uint8Array(options.tokenRows * width).fill(1);
  let at = 0;
  batch.order.forEach((caller, packed) => {
    const end = at + (batch.lengths[packed] ?? 0) * width;
    fill(mask, { state: streamOf(options, caller), rate: options.rate, from: at, to: end });
    at = end;
  });
  return mask;
}

/** uint8 [B, width] in packed order, 1 = keep: a mask of pooled rows. */
export function rowMask(options: MaskArguments & { readonly width: number }): Uint8Array {
  const { batch, width } = options;
  const mask = new Uint8Array(batch.count * width);
  batch.order.forEach((caller, packed) => void fill(mask, { state: streamOf(options, caller), rate: options.rate, from: packed * width, to: (packed + 1) * width }));
  return mask;
}

/** uint8 [b, heads, queries, L] of one group, 1 = keep: `queries` is L, or 1 where only first tokens ask. Gaps are kept. */
export function probabilityMask(options: MaskArguments & { readonly group: number; readonly heads: number; readonly firstOnly: boolean }): Uint8Array {
  const { batch, group, heads, firstOnly, rate } = options;
  const { from, to, length } = batch.groups[group] ?? { from: 0, to: 0, length: 0 };
  const queries = firstOnly ? 1 : length;
  const mask = new Uint8Array((to - from) * heads * queries * length).fill(1);
  for (let packed = from; packed < to; packed += 1) {
    const own = batch.lengths[packed] ?? 0;
    let state = streamOf(options, batch.order[packed] ?? 0);
    for (let head = 0; head < heads; head += 1) {
      for (let query = 0; query < (firstOnly ? 1 : own); query += 1) {
        const start = (((packed - from) * heads + head) * queries + query) * length;
        state = fill(mask, { state, rate, from: start, to: start + own });
      }
    }
  }
  return mask;
}

/** Writes keep or leave-out into mask[from .. to) and returns the state after it (xorshift32, Marsaglia 2003). */
function fill(mask: Uint8Array, { state, rate, from, to }: { readonly state: number; readonly rate: number; readonly from: number; readonly to: number }): number {
  const threshold = Math.round(rate * DRAWS);
  let s = state;
  let i = from;
  for (; i + 1 < to; i += 2) {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    mask[i] = (s & (DRAWS - 1)) >= threshold ? 1 : 0;
    mask[i + 1] = s >>> DRAW_BITS >= threshold ? 1 : 0;
  }
  if (i < to) {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    mask[i] = s >>> DRAW_BITS >= threshold ? 1 : 0;
  }
  return s;
}

/** A start for the generator, never 0: the parts hashed together (FNV-1a, then murmur3's finish). */
function streamOf({ seed, keys, place }: MaskArguments, caller: number): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < place.length; i += 1) h = Math.imul(h ^ place.charCodeAt(i), 0x01000193);
  for (const part of [seed | 0, Math.floor(seed / 2 ** 32), keys[caller] ?? 0]) h = finish(Math.imul(h ^ part, 0x01000193) ^ (part >>> 16));
  return h === 0 ? 1 : h;
}

function finish(hash: number): number {
  let h = hash;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
