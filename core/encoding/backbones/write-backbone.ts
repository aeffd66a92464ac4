/** How does a backbone become a folder that sentence-transformers, transformers and transformers.js load? */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFolderAtomic } from '../../base/atomic-files.ts';
import { InputError, InvariantError } from '../../base/errors.ts';
import type { TransformerBackbone } from '../backbone.ts';
import { writeOnnxFiles } from './export-onnx.ts';
import { families, familyOfShape, headNames, tensorNames, writeConfig } from './families.ts';
import { writeModelCard } from './model-card.ts';
import { writeSafetensors, type StoredTensor } from './safetensors.ts';
import { writeSurroundings } from './sentence-transformers.ts';

export type WriteBackboneOptions = {
  /** What the weights are written as: model.safetensors (the default), onnx/model.onnx, or both. */
  readonly formats?: readonly ('safetensors' | 'onnx')[];
  /** 'F16' halves the file; numbers are rounded to 11 bits. */
  readonly dtype?: 'F32' | 'F16';
  /** For the model card; default: that of the model it came from. */
  readonly licence?: string;
  readonly title?: string;
  /** BCP 47. */
  readonly languages?: readonly string[];
};

/**
 * Writes a transformer as a Hugging Face and sentence-transformers folder, atomically: config.json, model.safetensors, tokenizer files,
 * modules.json with pooling (dense, normalisation), prompts, and a model card. Layers above the pooled one, which that layout cannot
 * name, are left out.
 * @throws InputError 'backbone.unsupported' for pooling of the embeddings themselves; 'backbone.too-large-for-float16';
 *         EnvironmentError 'disk.full', 'disk.no-permission'.
 */
export async function writeBackboneFolder(folder: string, backbone: TransformerBackbone, options: WriteBackboneOptions = {}): Promise<void> {
  const used = withoutUnusedLayers(backbone);
  await writeFolderAtomic(folder, (temporary) => fillTransformerFolder(temporary, used, options));
}

/** Writes the layout of transformers.js: as `writeBackboneFolder`, with onnx/model.onnx instead of model.safetensors. */
export async function exportOnnx(folder: string, backbone: TransformerBackbone, options: Omit<WriteBackboneOptions, 'formats' | 'dtype'> = {}): Promise<void> {
  await writeBackboneFolder(folder, backbone, { ...options, formats: ['onnx'] });
}

/** The same model with the pooled layer as its last; the head of masked language modelling goes with the layers above. */
export function withoutUnusedLayers(backbone: TransformerBackbone): TransformerBackbone {
  const { shape, pooling, parameters } = backbone;
  if (pooling.layer === shape.layers) return backbone;
  if (pooling.layer < 1) throw new InputError('backbone.unsupported', 'This model takes its vectors from the embeddings, below the first layer; no exchange layout can say that. Pool a layer from 1 on.');
  const isUsed = (name: string): boolean => !name.startsWith('mlm.') && Number(/^layer\.(\d+)\./.exec(name)?.[1] ?? -1) < pooling.layer;
  const origin = backbone.origin === null ? null : { ...backbone.origin, kept: new Map() };
  return { ...backbone, shape: { ...shape, layers: pooling.layer }, parameters: new Map([...parameters].filter(([name]) => isUsed(name))), origin };
}

