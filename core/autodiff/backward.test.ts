import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { expectGradientsMatchDifferences } from '../../test/reference/compare.ts';
import { InputError } from '../base/errors.ts';
import { createGraphBuilder, type Value } from '../graph/builder.ts';
import { checkGraph } from '../graph/check.ts';
import { evaluateGraph, type Feed } from '../graph/evaluate.ts';
import type { Graph } from '../graph/graph.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { createSession } from '../runtime/session.ts';
import { tensorFrom } from '../tensor/tensor.ts';
import { backward, vectorJacobianProduct } from './backward.ts';
import { GradientError } from './gradient-error.ts';
import { buildGradientModel, gradientName } from './gradient-model.ts';

const outputOf = (graph: Graph, name: string, feeds: { readonly [name: string]: Feed }): readonly number[] => [...(evaluateGraph(graph, feeds)[name]?.data ?? [])];
const opsOf = (graph: Graph): readonly string[] => graph.nodes.map((node) => node.op);

describe('backward', () => {
  it('gives 3x² for x³ written as x·x·x', () => {
    const { graph } = buildGradientModel({ inputs: { x: { shape: [] } }, build: (g, { x }) => g.mul(g.mul(x, x), x) });
    checkGraph(graph);
    expect(outputOf(graph, 'gradient.x', { x: { shape: [], data: [5] } })).toEqual([75]);
  });

  it('sums gradients that arrive by several ways', () => {
    const { graph } = buildGradientModel({ inputs: { x: { shape: [2] } }, build: (g, { x }) => g.reduceSum(g.add(g.mul(x, 3), g.mul(g.exp(x), x))) });
    const [first] = outputOf(graph, 'gradient.x', { x: { shape: [2], data: [1, 2] } });
    expect(first).toBeCloseTo(3 + 2 * Math.E, 12);
  });

  it('gives zeros for an input the loss does not depend on', async () => {
    const { graph } = buildGradientModel({ inputs: { x: { shape: [2] }, unused: { shape: [3] } }, build: (g, { x }) => g.reduceSum(x) });
    expect(outputOf(graph, 'gradient.unused', { x: { shape: [2], data: [1, 2] }, unused: { shape: [3], data: [1, 2, 3] } })).toEqual([0, 0, 0]);
    await using session = await createSession(encodeModel(graph), { threads: 1 });
    const found = await session.run({ x: tensorFrom('float32', [2], [1, 2]), unused: tensorFrom('float32', [3], [1, 2, 3]) });
    expect(found['gradient.unused']).toEqual(tensorFrom('float32', [3], [0, 0, 0]));
    expect(found['gradient.x']).toEqual(tensorFrom('float32', [2], [1, 1]));
  });

  it('lets no gradient through a detached value', () => {
    const { graph } = buildGradientModel({ inputs: { x: { shape: [] } }, build: (g, { x }) => g.mul(g.detach(g.mul(x, x)), x) });
    expect(outputOf(graph, 'gradient.x', { x: { shape: [], data: [3] } })).toEqual([9]); // x² held fixed
  });

  it('gives the gradient of an inner value, not only of inputs', () => {
    const g = createGraphBuilder();
    const x = g.input('x', 'float64', [2]);
    const y = g.exp(x);
    const loss = g.reduceSum(g.mul(y, y));
    const graph = g.build({ dy: backward(g, { loss, wrt: [y] }).get(y) ?? y });
    expect(outputOf(graph, 'dy', { x: { shape: [2], data: [0, 1] } })).toEqual([2, 2 * Math.E]);
  });

  it('sums broadcast axes back, whatever the two shapes are', () => {
    const size = fc.integer({ min: 1, max: 3 });
    const shapes = fc.array(size, { minLength: 0, maxLength: 3 }).chain((full) => fc.tuple(fc.constant(full), fc.integer({ min: 0, max: full.length }), fc.array(fc.boolean(), { minLength: full.length, maxLength: full.length })));
    let stretched = 0;
    fc.assert(
      fc.property(shapes, fc.constantFrom('add', 'mul', 'sub', 'div'), ([full, drop, ones], op) => {
        const small = full.slice(drop).map((dimension, i) => (ones[i] === true ? 1 : dimension));
        const { graph } = buildGradientModel({ inputs: { a: { shape: full, dtype: 'float64' }, b: { shape: small, dtype: 'float64' } }, build: (g, { a, b }) => g.reduceSum(g.exp(g[op](a, b))) });
        checkGraph(graph);
        const count = (shape: readonly number[]) => shape.reduce((product, dimension) => product * dimension, 1);
        if (count(small) < count(full)) stretched += 1;
        const feed = (shape: readonly number[], from: number): Feed => ({ shape, data: Array.from({ length: count(shape) }, (_, i) => from + 0.13 * i) });
        expectGradientsMatchDifferences(graph, { feeds: { a: feed(full, -0.4), b: feed(small, 0.7) }, wrt: ['a', 'b'] });
      }),
      { numRuns: 40, seed: 3 },
    );
    expect(stretched).toBeGreaterThan(10);
  });

  it('throws GradientError, naming the node and its way to the loss, where an operator has no gradient', () => {
    const g = createGraphBuilder();
    const x = g.input('x', 'float32', [3]);
    const product = g.emitOne('ReduceProd', [x, null], { keepdims: 0, noop_with_empty_axes: 0 });
    const loss = g.mul(g.exp(product), 2);
    let thrown: unknown = null;
    try {
      backward(g, { loss, wrt: [x] });
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof GradientError)) throw new Error('Expected a GradientError.');
    expect(thrown).toBeInstanceOf(InputError);
    expect(thrown.code).toBe('graph.no-gradient');
    expect(thrown.message).toContain(`${product.name} -> Exp`);
    expect(thrown.message).toContain(`-> ${loss.name}`);
  });

  it('does not mind such an operator where no wanted value stands behind it', () => {
    const g = createGraphBuilder();
    const [x, y] = [g.input('x', 'float32', [3]), g.input('y', 'float32', [])];
    const product = g.emitOne('ReduceProd', [x, null], { keepdims: 0, noop_with_empty_axes: 0 });
    expect(backward(g, { loss: g.mul(product, y), wrt: [y] }).get(y)).toBe(product);
  });

  it('refuses a loss that is no scalar, and a wrt that is no float', () => {
    const g = createGraphBuilder();
    const [x, ids] = [g.input('x', 'float32', [3]), g.input('ids', 'int64', [3])];
    expect(() => backward(g, { loss: x, wrt: [x] })).toThrow(/shape \[\]/);
    expect(() => backward(g, { loss: g.reduceSum(x), wrt: [ids] })).toThrow(/floats only/);
  });

  it('stays lean: a product with itself costs one product back, a transpose none, and no gradient is stretched in vain', () => {
    const self = buildGradientModel({ inputs: { x: { shape: [4, 3] } }, build: (g, { x }) => g.reduceSum(g.exp(g.matMul(x, g.transpose(x, [1, 0])))) });
    expect(opsOf(self.graph).filter((op) => op === 'Gemm').length).toBe(2);
    const mean = buildGradientModel({ inputs: { x: { shape: [4, 3] } }, build: (g, { x }) => g.reduceMean(g.mul(x, x)) });
    expect(opsOf(mean.graph)).not.toContain('Expand');
    const product = buildGradientModel({ inputs: { a: { shape: [4, 3] }, b: { shape: [5, 3] } }, build: (g, { a, b }) => g.reduceSum(g.exp(g.matMul(a, g.transpose(b, [1, 0])))) });
    expect(opsOf(product.graph)).not.toContain('Transpose');
  });
});

