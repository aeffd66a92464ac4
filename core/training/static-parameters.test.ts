import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { createStaticParameters, packBags, parameterArrays, STATIC_ADAMW, staticStep, type LossPart, type StaticParameters } from './static-parameters.ts';

const V = 9;
const H = 4;

function tiny(): { memory: ReturnType<typeof createKernelMemory>; kernels: ReturnType<typeof createKernels>; parameters: StaticParameters } {
  const memory = createKernelMemory(2 ** 20);
  const parameters = createStaticParameters({ vocabularySize: V, width: H, memory });
  const random = seededRandom(1, 'static step test');
  for (let i = 0; i < V * H; i += 1) parameters.table[i] = random.normal();
  for (let t = 0; t < V; t += 1) parameters.logWeights[t] = 0.3 * random.normal();
  return { memory, kernels: createKernels(memory), parameters };
}

/** A loss of pooled sums that is no linear one: sum over numbers of c_i sin(x_i), gradient c_i cos(x_i). */
function sines(bags: readonly Uint32Array[], seed: number): { part: LossPart; loss: (table: ArrayLike<number>, logWeights: ArrayLike<number>) => number } {
  const random = seededRandom(seed, 'sines');
  const factors = Array.from({ length: bags.length * H }, () => random.normal());
  const evaluate: LossPart['evaluate'] = (pooled) =>
    Promise.resolve({ loss: factors.reduce((sum, c, i) => sum + c * Math.sin(pooled[i] ?? 0), 0), gradient: Float32Array.from(factors, (c, i) => c * Math.cos(pooled[i] ?? 0)) });
  const loss = (table: ArrayLike<number>, logWeights: ArrayLike<number>): number =>
    factors.reduce((sum, c, i) => {
      let x = 0;
      for (const id of bags[Math.floor(i / H)] ?? []) x += Math.exp(logWeights[id] ?? 0) * (table[id * H + (i % H)] ?? 0);
      return sum + c * Math.sin(x);
    }, 0);
  return { part: { bags: packBags(bags), evaluate }, loss };
}

const BAGS = [[0, 1, 2, 1], [3], [5, 0, 8]].map((ids) => Uint32Array.from(ids));
const OTHER_BAGS = [[1, 1, 3], [6, 2]].map((ids) => Uint32Array.from(ids));
const UNUSED = [4, 7];
const parts = [sines(BAGS, 1), sines(OTHER_BAGS, 2)];
const snapshot = (parameters: StaticParameters): Map<string, number[]> => new Map([...parameterArrays(parameters)].map(([name, array]) => [name, [...array]]));

/** Gradient of both losses together, by central differences in float64. */
function numericGradients({ table, logWeights }: StaticParameters): { rows: number[]; weights: number[] } {
  const [rows, weights] = [Float64Array.from(table), Float64Array.from(logWeights)];
  const total = (): number => parts.reduce((sum, { loss }) => sum + loss(rows, weights), 0);
  const step = 1e-6;
  const slopes = (values: Float64Array): number[] =>
    [...values].map((value, i) => {
      values[i] = value + step;
      const above = total();
      values[i] = value - step;
      const below = total();
      values[i] = value;
      return (above - below) / (2 * step);
    });
  return { rows: slopes(rows), weights: slopes(weights) };
}

