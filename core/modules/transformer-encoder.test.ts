/** Are packed transformers right? Against PyTorch in float64, one sequence at a time there, packed here; and no sequence sees another. */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/transformer.json' with { type: 'json' };
import { gradientsOf, transformerGraph, type Feeds, type Results, type TransformerCase } from '../../test/reference/transformer-cases.ts';
import { checkGraph } from '../graph/check.ts';
import { evaluateGraph } from '../graph/evaluate.ts';
import type { Graph, GraphBuilder, Value } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { createSession } from '../runtime/session.ts';
import { numbersOf, tensorFrom } from '../tensor/tensor.ts';
import { maskedTokenLosses, mergeLowRank, packTokens, transformerEmbeddings, transformerParameters, transformerPooled, transformerStates, type PackedLayout, type TransformerShape, type TransformerValues } from './index.ts';

type PooledCase = TransformerCase & { readonly pooling: { readonly mode: 'cls' | 'mean'; readonly layers: number } };

const cases = referenceJson.cases as unknown as Readonly<Record<string, PooledCase>>; // boundary: written by transformer.py in this form
const masked = (referenceJson.cases as unknown as Readonly<Record<string, TransformerCase & { readonly places: readonly (readonly number[])[]; readonly labels: readonly (readonly number[])[] }>>)['masked language model'];
const pooledNames = Object.keys(cases).filter((name) => name !== 'masked language model');
const FLOAT64 = 1e-10;
const FLOAT32 = 1e-5; // relative to the largest element of each tensor, or 1

const ids = (sequences: readonly (readonly number[])[]): readonly Uint32Array[] => sequences.map((sequence) => Uint32Array.from(sequence));
const need = (name: string): PooledCase => {
  const found = cases[name];
  if (found === undefined) throw new Error(`No case ${name}.`);
  return found;
};
const pooledBuild = (reference: PooledCase) => (g: GraphBuilder, { layout, parameters }: { readonly layout: PackedLayout; readonly parameters: TransformerValues }): Value =>
  transformerPooled(g, { shape: reference.shape, layout, parameters, dropout: null, layers: reference.pooling.layers, pooling: reference.pooling.mode });

function expectNear(found: ArrayLike<number>, expected: readonly number[], what: string, tolerance: number): void {
  expect(found.length, what).toBe(expected.length);
  const largest = expected.reduce((most, number) => Math.max(most, Math.abs(number)), 1);
  const worst = expected.reduce((most, number, i) => Math.max(most, Math.abs((found[i] ?? Number.NaN) - number)), 0);
  expect(worst, what).toBeLessThanOrEqual(tolerance * largest);
}

function expectCase(found: Results, reference: TransformerCase, batch: ReturnType<typeof packTokens>, tolerance: number): void {
  expectNear(found['value']?.data ?? [], reference.value.data, 'value', tolerance);
  for (const [name, gradient] of Object.entries(gradientsOf(found, reference, batch))) expectNear(gradient, reference.gradients[name]?.data ?? [], `gradient of ${name}`, tolerance);
}

async function inOnnxRuntime(graph: Graph, feeds: Feeds): Promise<Results> {
  await using session = await createSession(encodeModel(graph), { threads: 1 });
  const inputs = graph.inputs.map(({ name, dtype }) => {
    const feed = feeds[name] ?? { shape: [], data: [] };
    return [name, tensorFrom(dtype, feed.shape, Array.from(feed.data))] as const;
  });
  return Object.fromEntries(Object.entries(await session.run(Object.fromEntries(inputs))).map(([name, tensor]) => [name, { shape: tensor.shape, data: numbersOf(tensor) }]));
}

describe.each(pooledNames)('%s', (name) => {
  const reference = need(name);
  const built = (dtype: 'float32' | 'float64', mostGroups = 8) => transformerGraph({ reference, sequences: ids(reference.sequences), dtype, mostGroups, build: pooledBuild(reference) });
  const weighted = (feeds: Feeds): Feeds => ({ ...feeds, weights: reference.weights });

  it.each([8, 2, 1])('gives the vectors and gradients of PyTorch, one sequence at a time, in at most %i groups', (mostGroups) => {
    const { graph, feeds, batch } = built('float64', mostGroups);
    checkGraph(graph);
    expectCase(evaluateGraph(graph, weighted(feeds)), reference, batch, FLOAT64);
  });
  it('gives them in ONNX Runtime in float32', async () => {
    const { graph, feeds, batch } = built('float32', 2);
    expectCase(await inOnnxRuntime(graph, weighted(feeds)), reference, batch, FLOAT32);
  });
});

