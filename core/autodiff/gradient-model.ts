/** How does a loss become a model that gives the loss and its gradients in one run? */
import { createGraphBuilder, type Graph, type GraphBuilder, type Value } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';
import { backward } from './backward.ts';

export type InputSpec = { readonly shape: Shape; readonly dtype?: DType };

export type GradientModel<Name extends string> = {
  readonly graph: Graph;
  /** The ONNX model, for `createSession`. */
  readonly modelBytes: Uint8Array;
  readonly inputNames: readonly Name[];
  /** "loss" first, then the gradients in the order of `wrt`. */
  readonly outputNames: readonly string[];
  /** The name of the gradient output of each input in `wrt`. */
  readonly gradientNames: { readonly [N in Name]?: string };
};

/** The output that holds the gradient of an input. */
export function gradientName(input: string): string {
  return `gradient.${input}`;
}

/**
 * Builds a graph with outputs "loss" (float []) and "gradient.<input>" (the input's shape) for each input in `wrt`.
 *
 * @param inputs  name, shape and element type (float32 unless said) of each input.
 * @param build   the loss as a function of the inputs; returns float [].
 * @param wrt     inputs whose gradients are wanted; every float input when left out.
 * @throws ShapeError, GradientError as `backward`.
 */
export function buildGradientModel<Name extends string>({ name = 'loss', inputs, build, wrt }: {
  readonly name?: string;
  readonly inputs: { readonly [N in Name]: InputSpec };
  readonly build: (g: GraphBuilder, values: { readonly [N in Name]: Value }) => Value;
  readonly wrt?: readonly NoInfer<Name>[];
}): GradientModel<Name> {
  const g = createGraphBuilder(name);
  const inputNames = Object.keys(inputs) as Name[]; // boundary: the keys of `inputs` are the names
  const values = Object.fromEntries(inputNames.map((input) => [input, g.input(input, inputs[input].dtype ?? 'float32', inputs[input].shape)])) as { readonly [N in Name]: Value }; // boundary: one value per name, made on this line
  const loss = build(g, values);
  const wanted = wrt ?? inputNames.filter((input) => values[input].dtype === 'float32' || values[input].dtype === 'float64');
  const gradients = backward(g, { loss, wrt: wanted.map((input) => values[input]) });
  const outputs: Record<string, Value> = { loss };
  const gradientNames: { [N in Name]?: string } = {};
  for (const input of wanted) {
    gradientNames[input] = gradientName(input);
    outputs[gradientName(input)] = gradients.get(values[input]) ?? g.zerosLike(values[input]);
  }
  const graph = g.build(outputs);
  return { graph, modelBytes: encodeModel(graph), inputNames, outputNames: Object.keys(outputs), gradientNames };
}
