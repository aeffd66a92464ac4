/** Is a finished graph right? Names, order, single assignment, arity, element types and shapes, all at once. */
import { InvariantError } from '../base/errors.ts';
import { formatShape, shapesEqual } from '../tensor/shape.ts';
import { ShapeError } from '../tensor/shape-error.ts';
import { inferNode } from './builder/emitter.ts';
import type { Graph } from './graph.ts';
import { operatorTable, type Node, type NodeOf, type OpType } from './operators.ts';
import type { Value } from './value.ts';

/**
 * Every fault of a graph, each one sentence; empty when it is right:
 * names are unique and not empty; every value is assigned once; nodes read only what stands before them (so there is no
 * cycle); attributes are those of the operator; inferred element types and shapes are those the values carry; outputs exist.
 */
export function graphFaults(graph: Graph): readonly string[] {
  const faults: string[] = [];
  const assigned = new Set<Value>();
  const names = new Set<string>();
  const assign = (value: Value, where: string): void => {
    if (assigned.has(value)) faults.push(`"${value.name}" is assigned twice (${where})`);
    else if (value.name === '' || names.has(value.name)) faults.push(`the name "${value.name}" is empty or taken (${where})`);
    assigned.add(value);
    names.add(value.name);
  };
  for (const value of graph.inputs) assign(value, 'inputs');
  for (const [value, tensor] of graph.initializers) {
    assign(value, 'initializers');
    if (value.dtype !== tensor.dtype || !shapesEqual(value.shape, tensor.shape)) faults.push(`initializer "${value.name}" is ${value.dtype} ${formatShape(value.shape)}, its tensor ${tensor.dtype} ${formatShape(tensor.shape)}`);
  }
  for (const node of graph.nodes) {
    faults.push(...nodeFaults(node, assigned));
    for (const output of node.outputs) assign(output, `node ${node.name}`);
  }
  const outputNames = new Set<string>();
  for (const { name, value } of graph.outputs) {
    if (!assigned.has(value)) faults.push(`output "${name}" is never assigned`);
    if (name === '' || outputNames.has(name)) faults.push(`the output name "${name}" is empty or taken`);
    outputNames.add(name);
  }
  return faults;
}

/** @throws InvariantError 'graph.invalid' listing every fault. */
export function checkGraph(graph: Graph): void {
  const faults = graphFaults(graph);
  if (faults.length > 0) throw new InvariantError('graph.invalid', `Graph "${graph.name}" has ${faults.length} faults: ${faults.join('; ')}.`, { data: { faults } });
}

function nodeFaults(node: Node, assigned: ReadonlySet<Value>): readonly string[] {
  const inputs: readonly (Value | null | undefined)[] = node.inputs;
  const early = inputs.filter((input) => input !== null && input !== undefined && !assigned.has(input)).map((input) => `node ${node.name} reads "${input?.name ?? ''}" before it is assigned`);
  const wanted = Object.keys(operatorTable[node.op].attributes);
  const attributes = Object.keys(node.attributes);
  const strange = attributes.filter((name) => !wanted.includes(name)).map((name) => `node ${node.name} (${node.op}) has no attribute "${name}"`);
  const missing = wanted.filter((name) => !attributes.includes(name)).map((name) => `node ${node.name} (${node.op}) lacks its attribute "${name}"`);
  return [...early, ...strange, ...missing, ...(early.length + missing.length === 0 ? typeFaults(node) : [])];
}

function typeFaults<Op extends OpType>(node: NodeOf<Op>): readonly string[] {
  try {
    const types = inferNode(node.op, node.name, node.inputs, node.attributes);
    if (types.length !== node.outputs.length) return [`node ${node.name} (${node.op}) should have ${types.length} outputs, has ${node.outputs.length}`];
    return types.flatMap((type, i) => {
      const output = node.outputs[i];
      return output === undefined || (output.dtype === type.dtype && shapesEqual(output.shape, type.shape))
        ? []
        : [`"${output.name}" is ${output.dtype} ${formatShape(output.shape)}, ${node.op} gives ${type.dtype} ${formatShape(type.shape)}`];
    });
  } catch (error) {
    if (error instanceof ShapeError) return [error.message];
    throw error;
  }
}
