/** Which encoder stands in a folder, whoever made it? A model of Isogloss, or a backbone from elsewhere with the weights it came with. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../base/errors.ts';
import { sha256 } from '../base/hashing.ts';
import { createBackboneEncoder } from './backbone-encoder.ts';
import { readBackboneModelFolder, type BackboneModel } from './backbone-model-folder.ts';
import type { Backbone } from './backbone.ts';
import { openBackbone } from './backbones/open-backbone.ts';
import type { Encoder } from './encoder.ts';
import { MANIFEST_FILE } from './model-folder.ts';
import { openEncoder } from './open-encoder.ts';

/** What of a backbone's pooling is replaced; the rest is its own. */
export type PoolingChoice = { readonly mode?: 'cls' | 'mean' | undefined; readonly layer?: number | undefined };

/** Opens either for encoding, untouched but for its pooling: a baseline, or a teacher. @throws as `openEncoder` and `openBackbone`; InputError 'backbone.no-such-layer', 'model.other-kind'. */
export async function openAsItIs(folder: string, options: { readonly threads?: number; readonly pooling?: PoolingChoice } = {}): Promise<Encoder> {
  const { pooling, ...rest } = options;
  if (pooling === undefined && (await isModelFolder(folder))) return openEncoder(folder, rest);
  const model = await modelIn(folder);
  const pooled = pooling === undefined ? model : { ...model, backbone: pooledAs(model.backbone, pooling), queryBackbone: model.queryBackbone === null ? null : pooledAs(model.queryBackbone, pooling) };
  return createBackboneEncoder(pooled, { modelId: sha256(folder + JSON.stringify(pooling ?? {})), ...rest });
}

/** How many layers there are to choose from: of the transformer in a folder, whoever made it; of an ONNX graph only the one it gives. @throws as `openAsItIs`. */
export async function layersOf(folder: string): Promise<number> {
  const { backbone } = await modelIn(folder);
  return backbone.kind === 'transformer' ? backbone.shape.layers : backbone.pooling.layer;
}

async function modelIn(folder: string): Promise<BackboneModel> {
  return (await isModelFolder(folder)) ? (await readBackboneModelFolder(folder)).model : modelAsItIs(await openBackbone(folder));
}

async function isModelFolder(folder: string): Promise<boolean> {
  return (await stat(join(folder, MANIFEST_FILE)).catch(() => null)) !== null; // no manifest: from elsewhere
}

/** A model around a backbone that was trained by others and by nobody here. */
export function modelAsItIs(backbone: Backbone): BackboneModel {
  return { backbone, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} };
}

/**
 * The backbone pooled otherwise; a dense map after pooling belongs to the pooling it was trained with, and goes when that is replaced.
 * @throws InputError 'backbone.no-such-layer'.
 */
export function pooledAs<B extends Backbone>(backbone: B, { mode, layer }: PoolingChoice): B {
  const { pooling } = backbone;
  if ((mode ?? pooling.mode) === pooling.mode && (layer ?? pooling.layer) === pooling.layer) return backbone;
  const most = backbone.kind === 'transformer' ? backbone.shape.layers : pooling.layer;
  if (layer !== undefined && (layer > most || (backbone.kind === 'onnx' && layer !== pooling.layer))) {
    throw new InputError('backbone.no-such-layer', `Expected a layer from 0 (the embeddings) to ${most} of this backbone, found ${layer}.${backbone.kind === 'onnx' ? ' An ONNX graph gives one layer only: choose the Hugging Face folder of the same model.' : ''}`, { data: { layer } });
  }
  return { ...backbone, pooling: { ...pooling, mode: mode ?? pooling.mode, layer: layer ?? pooling.layer, dense: null } };
}
