/** How long are sums of neighbouring blocks of tokens, plainly and after scaling? From products of neighbours, in one pass over the tokens' rows. */
import { createWasmModule, f32, f32x4, forLoop, i32, type Code, type Local } from '../optimizers/wasm-module.ts';
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import { webAssembly } from '../optimizers/web-assembly.ts';

/** Numbers that each block gets: b.b, b.Sb, b.p, b.Sp, where b is the block's sum, p that of the block before it and S the squared scale. */
export const FORMS_PER_BLOCK = 4;

/** Arrays in the kernels' memory. */
export type BlockFormsRoom = {
  /** float32 [V, H] and [V]. */
  readonly table: Float32Array;
  readonly weights: Float32Array;
  /** float32 [H]. */
  readonly squaredScale: Float32Array;
  /** int32: the tokens of the blocks at hand. */
  readonly ids: Int32Array;
  /** float32 [blocks, FORMS_PER_BLOCK] */
  readonly forms: Float32Array;
  /** float32 [H]: the sum of the last block so far, and of all blocks. Zero both to begin a text. */
  readonly last: Float32Array;
  readonly whole: Float32Array;
};

/**
 * Sums the first `count` tokens in blocks of `blockTokens` (the last may be shorter), b = sum_t w_t row_t, gives each its forms, and adds it
 * to `whole`. A text of many blocks may come in parts: the first block of a part follows the last one of the part before.
 */
export type BlockForms = (count: number) => void;

/** `whole . whole` and `whole . S whole`. */
export type WholeForms = () => { readonly plain: number; readonly scaled: number };

const VECTOR_BYTES = 16;
const FLOAT_BYTES = 4;
const LANES = 4;
const TILE_VECTORS = 8;

export type BlockKernels = { readonly blockForms: BlockForms; readonly wholeForms: WholeForms };

/** SIMD on this memory; plain JavaScript where the machine has none or the width is no multiple of four. */
export function createBlockKernels(memory: KernelMemory, room: BlockFormsRoom, blockTokens: number): BlockKernels {
  const plain = plainBlockKernels(room, blockTokens);
  const bytes = assemble();
  const width = room.squaredScale.length;
  if (width % LANES !== 0 || !webAssembly.validate(bytes)) return plain;
  const { exports } = new webAssembly.Instance(new webAssembly.Module(bytes), { kernel: { memory: memory.wasm } });
  const call = exports['blockForms'];
  if (typeof call !== 'function') return plain;
  const { table, weights, squaredScale, ids, forms, last, whole } = room;
  const addresses = [table, weights, squaredScale, ids, forms, last, whole].map(({ byteOffset }) => byteOffset);
  return { ...plain, blockForms: (count) => void call(...addresses, count, blockTokens, width * FLOAT_BYTES) };
}

/** The same in plain JavaScript. */
export function plainBlockKernels({ table, weights, squaredScale, ids, forms, last, whole }: BlockFormsRoom, blockTokens: number): BlockKernels {
  const width = squaredScale.length;
  const sum = new Float32Array(width);
  return {
    blockForms: (count) => {
      for (let first = 0, block = 0; first < count; first += blockTokens, block += 1) {
        sum.fill(0);
        for (let t = first; t < Math.min(count, first + blockTokens); t += 1) {
          const id = ids[t] ?? 0;
          const weight = weights[id] ?? 0;
          for (let k = 0; k < width; k += 1) sum[k] = (sum[k] ?? 0) + weight * (table[id * width + k] ?? 0);
        }
        let own = 0, ownScaled = 0, before = 0, beforeScaled = 0;
        for (let k = 0; k < width; k += 1) {
          const value = sum[k] ?? 0;
          const previous = last[k] ?? 0;
          const squared = squaredScale[k] ?? 0;
          own += value * value;
          ownScaled += value * squared * value;
          before += previous * value;
          beforeScaled += previous * squared * value;
          last[k] = value;
          whole[k] = (whole[k] ?? 0) + value;
        }
        forms.set([own, ownScaled, before, beforeScaled], block * FORMS_PER_BLOCK);
      }
    },
    wholeForms: () => {
      let plain = 0, scaled = 0;
      for (let k = 0; k < width; k += 1) {
        const value = whole[k] ?? 0;
        plain += value * value;
        scaled += value * (squaredScale[k] ?? 0) * value;
      }
      return { plain, scaled };
    },
  };
}

