/** Does the engine give the same gradients in one piece and in slices, with dropout on, and none to what is frozen? */
import { describe, expect, it } from 'vitest';
import { gradientName } from '../../autodiff/gradient-model.ts';
import { buildGradientModel } from '../../autodiff/gradient-model.ts';
import { seededRandom } from '../../base/random.ts';
import { retrievalLoss } from '../../losses/retrieval.ts';
import { transformerParameters, type TransformerPooling, type TransformerShape } from '../../modules/index.ts';
import { createKernelMemory } from '../../optimizers/kernel-memory.ts';
import { createKernels } from '../../optimizers/create-kernels.ts';
import { createSession } from '../../runtime/session.ts';
import { numbersOf, tensorOf } from '../../tensor/tensor.ts';
import { createTransformerEngine, TOKEN_TABLE, type DropoutDraw, type EngineOptions, type FusedLoss, type TransformerEngine } from './engine.ts';

const shape: TransformerShape = { vocabularySize: 40, width: 16, layers: 2, heads: 2, feedForwardWidth: 24, positions: 20, positionOffset: 2, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 1 };
const cls: TransformerPooling = { layers: 2, mode: 'cls', dense: null, normalise: false };
const rates = { hidden: 0.2, attention: 0.3 };
const names = transformerParameters(shape).map(({ name }) => name);
const WIDTH = shape.width;
const PAIRS = 4;
const TOLERANCE = 2e-6;

const random = seededRandom(5, 'engine test');
const sequences = Array.from({ length: 2 * PAIRS }, (_, i) => Uint32Array.from({ length: 2 + ((i * 5) % 9) }, () => 2 + random.integer(38)));

function startValues(): Map<string, Float32Array> {
  const draw = seededRandom(7, 'start');
  return new Map(transformerParameters(shape).map((parameter) => [parameter.name, Float32Array.from({ length: parameter.shape.reduce((a, b) => a * b, 1) }, () => (parameter.name.endsWith('.scale') ? 1 : 0.3 * draw.normal()))]));
}

function open(changes: Partial<EngineOptions> = {}): TransformerEngine {
  const memory = createKernelMemory(8 * 2 ** 20);
  const parameters = new Map([...startValues()].map(([name, start]) => {
    const array = memory.float32(start.length);
    array.set(start);
    return [name, array] as const;
  }));
  return createTransformerEngine({ shape, pooling: cls, parameters, trainable: new Set(names), dropout: rates, lowRank: null, memory, kernels: createKernels(memory), threads: 1, device: 'cpu', ...changes });
}

const pairLoss: FusedLoss = {
  name: 'pairs',
  inputs: {},
  build: (g, vectors) => retrievalLoss(g, { queries: g.slice(vectors, { axis: 0, start: 0, end: PAIRS }), documents: g.slice(vectors, { axis: 0, start: PAIRS, end: 2 * PAIRS }), temperature: 0.2 }),
};

/** Loss and its gradient for given vectors, in a session of its own. */
async function lossOf(vectors: Float32Array): Promise<{ readonly loss: number; readonly gradient: Float32Array }> {
  const model = buildGradientModel({ inputs: { vectors: { shape: [2 * PAIRS, WIDTH] } }, build: (g, { vectors: value }) => pairLoss.build(g, value, {}) });
  await using session = await createSession(model.modelBytes, { threads: 1 });
  const outputs = await session.run({ vectors: tensorOf('float32', [2 * PAIRS, WIDTH], vectors) });
  const gradient = outputs[gradientName('vectors')];
  if (gradient?.dtype !== 'float32') throw new Error('No gradient.');
  return { loss: Number(outputs['loss']?.data[0]), gradient: gradient.data };
}

type Snapshot = { readonly loss: number; readonly gradients: ReadonlyMap<string, Float32Array> };

function snapshot(engine: TransformerEngine, loss: number): Snapshot {
  const gradients = new Map([...engine.denseGradients].map(([name, gradient]) => [name, gradient.slice()]));
  const tokens = engine.tokenGradients();
  const table = new Float32Array(shape.vocabularySize * WIDTH);
  tokens?.rows.forEach((row, i) => table.set(tokens.values.subarray(i * WIDTH, (i + 1) * WIDTH), row * WIDTH));
  return { loss, gradients: gradients.set(TOKEN_TABLE, table) };
}

async function fused(engine: TransformerEngine, draw: DropoutDraw | null): Promise<Snapshot> {
  engine.begin(sequences);
  return snapshot(engine, await engine.lossGradients(sequences, pairLoss, {}, draw));
}

