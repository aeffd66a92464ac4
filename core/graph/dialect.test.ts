/** Does a graph for WebGPU calculate what the graph for the CPU calculates, without the operators that WebGPU lacks? */
import { describe, expect, it } from 'vitest';
import { tensorFrom } from '../tensor/tensor.ts';
import { createGraphBuilder } from './builder.ts';
import { checkGraph } from './check.ts';
import { hostNodes, webgpuDialect } from './dialect.ts';
import { evaluateGraph } from './evaluate.ts';
import type { Graph } from './graph.ts';

/** One graph with everything that WebGPU has no kernel for. */
function everything(): Graph {
  const g = createGraphBuilder('everything');
  const x = g.input('x', 'float32', ['B', 3]);
  const ids = g.input('ids', 'int64', ['B']);
  const narrow = g.input('narrow', 'int32', ['B']);
  const position = g.range('B'); // [B]
  const itself = g.equal(g.unsqueeze(position, [1]), g.unsqueeze(ids, [0])); // [B, B]
  const early = g.or(itself, g.less(g.unsqueeze(ids, [1]), g.scalar(1, 'int64'))); // [B, B]
  const placed = g.scatterNd(g.zerosLike(x), g.unsqueeze(ids, [1]), x, 'add'); // [B, 3]
  const again = g.scatterNd(x, g.unsqueeze(g.cast(narrow, 'int64'), [1]), x, 'add'); // [B, 3]
  return g.build({ again, sign: g.sign(x), logs: g.logSoftmax(x, { axis: 1 }), early: g.cast(early, 'float32'), placed, ones: g.filled([2, 2], 1) });
}

const feeds = { x: { shape: [3, 3], data: [-2, 0, 3, 1, 1, 1, 5, -5, 0.5] }, ids: { shape: [3], data: [2, 0, 2] }, narrow: { shape: [3], data: [1, 1, 0] } };

describe('the WebGPU dialect', () => {
  const [graph, dialect] = [everything(), webgpuDialect(everything())];

  it('has the same inputs and outputs and no fault', () => {
    checkGraph(dialect);
    expect(dialect.inputs.map(({ name }) => name)).toEqual(graph.inputs.map(({ name }) => name));
    expect(dialect.outputs.map(({ name }) => name)).toEqual(graph.outputs.map(({ name }) => name));
  });

  it('leaves nothing but sizes and positions to the CPU', () => {
    expect([...new Set(hostNodes(graph).map(({ op }) => op))].sort()).toEqual(['ConstantOfShape', 'Equal', 'Less', 'LogSoftmax', 'Or', 'Sign']);
    expect(hostNodes(dialect)).toEqual([]);
  });

  it('gives positions their shape while they are of 32 bits', () => {
    const shaped = (of: Graph): readonly string[] => of.nodes.flatMap((node) => (node.op === 'Reshape' ? [node.inputs[0].dtype] : []));
    expect(shaped(graph)).not.toContain('int32');
    expect(shaped(dialect)).toContain('int32');
  });

  it('calculates the same numbers', () => {
    const expected = evaluateGraph(graph, feeds);
    const found = evaluateGraph(dialect, feeds);
    expect(expected['early']?.data).toEqual(Float64Array.of(0, 1, 0, 1, 1, 1, 1, 0, 1));
    for (const [name, { shape, data }] of Object.entries(expected)) {
      expect(found[name]?.shape, name).toEqual(shape);
      data.forEach((value, i) => expect(found[name]?.data[i], name).toBeCloseTo(value, 12));
    }
  });

  it('changes nothing in a graph that WebGPU can run as it is', () => {
    const g = createGraphBuilder('plain');
    const plain = g.build({ y: g.softmax(g.gemm(g.input('x', 'float32', ['B', 2]), g.constant(tensorFrom('float32', [2, 2], [1, 2, 3, 4]))), { axis: 1 }) });
    expect(webgpuDialect(plain).nodes.map(({ op }) => op)).toEqual(plain.nodes.map(({ op }) => op));
  });
});
