/** How does a read model become part of a new graph? Node by node, with its inputs and weights as values of that graph. */
import { InvariantError } from '../base/errors.ts';
import { shapesEqual } from '../tensor/shape.ts';
import { ShapeError } from '../tensor/shape-error.ts';
import type { GraphBuilder } from './builder.ts';
import type { Graph } from './graph.ts';
import type { AttributesOf, InputsOf, NodeOf, OpType } from './operators.ts';
import type { Value } from './value.ts';

/** What to build instead of a node, by operator: the outputs of the replacement, or null to repeat the node as it is. */
export type Rewrites = { readonly [Op in OpType]?: (g: GraphBuilder, inputs: InputsOf<Op>, attributes: AttributesOf<Op>) => readonly Value[] | null };

/**
 * Repeats a graph inside a builder, so that a loss can be put on it and `backward` can train it.
 *
 * @param bindings  a value for each input of the graph, and for each weight that shall be trained (element type and, where it
 *                  is known, shape as in the graph). Weights that are not bound are carried along, fixed.
 * @param rewrites  operators that shall become something else; none when left out.
 * @returns the outputs by name.
 * @throws ShapeError when a binding is missing or does not fit.
 */
export function inlineGraph(g: GraphBuilder, graph: Graph, bindings: { readonly [name: string]: Value }, rewrites: Rewrites = {}): { readonly [output: string]: Value } {
  const values = new Map<Value, Value>();
  for (const input of graph.inputs) values.set(input, bound(input, bindings[input.name]));
  for (const [weight, tensor] of graph.initializers) {
    const binding = bindings[weight.name];
    values.set(weight, binding === undefined ? g.initializer(weight.name, tensor) : bound(weight, binding));
  }
  for (const node of graph.nodes) repeat(g, node, { values, rewrites });
  return Object.fromEntries(graph.outputs.map(({ name, value }) => [name, lookUp(values, value)]));
}

function bound(own: Value, binding: Value | undefined): Value {
  if (binding === undefined) throw new ShapeError('graph.bad-binding', `inlineGraph: no value is given for "${own.name}".`);
  const known = own.shape.every((size) => typeof size === 'number');
  if (binding.dtype !== own.dtype || binding.shape.length !== own.shape.length || (known && !shapesEqual(own.shape, binding.shape))) {
    throw new ShapeError('graph.bad-binding', `inlineGraph: "${own.name}" is ${own.dtype} [${own.shape.join(', ')}], given ${binding.dtype} [${binding.shape.join(', ')}].`);
  }
  return binding;
}

function repeat<Op extends OpType>(g: GraphBuilder, node: NodeOf<Op>, { values, rewrites }: { readonly values: Map<Value, Value>; readonly rewrites: { readonly [O in Op]?: (g: GraphBuilder, inputs: InputsOf<O>, attributes: AttributesOf<O>) => readonly Value[] | null } }): void {
  const inputs: readonly (Value | null | undefined)[] = node.inputs;
  const repeated = inputs.map((input) => (input === null || input === undefined ? null : lookUp(values, input)));
  const same = repeated as unknown as InputsOf<Op>; // boundary: one value for each input of the same operator
  const outputs = rewrites[node.op]?.(g, same, node.attributes) ?? g.emit(node.op, same, node.attributes);
  node.outputs.forEach((output, i) => {
    const copy = outputs[i];
    if (copy !== undefined) values.set(output, copy);
  });
}

function lookUp(values: ReadonlyMap<Value, Value>, value: Value): Value {
  const found = values.get(value);
  if (found === undefined) throw new InvariantError('graph.order', `"${value.name}" is read before it is computed.`);
  return found;
}