describe('vectorJacobianProduct', () => {
  const encode = (g: ReturnType<typeof createGraphBuilder>, x: Value, weight: Value): Value => g.tanh(g.matMul(x, weight)); // [B, 2]
  const x = [0.3, -0.2, 0.9, 1.1, 0.5, -0.7, -0.4, 0.8];
  const weight = { shape: [2, 2], data: [0.5, -0.3, 0.8, 0.2] };

  it('gives in slices (GradCache) the gradient of the whole batch', () => {
    const lossOf = (g: ReturnType<typeof createGraphBuilder>, embeddings: Value): Value => g.reduceSum(g.reduceLogSumExp(g.gemm(embeddings, embeddings, { transB: true }), { axis: 1 }));
    const fused = buildGradientModel({ inputs: { x: { shape: [4, 2], dtype: 'float64' }, weight: { shape: [2, 2], dtype: 'float64' } }, build: (g, inputs) => lossOf(g, encode(g, inputs.x, inputs.weight)), wrt: ['weight'] });
    const expected = outputOf(fused.graph, 'gradient.weight', { x: { shape: [4, 2], data: x }, weight });

    const slices = [x.slice(0, 4), x.slice(4)];
    const forward = createGraphBuilder();
    const forwardGraph = forward.build({ embeddings: encode(forward, forward.input('x', 'float64', [2, 2]), forward.input('weight', 'float64', [2, 2])) });
    const embeddings = slices.flatMap((data) => outputOf(forwardGraph, 'embeddings', { x: { shape: [2, 2], data }, weight }));
    const loss = buildGradientModel({ inputs: { embeddings: { shape: [4, 2], dtype: 'float64' } }, build: (g, inputs) => lossOf(g, inputs.embeddings) });
    const embeddingGrads = outputOf(loss.graph, 'gradient.embeddings', { embeddings: { shape: [4, 2], data: embeddings } });

    const g = createGraphBuilder();
    const [part, w, outputGrad] = [g.input('x', 'float64', [2, 2]), g.input('weight', 'float64', [2, 2]), g.input('outputGrad', 'float64', [2, 2])];
    const gradient = vectorJacobianProduct(g, { outputs: [{ value: encode(g, part, w), outputGrad }], wrt: [w] }).get(w) ?? w;
    const sliceGraph = g.build({ gradient });
    const summed = slices
      .map((data, i) => outputOf(sliceGraph, 'gradient', { x: { shape: [2, 2], data }, weight, outputGrad: { shape: [2, 2], data: embeddingGrads.slice(4 * i, 4 * i + 4) } }))
      .reduce((sum, slice) => sum.map((element, i) => element + (slice[i] ?? Number.NaN)));
    expect(expected.length).toBe(4);
    summed.forEach((element, i) => expect(element).toBeCloseTo(expected[i] ?? Number.NaN, 12));
  });

  it('refuses an output gradient of another shape', () => {
    const g = createGraphBuilder();
    const input = g.input('x', 'float32', [2]);
    expect(() => vectorJacobianProduct(g, { outputs: [{ value: g.exp(input), outputGrad: g.scalar(1) }], wrt: [input] })).toThrow(/should be float32 \[2\]/);
  });
});

