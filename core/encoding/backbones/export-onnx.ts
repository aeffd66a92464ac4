/** What is a transformer as an ONNX file that other programs run? A graph over padded texts with its weights inside. */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createGraphBuilder, type Value } from '../../graph/builder.ts';
import type { Graph } from '../../graph/graph.ts';
import { encodeModelParts, type ExternalPlace } from '../../graph/protobuf/encode.ts';
import { DENSE, maskedLanguageModelParameters, paddedEmbeddings, paddedTransformerStates, transformerParameters } from '../../modules/index.ts';
import { InvariantError } from '../../base/errors.ts';
import { bytesOf, tensorOf } from '../../tensor/tensor.ts';
import type { TransformerBackbone } from '../backbone.ts';
import { writeAll } from './safetensors.ts';

/** Where transformers.js looks, and what it calls the file of the weights when they do not fit into the first. */
const ONNX_FOLDER = 'onnx';
const ONNX_FILE = 'model.onnx';
const DATA_FILE = 'model.onnx_data';
/** Protobuf messages hold 2 GB at most; from here on weights lie beside the graph. */
const LARGEST_WHOLE_BYTES = 1_900_000_000;

/**
 * The graph: input_ids, attention_mask and (families with token types, but for roberta's) token_type_ids, all int64 [B, L];
 * last_hidden_state float32 [B, L, H] after the pooled layer, sentence_embedding float32 [B, O] as `pooling` says.
 * Operator set 20; the weights have their canonical names.
 */
export function exportGraph({ shape, parameters, pooling }: Pick<TransformerBackbone, 'shape' | 'parameters' | 'pooling'>): Graph {
  const g = createGraphBuilder('isogloss-encoder');
  const tokens = g.input('input_ids', 'int64', ['B', 'L']);
  const mask = g.cast(g.input('attention_mask', 'int64', ['B', 'L']), 'bool');
  const types = shape.tokenTypes > 1 && shape.positionOffset === 0 ? g.input('token_type_ids', 'int64', ['B', 'L']) : null;
  const weights = new Map<string, Value>();
  const weigh = (name: string, size: readonly number[], values: Float32Array | undefined): void => {
    if (values === undefined) throw new InvariantError('backbone.missing-parameter', `The parameter "${name}" is missing.`);
    weights.set(name, g.initializer(name, tensorOf('float32', size, values)));
  };
  const head = new Set(maskedLanguageModelParameters(shape).map(({ name }) => name));
  for (const { name, shape: size, layer } of transformerParameters(shape)) if (!head.has(name) && (layer === null || layer < pooling.layer)) weigh(name, size, parameters.get(name));
  const { dense } = pooling;
  if (dense !== null) {
    weigh(DENSE.weight, [dense.bias.length, dense.weight.length / dense.bias.length], dense.weight);
    weigh(DENSE.bias, [dense.bias.length], dense.bias);
  }
  const states = paddedTransformerStates(g, { shape, tokens, mask, types, parameters: weights, layers: pooling.layer }); // [B, L, H]
  const embedding = paddedEmbeddings(g, { states, mask, parameters: weights, pooling: { layers: pooling.layer, mode: pooling.mode, dense: dense?.activation ?? null, normalise: pooling.normalise } }); // [B, O]
  return g.build({ last_hidden_state: states, sentence_embedding: embedding });
}

/** Writes onnx/model.onnx (and onnx/model.onnx_data when the weights are beyond 1.9 GB) into a model's folder. */
export async function writeOnnxFiles(folder: string, backbone: TransformerBackbone, largestWholeBytes = LARGEST_WHOLE_BYTES): Promise<void> {
  const graph = exportGraph(backbone);
  const place = join(folder, ONNX_FOLDER);
  await mkdir(place, { recursive: true });
  const external = new Map<string, ExternalPlace>();
  const all = [...graph.initializers];
  if (all.reduce((sum, [, tensor]) => sum + tensor.data.byteLength, 0) > largestWholeBytes) {
    await using data = await open(join(place, DATA_FILE), 'w');
    let offset = 0;
    for (const [value, tensor] of all) {
      external.set(value.name, { location: DATA_FILE, offset });
      await writeAll(data, bytesOf(tensor));
      offset += tensor.data.byteLength;
    }
  }
  await using file = await open(join(place, ONNX_FILE), 'w');
  for (const part of encodeModelParts(graph, external)) await writeAll(file, part);
}
