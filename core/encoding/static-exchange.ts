/** How does a static model go out to other programs? As sentence-transformers' StaticEmbedding, and as an ONNX file. */
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFolderAtomic } from '../base/atomic-files.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import type { Graph } from '../graph/graph.ts';
import { encodeModelParts } from '../graph/protobuf/encode.ts';
import { tensorOf } from '../tensor/tensor.ts';
import { writeAll, writeSafetensors } from './backbones/safetensors.ts';
import { UNKNOWN_LICENCE } from './backbones/sentence-transformers.ts';
import type { StaticModel } from './model-folder.ts';

export type StaticExchangeOptions = {
  readonly formats: readonly ('safetensors' | 'onnx')[];
  /** For the card; left out: unknown. */
  readonly licence?: string;
  readonly title?: string;
  /** Lines for the end of the card: what the model was made of. */
  readonly notes?: readonly string[];
};

const ONNX_FOLDER = 'onnx';
const ONNX_FILE = 'model.onnx';
const EMBEDDING_FOLDER = '0_StaticEmbedding';
const DENSE_FOLDER = '2_Dense';

/**
 * Writes a folder that sentence-transformers loads (modules.json: StaticEmbedding, Normalize, Dense, Normalize), with onnx/model.onnx when
 * asked for. The vectors are those of search; those of sentence pairs are what stands after the first Normalize.
 *   StaticEmbedding: mean of rows w_t v_t (the division is undone by Normalize);   Dense: y = x diag(scale) − mean scale
 * What Isogloss adds in search (windows of long documents, letters, translated words) has no place in these layouts and stays here.
 * @throws EnvironmentError 'disk.full', 'disk.no-permission'.
 */
export async function writeStaticFolder(folder: string, model: StaticModel, options: StaticExchangeOptions): Promise<void> {
  const { formats } = options;
  await writeFolderAtomic(folder, async (temporary) => {
    const put = async (path: string, content: string): Promise<void> => writeFile(join(temporary, path), content);
    await put('README.md', cardOf(model, options));
    if (formats.includes('safetensors')) {
      for (const name of [EMBEDDING_FOLDER, '1_Normalize', DENSE_FOLDER, '3_Normalize']) await mkdir(join(temporary, name));
      await put('modules.json', json(['StaticEmbedding', 'Normalize', 'Dense', 'Normalize'].map((name, idx) => ({ idx, name: String(idx), path: `${String(idx)}_${name}`, type: `sentence_transformers.models.${name}` }))));
      await put('config_sentence_transformers.json', json({ prompts: {}, default_prompt_name: null, similarity_fn_name: 'cosine' }));
      await put(`${EMBEDDING_FOLDER}/tokenizer.json`, JSON.stringify(model.tokenizer));
      await writeSafetensors(join(temporary, EMBEDDING_FOLDER, 'model.safetensors'), [{ name: 'embedding.weight', shape: [model.weights.length, model.width], values: weightedRows(model) }]);
      await put(`${DENSE_FOLDER}/config.json`, json({ in_features: model.width, out_features: model.width, bias: true, activation_function: 'torch.nn.modules.linear.Identity' }));
      await writeSafetensors(join(temporary, DENSE_FOLDER, 'model.safetensors'), whiteningLayer(model));
    }
    if (formats.includes('onnx')) {
      await mkdir(join(temporary, ONNX_FOLDER));
      await put(`${ONNX_FOLDER}/tokenizer.json`, JSON.stringify(model.tokenizer));
      await using file = await open(join(temporary, ONNX_FOLDER, ONNX_FILE), 'w');
      for (const part of encodeModelParts(staticExchangeGraph(model))) await writeAll(file, part);
    }
  });
}

/**
 * The graph: input_ids and attention_mask int64 [B, L] (ids of tokenizer.json without special tokens; the mask 1 for a token, 0 for padding);
 * sentence_embedding float32 [B, H] for search, pair_embedding float32 [B, H] for comparing a sentence with its translation.
 * Both of length 1; all zeros for a text without tokens. Operator set 20.
 */
