import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import { tensorFrom } from '../tensor/tensor.ts';
import { createGraphBuilder } from './builder.ts';
import { checkGraph, graphFaults } from './check.ts';
import { evaluateGraph, kernels } from './evaluate.ts';
import type { Graph } from './graph.ts';
import { operators } from './operators.ts';
import { printGraph } from './print.ts';

describe('the builder', () => {
  it('infers shapes at once, symbols included', () => {
    const g = createGraphBuilder();
    const x = g.input('x', 'float32', ['B', 'L', 8]);
    expect(g.reduceMean(x, { axis: 1 }).shape).toEqual(['B', 8]);
    expect(g.concat([x, x], { axis: 0 }).shape).toEqual(['2*B', 'L', 8]);
    expect(g.slice(g.concat([x, x], { axis: 0 }), { axis: 0, start: 'B', end: '2*B' }).shape).toEqual(['B', 'L', 8]);
    expect(g.reshape(x, ['B.L', 8]).shape).toEqual(['B.L', 8]);
    expect(g.reshape(x, ['B', 'L', 2, 4]).shape).toEqual(['B', 'L', 2, 4]);
    expect(g.matMul(x, g.transpose(x, [0, 2, 1])).shape).toEqual(['B', 'L', 'L']);
    expect(g.range('B').shape).toEqual(['B']);
  });

  it('makes two equal nodes one', () => {
    const g = createGraphBuilder();
    const x = g.input('x', 'float32', [3]);
    expect(g.exp(x)).toBe(g.exp(x));
    expect(g.scalar(0.5)).toBe(g.scalar(0.5));
    expect(g.scalar(0.5)).not.toBe(g.scalar(0.5, 'float64'));
    expect(g.reduceSum(x, { axis: 0 })).not.toBe(g.reduceSum(x, { axis: 0, keepDims: true }));
  });

  it('leaves out what changes nothing: + 0, · 1, transposes that cancel, reshapes to the same shape', () => {
    const g = createGraphBuilder();
    const x = g.input('x', 'float32', [2, 3]);
    expect([g.add(x, 0), g.mul(x, 1), g.mul(1, x), g.div(x, 1), g.sub(x, 0), g.transpose(g.transpose(x, [1, 0]), [1, 0]), g.reshape(g.reshape(x, [6]), [2, 3]), g.expand(x, [2, 3])]).toEqual(Array.from({ length: 8 }, () => x));
    expect(g.sub(0, x)).not.toBe(x);
    expect(g.scalarOf(g.mul(g.add(1, 2), 4))).toBe(12);
  });

  it('calculates on what was there before an expansion, and still gives the expanded shape', () => {
    const g = createGraphBuilder();
    const [x, b] = [g.input('x', 'float32', [4, 3]), g.input('b', 'float32', [1, 3])];
    const wide = g.expand(b, [4, 3]);
    const graph = g.build({ product: g.mul(wide, x), twice: g.mul(wide, 2), minus: g.neg(wide) });
    expect(graph.nodes.filter((node) => node.op === 'Expand').map((node) => node.outputs[0]?.shape)).toEqual([[4, 3], [4, 3]]);
    expect(graph.nodes.find((node) => node.op === 'Neg')?.outputs[0]?.shape).toEqual([1, 3]);
    checkGraph(graph);
    const found = evaluateGraph(graph, { x: { shape: [4, 3], data: Array.from({ length: 12 }, (_, i) => i) }, b: { shape: [1, 3], data: [1, 2, 3] } });
    expect(found['twice']?.shape).toEqual([4, 3]);
    expect([...(found['product']?.data.subarray(3, 6) ?? [])]).toEqual([3, 8, 15]);
  });

  it('keeps only the nodes that outputs need, and every input', () => {
    const g = createGraphBuilder();
    const [x] = [g.input('x', 'float32', [3]), g.input('unused', 'float32', [3])];
    g.tanh(x);
    const graph = g.build({ y: g.exp(x) });
    expect(graph.nodes.map((node) => node.op)).toEqual(['Exp']);
    expect(graph.inputs.map(({ name }) => name)).toEqual(['x', 'unused']);
  });

  it('refuses what does not fit, naming the node, the operator and the shapes', () => {
    const g = createGraphBuilder();
    const [a, b] = [g.input('a', 'float32', [2, 3]), g.input('b', 'float32', [2, 4])];
    expect(() => g.add(a, b)).toThrow(/Add.*\[2, 3\] and \[2, 4\]/);
    expect(() => g.matMul(a, b)).toThrow(/Gemm.*3 against 2/);
    expect(() => g.add(a, g.input('c', 'float64', [2, 3]))).toThrow(/one element type/);
    expect(() => g.input('a', 'float32', [1])).toThrow(/"a" is empty or already taken/);
    expect(() => g.gather(a, b)).toThrow(/"b" to be int64 or int32/);
    expect(() => g.concat([a, b], { axis: 0 })).toThrow(/differ elsewhere/);
    expect(() => g.reshape(a, [4, 2])).toThrow(/has 6 elements/);
    expect(() => g.input('d', 'float32', [-1])).toThrow(/>= 0/);
    expect(() => g.expand(a, [3, 3])).toThrow();
    expect(() => g.transpose(a, [0, 0])).toThrow(/not an order/);
    expect(() => g.slice(a, { axis: 2, start: 0, end: 1 })).toThrow(/outside/);
  });
});