describe('a gradient model of symbolic batch size', () => {
  it('runs for every batch size, in the interpreter and in ONNX Runtime', async () => {
    const model = buildGradientModel({
      inputs: { x: { shape: ['B', 'L', 3] }, weight: { shape: [3, 2] } },
      build: (g, { x, weight }) => g.reduceMean(g.reduceLogSumExp(g.reduceMean(g.concat([g.matMul(x, weight), g.matMul(g.tanh(x), weight)], { axis: 1 }), { axis: 1 }), { axis: 1 })),
    });
    checkGraph(model.graph);
    const weight = { shape: [3, 2], data: [0.5, -1, 0.25, 1, -0.5, 2] };
    await using session = await createSession(encodeModel(model.graph), { threads: 1 });
    for (const [batch, length] of [[1, 2], [4, 3]] as const) {
      const feeds = { x: { shape: [batch, length, 3], data: Array.from({ length: batch * length * 3 }, (_, i) => Math.sin(i)) }, weight };
      const expected = evaluateGraph(model.graph, feeds);
      const found = await session.run(Object.fromEntries(Object.entries(feeds).map(([name, { shape, data }]) => [name, tensorFrom('float32', shape, data)])));
      for (const name of ['loss', gradientName('x'), gradientName('weight')]) {
        expect(found[name]?.shape).toEqual(expected[name]?.shape);
        [...(expected[name]?.data ?? [])].forEach((element, i) => expect(Number(found[name]?.data[i])).toBeCloseTo(element, 5));
      }
      expectGradientsMatchDifferences(model.graph, { feeds, wrt: ['x', 'weight'] });
    }
  });
});
