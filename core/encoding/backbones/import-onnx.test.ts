/** Is an encoder that another tool exported read, run and differentiated as PyTorch does, and everything hostile refused by name? */
import { link, mkdir, readFile, symlink, writeFile, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import bertReference from '../../../test/reference/onnx/bert-opset14.reference.json' with { type: 'json' };
import robertaReference from '../../../test/reference/onnx/roberta-opset17.reference.json' with { type: 'json' };
import sentenceReference from '../../../test/reference/onnx/sentence-opset15.reference.json' with { type: 'json' };
import { expectClose } from '../../../test/reference/compare.ts';
import type { PlainTensor } from '../../../test/reference/reference-cases.ts';
import { vectorJacobianProduct } from '../../autodiff/backward.ts';
import { createGraphBuilder, type Graph, type Value } from '../../graph/builder.ts';
import { evaluateGraph, type Feed } from '../../graph/evaluate.ts';
import { inlineGraph } from '../../graph/inline.ts';
import { encodeModel, encodeModelParts } from '../../graph/protobuf/encode.ts';
import { createSession } from '../../runtime/session.ts';
import { numbersOf, tensorFrom } from '../../tensor/tensor.ts';
import { readBackboneModelFolder, writeBackboneModelFolder } from '../backbone-model-folder.ts';
import type { OnnxBackbone } from '../backbone.ts';
import { openBackbone } from './open-backbone.ts';
import { openOnnxFolder } from './import-onnx.ts';
import { withParameters } from './onnx-graph.ts';
import { temporaryFolder } from './test-backbones.ts';

const folderOf = (name: string): string => fileURLToPath(new URL(`../../../test/reference/onnx/${name}`, import.meta.url));
const TOLERANCE = 1e-5;
const cases: readonly (readonly [string, { readonly inputs: Readonly<Record<string, PlainTensor>>; readonly weights: PlainTensor; readonly states: PlainTensor; readonly gradients: Readonly<Record<string, PlainTensor>> }])[] = [['bert-opset14', bertReference], ['roberta-opset17', robertaReference]];

/** The elements at real tokens only: what stands at padding is nobody's business. */
function real(mask: PlainTensor | undefined, found: ArrayLike<number>): PlainTensor {
  const width = found.length / (mask?.data.length ?? 1);
  const data = Array.from(found).filter((_, i) => mask?.data[Math.floor(i / width)] === 1);
  return { shape: [data.length], data };
}

type SentenceReference = { readonly inputs: Readonly<Record<string, PlainTensor>>; readonly weights: PlainTensor; readonly vectors: PlainTensor; readonly gradients: Readonly<Record<string, PlainTensor>> };

/** The gradients of Σ weights ⊙ output by every weight of the graph. */
function gradientGraphOf({ graph, parameters, output }: OnnxBackbone): Graph {
  const g = createGraphBuilder('trainable');
  const bindings = Object.fromEntries(graph.inputs.map((input) => [input.name, g.input(input.name, input.dtype, input.shape)]));
  const result = inlineGraph(g, graph, bindings)[output];
  if (result === undefined) throw new Error('No output.');
  const wrt = [...parameters.keys()].map((key) => bindings[key]).filter((value): value is Value => value !== undefined);
  expect(wrt.length).toBe(parameters.size);
  const gradients = vectorJacobianProduct(g, { outputs: [{ value: result, outputGrad: g.input('weights', 'float32', result.shape) }], wrt });
  return g.build(Object.fromEntries([...gradients].map(([weight, gradient]) => [`gradient.${weight.name}`, gradient])));
}

function feedsOf({ graph, parameters }: OnnxBackbone): Readonly<Record<string, Feed>> {
  return Object.fromEntries(graph.inputs.flatMap(({ name: key, shape }) => {
    const data = parameters.get(key);
    return data === undefined ? [] : [[key, { shape: shape.map(Number), data }]];
  }));
}

describe.each(cases)('%s, exported by PyTorch', (name, reference) => {
  it('gives PyTorch\'s states, in the interpreter and in onnxruntime', async () => {
    const backbone = await openOnnxFolder(folderOf(name));
    expect([backbone.output, backbone.width, backbone.graph.outputs.length, backbone.maxTokens]).toEqual(['last_hidden_state', 8, 1, name.startsWith('roberta') ? 18 : 20]);
    expect([...backbone.parameters.keys()].some((key) => key.startsWith('pooler'))).toBe(false);
    const whole = withParameters(backbone);
    const mask = reference.inputs['attention_mask'];
    expectClose(real(mask, evaluateGraph(whole, reference.inputs)['last_hidden_state']?.data ?? []), real(mask, reference.states.data), 'states', TOLERANCE);
    await using session = await createSession(encodeModel(whole), { threads: 1 });
    const output = (await session.run(Object.fromEntries(Object.entries(reference.inputs).map(([key, { shape, data }]) => [key, tensorFrom('int64', shape, data)]))))['last_hidden_state'];
    expectClose(real(mask, output === undefined ? [] : numbersOf(output)), real(mask, reference.states.data), 'states of onnxruntime', TOLERANCE);
  });

  it('gets PyTorch\'s gradients', async () => {
    const backbone = await openOnnxFolder(folderOf(name));
    const found = evaluateGraph(gradientGraphOf(backbone), { ...feedsOf(backbone), ...reference.inputs, weights: reference.weights });
    const compared = Object.entries(reference.gradients).filter(([key]) => !key.startsWith('pooler'));
    expect(compared.length).toBeGreaterThan(15);
    for (const [key, gradient] of compared) expectClose(found[`gradient.${key}`], gradient, key, TOLERANCE);
  });

  it('comes back the same from a model folder, and with its weights in another file', async () => {
    await using folder = await temporaryFolder();
    const backbone = await openOnnxFolder(folderOf(name));
    const model = { backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} };
    await writeBackboneModelFolder(join(folder.path, 'model'), model);
    const again = (await readBackboneModelFolder(join(folder.path, 'model'))).model.backbone;
    expect([...again.parameters]).toEqual([...backbone.parameters]);
    expect(again).toMatchObject({ kind: 'onnx', sha256: backbone.sha256, maxTokens: backbone.maxTokens, pooling: backbone.pooling });
    await mkdir(join(folder.path, 'external'));
    await writeExternal(join(folder.path, 'external'), name);
    expect([...(await openBackbone(join(folder.path, 'external'))).parameters]).toEqual([...backbone.parameters]);
  });
});