describe('a packed batch', () => {
  const reference = need('bert, mean, mixed');
  const sequences = ids(reference.sequences);
  const run = (some: readonly Uint32Array[], weights: readonly number[], mostGroups = 1): { readonly found: Results; readonly batch: ReturnType<typeof packTokens> } => {
    const { graph, feeds, batch } = transformerGraph({ reference, sequences: some, dtype: 'float64', mostGroups, build: pooledBuild(reference) });
    return { found: evaluateGraph(graph, { ...feeds, weights: { shape: [some.length, reference.shape.width], data: weights } }), batch };
  };
  const width = reference.shape.width;
  const rowOf = (found: Results, row: number): readonly number[] => Array.from(found['value']?.data ?? []).slice(row * width, (row + 1) * width);
  const only = (row: number, count: number): readonly number[] => Array.from({ length: count * width }, (_, i) => (Math.floor(i / width) === row ? 1 : 0));

  it('gives each sequence the vector it has alone, whatever stands beside it', () => {
    const together = run(sequences, only(0, sequences.length)).found;
    sequences.forEach((sequence, i) => {
      const alone = rowOf(run([sequence], only(0, 1)).found, 0);
      expectNear(rowOf(together, i), alone, `sequence ${i}`, 1e-12);
    });
  });
  it('changing one sequence changes no other vector, and no gradient that comes from another', () => {
    const changed = sequences.map((sequence, i) => (i === 0 ? Uint32Array.from([3, 1, 1, 10]) : sequence));
    expect(changed[0]).not.toEqual(sequences[0]);
    const before = run(sequences, only(2, sequences.length));
    const after = run(changed, only(2, sequences.length));
    sequences.forEach((_, i) => (i === 0 ? expect(rowOf(after.found, i)).not.toEqual(rowOf(before.found, i)) : expectNear(rowOf(after.found, i), rowOf(before.found, i), `sequence ${i}`, 1e-12)));
    const [one, other] = [gradientsOf(before.found, reference, before.batch), gradientsOf(after.found, reference, after.batch)];
    expect(Object.keys(one).length).toBeGreaterThan(30);
    for (const [name, gradient] of Object.entries(one)) expectNear(other[name] ?? [], gradient, name, 1e-12);
    expect(one['embeddings.token']?.some((number) => number !== 0)).toBe(true);
  });
  it('enters matrix products with its tokens and at most one row more', () => {
    const equal = packTokens(ids(need('bert, cls, equal').sequences), { shape: reference.shape });
    expect(equal.feeds['tokens']?.shape).toEqual([3, 3]);
    expect(equal.attentionCells).toBe(equal.usefulCells);
    const exact = packTokens(sequences, { shape: reference.shape });
    const padded = packTokens(sequences, { shape: reference.shape, mostGroups: 1 });
    expect(sequences.reduce((sum, { length }) => sum + length, 0)).toBe(padded.tokenCount);
    expect(padded.feeds['tokens']?.shape).toEqual([padded.tokenCount + 1]);
    expect(padded.attentionCells).toBeGreaterThan(padded.usefulCells);
    expect(exact.attentionCells).toBeGreaterThanOrEqual(exact.usefulCells);
  });
  it('is refused when a sequence is empty, too long or outside the vocabulary', () => {
    const { shape } = reference;
    expect(() => packTokens([], { shape })).toThrow(/there is none/);
    expect(() => packTokens([new Uint32Array()], { shape })).toThrow(/sequence 0 has 0 tokens/);
    expect(() => packTokens([new Uint32Array(shape.positions + 1)], { shape })).toThrow(/1 to 9 tokens/);
    expect(() => packTokens(ids([[1], [99]]), { shape })).toThrow(/sequence 1 holds 99/);
  });
});

describe('the shape of a transformer', () => {
  const { shape } = need('bert, cls, mixed');
  it('names the parameters of the references, with their sizes', () => {
    for (const name of ['bert, cls, mixed', 'roberta, cls, mixed', 'distilbert, cls, mixed']) {
      const reference = need(name);
      expect(Object.fromEntries(transformerParameters(reference.shape).map((parameter) => [parameter.name, parameter.shape]))).toEqual(Object.fromEntries(Object.entries(reference.parameters).map(([key, tensor]) => [key, tensor.shape])));
    }
  });
  it.each([['heads', 3], ['layers', 0], ['width', 2.5], ['tokenTypes', -1], ['positionOffset', 9], ['layerNormEpsilon', 0]] as const)('is refused with %s %d', (name, value) => {
    expect(() => transformerParameters({ ...shape, [name]: value } satisfies TransformerShape)).toThrow(/impossible/);
  });
});

