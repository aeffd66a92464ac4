/** How does a graph get its gradients? Reverse mode: one walk from the outputs back, summing what meets. */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import type { Node, NodeOf, OpType } from '../graph/operators.ts';
import { isFloatDType } from '../tensor/dtype.ts';
import { formatShape, shapesEqual } from '../tensor/shape.ts';
import { ShapeError } from '../tensor/shape-error.ts';
import { GradientError } from './gradient-error.ts';
import { gradientRules } from './gradient-rules.ts';
import type { GradientTable, RuleContext } from './rule.ts';

/** An output together with the gradient that arrives at it, of the same shape and element type. */
export type SeededOutput = { readonly value: Value; readonly outputGrad: Value };

/**
 * Gradients of a scalar: adds to the builder the nodes that compute d loss / d w for every w in `wrt`.
 *
 * @param loss  float [], one number.
 * @param wrt   float values of the same builder; usually inputs, but any value will do.
 * @returns for each w a value of w's shape and element type; zeros when the loss does not depend on w.
 * @throws ShapeError 'graph.not-scalar' when loss is not a float of shape [].
 * @throws GradientError when the way from the loss to a w passes an operator without a gradient.
 */
export function backward(g: GraphBuilder, { loss, wrt }: { readonly loss: Value; readonly wrt: readonly Value[] }): ReadonlyMap<Value, Value> {
  if (loss.shape.length !== 0 || !isFloatDType(loss.dtype)) throw new ShapeError('graph.not-scalar', `A loss should be a float of shape [], found ${loss.dtype} ${formatShape(loss.shape)} ("${loss.name}").`);
  return vectorJacobianProduct(g, { outputs: [{ value: loss, outputGrad: g.scalar(1, loss.dtype) }], wrt });
}

/**
 * Gradients of Σ ⟨outputGrad, value⟩: reverse mode with the gradients of the outputs given. With it a batch is encoded in
 * slices and the gradient of the embeddings is passed on, slice by slice (Gao et al. 2021, arXiv:2101.06983, GradCache).
 *
 * @returns for each w a value of w's shape and element type; zeros when no output depends on w.
 * @throws ShapeError when an outputGrad has not the shape and type of its value; GradientError as `backward`.
 */
export function vectorJacobianProduct(g: GraphBuilder, { outputs, wrt }: { readonly outputs: readonly SeededOutput[]; readonly wrt: readonly Value[] }): ReadonlyMap<Value, Value> {
  for (const w of wrt) if (!isFloatDType(w.dtype)) throw new ShapeError('graph.dtype-mismatch', `Gradients exist for floats only; "${w.name}" is ${w.dtype}.`);
  const nodes = [...g.nodes()];
  const reaching = valuesReachedFrom(g, nodes, wrt);
  const gradients = new Map<Value, Value>();
  for (const { value, outputGrad } of outputs) {
    if (!shapesEqual(value.shape, outputGrad.shape) || value.dtype !== outputGrad.dtype) throw new ShapeError('graph.shape-mismatch', `The gradient of "${value.name}" should be ${value.dtype} ${formatShape(value.shape)}, found ${outputGrad.dtype} ${formatShape(outputGrad.shape)}.`);
    accumulate(g, gradients, value, outputGrad);
  }
  for (const node of nodes.reverse()) passBack(g, { node, reaching, gradients });
  return new Map(wrt.map((w) => [w, gradients.get(w) ?? g.zerosLike(w)]));
}

/** The values that depend on one of the sources through floats that are not detached. */
function valuesReachedFrom(g: GraphBuilder, nodes: readonly Node[], sources: readonly Value[]): ReadonlySet<Value> {
  const reached = new Set(sources);
  for (const node of nodes) {
    if (gradientRules[node.op] === 'none' || !inputsOf(node).some((input) => input !== null && reached.has(input))) continue;
    for (const output of node.outputs) if (isFloatDType(output.dtype) && !g.isDetached(output)) reached.add(output);
  }
  return reached;
}

function inputsOf(node: Node): readonly (Value | null)[] {
  const inputs: readonly (Value | null | undefined)[] = node.inputs;
  return inputs.map((input) => input ?? null);
}

type Pass = { readonly node: Node; readonly reaching: ReadonlySet<Value>; readonly gradients: Map<Value, Value> };

function passBack(g: GraphBuilder, { node, reaching, gradients }: Pass): void {
  const inputs = inputsOf(node);
  const needed = inputs.map((input) => input !== null && isFloatDType(input.dtype) && reaching.has(input));
  if (!node.outputs.some((output) => gradients.has(output) && reaching.has(output)) || !needed.includes(true)) return;
  const inputGrads = applyRule(g, node, { needed, gradients, reaching });
  inputs.forEach((input, i) => {
    const gradient = inputGrads[i] ?? null;
    if (input === null || needed[i] !== true || gradient === null) return;
    accumulate(g, gradients, input, g.sumTo(gradient, input.shape));
  });
}

function applyRule<Op extends OpType>(g: GraphBuilder, node: NodeOf<Op>, { needed, gradients, reaching }: Omit<Pass, 'node'> & { readonly needed: readonly boolean[] }): readonly (Value | null)[] {
  const table: GradientTable<Op> = gradientRules;
  const rule = table[node.op];
  if (rule === 'none') return [];
  if (rule === 'unsupported') {
    throw new GradientError('graph.no-gradient', `The operator ${node.op} (node "${node.name}") has no gradient in Isogloss, and the loss depends on it: ${pathToEnd(g, node.outputs, gradients)}. Replace the node, or keep its inputs fixed.`, {
      data: { node: node.name, operator: node.op },
    });
  }
  const [first, ...others] = node.outputs;
  if (first === undefined) return [];
  const context: RuleContext<Op> = {
    g,
    inputs: node.inputs,
    attributes: node.attributes,
    outputs: [first, ...others],
    outputGrads: [gradients.get(first) ?? g.zerosLike(first), ...others.map((output) => (reaching.has(output) ? (gradients.get(output) ?? null) : null))],
    needed,
  };
  return rule(context);
}

function accumulate(g: GraphBuilder, gradients: Map<Value, Value>, value: Value, gradient: Value): void {
  const before = gradients.get(value);
  gradients.set(value, before === undefined ? gradient : g.add(before, gradient));
}

const LONGEST_PATH = 12; // nodes shown in a message

/** "A -> B -> C": the nodes through which the outputs reach the end of the graph. */
function pathToEnd(g: GraphBuilder, outputs: readonly Value[], gradients: ReadonlyMap<Value, Value>): string {
  const path: string[] = [];
  let current: Value | undefined = outputs[0];
  while (current !== undefined && path.length < LONGEST_PATH) {
    const here: Value = current;
    path.push(here.name);
    const reader: Node | undefined = g.nodes().find((node) => inputsOf(node).includes(here) && node.outputs.some((output) => gradients.has(output)));
    current = reader?.outputs.find((output) => gradients.has(output));
  }
  return path.join(' -> ');
}
