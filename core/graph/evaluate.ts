/** What does a graph calculate? A reference interpreter in float64: slow, plain, needs nothing. */
import { InputError } from '../base/errors.ts';
import { elementCount, formatShape, type StaticShape } from '../tensor/shape.ts';
import { numbersOf } from '../tensor/tensor.ts';
import type { Graph } from './graph.ts';
import { elementwiseKernels } from './kernels/elementwise.ts';
import { layoutKernels } from './kernels/layout.ts';
import type { KernelTable, Numbers } from './kernels/numbers.ts';
import { productKernels } from './kernels/products.ts';
import { reductionKernels } from './kernels/reductions.ts';
import type { NodeOf, OpType } from './operators.ts';
import type { Value } from './value.ts';

/** What each operator calculates; total over the operators. */
export const kernels: KernelTable<OpType> = { ...elementwiseKernels, ...reductionKernels, ...productKernels, ...layoutKernels };

/** Numbers fed to an input: its shape and elements in row-major order; bools are 0 and 1. */
export type Feed = { readonly shape: StaticShape; readonly data: ArrayLike<number> };

/**
 * Runs a graph in float64, whatever its element types say (so a float32 graph is not rounded).
 *
 * @param feeds  one per input. Symbolic sizes are taken from the feeds and must agree.
 * @returns the outputs by name.
 * @throws InputError 'graph.bad-feed' when a feed is missing or its shape does not fit the input.
 */
export function evaluateGraph(graph: Graph, feeds: { readonly [name: string]: Feed }): { readonly [name: string]: Numbers } {
  const values = new Map<Value, Numbers>();
  const sizes = new Map<string, number>();
  for (const input of graph.inputs) values.set(input, fedNumbers(input, feeds[input.name], sizes));
  for (const [value, tensor] of graph.initializers) values.set(value, { dtype: tensor.dtype, shape: tensor.shape, data: numbersOf(tensor) });
  for (const node of graph.nodes) {
    const outputs = evaluateNode(node, values);
    node.outputs.forEach((output, i) => {
      const result = outputs[i];
      if (result !== undefined) values.set(output, result);
    });
  }
  return Object.fromEntries(graph.outputs.map(({ name, value }) => [name, values.get(value) ?? { dtype: value.dtype, shape: [0], data: new Float64Array() }]));
}

function evaluateNode<Op extends OpType>(node: NodeOf<Op>, values: ReadonlyMap<Value, Numbers>): readonly Numbers[] {
  const table: KernelTable<Op> = kernels;
  const inputs: readonly (Value | null | undefined)[] = node.inputs;
  return table[node.op]({
    inputs: inputs.map((input) => (input === null || input === undefined ? null : (values.get(input) ?? null))),
    attributes: node.attributes,
  });
}

function fedNumbers(input: Value, feed: Feed | undefined, sizes: Map<string, number>): Numbers {
  if (feed === undefined) throw new InputError('graph.bad-feed', `The graph needs an input "${input.name}" of shape ${formatShape(input.shape)}; none was given.`);
  const fits = feed.shape.length === input.shape.length && input.shape.every((size, axis) => {
    const found = feed.shape[axis];
    if (typeof size === 'number' || found === undefined) return size === found;
    const known = sizes.get(size);
    sizes.set(size, known ?? found);
    return known === undefined || known === found;
  });
  if (!fits || feed.data.length !== elementCount(feed.shape)) {
    const known = [...sizes].map(([symbol, size]) => `${symbol} = ${size}`).join(', ');
    throw new InputError('graph.bad-feed', `Input "${input.name}" should have shape ${formatShape(input.shape)}${known === '' ? '' : ` with ${known}`}, found ${formatShape(feed.shape)} with ${feed.data.length} elements.`);
  }
  return { dtype: input.dtype, shape: feed.shape, data: Float64Array.from(feed.data) };
}

export type { Numbers };