/** Vectors slice by slice, the loss on all of them, gradients slice by slice (Gao et al. 2021). */
async function cached(engine: TransformerEngine, sliceSize: number, seed: number | null): Promise<Snapshot> {
  engine.begin(sequences);
  const places = Array.from({ length: Math.ceil(sequences.length / sliceSize) }, (_, slice) => Array.from({ length: Math.min(sliceSize, sequences.length - slice * sliceSize) }, (__, i) => slice * sliceSize + i));
  const drawOf = (own: readonly number[]): DropoutDraw | null => (seed === null ? null : { seed, keys: own });
  const some = (own: readonly number[]): readonly Uint32Array[] => own.map((i) => sequences[i] ?? new Uint32Array());
  const vectors = new Float32Array(sequences.length * WIDTH);
  for (const own of places) vectors.set(await engine.encode(some(own), drawOf(own)), (own[0] ?? 0) * WIDTH);
  const { loss, gradient } = await lossOf(vectors);
  for (const own of places) await engine.gradients(some(own), gradient.slice((own[0] ?? 0) * WIDTH, ((own.at(-1) ?? 0) + 1) * WIDTH), drawOf(own));
  return snapshot(engine, loss);
}

function expectSame(found: Snapshot, expected: Snapshot): void {
  expect(found.loss).toBeCloseTo(expected.loss, 5);
  expect(expected.gradients.size).toBe(names.length);
  for (const [name, gradient] of expected.gradients) {
    const largest = gradient.reduce((most, number) => Math.max(most, Math.abs(number)), 0.01);
    const own = found.gradients.get(name) ?? new Float32Array();
    expect(own.length, name).toBe(gradient.length);
    expect(gradient.reduce((most, number, i) => Math.max(most, Math.abs(number - (own[i] ?? Number.NaN))), 0) / largest, name).toBeLessThan(20 * TOLERANCE);
  }
}

const isZero = (gradient: Float32Array | undefined): boolean => gradient?.every((number) => number === 0) ?? true;

describe('fused and cached composition', () => {
  it.each([1, 3, 4, 8])('give equal losses and gradients in slices of %i sequences, dropout on', async (sliceSize) => {
    await using engine = open();
    const whole = await fused(engine, { seed: 11 });
    expect([...whole.gradients.values()].filter((gradient) => !isZero(gradient)).length).toBeGreaterThan(30);
    expectSame(await cached(engine, sliceSize, 11), whole);
  });
  it('give equal ones with mean pooling, and without dropout', async () => {
    await using engine = open({ pooling: { ...cls, mode: 'mean' } });
    expectSame(await cached(engine, 3, 4), await fused(engine, { seed: 4 }));
    expectSame(await cached(engine, 3, null), await fused(engine, null));
  });
});

describe('dropout', () => {
  it('draws the same again for a seed, and something else for another seed or none', async () => {
    await using engine = open();
    const vectors = await engine.encode(sequences, { seed: 1 });
    expect(await engine.encode(sequences, { seed: 1 })).toEqual(vectors);
    expect(await engine.encode(sequences, { seed: 2 })).not.toEqual(vectors);
    expect(await engine.encode(sequences)).not.toEqual(vectors);
  });
  it('leaves the mean as it was: many draws together come near the vectors without it', async () => {
    await using engine = open({ pooling: { ...cls, layers: 1 }, dropout: { hidden: 0.1, attention: 0 } });
    const whole = await engine.encode(sequences);
    const sum = new Float64Array(whole.length);
    const draws = 200;
    for (let seed = 0; seed < draws; seed += 1) (await engine.encode(sequences, { seed })).forEach((number, i) => { sum[i] = (sum[i] ?? 0) + number / draws; });
    const error = Math.sqrt(whole.reduce((total, number, i) => total + (number - (sum[i] ?? 0)) ** 2, 0) / whole.reduce((total, number) => total + number ** 2, 0));
    expect(error).toBeLessThan(0.2);
  });
});

describe('frozen parameters', () => {
  const frozen = new Set(names.filter((name) => name.startsWith('embeddings.') || name.startsWith('layer.0.')));
  const trainable = new Set(names.filter((name) => !frozen.has(name)));
  it('get no gradient, and the others get what they got', async () => {
    await using all = open();
    await using upper = open({ trainable });
    const whole = await fused(all, { seed: 3 });
    const part = await fused(upper, { seed: 3 });
    expect([...upper.denseGradients.keys()].every((name) => name.startsWith('layer.1.'))).toBe(true);
    expect(upper.tokenGradients()).toBeNull();
    expectSame({ loss: part.loss, gradients: new Map([...whole.gradients].map(([name, gradient]) => [name, part.gradients.get(name)?.some(Number) === true ? (part.gradients.get(name) ?? gradient) : gradient])) }, whole);
  });
  it('of an unknown name are refused', () => {
    expect(() => open({ trainable: new Set(['layer.9.up.weight']) })).toThrow(/layer\.9\.up\.weight/);
  });
});

