/** Which graphs test the gradient rules? One per case of test/reference/gradient-rules.json; used by tests only. */
import type { GraphBuilder, Value } from '../../core/graph/builder.ts';
import { tensorFrom } from '../../core/tensor/tensor.ts';

type Inputs = { readonly [name: string]: Value };
type Build = (g: GraphBuilder, inputs: Inputs) => Value;

function input(inputs: Inputs, name: string): Value {
  const value = inputs[name];
  if (value === undefined) throw new Error(`The case has no input ${name}.`);
  return value;
}

const unary = (build: (g: GraphBuilder, x: Value) => Value): Build => (g, inputs) => build(g, input(inputs, 'x'));
const binary = (build: (g: GraphBuilder, a: Value, b: Value) => Value): Build => (g, inputs) => build(g, input(inputs, 'a'), input(inputs, 'b'));
const indexed = (build: (g: GraphBuilder, x: Value, indices: Value) => Value): Build => (g, inputs) => build(g, input(inputs, 'x'), input(inputs, 'indices'));
const scattered = (build: (g: GraphBuilder, parts: { readonly x: Value; readonly indices: Value; readonly updates: Value }) => Value): Build => (g, inputs) =>
  build(g, { x: input(inputs, 'x'), indices: input(inputs, 'indices'), updates: input(inputs, 'updates') });
const integers = (g: GraphBuilder, ...values: readonly number[]): Value => g.constant(tensorFrom('int64', [values.length], values));
const GEMM_ALPHA = 0.5; // as in the script
const GEMM_BETA = 2;
const NORM_EPSILON = 1e-3;
const gemm = (transA: number, transB: number): Build => (g, inputs) => g.emitOne('Gemm', [input(inputs, 'a'), input(inputs, 'b'), inputs['c'] ?? null], { alpha: GEMM_ALPHA, beta: GEMM_BETA, transA, transB });
const layerNorm = (axis: number): Build => (g, inputs) => g.layerNormalization(input(inputs, 'x'), { scale: input(inputs, 'scale'), bias: input(inputs, 'bias'), axis, epsilon: NORM_EPSILON });

