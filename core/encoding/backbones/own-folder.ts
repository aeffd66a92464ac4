/** How does Isogloss keep a backbone for itself? In the layouts that others read, with one small file for what those cannot say. */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../base/errors.ts';
import { encodeModelParts } from '../../graph/protobuf/encode.ts';
import type { Backbone, OnnxBackbone, PoolingDense } from '../backbone.ts';
import { readFolderBytes, readFolderJson } from './folder-files.ts';
import { readFolderTokenizer } from './folder-tokenizer.ts';
import { decodeTrainable, withParameters } from './onnx-graph.ts';
import { openTransformerFolder } from './open-backbone.ts';
import { openSafetensors, readTensor, writeAll, writeSafetensors } from './safetensors.ts';
import { fillTransformerFolder } from './write-backbone.ts';

const FACTS_FILE = 'isogloss-backbone.json';
const ONNX_FILE = 'model.onnx';
const DENSE_FILE = 'dense.safetensors';

const poolingSchema = z.object({ mode: z.enum(['cls', 'mean']), layer: z.int().min(0), normalise: z.boolean(), denseActivation: z.enum(['identity', 'tanh']).nullable() });
const commonFields = { pooling: poolingSchema, prefixes: z.object({ query: z.string(), document: z.string() }), maxTokens: z.int().positive() };
const factsSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('transformer'), ...commonFields }),
  z.object({ kind: z.literal('onnx'), ...commonFields, output: z.enum(['last_hidden_state', 'sentence_embedding']), width: z.int().positive(), sha256: z.string(), licence: z.string().nullable() }),
]);

type Facts = z.infer<typeof factsSchema>;

/** Writes a backbone of either kind into an existing folder, whole: also layers above the pooled one. */
export async function fillBackboneFolder(folder: string, backbone: Backbone): Promise<void> {
  const { pooling, prefixes, maxTokens } = backbone;
  const common = { pooling: { mode: pooling.mode, layer: pooling.layer, normalise: pooling.normalise, denseActivation: pooling.dense?.activation ?? null }, prefixes, maxTokens };
  if (backbone.kind === 'transformer') {
    await fillTransformerFolder(folder, backbone);
    return writeFacts(folder, { kind: 'transformer', ...common });
  }
  for (const [name, bytes] of backbone.tokenizer.files) await writeFile(join(folder, name), bytes);
  await writeOnnx(join(folder, ONNX_FILE), backbone);
  if (pooling.dense !== null) await writeDense(folder, pooling.dense);
  return writeFacts(folder, { kind: 'onnx', ...common, output: backbone.output, width: backbone.width, sha256: backbone.sha256, licence: backbone.licence });
}

/** Reads what `fillBackboneFolder` wrote. @throws InputError as the readers of the parts; 'backbone.wrong-config'. */
export async function openOwnBackbone(folder: string, kind: Backbone['kind']): Promise<Backbone> {
  const parsed = factsSchema.safeParse(await readFolderJson(folder, FACTS_FILE));
  if (!parsed.success || parsed.data.kind !== kind) throw new InputError('backbone.wrong-config', `${join(folder, FACTS_FILE)}: expected the facts of a backbone of kind ${kind}, found something else.`, { data: { path: folder } });
  const facts = parsed.data;
  const { mode, layer, normalise, denseActivation } = facts.pooling;
  const { prefixes, maxTokens } = facts;
  if (facts.kind === 'transformer') {
    const backbone = await openTransformerFolder(folder);
    return { ...backbone, pooling: { ...backbone.pooling, layer }, prefixes, maxTokens };
  }
  const bytes = await readOnnx(folder);
  const { graph, parameters } = decodeTrainable(bytes, facts.output);
  const dense = denseActivation === null ? null : await readDense(folder, denseActivation);
  return { kind: 'onnx', graph, parameters, output: facts.output, width: facts.width, sha256: facts.sha256, licence: facts.licence, tokenizer: await readFolderTokenizer(folder), pooling: { mode, layer, dense, normalise }, prefixes, maxTokens };
}

async function readOnnx(folder: string): Promise<Uint8Array> {
  await using file = await open(join(folder, ONNX_FILE), 'r');
  return new Uint8Array(await file.readFile());
}

/** Writes the graph with its parameters as weights, tensor by tensor, so that they are never held twice. */
export async function writeOnnx(path: string, backbone: OnnxBackbone): Promise<void> {
  await using file = await open(path, 'w');
  for (const part of encodeModelParts(withParameters(backbone))) await writeAll(file, part);
}

async function writeFacts(folder: string, facts: Facts): Promise<void> {
  await writeFile(join(folder, FACTS_FILE), `${JSON.stringify(facts, null, 2)}\n`);
}

async function writeDense(folder: string, { weight, bias }: PoolingDense): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeSafetensors(join(folder, DENSE_FILE), [{ name: 'linear.weight', shape: [bias.length, weight.length / bias.length], values: weight }, { name: 'linear.bias', shape: [bias.length], values: bias }]);
}

async function readDense(folder: string, activation: PoolingDense['activation']): Promise<PoolingDense> {
  const file = await openSafetensors(join(folder, DENSE_FILE));
  return { weight: await readTensor(file, 'linear.weight'), bias: await readTensor(file, 'linear.bias'), activation };
}

/** Whether a folder was written by `fillBackboneFolder`. */
export async function isOwnFolder(folder: string): Promise<boolean> {
  return (await readFolderBytes(folder, FACTS_FILE)) !== null;
}