const WEIGHTS = 'model.onnx_data';

/** A model whose weights lie in a file beside it; `location` is what the model says of that file. */
async function writeExternal(folder: string, name: string, location = WEIGHTS): Promise<void> {
  const backbone = await openOnnxFolder(folderOf(name));
  const graph = withParameters(backbone);
  const parts: Uint8Array[] = [];
  const external = new Map<string, { location: string; offset: number }>();
  let offset = 0;
  for (const [value, tensor] of graph.initializers) {
    external.set(value.name, { location, offset });
    const bytes = new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
    parts.push(bytes);
    offset += bytes.length;
  }
  await writeFile(join(folder, WEIGHTS), Buffer.concat(parts));
  await writeFile(join(folder, 'model.onnx'), Buffer.concat(encodeModelParts(graph, external)));
  await copyFile(join(folderOf(name), 'tokenizer.json'), join(folder, 'tokenizer.json'));
}

type Node = { readonly opType: string; readonly domain?: string; readonly inputs: readonly string[]; readonly outputs: readonly string[]; readonly hasBody?: boolean };
type Tensor = { readonly name: string; readonly dims: readonly number[]; readonly dataType?: number; readonly data?: Float32Array };

/** A model file written field by field, as no honest tool would. */
function modelBytes({ nodes, tensors = [], opset = 17, functions = 0 }: { readonly nodes: readonly Node[]; readonly tensors?: readonly Tensor[]; readonly opset?: number; readonly functions?: number }): Uint8Array {
  const writer = new PbfWriter();
  writer.writeVarintField(1, 8);
  const value = (name: string, type: number) => (_: null, w: PbfWriter): void => {
    w.writeStringField(1, name);
    w.writeMessage(2, (__: null, t) => t.writeMessage(1, (___: null, inner) => {
      inner.writeVarintField(1, type);
      inner.writeMessage(2, (____: null, shape) => {
        for (const size of ['B', 'L']) shape.writeMessage(1, (_____: null, dim) => dim.writeStringField(2, size), null);
      }, null);
    }, null), null);
  };
  writer.writeMessage(7, (_: null, graph) => {
    for (const node of nodes) {
      graph.writeMessage(1, (__: null, w) => {
        for (const input of node.inputs) w.writeStringField(1, input);
        for (const output of node.outputs) w.writeStringField(2, output);
        w.writeStringField(3, `node_${node.outputs[0] ?? ''}`);
        w.writeStringField(4, node.opType);
        if (node.domain !== undefined) w.writeStringField(7, node.domain);
        if (node.hasBody === true) w.writeMessage(5, (___: null, a) => {
          a.writeStringField(1, 'body');
          a.writeBytesField(6, new Uint8Array());
          a.writeVarintField(20, 5);
        }, null);
      }, null);
    }
    for (const { name, dims, dataType = 1, data } of tensors) {
      graph.writeMessage(5, (__: null, w) => {
        for (const size of dims) w.writeVarintField(1, size);
        w.writeVarintField(2, dataType);
        w.writeStringField(8, name);
        if (data !== undefined) w.writeBytesField(9, new Uint8Array(data.buffer));
      }, null);
    }
    for (const name of ['input_ids', 'attention_mask']) graph.writeMessage(11, value(name, 7), null);
    graph.writeMessage(12, value('last_hidden_state', 1), null);
  }, null);
  writer.writeMessage(8, (_: null, w) => {
    w.writeStringField(1, '');
    w.writeVarintField(2, opset);
  }, null);
  for (let i = 0; i < functions; i += 1) writer.writeBytesField(25, new Uint8Array([10, 1, 102]));
  return writer.finish();
}

