/** Do the written graph, PyTorch and our own packed encoder agree, in values and in gradients? */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../../test/reference/compare.ts';
import { vectorJacobianProduct } from '../../autodiff/backward.ts';
import { createGraphBuilder, type Value } from '../../graph/builder.ts';
import { checkGraph } from '../../graph/check.ts';
import { evaluateGraph, type Feed } from '../../graph/evaluate.ts';
import { inlineGraph } from '../../graph/inline.ts';
import { decodeModel } from '../../graph/protobuf/decode.ts';
import { encodeModel } from '../../graph/protobuf/encode.ts';
import { createSession } from '../../runtime/session.ts';
import { numbersOf, tensorFrom } from '../../tensor/tensor.ts';
import { createBackboneEncoder } from '../backbone-encoder.ts';
import { exportGraph, writeOnnxFiles } from './export-onnx.ts';
import { liftParameters } from './onnx-graph.ts';
import { openTransformerFolder } from './open-backbone.ts';
import { openSafetensors, readTensor } from './safetensors.ts';
import { fixtureFolder, layouts, temporaryFolder } from './test-backbones.ts';
import { exportOnnx } from './write-backbone.ts';

const PYTORCH_TOLERANCE = 1e-5;
const OWN_TOLERANCE = 1e-4;
const TEXTS = ['Maji hutoka wapi?', 'The women carried water from the river.', 'water', 'लड़का लड़के से', 'ΟΔΟΣ 水'];

type Reference = { readonly feed: (name: string) => Promise<Feed>; readonly names: readonly string[]; readonly ids: Feed; readonly mask: Feed };

async function referenceOf(name: (typeof layouts)[number]): Promise<Reference> {
  const path = `${fixtureFolder(name)}.reference.safetensors`;
  const file = await openSafetensors(path);
  const bytes = await readFile(path);
  const whole = (key: string): Feed => {
    const { start = 0, end = 0, shape = [] } = file.tensors.get(key) ?? {};
    return { shape, data: Float64Array.from(new BigInt64Array(Uint8Array.from(bytes.subarray(start, end)).buffer), Number) };
  };
  return { names: [...file.tensors.keys()], ids: whole('ids'), mask: whole('mask'), feed: async (key) => ({ shape: file.tensors.get(key)?.shape ?? [], data: await readTensor(file, key) }) };
}

const plain = ({ shape, data }: Feed): { readonly shape: readonly number[]; readonly data: readonly number[] } => ({ shape, data: Array.from(data) });

