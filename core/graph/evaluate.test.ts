/** Does the interpreter agree with ONNX Runtime where PyTorch is not asked: operators without a gradient, whole numbers, edges? */
import { describe, expect, it } from 'vitest';
import { gradientCases } from '../../test/reference/gradient-cases.ts';
import { createSession } from '../runtime/session.ts';
import { numbersOf, tensorFrom } from '../tensor/tensor.ts';
import { createGraphBuilder, type GraphBuilder, type Value } from './builder.ts';
import { checkGraph } from './check.ts';
import { evaluateGraph } from './evaluate.ts';
import { erf } from './kernels/elementwise.ts';
import { operators } from './operators.ts';
import { encodeModel } from './protobuf/encode.ts';

type Inputs = { readonly x: Value; readonly y: Value; readonly n: Value; readonly p: Value; readonly q: Value };

const FEEDS = {
  x: tensorFrom('float32', [2, 3], [1, -2, 0.5, 3, -0.25, 0]),
  y: tensorFrom('float32', [1, 3], [1, 0, 0.5]),
  n: tensorFrom('int64', [2, 3], [7, -7, 4, 9, 0, -1]),
  p: tensorFrom('bool', [2, 3], [1, 0, 1, 0, 1, 1]),
  q: tensorFrom('bool', [3], [1, 1, 0]),
};

const all = { keepdims: 0, noop_with_empty_axes: 0 };
const whole = (g: GraphBuilder, ...values: readonly number[]): Value => g.constant(tensorFrom('int64', [values.length], values));

/** Named after the operator they are there for. */
const cases: { readonly [name: string]: (g: GraphBuilder, inputs: Inputs) => Value } = {
  Equal: (g, { x, y }) => g.equal(x, y),
  Less: (g, { x, y }) => g.less(x, y),
  Greater: (g, { x, y }) => g.greater(x, y),
  LessOrEqual: (g, { x, y }) => g.lessOrEqual(x, y),
  GreaterOrEqual: (g, { x, y }) => g.greaterOrEqual(x, y),
  And: (g, { p, q }) => g.and(p, q),
  Or: (g, { p, q }) => g.or(p, q),
  Not: (g, { p }) => g.not(p),
  Sign: (g, { x }) => g.sign(x),
  Constant: (g, { x }) => g.add(x, g.constant(tensorFrom('float32', [2, 1], [10, 20]))),
  Shape: (g, { x }) => g.emitOne('Shape', [x], { start: 1, end: 2 }),
  ConstantOfShape: (g) => g.filled([2, 2], 7),
  Range: (g) => g.emitOne('Range', [g.scalar(5, 'int64'), g.scalar(-4, 'int64'), g.scalar(-3, 'int64')], {}),
  ReduceProd: (g, { n }) => g.emitOne('ReduceProd', [n, whole(g, 1)], all),
  'Div of whole numbers': (g, { n }) => g.div(n, 2),
  'Mul of whole numbers': (g, { n }) => g.mul(n, n),
  'Abs of whole numbers': (g, { n }) => g.abs(n),
  'ReduceMax of whole numbers': (g, { n }) => g.reduceMax(n, { axis: 0 }),
  'Cast to bool': (g, { x }) => g.cast(x, 'bool'),
  'Cast to int64': (g, { x }) => g.cast(x, 'int64'),
  'Cast from bool': (g, { p }) => g.cast(p, 'float32'),
  'Clip from below': (g, { x }) => g.clip(x, { low: 0.25 }),
  'Where of whole numbers': (g, { p, n }) => g.where(p, n, -1),
  'Slice backwards': (g, { x }) => g.emitOne('Slice', [x, whole(g, -1), whole(g, -4), whole(g, 1), whole(g, -2)], {}),
  'Slice beyond the end': (g, { x }) => g.emitOne('Slice', [x, whole(g, 1), whole(g, 100), whole(g, 1)], {}),
  'Squeeze all': (g, { y }) => g.emitOne('Squeeze', [y, null], {}),
  'ReduceSum of all axes by default': (g, { x }) => g.emitOne('ReduceSum', [x, null], all),
  'Reshape with 0 and -1': (g, { x }) => g.emitOne('Reshape', [x, whole(g, 0, -1, 1)], { allowzero: 0 }),
  'Softmax with −∞': (g, { p, x }) => g.softmax(g.where(p, x, Number.NEGATIVE_INFINITY), { axis: 1 }),
};

describe('the interpreter', () => {
  it.each(Object.entries(cases))('agrees with ONNX Runtime: %s', async (_, build) => {
    const g = createGraphBuilder();
    const inputs: Inputs = { x: g.input('x', 'float32', [2, 3]), y: g.input('y', 'float32', [1, 3]), n: g.input('n', 'int64', [2, 3]), p: g.input('p', 'bool', [2, 3]), q: g.input('q', 'bool', [3]) };
    const graph = g.build({ result: build(g, inputs) });
    checkGraph(graph);
    const expected = evaluateGraph(graph, Object.fromEntries(Object.entries(FEEDS).map(([name, tensor]) => [name, { shape: tensor.shape, data: numbersOf(tensor) }])))['result'];
    await using session = await createSession(encodeModel(graph), { threads: 1 });
    const { result } = await session.run(FEEDS);
    if (result === undefined || expected === undefined) throw new Error('No result.');
    expect([result.dtype, result.shape]).toEqual([expected.dtype, expected.shape]);
    expect([graph.outputs[0]?.value.dtype, graph.outputs[0]?.value.shape]).toEqual([expected.dtype, expected.shape]);
    expect(expected.data.length).toBeGreaterThan(0);
    numbersOf(result).forEach((element, i) => expect(element).toBeCloseTo(expected.data[i] ?? Number.NaN, 6));
  });

  it('is compared for every operator, here or with PyTorch', () => {
    const compared = new Set([...Object.keys(cases), ...Object.keys(gradientCases)].map((name) => name.split(' ')[0]));
    expect(Object.keys(operators).filter((op) => !compared.has(op))).toEqual([]);
  });

  it('has the error function to double precision on both sides of the change of method', () => {
    // Abramowitz and Stegun 7.1; the last from erfc(5) = 1.5374597944280349e-12.
    for (const [x, value] of [[0, 0], [0.5, 0.5204998778130465], [1, 0.8427007929497149], [2.999999, 1 - 2.2090594e-5], [3, 0.9999779095030014], [5, 1 - 1.5374597944280349e-12]] as const) {
      expect(Math.abs(erf(x) - value)).toBeLessThan(x === 2.999999 ? 1e-9 : 1e-15);
      expect(erf(-x)).toBeCloseTo(-value, 8);
    }
  });
});