/** The forward graph of each case. */
export const gradientCases: { readonly [name: string]: Build } = {
  Neg: unary((g, x) => g.neg(x)),
  Abs: unary((g, x) => g.abs(x)),
  Relu: unary((g, x) => g.relu(x)),
  Sqrt: unary((g, x) => g.sqrt(x)),
  Exp: unary((g, x) => g.exp(x)),
  Log: unary((g, x) => g.log(x)),
  Sin: unary((g, x) => g.sin(x)),
  Cos: unary((g, x) => g.cos(x)),
  Erf: unary((g, x) => g.erf(x)),
  Tanh: unary((g, x) => g.tanh(x)),
  Sigmoid: unary((g, x) => g.sigmoid(x)),
  Softplus: unary((g, x) => g.softplus(x)),
  Reciprocal: unary((g, x) => g.reciprocal(x)),
  Gelu: unary((g, x) => g.gelu(x)),
  'Gelu tanh': unary((g, x) => g.gelu(x, 'tanh')),
  Identity: unary((g, x) => g.emitOne('Identity', [x], {})),
  Cast: unary((g, x) => g.cast(g.cast(x, x.dtype === 'float64' ? 'float32' : 'float64'), x.dtype)),
  Clip: unary((g, x) => g.clip(x, { low: -0.51, high: 0.77 })),
  Add: binary((g, a, b) => g.add(a, b)),
  Sub: binary((g, a, b) => g.sub(a, b)),
  Mul: binary((g, a, b) => g.mul(a, b)),
  'Mul itself': unary((g, x) => g.mul(x, x)),
  Div: binary((g, a, b) => g.div(a, b)),
  Max: binary((g, a, b) => g.max(a, b)),
  Min: binary((g, a, b) => g.min(a, b)),
  'Max apart': binary((g, a, b) => g.max(a, b)),
  'Min apart': binary((g, a, b) => g.min(a, b)),
  'ReduceMax apart': unary((g, x) => g.reduceMax(x, { axis: 0 })),
  'ReduceMin apart': unary((g, x) => g.reduceMin(x, { axis: 1, keepDims: true })),
  Pow: binary((g, a, b) => g.pow(a, b)),
  'Pow constant': unary((g, x) => g.pow(x, 3)),
  Where: (g, inputs) => g.where(input(inputs, 'condition'), input(inputs, 'a'), input(inputs, 'b')),
  ReduceSum: unary((g, x) => g.reduceSum(x, { axis: 1 })),
  'ReduceSum kept': unary((g, x) => g.reduceSum(x, { axis: 0, keepDims: true })),
  'ReduceSum all': unary((g, x) => g.reduceSum(x)),
  ReduceMean: unary((g, x) => g.reduceMean(x, { axis: [0, 2] })),
  ReduceMax: unary((g, x) => g.reduceMax(x, { axis: 1 })),
  ReduceMin: unary((g, x) => g.reduceMin(x, { axis: 1 })),
  ReduceSumSquare: unary((g, x) => g.reduceSumSquare(x, { axis: 1 })),
  ReduceL2: unary((g, x) => g.reduceL2(x, { axis: 1 })),
  ReduceLogSumExp: unary((g, x) => g.emitOne('ReduceLogSumExp', [x, integers(g, 1)], { keepdims: 0, noop_with_empty_axes: 0 })),
  'logSumExp composed': unary((g, x) => g.reduceLogSumExp(x, { axis: 0, keepDims: true })),
  CumSum: unary((g, x) => g.emitOne('CumSum', [x, g.scalar(1, 'int64')], { exclusive: 0, reverse: 0 })),
  'CumSum exclusive reverse': unary((g, x) => g.emitOne('CumSum', [x, g.scalar(-1, 'int64')], { exclusive: 1, reverse: 1 })),
  Softmax: unary((g, x) => g.softmax(x, { axis: 1 })),
  LogSoftmax: unary((g, x) => g.logSoftmax(x, { axis: -1 })),
  LayerNormalization: layerNorm(-1),
  'LayerNormalization two axes': layerNorm(1),
  MatMul: binary((g, a, b) => g.matMul(a, b)),
  'MatMul batches': binary((g, a, b) => g.matMul(a, b)),
  Gemm: gemm(0, 0),
  'Gemm transA': gemm(1, 0),
  'Gemm transB': gemm(0, 1),
  'Gemm transA transB': gemm(1, 1),
  'Gemm a aT': unary((g, x) => g.gemm(x, x, { transB: true, alpha: GEMM_ALPHA })),
  'Gemm aT a': unary((g, x) => g.gemm(x, x, { transA: true, alpha: GEMM_ALPHA })),
  Transpose: unary((g, x) => g.transpose(x, [2, 0, 1])),
  Reshape: unary((g, x) => g.reshape(x, [3, 2])),
  Expand: unary((g, x) => g.expand(x, [3, 2, 4])),
  Unsqueeze: unary((g, x) => g.emitOne('Unsqueeze', [x, integers(g, 1, -1)], {})),
  Squeeze: unary((g, x) => g.emitOne('Squeeze', [x, integers(g, 1)], {})),
  Concat: (g, inputs) => g.concat([input(inputs, 'a'), input(inputs, 'b'), input(inputs, 'c')], { axis: -1 }),
  Split: unary((g, x) => {
    const parts = g.split(x, { axis: 1, sizes: [1, 2, 3] });
    return g.mul(parts[0] ?? x, parts[2] ?? x); // the part between leads nowhere
  }),
  Slice: unary((g, x) => g.emitOne('Slice', [x, integers(g, 1, -4), integers(g, 3, -1), integers(g, 0, 1)], {})),
  'Slice steps': unary((g, x) => g.emitOne('Slice', [x, integers(g, 1), integers(g, 6), integers(g, 1), integers(g, 2)], {})),
  Gather: indexed((g, x, indices) => g.gather(x, indices)),
  'Gather columns': indexed((g, x, indices) => g.gather(x, indices, { axis: 1 })),
  GatherElements: indexed((g, x, indices) => g.gatherElements(x, indices, { axis: 1 })),
  GatherND: indexed((g, x, indices) => g.gatherNd(x, indices)),
  ScatterND: scattered((g, { x, indices, updates }) => g.scatterNd(x, indices, updates)),
  'ScatterND add': scattered((g, { x, indices, updates }) => g.scatterNd(x, indices, updates, 'add')),
  ScatterElements: scattered((g, { x, indices, updates }) => g.scatterElements(x, indices, updates, { axis: 1 })),
  'ScatterElements add': scattered((g, { x, indices, updates }) => g.scatterElements(x, indices, updates, { axis: 1, reduction: 'add' })),
  l2Normalise: unary((g, x) => g.l2Normalise(x)),
  diagonal: unary((g, x) => g.diagonal(x)),
  'used twice': unary((g, x) => g.add(g.mul(g.exp(x), g.sigmoid(x)), x)),
};

/** Cases whose inputs stand on a kink, where a difference quotient is not the gradient; each has a sister "apart" that does not. */
export const kinkedCases: ReadonlySet<string> = new Set(['Max', 'Min', 'ReduceMax', 'ReduceMin']);
