/** Do the SIMD kernels and their JavaScript twins give the same bits, and are these the right numbers? */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { findRowsInUse, groupByRow } from './embedding-bag.ts';
import { createKernelMemory } from './kernel-memory.ts';
import { createJavaScriptKernels } from './kernels-javascript.ts';
import { createWasmKernels } from './kernels-wasm.ts';
import type { Kernels } from './kernels.ts';

const MEMORY_BYTES = 2 ** 24;
/** Below, at and above a vector, an unrolled turn and a reduction turn. */
const LENGTHS = [0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 1027];
const WIDTHS = [1, 4, 6, 16, 37, 64];

const memory = createKernelMemory(MEMORY_BYTES);
const wasm = createWasmKernels(memory);
const javaScript = createJavaScriptKernels();

function draw(length: number, purpose: string): Float32Array {
  const random = seededRandom(1, purpose);
  return Float32Array.from({ length }, () => random.normal());
}

/** Bits, not values: -0 differs from 0. */
function bits(array: Float32Array): Uint32Array {
  return new Uint32Array(array.slice().buffer);
}

/** Runs a kernel of each form on equal fresh arrays and returns what each leaves in them. */
function both(run: (kernels: Kernels, copy: (array: Float32Array) => Float32Array) => void): readonly [readonly Uint32Array[], readonly Uint32Array[]] {
  const results = [wasm, javaScript].map((kernels) => {
    const copies: Float32Array[] = [];
    run(kernels, (array) => {
      const copy = memory.float32(array.length);
      copy.set(array);
      copies.push(copy);
      return copy;
    });
    return copies.map(bits);
  });
  return [results[0] ?? [], results[1] ?? []];
}

function expectSameBits(run: (kernels: Kernels, copy: (array: Float32Array) => Float32Array) => void): void {
  const mark = memory.mark();
  const [ofWasm, ofJavaScript] = both(run);
  memory.release(mark);
  expect(ofWasm.length).toBeGreaterThan(0);
  expect(ofWasm).toEqual(ofJavaScript);
}

const ADAMW_SCALARS = { gradientScale: 0.7, decay: 0.9995, oneMinusBeta1: 0.1, beta2: 0.98, oneMinusBeta2: 0.02, epsilon: 1e-8 };

/** A batch with a repeated id inside a bag, an empty bag and an unused row. */
function packedBatch(vocabularySize: number): { readonly ids: Int32Array; readonly offsets: Int32Array } {
  const random = seededRandom(2, 'batch');
  const lengths = [3, 0, 1, 12, 40];
  const offsets = Int32Array.from([0, ...lengths.map((_, bag) => lengths.slice(0, bag + 1).reduce((sum, length) => sum + length, 0))]);
  const ids = Int32Array.from({ length: offsets.at(-1) ?? 0 }, () => random.integer(vocabularySize - 1));
  ids[1] = ids[0] ?? 0;
  return { ids, offsets };
}

describe('the SIMD kernels give the bits of their JavaScript twins', () => {
  it.each(LENGTHS)('in scale, addScaled and dot of %i elements', (length) => {
    expectSameBits((kernels, copy) => kernels.scale(copy(draw(length, 'a')), 1 / 3));
    expectSameBits((kernels, copy) => kernels.addScaled(copy(draw(length, 'a')), copy(draw(length, 'b')), -1 / 3));
    expect(wasm.dot(draw(length, 'a'), draw(length, 'b'))).toBe(javaScript.dot(draw(length, 'a'), draw(length, 'b')));
  });

  it.each(LENGTHS)('in a dense AdamW step of %i elements', (length) => {
    expectSameBits((kernels, copy) =>
      kernels.adamw({
        ...ADAMW_SCALARS, stepSize: 0.01, inverseRootBias2: 3.1,
        values: copy(draw(length, 'value')), means: copy(draw(length, 'mean')), variances: copy(draw(length, 'variance').map(Math.abs)), gradients: copy(draw(length, 'gradient')),
      }),
    );
  });

  it.each(WIDTHS)('in an AdamW step over rows of width %i', (width) => {
    const rows = Int32Array.from([0, 2, 5, 6]);
    expectSameBits((kernels, copy) =>
      kernels.adamwRows({
        ...ADAMW_SCALARS, rows, width,
        values: copy(draw(8 * width, 'value')), means: copy(draw(8 * width, 'mean')), variances: copy(draw(8 * width, 'variance').map(Math.abs)),
        rowGradients: copy(draw(rows.length * width, 'gradient')),
        stepSizes: draw(rows.length, 'step').map(Math.abs), inverseRoots: draw(rows.length, 'root').map(Math.abs),
      }),
    );
  });

  it.each(WIDTHS)('in the embedding bag of width %i, forward and backward', (width) => {
    const vocabularySize = 23;
    const batch = packedBatch(vocabularySize);
    const inUse = findRowsInUse({ batches: [batch.ids], vocabularySize });
    const occurrences = groupByRow({ ...batch, inUse });
    const table = draw(vocabularySize * width, 'table');
    const weights = draw(vocabularySize, 'weights');
    const bags = batch.offsets.length - 1;
    expectSameBits((kernels, copy) => kernels.embeddingBagForward({ table: copy(table), weights, ...batch, pooled: copy(draw(bags * width, 'old')), width }));
    expectSameBits((kernels, copy) =>
      kernels.embeddingBagBackward({
        table: copy(table), weights, rows: inUse.rows, ...occurrences, pooledGradients: copy(draw(bags * width, 'gradient')), width,
        rowGradients: copy(draw(inUse.rows.length * width, 'rows before')), weightGradients: copy(draw(inUse.rows.length, 'weights before')),
      }),
    );
  });

  it.each([[1, 1, 4], [4, 2, 8], [5, 3, 12], [9, 71, 20], [3, 5, 64]])('in scores of %i queries against %i documents of width %i', (queries, documents, width) => {
    expectSameBits((kernels, copy) =>
      kernels.scoreMatrix({ queries: copy(draw(queries * width, 'q')), documents: copy(draw(documents * width, 'd')), scores: copy(new Float32Array(queries * documents).fill(7)), width }),
    );
  });
});

