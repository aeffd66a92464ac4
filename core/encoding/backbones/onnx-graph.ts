/** How do the weights inside an ONNX graph become parameters that can be trained, and weights again? */
import { InputError } from '../../base/errors.ts';
import type { Graph } from '../../graph/graph.ts';
import { presentInputs, type Node } from '../../graph/operators.ts';
import { decodeModel, type ReadTensorData } from '../../graph/protobuf/decode.ts';
import type { Value } from '../../graph/value.ts';
import { elementCount } from '../../tensor/shape.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import type { OnnxBackbone } from '../backbone.ts';

export type TrainableGraph = Pick<OnnxBackbone, 'graph' | 'parameters'>;

/**
 * Reads an encoder and lifts its weights: float32 weights of more than one element become inputs, in the order in which the nodes
 * read them; constants of one element (an epsilon, a scale) and whole numbers stay inside. What `output` does not need is left out.
 *
 * @param output    the name of the output that is kept.
 * @param external  gives the bytes of weights that lie in other files.
 * @throws InputError as `decodeModel`; 'backbone.wrong-output' naming the outputs there are.
 */
export function decodeTrainable(bytes: Uint8Array, output: string, external?: ReadTensorData): TrainableGraph {
  return liftParameters(decodeModel(bytes, external), output);
}

/** The same for a graph that is read already. */
export function liftParameters(graph: Graph, output: string): TrainableGraph {
  const kept = graph.outputs.find(({ name }) => name === output);
  if (kept === undefined) throw new InputError('backbone.wrong-output', `Expected an output "${output}" in the ONNX model, found ${graph.outputs.map(({ name }) => `"${name}"`).join(', ')}.`);
  const { nodes, read } = neededFor(graph, kept.value);
  const parameters = new Map<string, Float32Array>();
  const lifted: Value[] = [];
  const inside = new Map<Value, Tensor>();
  for (const value of read) {
    const tensor = graph.initializers.get(value);
    if (tensor === undefined) continue;
    if (tensor.dtype === 'float32' && elementCount(tensor.shape) > 1) {
      lifted.push(value);
      parameters.set(value.name, tensor.data);
    } else inside.set(value, tensor);
  }
  return { graph: { ...graph, nodes, inputs: [...graph.inputs, ...lifted], initializers: inside, outputs: [kept] }, parameters };
}

/** The nodes that a value needs, in order, and everything that they read, in the order of reading. */
function neededFor(graph: Graph, value: Value): { readonly nodes: readonly Node[]; readonly read: ReadonlySet<Value> } {
  const producers = new Map(graph.nodes.flatMap((node) => node.outputs.map((own) => [own, node] as const)));
  const needed = new Set<Node>();
  const pending: Value[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const node = producers.get(next);
    if (node === undefined || needed.has(node)) continue;
    needed.add(node);
    pending.push(...presentInputs(node));
  }
  const nodes = graph.nodes.filter((node) => needed.has(node));
  return { nodes, read: new Set(nodes.flatMap((node) => presentInputs(node))) };
}

/** The graph with its parameters as weights inside, to be written or run. */
export function withParameters({ graph, parameters }: TrainableGraph): Graph {
  const initializers = new Map<Value, Tensor>(graph.initializers);
  for (const value of graph.inputs) {
    const values = parameters.get(value.name);
    if (values !== undefined) initializers.set(value, tensorOf('float32', value.shape.map(Number), values));
  }
  return { ...graph, inputs: graph.inputs.filter(({ name }) => !parameters.has(name)), initializers };
}