describe('thin matrices', () => {
  it('are trained while their weight stands still, and give what the merged weight gives', async () => {
    const [rank, alpha] = [2, 4];
    const target = 'layer.1.query.weight';
    const draw = seededRandom(9, 'thin');
    const parameters = new Map<string, Float32Array>([...startValues(), [`${target}.lowRank.down`, Float32Array.from({ length: rank * WIDTH }, () => 0.3 * draw.normal())], [`${target}.lowRank.up`, Float32Array.from({ length: rank * WIDTH }, () => 0.3 * draw.normal())]]);
    await using engine = open({ parameters, lowRank: { rank, alpha }, trainable: new Set([`${target}.lowRank.down`, `${target}.lowRank.up`]), dropout: null });
    const { gradients } = await fused(engine, null);
    expect(isZero(gradients.get(`${target}.lowRank.down`)) || isZero(gradients.get(`${target}.lowRank.up`))).toBe(false);
    expect([...engine.denseGradients.keys()]).toHaveLength(2);
  });
});

describe('the vectors of the engine', () => {
  it('follow parameters that are changed in place', async () => {
    const memory = createKernelMemory(8 * 2 ** 20);
    const parameters = startValues();
    await using engine = open({ parameters, memory, dropout: null });
    const before = await engine.encode(sequences);
    const bias = parameters.get('layer.1.outputNorm.bias');
    bias?.forEach((number, i) => { bias[i] = number + 1; });
    const after = await engine.encode(sequences);
    expect(numbersOf(tensorOf('float32', [after.length], after)).every((number, i) => Math.abs(number - (before[i] ?? 0) - 1) < 1e-5)).toBe(true);
  });
});

describe('an engine that reads tokens', () => {
  const spans = sequences.map(({ length }, i) => ({ from: i % 2, to: length - (i % 3 === 0 && length > 3 ? 1 : 0) }));
  const whole = sequences.map(({ length }) => ({ from: 0, to: length }));
  const mean: TransformerPooling = { ...cls, mode: 'mean' };
  /** Rows of spans to the mean of each, and the gradient of means back to rows. */
  const meansOf = (rows: Float32Array, of: typeof spans): Float32Array => {
    const means = new Float32Array(of.length * WIDTH);
    let at = 0;
    of.forEach(({ from, to }, i) => {
      for (let row = from; row < to; row += 1, at += 1) for (let k = 0; k < WIDTH; k += 1) means[i * WIDTH + k] = (means[i * WIDTH + k] ?? 0) + (rows[at * WIDTH + k] ?? 0) / (to - from);
    });
    return means;
  };
  const spread = (gradient: Float32Array, of: typeof spans): Float32Array => Float32Array.from(of.flatMap(({ from, to }, i) => Array.from({ length: to - from }, () => [...gradient.subarray(i * WIDTH, (i + 1) * WIDTH)].map((value) => value / (to - from))).flat()));

  it('gives the states that pooling takes the mean of, and their gradients, with dropout on', async () => {
    await using pooled = open({ pooling: mean });
    await using tokens = open({ pooling: mean, reads: 'tokens' });
    const draw = { seed: 3 };
    for (const engine of [pooled, tokens]) engine.begin(sequences);
    const vectors = await pooled.encode(sequences, draw);
    const rows = await tokens.encode(sequences, draw, whole);
    expect(rows).toHaveLength(sequences.reduce((sum, { length }) => sum + length, 0) * WIDTH);
    meansOf(rows, whole).forEach((value, i) => expect(value).toBeCloseTo(vectors[i] ?? Number.NaN, 5));
    const gradient = Float32Array.from(vectors, (_, i) => Math.sin(i));
    await pooled.gradients(sequences, gradient, draw);
    await tokens.gradients(sequences, spread(gradient, whole), draw, whole);
    const [expected, found] = [snapshot(pooled, 0), snapshot(tokens, 0)];
    for (const [name, values] of expected.gradients) values.forEach((value, i) => expect(Math.abs((found.gradients.get(name)?.[i] ?? Number.NaN) - value), name).toBeLessThan(1e-4));
  });

  it('gives them in the order of the spans, whatever the lengths, one sequence alone or with others', async () => {
    await using engine = open({ reads: 'tokens', dropout: null });
    const rows = await engine.encode(sequences, null, spans);
    let at = 0;
    for (const [i, sequence] of sequences.entries()) {
      const { from = 0, to = 0 } = spans[i] ?? {};
      const alone = await engine.encode([sequence], null, [{ from, to }]);
      expect(alone).toHaveLength((to - from) * WIDTH);
      alone.forEach((value, k) => expect(rows[at * WIDTH + k]).toBeCloseTo(value, 5));
      at += to - from;
    }
    expect(at * WIDTH).toBe(rows.length);
  });
});
