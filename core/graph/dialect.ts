/**
 * How is one graph written for different devices? The CPU (and CUDA, DirectML) run every operator of the table; WebGPU has no
 * kernels for some, which would fall back to the CPU with a copy there and back. `webgpuDialect` writes those differently;
 * `hostNodes` says which nodes would still be left to the CPU. Measured with ONNX Runtime 1.30 (session profiles).
 */
import type { DType } from '../tensor/dtype.ts';
import { createGraphBuilder, type GraphBuilder } from './builder.ts';
import type { Graph } from './graph.ts';
import { inlineGraph, type Rewrites } from './inline.ts';
import { presentInputs, type Node, type OpType } from './operators.ts';
import type { Value } from './value.ts';

/** Operators without a WebGPU kernel, whatever their element type. */
const WITHOUT_KERNEL: readonly OpType[] = ['Sign', 'LogSoftmax', 'ConstantOfShape', 'Or', 'Range'];
/** Element types of data; whole numbers of 64 bits are sizes, axes and positions, which belong to the CPU. */
const DATA: readonly DType[] = ['float32', 'float64', 'int32', 'bool', 'uint8'];

/** Whole numbers are compared in 32 bits: positions and ids are far below 2³¹, and WebGPU knows no others. */
const narrowed = (g: GraphBuilder, value: Value): Value => (value.dtype === 'int64' ? g.cast(value, 'int32') : value);

type Comparison = 'Equal' | 'Less' | 'Greater' | 'LessOrEqual' | 'GreaterOrEqual';

const comparison = (op: Comparison) => (g: GraphBuilder, [a, b]: readonly [Value, Value]): readonly Value[] | null =>
  a.dtype === 'int64' ? [g.emitOne(op, [narrowed(g, a), narrowed(g, b)], {})] : null;

const webgpuRewrites: Rewrites = {
  /** sign x = x > 0 ? 1 : x < 0 ? −1 : 0. */
  Sign: (g, [x]) => [g.where(g.greater(x, 0), 1, g.where(g.less(x, 0), -1, g.scalar(0, x.dtype)))],
  /** x − log Σ exp x. */
  LogSoftmax: (g, [x], { axis }) => [g.sub(x, g.reduceLogSumExp(x, { axis, keepDims: true }))],
  /** One number stretched: made where it is used, instead of filled on the CPU and carried over. */
  ConstantOfShape: (g, [shape], { value }) => {
    if (!DATA.includes(value.dtype)) return null;
    const one = g.reshape(g.constant(value), []);
    return [shape.content?.length === 0 ? one : g.emitOne('Expand', [one, shape], {})];
  },
  /** a ∨ b = ¬(¬a ∧ ¬b). */
  Or: (g, [a, b]) => [g.not(g.and(g.not(a), g.not(b)))],
  /** Positions that came over as 32 bits and become 64 for a scatter take their shape before that: 64 bits would be reshaped on the CPU. */
  Reshape: (g, [x, shape], attributes) => {
    const cast = g.producerOf(x);
    const narrow = cast?.op === 'Cast' && x.dtype === 'int64' ? cast.inputs[0] : null;
    return narrow?.dtype === 'int32' ? [g.cast(g.emitOne('Reshape', [narrow, shape], attributes), 'int64')] : null;
  },
  Equal: comparison('Equal'),
  Less: comparison('Less'),
  Greater: comparison('Greater'),
  LessOrEqual: comparison('LessOrEqual'),
  GreaterOrEqual: comparison('GreaterOrEqual'),
};

/** The same calculation in operators that WebGPU has; inputs, outputs and their names stay. */
export function webgpuDialect(graph: Graph): Graph {
  const g = createGraphBuilder(graph.name);
  const inputs = Object.fromEntries(graph.inputs.map(({ name, dtype, shape }) => [name, g.input(name, dtype, shape)]));
  return g.build(inlineGraph(g, graph, inputs, webgpuRewrites));
}

/**
 * The nodes that WebGPU would leave to the CPU although they work on data: operators without a kernel, and 64-bit whole numbers
 * turned into data. Arithmetic of sizes and positions (int64 in, int64 out) is the CPU's by nature and not listed, and
 * neither is the one step from it into data: a Cast of positions to int32.
 */
export function hostNodes(graph: Graph): readonly Node[] {
  return graph.nodes.filter((node) => {
    if (node.op === 'Constant' || node.op === 'Shape' || !worksOnData(node)) return false;
    if (WITHOUT_KERNEL.includes(node.op)) return true;
    const [first] = presentInputs(node);
    return first?.dtype === 'int64' && !(node.op === 'Cast' && node.attributes.to === 'int32');
  });
}

function worksOnData(node: Node): boolean {
  return node.outputs.some(({ dtype }) => DATA.includes(dtype));
}