describe('thin matrices beside a weight', () => {
  const reference = need('roberta, cls, mixed');
  const [rank, scale] = [2, 1.5];
  const names = ['layer.0.query.weight', 'layer.1.down.weight'];
  const thin = (name: string, rows: number, columns: number) => ({ shape: [rows, columns], data: Array.from({ length: rows * columns }, (_, i) => Math.sin(i + name.length) / 4) });
  const parameters = { ...reference.parameters };
  const merged = { ...reference.parameters };
  for (const name of names) {
    const weight = reference.parameters[name];
    if (weight === undefined) throw new Error(name);
    const [out = 0, into = 0] = weight.shape;
    const [down, up] = [thin(`${name}d`, rank, into), thin(`${name}u`, out, rank)];
    parameters[`${name}.lowRank.down`] = down;
    parameters[`${name}.lowRank.up`] = up;
    merged[name] = { shape: weight.shape, data: [...mergeLowRank({ weight: Float32Array.from(weight.data), down: Float32Array.from(down.data), up: Float32Array.from(up.data), rank, scale })] };
  }
  it('give what the merged weight gives', () => {
    const vectors = (own: typeof parameters): ArrayLike<number> => {
      const { graph, feeds } = transformerGraph({ reference: { ...reference, parameters: own }, sequences: ids(reference.sequences), dtype: 'float64', build: (g, { layout, parameters: values }) => transformerPooled(g, { shape: reference.shape, layout, parameters: values, dropout: null, layers: 2, pooling: 'cls', lowRankScale: scale }) });
      return evaluateGraph({ ...graph, outputs: graph.outputs.filter(({ name }) => name === 'value') }, { ...feeds, weights: reference.weights })['value']?.data ?? [];
    };
    const found = Array.from(vectors(parameters));
    expectNear(vectors(merged), found, 'merged', 1e-6);
    expect(found).not.toEqual(Array.from(vectors(reference.parameters)));
  });
});

describe('pooled vectors', () => {
  it('pass a dense map and become of length 1, as far as asked', () => {
    const reference = need('bert, cls, mixed');
    const width = reference.shape.width;
    const parameters = { ...reference.parameters, 'dense.weight': { shape: [3, width], data: Array.from({ length: 3 * width }, (_, i) => Math.cos(i)) }, 'dense.bias': { shape: [3], data: [0.5, -0.25, 1] } };
    const run = (dense: 'identity' | 'tanh', normalise: boolean): readonly number[] => {
      const { graph, feeds } = transformerGraph({ reference: { ...reference, parameters }, sequences: ids(reference.sequences), dtype: 'float64', build: (g, { layout, parameters: values }) => transformerEmbeddings(g, { shape: reference.shape, layout, parameters: values, dropout: null, pooling: { layers: 2, mode: 'cls', dense, normalise } }) });
      return Array.from(evaluateGraph({ ...graph, outputs: graph.outputs.filter(({ name }) => name === 'value') }, { ...feeds, weights: { shape: [6, 3], data: Array.from({ length: 18 }, () => 1) } })['value']?.data ?? []);
    };
    const plain = run('identity', false);
    const first = reference.value.data.slice(0, width).reduce((sum, x, i) => sum + x * Math.cos(i), 0.5);
    expect(plain[0]).toBeCloseTo(first, 9);
    expectNear(run('tanh', false), plain.map(Math.tanh), 'tanh', 1e-12);
    expect(Math.hypot(...run('identity', true).slice(3, 6))).toBeCloseTo(1, 12);
  });
});

describe('guessing hidden tokens', () => {
  it('has the loss and gradients of PyTorch, the decoder tied to the token table', () => {
    if (masked === undefined) throw new Error('No case.');
    const sequences = ids(masked.sequences);
    const count = masked.places.flat().length;
    expect(count).toBe(8);
    const { graph, feeds, batch } = transformerGraph({ reference: masked, sequences, dtype: 'float64', whole: true, build: (g, { layout, parameters }) => {
      const states = transformerStates(g, { shape: masked.shape, layout, parameters, dropout: null, layers: masked.shape.layers });
      return g.reduceMean(maskedTokenLosses(g, { shape: masked.shape, parameters, states, places: g.input('places', 'int32', ['M']), labels: g.input('labels', 'int32', ['M']) }));
    } });
    const starts = new Map<number, number>();
    let at = 0;
    batch.order.forEach((caller, packed) => {
      starts.set(caller, at);
      at += batch.lengths[packed] ?? 0;
    });
    const places = masked.places.flatMap((own, i) => own.map((place) => (starts.get(i) ?? 0) + place));
    const found = evaluateGraph(graph, { ...feeds, weights: masked.weights, places: { shape: [count], data: places }, labels: { shape: [count], data: masked.labels.flat() } });
    expectCase(found, masked, batch, FLOAT64);
  });
});
