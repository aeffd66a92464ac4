/** How is a case of a PyTorch reference file read and built? Used by tests only. */
import { createGraphBuilder, type Graph, type GraphBuilder, type Value } from '../../core/graph/builder.ts';
import type { Feed } from '../../core/graph/evaluate.ts';
import type { DType } from '../../core/tensor/dtype.ts';
import type { Shape } from '../../core/tensor/shape.ts';
import { backward } from '../../core/autodiff/backward.ts';
import { gradientName } from '../../core/autodiff/gradient-model.ts';

export type PlainTensor = { readonly shape: readonly number[]; readonly data: readonly number[] };

/** One case: inputs, weights w, value y and the gradients of Σ w y, all from PyTorch in float64. */
export type ReferenceCase = { readonly inputs: { readonly [name: string]: PlainTensor }; readonly weights: PlainTensor; readonly value: PlainTensor; readonly gradients: { readonly [name: string]: PlainTensor } };

export type ReferenceFile = { readonly torch: string; readonly seed: number; readonly cases: { readonly [name: string]: ReferenceCase } };

/** Inputs of these names are not floats. */
const INPUT_DTYPES: { readonly [name: string]: DType } = { indices: 'int64', tokens: 'int64', texts: 'int64', condition: 'bool', mask: 'bool', leaveOut: 'bool' };

/** The element type of an input: floats have the type under test. */
export function inputDType(name: string, float: 'float32' | 'float64'): DType {
  return INPUT_DTYPES[name] ?? float;
}

/** A graph with outputs "value" and "gradient.<input>" of Σ weights · value; the weights are the input "weights". `shapes` replaces shapes of the reference, for instance by symbolic ones. */
export function caseGraph({ reference, build, dtype, shapes = {} }: { readonly reference: ReferenceCase; readonly build: (g: GraphBuilder, inputs: { readonly [name: string]: Value }) => Value; readonly dtype: 'float32' | 'float64'; readonly shapes?: { readonly [input: string]: Shape } }): Graph {
  const g = createGraphBuilder('case');
  const inputs = Object.fromEntries(Object.entries(reference.inputs).map(([name, { shape }]) => [name, g.input(name, inputDType(name, dtype), shapes[name] ?? shape)]));
  const weights = g.input('weights', dtype, reference.weights.shape);
  const value = build(g, inputs);
  const wanted = Object.keys(reference.gradients).map((name) => [name, inputs[name] ?? weights] as const);
  const loss = g.reduceSum(g.mul(weights, value));
  const gradients = backward(g, { loss, wrt: wanted.map(([, input]) => input) });
  const outputs: Record<string, Value> = { value, loss };
  for (const [name, input] of wanted) outputs[gradientName(name)] = gradients.get(input) ?? input;
  return g.build(outputs);
}

/** What is fed to such a graph. */
export function caseFeeds(reference: ReferenceCase): { readonly [name: string]: Feed } {
  return { ...reference.inputs, weights: reference.weights };
}
