/** How long are sums of neighbouring blocks of tokens, plainly and after scaling? From products of neighbours, in one pass over the block sums. */
import { createWasmModule, f32, f32x4, forLoop, i32, type Code, type Local } from '../optimizers/wasm-module.ts';
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import { webAssembly } from '../optimizers/web-assembly.ts';

/** Numbers that each row gets: r.r, r.Sr, r.n, r.Sn, where n is the row after it and S the squared scale. */
export const FORMS_PER_ROW = 4;

/**
 * forms[4 i ..] = (r_i . r_i,  r_i . S r_i,  r_i . r_i+1,  r_i . S r_i+1), S = diag(squaredScale); the row after the last one is
 * whatever lies behind it in memory, so the last row's two products with it mean nothing.
 * @param rows float32 [R + 1, H] in the kernels' memory; @param squaredScale float32 [H] there; @param forms float32 [R, 4] there.
 */
export type BlockForms = (options: { readonly rows: Float32Array; readonly count: number; readonly squaredScale: Float32Array; readonly forms: Float32Array; readonly width: number }) => void;

const VECTOR_BYTES = 16;
const FLOAT_BYTES = 4;
const LANES = 4;

/** The SIMD form on this memory; plain JavaScript where the machine has no SIMD or the width is no multiple of four. */
export function createBlockForms(memory: KernelMemory, width: number): BlockForms {
  const bytes = assemble();
  if (width % LANES !== 0 || !webAssembly.validate(bytes)) return plainBlockForms;
  const { exports } = new webAssembly.Instance(new webAssembly.Module(bytes), { kernel: { memory: memory.wasm } });
  const call = exports['blockForms'];
  if (typeof call !== 'function') return plainBlockForms;
  return ({ rows, count, squaredScale, forms }) => {
    call(rows.byteOffset, squaredScale.byteOffset, forms.byteOffset, count, width * FLOAT_BYTES);
  };
}

/** The same in plain JavaScript. */
export const plainBlockForms: BlockForms = ({ rows, count, squaredScale, forms, width }) => {
  for (let row = 0; row < count; row += 1) {
    const at = row * width;
    let own = 0, ownScaled = 0, next = 0, nextScaled = 0;
    for (let k = 0; k < width; k += 1) {
      const value = rows[at + k] ?? 0;
      const after = rows[at + width + k] ?? 0;
      const scaled = value * (squaredScale[k] ?? 0);
      own += value * value;
      ownScaled += scaled * value;
      next += value * after;
      nextScaled += scaled * after;
    }
    forms.set([own, ownScaled, next, nextScaled], row * FORMS_PER_ROW);
  }
};

function assemble(): Uint8Array {
  const module = createWasmModule();
  module.addFunction({
    name: 'blockForms',
    parameters: { rows: 'i32', squaredScale: 'i32', forms: 'i32', count: 'i32', rowBytes: 'i32' },
    build: ({ rows, squaredScale, forms, count, rowBytes }, local) => {
      const [row, k, at, out] = [local('i32'), local('i32'), local('i32'), local('i32')];
      const [value, after, scaled] = [local('v128'), local('v128'), local('v128')];
      const sums = [local('v128'), local('v128'), local('v128'), local('v128')] as const;
      const product = (sum: Local, a: Local, b: Local): Code => sum.set(f32x4.add(sum.get, f32x4.multiply(a.get, b.get)));
      const turn: Code = [
        ...value.set(f32x4.load(i32.add(at.get, k.get))),
        ...after.set(f32x4.load(i32.add(i32.add(at.get, rowBytes), k.get))),
        ...scaled.set(f32x4.multiply(value.get, f32x4.load(i32.add(squaredScale, k.get)))),
        ...product(sums[0], value, value),
        ...product(sums[1], scaled, value),
        ...product(sums[2], value, after),
        ...product(sums[3], scaled, after),
      ];
      const total = (sum: Local): Code => f32.add(f32.add(f32x4.lane(sum.get, 0), f32x4.lane(sum.get, 1)), f32.add(f32x4.lane(sum.get, 2), f32x4.lane(sum.get, LANES - 1)));
      const body: Code = [
        ...at.set(i32.add(rows, i32.multiply(row.get, rowBytes))),
        ...out.set(i32.add(forms, i32.multiply(row.get, i32.constant(FORMS_PER_ROW * FLOAT_BYTES)))),
        ...sums.flatMap((sum) => sum.set(f32x4.splat(f32.zero))),
        ...forLoop({ counter: k, start: i32.constant(0), end: rowBytes, step: VECTOR_BYTES, body: turn }),
        ...sums.flatMap((sum, place) => f32.store(out.get, total(sum), place * FLOAT_BYTES)),
      ];
      return forLoop({ counter: row, start: i32.constant(0), end: count, step: 1, body });
    },
  });
  return module.encode();
}