/** Writes into a folder that exists already, whatever layer is pooled. */
export async function fillTransformerFolder(folder: string, backbone: TransformerBackbone, options: WriteBackboneOptions = {}): Promise<void> {
  const { shape, pooling, origin } = backbone;
  const family = origin?.family ?? familyOfShape(shape);
  const hasHead = backbone.parameters.has('mlm.bias');
  const specials = { bos_token_id: backbone.tokenizer.ids.cls, eos_token_id: backbone.tokenizer.ids.sep };
  const config = writeConfig({ shape, family, base: origin?.config ?? {}, hasHead, specials });
  const tokenizerFiles = completedTokenizerFiles(backbone, families[family].tokenizerClass);
  const texts = new Map<string, string | Uint8Array>([
    ['config.json', `${JSON.stringify(config, null, 2)}\n`],
    ...tokenizerFiles,
    ...writeSurroundings({ width: shape.width, pooling, prefixes: backbone.prefixes, maxTokens: backbone.maxTokens, lowercases: false }),
    ['README.md', writeModelCard({ backbone, family, ...options })],
  ]);
  for (const [name, content] of texts) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const { formats = ['safetensors'] } = options;
  if (formats.includes('safetensors')) await writeSafetensors(join(folder, 'model.safetensors'), storedTensors(backbone, hasHead), options.dtype ?? 'F32');
  if (formats.includes('onnx')) await writeOnnxFiles(folder, backbone);
  const { dense } = pooling;
  if (dense !== null) await writeSafetensors(join(folder, '2_Dense', 'model.safetensors'), [{ name: 'linear.weight', shape: [dense.bias.length, dense.weight.length / dense.bias.length], values: dense.weight }, { name: 'linear.bias', shape: [dense.bias.length], values: dense.bias }], options.dtype ?? 'F32');
}

/** Every tensor under the name that the family's programs look for. */
function storedTensors({ shape, parameters, origin }: TransformerBackbone, hasHead: boolean): readonly StoredTensor[] {
  const family = origin?.family ?? familyOfShape(shape);
  const prefix = hasHead ? families[family].prefix : '';
  const values = (canonical: string): Float32Array => {
    const found = parameters.get(canonical);
    if (found === undefined) throw new InvariantError('backbone.missing-parameter', `The parameter "${canonical}" is missing.`);
    return found;
  };
  return [
    ...[...tensorNames(shape, family)].map(([canonical, tensor]) => ({ name: prefix + tensor.name, shape: tensor.shape, values: values(canonical) })),
    ...[...(origin?.kept ?? [])].map(([name, tensor]) => ({ name: prefix + name, ...tensor })),
    ...(hasHead ? [...headNames(shape, family)].map(([canonical, tensor]) => ({ ...tensor, values: values(canonical) })) : []),
  ];
}

/** The tokenizer's own files, with the two small ones that transformers asks for when they are missing. */
function completedTokenizerFiles({ tokenizer, maxTokens }: TransformerBackbone, tokenizerClass: string): ReadonlyMap<string, Uint8Array | string> {
  const files = new Map<string, Uint8Array | string>(tokenizer.files);
  const named = namedPieces(tokenizer.files.get('tokenizer.json'), tokenizer.ids);
  if (!files.has('tokenizer_config.json')) files.set('tokenizer_config.json', `${JSON.stringify({ tokenizer_class: 'PreTrainedTokenizerFast', isogloss_family: tokenizerClass, model_max_length: maxTokens, clean_up_tokenization_spaces: false, ...named }, null, 2)}\n`);
  if (!files.has('special_tokens_map.json')) files.set('special_tokens_map.json', `${JSON.stringify(named, null, 2)}\n`);
  return files;
}

/** The texts of the special ids, found among the added tokens. */
function namedPieces(bytes: Uint8Array | undefined, ids: TransformerBackbone['tokenizer']['ids']): Readonly<Record<string, string>> {
  const { added_tokens: added } = JSON.parse(Buffer.from(bytes ?? Buffer.from('{}')).toString('utf8')) as { readonly added_tokens?: readonly { readonly id: number; readonly content: string }[] }; // boundary: a tokenizer.json that readPretrainedTokenizer accepted
  const text = (id: number | null): string | undefined => added?.find((token) => token.id === id)?.content;
  const rows = [['cls_token', text(ids.cls)], ['sep_token', text(ids.sep)], ['pad_token', text(ids.pad)], ['unk_token', text(ids.unknown)], ['mask_token', text(ids.mask)], ['bos_token', text(ids.cls)], ['eos_token', text(ids.sep)]] as const;
  return Object.fromEntries(rows.flatMap(([name, piece]) => (piece === undefined ? [] : [[name, piece]])));
}