function assemble(): Uint8Array {
  const module = createWasmModule();
  module.addFunction({
    name: 'blockForms',
    parameters: { table: 'i32', weights: 'i32', squaredScale: 'i32', ids: 'i32', forms: 'i32', last: 'i32', whole: 'i32', count: 'i32', blockTokens: 'i32', rowBytes: 'i32' },
    build: ({ table, weights, squaredScale, ids, forms, last, whole, count, blockTokens, rowBytes }, local) => {
      const [first, end, t, id, column, row, out] = [local('i32'), local('i32'), local('i32'), local('i32'), local('i32'), local('i32'), local('i32')];
      const [weight, previous, scaled] = [local('v128'), local('v128'), local('v128')];
      const tile = Array.from({ length: TILE_VECTORS }, () => local('v128'));
      const totals = [local('v128'), local('v128'), local('v128'), local('v128')] as const;
      const word = (base: Code, index: Code): Code => i32.add(base, i32.shiftLeft(index, i32.constant(2)));
      const at = (base: Code): Code => i32.add(base, column.get);
      const product = (total: Local, a: Local, b: Local): Code => total.set(f32x4.add(total.get, f32x4.multiply(a.get, b.get)));
      /** A stretch of `vectors` vectors of a block's sum, from column on: summed in registers, then multiplied with itself and the block before. */
      const stretch = (vectors: number): Code => {
        const sums = tile.slice(0, vectors);
        const addToken: Code = [
          ...id.set(i32.load(word(ids, t.get))),
          ...weight.set(f32x4.splat(f32.load(word(weights, id.get)))),
          ...row.set(at(i32.add(table, i32.multiply(id.get, rowBytes)))),
          ...sums.flatMap((sum, v) => sum.set(f32x4.add(sum.get, f32x4.multiply(f32x4.load(row.get, v * VECTOR_BYTES), weight.get)))),
        ];
        const finish = sums.flatMap((sum, v) => {
          const offset = v * VECTOR_BYTES;
          return [
            ...previous.set(f32x4.load(at(last), offset)),
            ...product(totals[0], sum, sum),
            ...product(totals[2], previous, sum),
            ...scaled.set(f32x4.multiply(sum.get, f32x4.load(at(squaredScale), offset))),
            ...product(totals[1], scaled, sum),
            ...scaled.set(f32x4.multiply(previous.get, f32x4.load(at(squaredScale), offset))),
            ...product(totals[3], scaled, sum),
            ...f32x4.store(at(last), sum.get, offset),
            ...f32x4.store(at(whole), f32x4.add(f32x4.load(at(whole), offset), sum.get), offset),
          ];
        });
        return [...sums.flatMap((sum) => sum.set(f32x4.splat(f32.zero))), ...forLoop({ counter: t, start: first.get, end: end.get, step: 1, body: addToken }), ...finish];
      };
      const total = (sum: Local): Code => f32.add(f32.add(f32x4.lane(sum.get, 0), f32x4.lane(sum.get, 1)), f32.add(f32x4.lane(sum.get, 2), f32x4.lane(sum.get, LANES - 1)));
      const tiledBytes = i32.and(rowBytes, i32.constant(-TILE_VECTORS * VECTOR_BYTES));
      const block: Code = [
        ...end.set(i32.minimumUnsigned(i32.add(first.get, blockTokens), count)),
        ...totals.flatMap((sum) => sum.set(f32x4.splat(f32.zero))),
        ...forLoop({ counter: column, start: i32.constant(0), end: tiledBytes, step: TILE_VECTORS * VECTOR_BYTES, body: stretch(TILE_VECTORS) }),
        ...forLoop({ counter: column, start: tiledBytes, end: rowBytes, step: VECTOR_BYTES, body: stretch(1) }),
        ...totals.flatMap((sum, place) => f32.store(out.get, total(sum), place * FLOAT_BYTES)),
        ...out.set(i32.add(out.get, i32.constant(FORMS_PER_BLOCK * FLOAT_BYTES))),
      ];
      // The loop steps by one and the body by the rest of a block: steps of forLoop are constants.
      return [
        ...out.set(forms),
        ...forLoop({ counter: first, start: i32.constant(0), end: count, step: 1, body: [...block, ...first.set(i32.subtract(i32.add(first.get, blockTokens), i32.constant(1)))] }),
      ];
    },
  });
  return module.encode();
}