describe('staticStep', () => {
  it('has the gradients of all its losses added up: first moments and the first update say so', async () => {
    const { memory, kernels, parameters } = tiny();
    const before = snapshot(parameters);
    const { rows, weights } = numericGradients(parameters);
    const result = await staticStep({ kernels, memory, parameters, parts: parts.map(({ part }) => part), learningRate: 0.01, frozen: null });
    expect(result.losses[0]).toBeCloseTo(parts[0]?.loss(before.get('table') ?? [], before.get('log-weights') ?? []) ?? Number.NaN, 4);
    expect(result.gradientNorm).toBeCloseTo(Math.hypot(...rows), 4);
    expect(result.gradientNorm).toBeGreaterThan(0.1);
    const compare = (gradients: readonly number[], means: ArrayLike<number>, values: ArrayLike<number>, old: readonly number[]): void => {
      gradients.forEach((gradient, i) => {
        expect((means[i] ?? 0) / (1 - STATIC_ADAMW.beta1)).toBeCloseTo(gradient, 4);
        const update = Math.abs(gradient) < 1e-6 ? 0 : -0.01 * Math.sign(gradient); // the first step of Adam is the sign
        expect((values[i] ?? 0) - (old[i] ?? 0)).toBeCloseTo(update, 5);
      });
    };
    compare(rows, parameters.tableState.means, parameters.table, before.get('table') ?? []);
    compare(weights, parameters.weightState.means, parameters.logWeights, before.get('log-weights') ?? []);
  });

  it('leaves rows alone that no text uses', async () => {
    const { memory, kernels, parameters } = tiny();
    const before = snapshot(parameters);
    for (let step = 0; step < 3; step += 1) await staticStep({ kernels, memory, parameters, parts: parts.map(({ part }) => part), learningRate: 0.01, frozen: null });
    for (const row of UNUSED) {
      expect([...parameters.table.subarray(row * H, (row + 1) * H)]).toEqual(before.get('table')?.slice(row * H, (row + 1) * H));
      expect(parameters.tableState.steps[row]).toBe(0);
    }
    expect(parameters.tableState.steps[1]).toBe(3);
  });

  it('moves frozen rows and their weights not a bit, and the others as it would without them', async () => {
    const free = tiny();
    const held = tiny();
    const frozen = Uint8Array.from({ length: V }, (_, t) => ([0, 3, 8].includes(t) ? 1 : 0));
    const before = snapshot(held.parameters);
    await staticStep({ ...free, parts: parts.map(({ part }) => part), learningRate: 0.01, frozen: null });
    await staticStep({ ...held, parts: parts.map(({ part }) => part), learningRate: 0.01, frozen });
    for (let t = 0; t < V; t += 1) {
      const row = [...held.parameters.table.subarray(t * H, (t + 1) * H)];
      expect(row).toEqual(frozen[t] === 1 ? before.get('table')?.slice(t * H, (t + 1) * H) : [...free.parameters.table.subarray(t * H, (t + 1) * H)]);
      expect(held.parameters.logWeights[t]).toBe(frozen[t] === 1 ? before.get('log-weights')?.[t] : free.parameters.logWeights[t]);
    }
    expect(held.parameters.table).not.toEqual(Float32Array.from(before.get('table') ?? []));
  });

  it.each([
    ['a loss that is NaN', (pooled: Float32Array) => ({ loss: Number.NaN, gradient: new Float32Array(pooled.length) })],
    ['a gradient with an infinity', (pooled: Float32Array) => ({ loss: 1, gradient: new Float32Array(pooled.length).fill(Number.POSITIVE_INFINITY) })],
    ['a gradient with a NaN', (pooled: Float32Array) => ({ loss: 1, gradient: new Float32Array(pooled.length).fill(Number.NaN) })],
  ])('changes nothing at all after %s', async (_name, evaluate) => {
    const { memory, kernels, parameters } = tiny();
    await staticStep({ kernels, memory, parameters, parts: parts.map(({ part }) => part), learningRate: 0.01, frozen: null });
    const before = snapshot(parameters);
    const bad: LossPart = { bags: packBags(BAGS), evaluate: (pooled) => Promise.resolve(evaluate(pooled)) };
    const result = await staticStep({ kernels, memory, parameters, parts: [...parts.map(({ part }) => part), bad], learningRate: 0.01, frozen: null });
    expect(result.isFinite).toBe(false);
    expect(snapshot(parameters)).toEqual(before);
  });

  it('gives its memory back, also when a loss throws', async () => {
    const { memory, kernels, parameters } = tiny();
    const used = memory.usedBytes();
    await staticStep({ kernels, memory, parameters, parts: parts.map(({ part }) => part), learningRate: 0.01, frozen: null });
    expect(memory.usedBytes()).toBe(used);
    const broken: LossPart = { bags: packBags(BAGS), evaluate: () => Promise.reject(new Error('no session')) };
    await expect(staticStep({ kernels, memory, parameters, parts: [broken], learningRate: 0.01, frozen: null })).rejects.toThrow('no session');
    expect(memory.usedBytes()).toBe(used);
  });

  it('at learning rate 0 changes moments only: that is how the plan tries steps', async () => {
    const { memory, kernels, parameters } = tiny();
    const before = snapshot(parameters);
    await staticStep({ kernels, memory, parameters, parts: parts.map(({ part }) => part), learningRate: 0, frozen: null });
    expect([...parameters.table]).toEqual(before.get('table'));
    expect([...parameters.logWeights]).toEqual(before.get('log-weights'));
    expect([...parameters.tableState.means]).not.toEqual(before.get('table-means'));
  });
});

describe('packBags', () => {
  it('puts bags one after the other', () => {
    const { ids, offsets } = packBags([Uint32Array.of(4, 5), new Uint32Array(0), Uint32Array.of(6)]);
    expect([[...ids], [...offsets]]).toEqual([[4, 5, 6], [0, 2, 2, 3]]);
  });
});