describe.each([['wasm', wasm], ['javascript', javaScript]] as const)('the %s kernels compute', (_, kernels) => {
  it('a bag as the weighted sum of its rows, and an empty bag as zero', () => {
    const pooled = new Float32Array(4).fill(9);
    kernels.embeddingBagForward({
      table: Float32Array.of(1, 2, 10, 20, 100, 200), weights: Float32Array.of(1, 0.5, 2),
      ids: Int32Array.of(0, 1, 1, 2), offsets: Int32Array.of(0, 4, 4), pooled, width: 2,
    });
    expect([...pooled]).toEqual([1 + 5 + 5 + 200, 2 + 10 + 10 + 400, 0, 0]);
  });

  it('the gradients of a bag that central differences give', () => {
    const width = 5;
    const vocabularySize = 7;
    const batch = packedBatch(vocabularySize);
    const bags = batch.offsets.length - 1;
    const table = draw(vocabularySize * width, 'table');
    const weights = draw(vocabularySize, 'weights');
    const pooledGradients = draw(bags * width, 'gradient');
    const inUse = findRowsInUse({ batches: [batch.ids], vocabularySize });
    const rowGradients = new Float32Array(inUse.rows.length * width);
    const weightGradients = new Float32Array(inUse.rows.length);
    kernels.embeddingBagBackward({ table, weights, rows: inUse.rows, ...groupByRow({ ...batch, inUse }), pooledGradients, rowGradients, weightGradients, width });
    const loss = (): number => {
      const pooled = new Float32Array(bags * width);
      kernels.embeddingBagForward({ table, weights, ...batch, pooled, width });
      return pooled.reduce((sum, value, i) => sum + value * (pooledGradients[i] ?? 0), 0);
    };
    const difference = (array: Float32Array, i: number): number => {
      const half = 2 ** -4; // the loss is linear in each element, so a large step only lessens rounding
      const kept = array[i] ?? 0;
      array[i] = kept + half;
      const above = loss();
      array[i] = kept - half;
      const below = loss();
      array[i] = kept;
      return (above - below) / (2 * half);
    };
    expect(inUse.rows.length).toBe(vocabularySize - 1);
    inUse.rows.forEach((row, u) => {
      expect(weightGradients[u]).toBeCloseTo(difference(weights, row), 3);
      for (let k = 0; k < width; k += 1) expect(rowGradients[u * width + k]).toBeCloseTo(difference(table, row * width + k), 3);
    });
  });

  it('scores as dot products, each in its row and column', () => {
    const scores = new Float32Array(6);
    kernels.scoreMatrix({ queries: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 2), documents: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), scores, width: 4 });
    expect([...scores]).toEqual([1, 5, 9, 10, 22, 34]);
  });

  it('a dot product in float64: a long sum of small squares loses nothing', () => {
    const ones = new Float32Array(2 ** 20).fill(1 + 2 ** -12);
    expect(kernels.dot(ones, ones)).toBe(2 ** 20 * (1 + 2 ** -12) ** 2);
  });

  it('only what fits: wrong lengths, ids and offsets are refused', () => {
    const step = { table: new Float32Array(8), weights: new Float32Array(2), ids: Int32Array.of(0, 1), offsets: Int32Array.of(0, 2), pooled: new Float32Array(4), width: 4 };
    kernels.embeddingBagForward(step);
    expect(() => kernels.embeddingBagForward({ ...step, ids: Int32Array.of(0, 2) })).toThrow(/ids\[1\] is 2, expected 0 to 1/);
    expect(() => kernels.embeddingBagForward({ ...step, offsets: Int32Array.of(0, 3) })).toThrow(/rise from 0 to 2/);
    expect(() => kernels.embeddingBagForward({ ...step, pooled: new Float32Array(8) })).toThrow(/pooled should have 4/);
    expect(() => kernels.scoreMatrix({ queries: new Float32Array(6), documents: new Float32Array(6), scores: new Float32Array(1), width: 6 })).toThrow(/multiple of 4/);
  });
});

describe('arrays outside the memory', () => {
  it('are copied in and back, and give the bits of arrays inside', () => {
    const outside = draw(100, 'a');
    const inside = memory.float32(100);
    inside.set(outside);
    const before = memory.usedBytes();
    wasm.scale(outside, 0.3);
    wasm.scale(inside, 0.3);
    expect(bits(outside)).toEqual(bits(inside));
    expect(memory.usedBytes()).toBe(before);
  });
});