describe.each(layouts)('%s', (name) => {
  it('gives PyTorch\'s states and vectors', async () => {
    const backbone = await openTransformerFolder(fixtureFolder(name));
    const reference = await referenceOf(name);
    const graph = exportGraph(backbone);
    checkGraph(graph);
    const found = evaluateGraph(graph, { input_ids: reference.ids, attention_mask: reference.mask, token_type_ids: { shape: reference.ids.shape, data: Array.from(reference.ids.data, () => 0) } });
    expectClose(found['sentence_embedding'], plain(await reference.feed('embedding')), 'embedding', PYTORCH_TOLERANCE);
    const inner = evaluateGraph(exportGraph({ ...backbone, pooling: { ...backbone.pooling, layer: 1 } }), { input_ids: reference.ids, attention_mask: reference.mask, token_type_ids: { shape: reference.ids.shape, data: Array.from(reference.ids.data, () => 0) } });
    const width = backbone.shape.width;
    for (const [states, key] of [[found['last_hidden_state'], 'hidden.2'], [inner['last_hidden_state'], 'hidden.1']] as const) {
      const expected = await reference.feed(key);
      const real = (data: ArrayLike<number>): number[] => Array.from(data).filter((_, i) => (reference.mask.data[Math.floor(i / width)] ?? 0) === 1);
      expectClose({ shape: [10 * width], data: real(states?.data ?? []) }, { shape: [10 * width], data: real(expected.data) }, key, PYTORCH_TOLERANCE);
    }
  });

  it('gets PyTorch\'s gradient of every weight once its weights are lifted to inputs', async () => {
    const backbone = await openTransformerFolder(fixtureFolder(name));
    const reference = await referenceOf(name);
    const { graph, parameters } = liftParameters(decodeModel(encodeModel(exportGraph(backbone))), 'sentence_embedding');
    const g = createGraphBuilder('trainable');
    const bindings = Object.fromEntries(graph.inputs.map((input) => [input.name, g.input(input.name, input.dtype, input.shape)]));
    const { sentence_embedding: embedding } = inlineGraph(g, graph, bindings);
    if (embedding === undefined) throw new Error('No output.');
    const wrt = [...parameters.keys()].map((key) => bindings[key]).filter((value): value is Value => value !== undefined);
    const gradients = vectorJacobianProduct(g, { outputs: [{ value: embedding, outputGrad: g.input('weights', 'float32', embedding.shape) }], wrt });
    const built = g.build(Object.fromEntries([...gradients].map(([weight, gradient]) => [`gradient.${weight.name}`, gradient])));
    checkGraph(built);
    const weights = Object.fromEntries(graph.inputs.flatMap(({ name: key, shape }) => {
      const data = parameters.get(key);
      return data === undefined ? [] : [[key, { shape: shape.map(Number), data }] as const];
    }));
    const found = evaluateGraph(built, { ...weights, input_ids: reference.ids, attention_mask: reference.mask, token_type_ids: { shape: reference.ids.shape, data: Array.from(reference.ids.data, () => 0) }, weights: await reference.feed('weights') });
    const compared = reference.names.filter((key) => key.startsWith('gradient.'));
    expect(compared.length).toBeGreaterThanOrEqual(36);
    for (const key of compared) expectClose(found[key], plain(await reference.feed(key)), key, PYTORCH_TOLERANCE);
  });

  it('is in onnxruntime, from the written file, what our own packed encoder gives', async () => {
    await using folder = await temporaryFolder();
    const backbone = await openTransformerFolder(fixtureFolder(name));
    await exportOnnx(join(folder.path, 'out'), backbone);
    await using session = await createSession(await readFile(join(folder.path, 'out', 'onnx', 'model.onnx')), { threads: 1 });
    const encoder = createBackboneEncoder({ backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} }, { modelId: 'test', threads: 1 });
    const own = await encoder.encode(TEXTS, 'query');
    const ids = TEXTS.map((text) => backbone.tokenizer.encode(backbone.prefixes.query + text, backbone.maxTokens));
    const longest = Math.max(...ids.map(({ length }) => length));
    const padded = (value: (row: Uint32Array, i: number) => number) => tensorFrom('int64', [ids.length, longest], ids.flatMap((row) => Array.from({ length: longest }, (_, i) => value(row, i))));
    const feeds = { input_ids: padded((row, i) => row[i] ?? backbone.tokenizer.ids.pad), attention_mask: padded((row, i) => (i < row.length ? 1 : 0)), token_type_ids: padded(() => 0) };
    const named = exportGraph(backbone).inputs.map((input) => input.name);
    const output = (await session.run(Object.fromEntries(Object.entries(feeds).filter(([key]) => named.includes(key)))))['sentence_embedding'];
    expect(own.length).toBe(TEXTS.length * encoder.width);
    const unit = output === undefined ? [] : unitRows(numbersOf(output), encoder.width);
    expectClose({ shape: [TEXTS.length, encoder.width], data: unit }, { shape: [TEXTS.length, encoder.width], data: unitRows(Float64Array.from(own), encoder.width) }, 'vectors', OWN_TOLERANCE);
  });
});

function unitRows(rows: Float64Array, width: number): number[] {
  return Array.from(rows, (value, i) => {
    const start = width * Math.floor(i / width);
    return value / Math.hypot(...rows.subarray(start, start + width));
  });
}

describe('a large export', () => {
  it('puts its weights beside the graph, and is the same model', async () => {
    await using folder = await temporaryFolder();
    const backbone = await openTransformerFolder(fixtureFolder('bert'));
    await writeOnnxFiles(folder.path, backbone, 1000);
    const place = join(folder.path, 'onnx');
    const data = await readFile(join(place, 'model.onnx_data'));
    expect((await stat(join(place, 'model.onnx'))).size).toBeLessThan(data.length);
    const graph = decodeModel(await readFile(join(place, 'model.onnx')), ({ location, offset, neededBytes }) => {
      expect(location).toBe('model.onnx_data');
      return data.subarray(offset, offset + neededBytes);
    });
    expect(encodeModel(graph).length).toBe(encodeModel(decodeModel(encodeModel(exportGraph(backbone)))).length);
    expect([...graph.initializers].find(([value]) => value.name === 'embeddings.token')?.[1].data).toEqual(backbone.parameters.get('embeddings.token'));
  });
});
