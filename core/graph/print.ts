/** How does a graph look to a person? One line per value. */
import { formatShape } from '../tensor/shape.ts';
import { numbersOf, type Tensor } from '../tensor/tensor.ts';
import type { Graph } from './graph.ts';
import type { Node } from './operators.ts';
import type { Value } from './value.ts';

const SHOWN_ELEMENTS = 6; // of a constant

/**
 * The graph as text; constants are written where they are used:
 *
 *     graph loss(queries: float32 [B, H])
 *       Mul_3: float32 [B, H] = Mul(queries, 2)
 *       return loss = Mul_3
 */
export function printGraph(graph: Graph): string {
  const constants = new Map<Value, Tensor>(graph.nodes.flatMap((node) => (node.op === 'Constant' ? node.outputs.map((output) => [output, node.attributes.value] as const) : [])));
  const shown = (value: Value | null | undefined): string => {
    if (value === null || value === undefined) return '_';
    const constant = constants.get(value);
    return constant === undefined ? value.name : printTensor(constant);
  };
  return [
    `graph ${graph.name}(${graph.inputs.map(printType).join(', ')})`,
    ...[...graph.initializers].map(([value]) => `  ${printType(value)} = weights`),
    ...graph.nodes.filter((node) => node.op !== 'Constant').map((node) => `  ${node.outputs.map(printType).join(', ')} = ${printCall(node, shown)}`),
    ...graph.outputs.map(({ name, value }) => `  return ${name} = ${shown(value)}`),
    '',
  ].join('\n');
}

function printType(value: Value): string {
  return `${value.name}: ${value.dtype} ${formatShape(value.shape)}`;
}

function printCall(node: Node, shown: (value: Value | null | undefined) => string): string {
  const inputs: readonly (Value | null | undefined)[] = node.inputs;
  const attributes = Object.entries(node.attributes).map(([name, value]: [string, unknown]) => `${name}=${typeof value === 'object' && value !== null && 'dtype' in value ? printTensor(value as Tensor) : JSON.stringify(value)}`); // boundary: an attribute with a dtype is a tensor
  return `${node.op}(${[...inputs.map(shown), ...attributes].join(', ')})`;
}

function printTensor(tensor: Tensor): string {
  const numbers = [...numbersOf(tensor).subarray(0, SHOWN_ELEMENTS)].map((number) => String(Number(number.toPrecision(SHOWN_ELEMENTS))));
  if (tensor.shape.length === 0) return numbers[0] ?? '';
  return `[${numbers.join(', ')}${tensor.data.length > SHOWN_ELEMENTS ? ', ...' : ''}]`;
}
