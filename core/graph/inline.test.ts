/** Can an encoder that another tool wrote be read, run and trained? */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/exported-encoder.json' with { type: 'json' };
import { expectClose } from '../../test/reference/compare.ts';
import type { PlainTensor } from '../../test/reference/reference-cases.ts';
import { vectorJacobianProduct } from '../autodiff/backward.ts';
import { createSession } from '../runtime/session.ts';
import { numbersOf, tensorFrom } from '../tensor/tensor.ts';
import { createGraphBuilder, type Value } from './builder.ts';
import { checkGraph } from './check.ts';
import { evaluateGraph, type Feed } from './evaluate.ts';
import type { Graph } from './graph.ts';
import { inlineGraph } from './inline.ts';
import { decodeModel } from './protobuf/decode.ts';
import { encodeModel } from './protobuf/encode.ts';

const path = new URL('../../test/reference/exported-encoder.onnx', import.meta.url);
const exported = decodeModel(readFileSync(path));
const FLOAT32_TOLERANCE = 1e-5; // its epsilon and its √2 are written in float32, and so are ONNX Runtime's results

/** The exporter writes the weights of matrix products transposed and under names of its own. */
const parameterOf: { readonly [width: string]: string } = { '8,24': 'qkv.weight', '8,12': 'up.weight', '12,8': 'down.weight' };

function transposed({ shape, data }: PlainTensor): PlainTensor {
  const [rows = 0, columns = 0] = shape;
  return { shape: [columns, rows], data: Array.from({ length: data.length }, (_, i) => data[(i % rows) * columns + Math.floor(i / rows)] ?? Number.NaN) };
}

/** The exported encoder with its weights as inputs, its output and the gradients of Σ w · output. */
function trainable(): { readonly graph: Graph; readonly feeds: { readonly [name: string]: Feed }; readonly expected: { readonly [output: string]: PlainTensor } } {
  const g = createGraphBuilder('trainable');
  const bindings: Record<string, Value> = {};
  const feeds: Record<string, Feed> = { ...referenceJson.inputs, weights: referenceJson.weights };
  const expected: Record<string, PlainTensor> = { embedding: referenceJson.value };
  for (const input of exported.inputs) bindings[input.name] = g.input(input.name, input.dtype, input.shape);
  for (const [weight, tensor] of exported.initializers) {
    bindings[weight.name] = g.input(weight.name, weight.dtype, weight.shape);
    feeds[weight.name] = { shape: tensor.shape, data: numbersOf(tensor) };
    const renamed = parameterOf[tensor.shape.join()];
    const gradients: { readonly [name: string]: PlainTensor } = referenceJson.gradients;
    const gradient = gradients[renamed ?? weight.name];
    if (gradient === undefined) throw new Error(`No gradient of ${weight.name}.`);
    expected[`gradient.${weight.name}`] = renamed === undefined ? gradient : transposed(gradient);
  }
  const { embedding } = inlineGraph(g, exported, bindings);
  if (embedding === undefined) throw new Error('The exported model has no output "embedding".');
  const weights = [...exported.initializers.keys()].map((weight) => bindings[weight.name]).filter((value) => value !== undefined);
  const gradients = vectorJacobianProduct(g, { outputs: [{ value: embedding, outputGrad: g.input('weights', 'float32', embedding.shape) }], wrt: weights });
  const outputs: Record<string, Value> = { embedding };
  for (const [weight, gradient] of gradients) outputs[`gradient.${weight.name}`] = gradient;
  return { graph: g.build(outputs), feeds, expected };
}

describe('a transformer exported by PyTorch', () => {
  it('is read whole, with symbolic sizes', () => {
    checkGraph(exported);
    expect(exported.inputs.map(({ name, shape }) => [name, ...shape])).toEqual([['ids', 'B', 'L'], ['mask', 'B', 'L']]);
    expect(exported.initializers.size).toBe(9);
    expect(exported.outputs.map(({ name, value }) => [name, ...value.shape])).toEqual([['embedding', 'B', 8]]);
  });

  it('gives PyTorch\'s output in the interpreter', () => {
    expectClose(evaluateGraph(exported, referenceJson.inputs)['embedding'], referenceJson.value, 'embedding', FLOAT32_TOLERANCE);
  });

  it('gets PyTorch\'s gradient of every weight, in the interpreter and in ONNX Runtime', async () => {
    const { graph, feeds, expected } = trainable();
    checkGraph(graph);
    expect(Object.keys(expected).length).toBe(10);
    const found = evaluateGraph(graph, feeds);
    for (const [name, tensor] of Object.entries(expected)) expectClose(found[name], tensor, name, FLOAT32_TOLERANCE);
    await using session = await createSession(encodeModel(graph), { threads: 1 });
    const outputs = await session.run(Object.fromEntries(graph.inputs.map(({ name, dtype }) => [name, tensorFrom(dtype, feeds[name]?.shape ?? [], feeds[name]?.data ?? [])])));
    for (const [name, tensor] of Object.entries(expected)) {
      const output = outputs[name];
      expectClose(output === undefined ? undefined : { shape: output.shape, data: numbersOf(output) }, tensor, `${name} from ONNX Runtime`, FLOAT32_TOLERANCE);
    }
  });
});

describe('inlineGraph', () => {
  it('carries weights along that are not bound', () => {
    const g = createGraphBuilder();
    const { embedding } = inlineGraph(g, exported, { ids: g.input('ids', 'int64', [2, 3]), mask: g.input('mask', 'bool', [2, 3]) });
    if (embedding === undefined) throw new Error('No output.');
    expect(embedding.shape).toEqual([2, 8]);
    expectClose(evaluateGraph(g.build({ embedding }), referenceJson.inputs)['embedding'], referenceJson.value, 'embedding', FLOAT32_TOLERANCE);
  });

  it('refuses a missing input and one of another type', () => {
    const g = createGraphBuilder();
    expect(() => inlineGraph(g, exported, {})).toThrow(/no value is given for "ids"/);
    expect(() => inlineGraph(g, exported, { ids: g.input('ids', 'float32', [2, 3]), mask: g.input('mask', 'bool', [2, 3]) })).toThrow(/is int64/);
  });
});