const LOOK_UP: Node = { opType: 'Gather', inputs: ['table', 'input_ids'], outputs: ['last_hidden_state'] };
const TABLE: Tensor = { name: 'table', dims: [500, 2], data: new Float32Array(1000) };

async function folderWith(path: string, bytes: Uint8Array): Promise<string> {
  await copyFile(join(folderOf('bert-opset14'), 'tokenizer.json'), join(path, 'tokenizer.json'));
  await writeFile(join(path, 'model.onnx'), bytes);
  return path;
}

describe('sentence-opset15, exported by PyTorch with its pooling inside', () => {
  it('gives PyTorch\'s sentence embeddings and gradients', async () => {
    const backbone = await openOnnxFolder(folderOf('sentence-opset15'));
    expect([backbone.output, backbone.width, backbone.pooling.mode]).toEqual(['sentence_embedding', 8, 'mean']);
    const { inputs, vectors, weights, gradients }: SentenceReference = sentenceReference;
    expectClose(evaluateGraph(withParameters(backbone), inputs)['sentence_embedding'], vectors, 'vectors', TOLERANCE);
    await using session = await createSession(encodeModel(withParameters(backbone)), { threads: 1 });
    const output = (await session.run(Object.fromEntries(Object.entries(inputs).map(([key, { shape, data }]) => [key, tensorFrom('int64', shape, data)]))))['sentence_embedding'];
    expectClose(output === undefined ? undefined : { shape: output.shape, data: [...numbersOf(output)] }, vectors, 'vectors of onnxruntime', TOLERANCE);
    const found = evaluateGraph(gradientGraphOf(backbone), { ...feedsOf(backbone), ...inputs, weights });
    expect(Object.keys(gradients).length).toBeGreaterThan(15);
    for (const [key, gradient] of Object.entries(gradients)) expectClose(found[`gradient.${key}`], gradient, key, TOLERANCE);
  });
});