describe('the interpreter', () => {
  it('knows every operator of the table', () => {
    expect(Object.keys(kernels).toSorted()).toEqual(Object.keys(operators).toSorted());
  });

  it('refuses feeds that are missing or contradict each other', () => {
    const g = createGraphBuilder();
    const graph = g.build({ y: g.add(g.input('a', 'float32', ['B']), g.input('b', 'float32', ['B'])) });
    expect(() => evaluateGraph(graph, { a: { shape: [2], data: [1, 2] } })).toThrow(/needs an input "b"/);
    expect(() => evaluateGraph(graph, { a: { shape: [2], data: [1, 2] }, b: { shape: [3], data: [1, 2, 3] } })).toThrow(/\[B\] with B = 2, found \[3\]/);
    expect(() => evaluateGraph(graph, { a: { shape: [2], data: [1] }, b: { shape: [2], data: [1, 2] } })).toThrow(/1 elements/);
    expect([...(evaluateGraph(graph, { a: { shape: [2], data: [1, 2] }, b: { shape: [2], data: [3, 4] } })['y']?.data ?? [])]).toEqual([4, 6]);
  });
});

describe('the checker', () => {
  const right = (): Graph => {
    const g = createGraphBuilder('right');
    const x = g.input('x', 'float32', [2, 3]);
    return g.build({ y: g.exp(g.mul(x, g.reduceSum(x, { axis: 1, keepDims: true }))) });
  };

  it('finds nothing wrong with what the builder builds', () => {
    expect(right().nodes.length).toBeGreaterThan(3);
    expect(graphFaults(right())).toEqual([]);
  });

  it('finds nodes out of order (and so every cycle)', () => {
    const graph = right();
    expect(graphFaults({ ...graph, nodes: graph.nodes.toReversed() }).join()).toMatch(/reads ".*" before it is assigned/);
  });

  it('finds values assigned twice, names used twice and outputs that nothing computes', () => {
    const graph = right();
    const last = graph.nodes.slice(-1);
    expect(graphFaults({ ...graph, nodes: [...graph.nodes, ...last] }).join()).toMatch(/assigned twice/);
    expect(graphFaults({ ...graph, nodes: graph.nodes.slice(0, -1) }).join()).toMatch(/output "y" is never assigned/);
    expect(graphFaults({ ...graph, outputs: [...graph.outputs, ...graph.outputs] }).join()).toMatch(/output name "y"/);
    const [input] = graph.inputs;
    if (input === undefined) throw new Error('No input.');
    expect(graphFaults({ ...graph, inputs: [...graph.inputs, { ...input, id: 99 }] }).join()).toMatch(/name "x" is empty or taken/);
  });

  it('finds shapes and element types that are not what the operator gives', () => {
    const graph = right();
    const nodes = graph.nodes.map((node) => (node.op === 'Exp' ? { ...node, outputs: node.outputs.map((output) => ({ ...output, shape: [3, 2] })) } : node));
    expect(graphFaults({ ...graph, nodes }).join()).toMatch(/is float32 \[3, 2\], Exp gives float32 \[2, 3\]/);
  });

  it('throws with every fault at once', () => {
    const graph = right();
    expect(() => checkGraph({ ...graph, nodes: graph.nodes.toReversed() })).toThrow(InvariantError);
    expect(() => checkGraph({ ...graph, nodes: [] })).toThrow(/1 faults/);
  });
});

describe('the printer', () => {
  it('writes one line per value, constants where they are used', () => {
    const g = createGraphBuilder('twice');
    const x = g.input('x', 'float32', ['B', 2]);
    const y = g.add(g.mul(x, 2), g.constant(tensorFrom('float32', [2], [1, 0.5])));
    expect(printGraph(g.build({ y }))).toBe(
      ['graph twice(x: float32 [B, 2])', `  Mul_3: float32 [B, 2] = Mul(x, 2)`, `  Add_5: float32 [B, 2] = Add(Mul_3, [1, 0.5])`, '  return y = Add_5', ''].join('\n'),
    );
  });
});