export function staticExchangeGraph(model: StaticModel): Graph {
  const { width, weights, mean, scale } = model;
  const g = createGraphBuilder('isogloss-static-encoder');
  const ids = g.input('input_ids', 'int64', ['B', 'L']);
  const mask = g.unsqueeze(g.cast(g.input('attention_mask', 'int64', ['B', 'L']), 'float32'), [2]); // [B, L, 1]
  const rows = g.initializer('embedding.weight', tensorOf('float32', [weights.length, width], weightedRows(model)));
  const bag = g.reduceSum(g.mul(g.gather(rows, ids), mask), { axis: 1 }); // [B, H]
  const pair = g.l2Normalise(bag, { axis: 1 }); // [B, H]
  const centre = g.initializer('whitening.mean', tensorOf('float32', [width], mean));
  const factor = g.initializer('whitening.scale', tensorOf('float32', [width], scale));
  const isText = g.reduceSum(g.mul(pair, pair), { axis: 1, keepDims: true }); // [B, 1]: 1, or 0 for a text without tokens
  const search = g.l2Normalise(g.mul(g.mul(g.sub(pair, centre), factor), isText), { axis: 1 }); // [B, H]
  return g.build({ sentence_embedding: search, pair_embedding: pair });
}

/** w_t v_t: float32 [V, H]. */
function weightedRows({ table, weights, width }: StaticModel): Float32Array {
  return table.map((value, i) => value * (weights[Math.floor(i / width)] ?? 0));
}

/** (x − mean) scale as a linear layer: weight float32 [H, H], bias float32 [H]. */
function whiteningLayer({ width, mean, scale }: StaticModel): { readonly name: string; readonly shape: readonly number[]; readonly values: Float32Array }[] {
  const weight = new Float32Array(width * width);
  for (let h = 0; h < width; h += 1) weight[h * width + h] = scale[h] ?? 0;
  return [{ name: 'linear.weight', shape: [width, width], values: weight }, { name: 'linear.bias', shape: [width], values: mean.map((value, h) => -value * (scale[h] ?? 0)) }];
}

function cardOf({ width, weights, languages }: StaticModel, { formats, licence, title, notes = [] }: StaticExchangeOptions): string {
  const python = formats.includes('safetensors')
    ? ['```python', 'from sentence_transformers import SentenceTransformer', 'model = SentenceTransformer("this-folder")', 'model.encode(["Maji hutoka wapi?"])  # for search', 'SentenceTransformer(modules=list(model)[:2]).encode(["Maji hutoka wapi?"])  # for comparing a sentence with its translation', '```', '']
    : [];
  const onnx = formats.includes('onnx')
    ? ['`onnx/model.onnx` reads `input_ids` and `attention_mask` (int64 [texts, tokens]; ids of `tokenizer.json` without special tokens, the mask 0 for padding) and gives `sentence_embedding` (search) and `pair_embedding` (sentence and translation), both of length 1.', '']
    : [];
  return [
    '---', `license: ${licence ?? UNKNOWN_LICENCE}`, 'library_name: sentence-transformers', 'pipeline_tag: sentence-similarity', 'language:', ...languages.map(({ tag }) => `- ${tag}`), 'tags:', '- sentence-transformers', '- cross-lingual-retrieval', '- isogloss', '---', '',
    `# ${title ?? 'Isogloss retriever'}`, '',
    `Trained with Isogloss. A static encoder: ${String(weights.length)} pieces, each with a weight and a vector of ${String(width)} numbers; a text is their weighted sum, brought to length 1, centred and scaled along the principal axes, brought to length 1 again.`, '',
    ...python, ...onnx,
    'These are the vectors alone. In Isogloss a search also compares windows of long documents, letters, and translated words; other programs will not find quite the same. A text without known pieces has the vector 0 in Isogloss and in the ONNX file, and a vector that means nothing in sentence-transformers.', '',
    ...notes, '',
  ].join('\n');
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
