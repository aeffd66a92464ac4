/** Is it AdamW, and are its rows the dense step where every row is used? */
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { ADAMW_DEFAULTS, createDenseAdamwState, createRowAdamwState, heapAllocator, stepDenseAdamw, stepRowAdamw } from './adamw.ts';
import { createJavaScriptKernels } from './kernels-javascript.ts';

const kernels = createJavaScriptKernels();
/** Two float32 roundings of a value below 4 in each of 50 steps; a wrong formula differs by a part of the learning rate, 0.01. */
const ROUNDING = 50 * 2 * 4 * 2 ** -24;
const settings = { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weightDecay: 0.1 };

function draw(length: number, purpose: string, position = 0): Float32Array {
  const random = seededRandom(3, purpose, position);
  return Float32Array.from({ length }, () => random.normal());
}

/** Algorithm 2 of the paper as written, in float64: m and v hatted explicitly. */
function referenceAdamw(start: readonly number[], gradients: readonly Float32Array[], learningRate: number): number[] {
  const values = [...start];
  values.forEach((_, i) => {
    let value = values[i] ?? 0;
    let m = 0;
    let v = 0;
    gradients.forEach((gradient, step) => {
      const g = gradient[i] ?? 0;
      m = settings.beta1 * m + (1 - settings.beta1) * g;
      v = settings.beta2 * v + (1 - settings.beta2) * g * g;
      const mHat = m / (1 - settings.beta1 ** (step + 1));
      const vHat = v / (1 - settings.beta2 ** (step + 1));
      value = value - learningRate * settings.weightDecay * value - (learningRate * mHat) / (Math.sqrt(vHat) + settings.epsilon);
    });
    values[i] = value;
  });
  return values;
}

describe('dense AdamW', () => {
  it('moves each value by the learning rate in its first step, whatever the gradient', () => {
    const values = Float32Array.of(1, 1, 1);
    stepDenseAdamw({
      kernels, values, gradients: Float32Array.of(5, -0.001, 0), state: createDenseAdamwState({ length: 3, allocator: heapAllocator }),
      settings: { ...ADAMW_DEFAULTS, weightDecay: 0 }, learningRate: 0.5, gradientScale: 1,
    });
    expect(values[0]).toBeCloseTo(0.5, 5);
    expect(values[1]).toBeCloseTo(1.5, 4);
    expect(values[2]).toBe(1);
  });

  it('follows the algorithm of the paper in float64 over fifty steps', () => {
    const start = draw(40, 'start');
    const gradients = Array.from({ length: 50 }, (_, step) => draw(40, 'gradient', step));
    const values = start.slice();
    const state = createDenseAdamwState({ length: 40, allocator: heapAllocator });
    for (const gradient of gradients) stepDenseAdamw({ kernels, values, gradients: gradient, state, settings, learningRate: 0.01, gradientScale: 1 });
    const reference = referenceAdamw([...start], gradients, 0.01);
    values.forEach((value, i) => expect(Math.abs(value - (reference[i] ?? 0))).toBeLessThan(ROUNDING));
    expect(state.steps[0]).toBe(50);
  });

  it('with a gradient scale equals the step with scaled gradients', () => {
    const [a, b] = [draw(9, 'start'), draw(9, 'start')];
    const gradients = draw(9, 'gradient');
    stepDenseAdamw({ kernels, values: a, gradients, state: createDenseAdamwState({ length: 9, allocator: heapAllocator }), settings, learningRate: 0.01, gradientScale: 0.25 });
    stepDenseAdamw({ kernels, values: b, gradients: gradients.map((g) => g * 0.25), state: createDenseAdamwState({ length: 9, allocator: heapAllocator }), settings, learningRate: 0.01, gradientScale: 1 });
    expect(a).toEqual(b);
  });
});

describe('AdamW over rows', () => {
  const [rows, width] = [6, 5];

  it('equals the dense step bit for bit when every row is used in every step', () => {
    const dense = draw(rows * width, 'start');
    const sparse = dense.slice();
    const denseState = createDenseAdamwState({ length: rows * width, allocator: heapAllocator });
    const rowState = createRowAdamwState({ rows, width, allocator: heapAllocator });
    for (let step = 0; step < 20; step += 1) {
      const gradients = draw(rows * width, 'gradient', step);
      const common = { kernels, settings, learningRate: 0.01 / (step + 1), gradientScale: 0.9 };
      stepDenseAdamw({ ...common, values: dense, gradients, state: denseState });
      stepRowAdamw({ ...common, values: sparse, rowGradients: gradients, rows: Int32Array.from({ length: rows }, (_, row) => row), width, state: rowState });
    }
    expect(sparse).toEqual(dense);
    expect(rowState.means).toEqual(denseState.means);
    expect(rowState.variances).toEqual(denseState.variances);
  });

  it('leaves unused rows as they are, and a row used later takes a full first step', () => {
    const values = new Float32Array(rows * width).fill(1);
    const state = createRowAdamwState({ rows, width, allocator: heapAllocator });
    const common = { kernels, settings: { ...settings, weightDecay: 0 }, learningRate: 0.5, gradientScale: 1, values, state, width };
    for (let step = 0; step < 10; step += 1) stepRowAdamw({ ...common, rows: Int32Array.of(1, 4), rowGradients: new Float32Array(2 * width).fill(1) });
    expect([...values.subarray(0, width)]).toEqual(new Array(width).fill(1));
    expect([...state.steps]).toEqual([0, 10, 0, 0, 10, 0]);
    stepRowAdamw({ ...common, rows: Int32Array.of(0), rowGradients: new Float32Array(width).fill(-3) });
    values.subarray(0, width).forEach((value) => expect(value).toBeCloseTo(1.5, 5));
  });

  it('refuses a row that is named twice', () => {
    const state = createRowAdamwState({ rows, width, allocator: heapAllocator });
    const step = (named: Int32Array): void =>
      stepRowAdamw({ kernels, settings, learningRate: 0.1, gradientScale: 1, values: new Float32Array(rows * width), state, width, rows: named, rowGradients: new Float32Array(2 * width) });
    expect(() => step(Int32Array.of(2, 2))).toThrow(InvariantError);
  });
});