describe('a hostile or broken ONNX file is refused before anything is run:', () => {
  it('the frame of these tests itself is a model that is read', async () => {
    await using folder = await temporaryFolder();
    const backbone = await openOnnxFolder(await folderWith(folder.path, modelBytes({ nodes: [LOOK_UP], tensors: [TABLE] })));
    expect([...backbone.parameters.keys()]).toEqual(['table']);
  });

  const hidden = { opType: 'Identity', inputs: ['h'], outputs: ['last_hidden_state'] };
  const files: readonly (readonly [string, Uint8Array, string, RegExp])[] = [
    ['a custom operator', modelBytes({ nodes: [{ opType: 'Evil', domain: 'com.evil', inputs: ['input_ids'], outputs: ['h'] }, hidden] }), 'onnx.custom-operator', /com\.evil\.Evil .*node_h \(Evil\) -> node_last_hidden_state \(Identity\) -> last_hidden_state/],
    ['operators that the file defines', modelBytes({ nodes: [LOOK_UP], tensors: [TABLE], functions: 2 }), 'onnx.custom-operator', /defines 2 operators/],
    ['a fused operator, with the way to the output', modelBytes({ nodes: [{ opType: 'Attention', domain: 'com.microsoft', inputs: ['input_ids'], outputs: ['h'] }, hidden] }), 'onnx.unsupported-operator', /com\.microsoft\.Attention, on the way node_h \(Attention\) -> .*without fusing/],
    ['an operator that has no gradient here', modelBytes({ nodes: [{ opType: 'NonZero', inputs: ['input_ids'], outputs: ['h'] }, hidden] }), 'onnx.unsupported-operator', /NonZero, on the way/],
    ['a loop bomb', modelBytes({ nodes: [{ opType: 'Loop', inputs: ['input_ids'], outputs: ['h'], hasBody: true }, hidden] }), 'onnx.control-flow', /Loop .*never end.*node_h/],
    ['a graph inside any other operator', modelBytes({ nodes: [{ opType: 'Identity', inputs: ['input_ids'], outputs: ['h'], hasBody: true }, hidden] }), 'onnx.control-flow', /Identity/],
    ['absurd dimensions', modelBytes({ nodes: [LOOK_UP], tensors: [{ name: 'table', dims: [2 ** 40, 2 ** 40] }] }), 'onnx.absurd-size', /"table" has the sizes \[1099511627776, 1099511627776\]/],
    ['negative dimensions', modelBytes({ nodes: [LOOK_UP], tensors: [{ name: 'table', dims: [-4, 2] }] }), 'onnx.absurd-size', /\[-4, 2\]/],
    ['sizes that only grow inside', modelBytes({ nodes: [{ opType: 'ConstantOfShape', inputs: ['sizes'], outputs: ['last_hidden_state'] }], tensors: [{ name: 'sizes', dims: [2], dataType: 7, data: new Float32Array(new BigInt64Array([2n ** 20n, 2n ** 20n]).buffer) }] }), 'onnx.absurd-size', /1048576, 1048576/],
    ['16-bit weights', modelBytes({ nodes: [LOOK_UP], tensors: [{ name: 'table', dims: [2, 2], dataType: 10 }] }), 'onnx.element-type', /float16.*32-bit/],
    ['weights that are no numbers', modelBytes({ nodes: [LOOK_UP], tensors: [{ ...TABLE, data: new Float32Array(1000).fill(Number.NaN, 7) }] }), 'backbone.not-finite', /"table", found NaN at position 7/],
    ['a table with too few rows', modelBytes({ nodes: [LOOK_UP], tensors: [{ name: 'table', dims: [9, 2], data: new Float32Array(18) }] }), 'backbone.vocabulary-mismatch', /420 pieces.* only 9 rows/],
    ['an operator set that is too old', modelBytes({ nodes: [LOOK_UP], tensors: [TABLE], opset: 9 }), 'onnx.opset', /13 to 22, found 9/],
    ['another output', modelBytes({ nodes: [{ ...LOOK_UP, outputs: ['logits'] }], tensors: [TABLE] }), 'model.invalid', /last_hidden_state/],
    ['bytes of another kind', Buffer.from('PK\u0003\u0004 not a model'), 'model.not-onnx', /damaged/],
    ['half a file', modelBytes({ nodes: [LOOK_UP], tensors: [TABLE] }).subarray(0, 2000), 'model.not-onnx', /cut off/],
  ];
  it.each(files)('%s', async (_, bytes, code, message) => {
    await using folder = await temporaryFolder();
    const opened = openOnnxFolder(await folderWith(folder.path, bytes));
    await expect(opened).rejects.toMatchObject({ family: 'input', code, message: expect.stringMatching(message) });
  });

  it.each(['../outside.bin', '/etc/passwd', 'C:\\weights.bin', 'sub/weights.bin', '..', ''])('weights in %j', async (location) => {
    await using folder = await temporaryFolder();
    await writeExternal(folder.path, 'bert-opset14', location);
    await expect(openOnnxFolder(folder.path)).rejects.toMatchObject({ code: 'onnx.outside-folder' });
  });

  it('weights behind a symbolic or a hard link, in a folder, in a file that is missing or too short', async () => {
    await using folder = await temporaryFolder();
    const place = join(folder.path, 'linked');
    await mkdir(place);
    await writeExternal(place, 'bert-opset14', 'weights');
    const weights = join(place, 'weights');
    await expect(openOnnxFolder(place)).rejects.toMatchObject({ code: 'backbone.missing-file', message: expect.stringContaining('weights is missing') });
    await symlink(join(place, WEIGHTS), weights);
    await expect(openOnnxFolder(place)).rejects.toMatchObject({ code: 'onnx.link' });
    const hard = join(folder.path, 'hard');
    await mkdir(hard);
    await writeExternal(hard, 'bert-opset14', 'weights');
    await link(join(hard, WEIGHTS), join(hard, 'weights'));
    await expect(openOnnxFolder(hard)).rejects.toMatchObject({ code: 'onnx.link' });
    const inside = join(folder.path, 'inside');
    await mkdir(join(inside, 'weights'), { recursive: true });
    await writeExternal(inside, 'bert-opset14', 'weights');
    await expect(openOnnxFolder(inside)).rejects.toMatchObject({ code: 'onnx.link' });
    const short = join(folder.path, 'short');
    await mkdir(short);
    await writeExternal(short, 'bert-opset14');
    await writeFile(join(short, WEIGHTS), (await readFile(join(short, WEIGHTS))).subarray(0, 4000));
    await expect(openOnnxFolder(short)).rejects.toMatchObject({ code: 'backbone.truncated' });
  });

  it('a model with an operator set of 18 to 22 is read as well', async () => {
    for (const opset of [14, 18, 20, 22]) {
      await using folder = await temporaryFolder();
      expect((await openOnnxFolder(await folderWith(folder.path, modelBytes({ nodes: [LOOK_UP], tensors: [TABLE], opset })))).width).toBe(2);
    }
  });
});
