/** Which encoder stands in a folder, whoever made it? A model of Isogloss, or a backbone from elsewhere with the weights it came with. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../base/errors.ts';
import { sha256 } from '../base/hashing.ts';
import { createBackboneEncoder } from './backbone-encoder.ts';
import type { BackboneModel } from './backbone-model-folder.ts';
import type { Backbone } from './backbone.ts';
import { openBackbone } from './backbones/open-backbone.ts';
import type { Encoder } from './encoder.ts';
import { MANIFEST_FILE } from './model-folder.ts';
import { openEncoder } from './open-encoder.ts';

/** What of a backbone's pooling is replaced; the rest is its own. */
export type PoolingChoice = { readonly mode?: 'cls' | 'mean' | undefined; readonly layer?: number | undefined };

/** Opens either for encoding, untouched: a baseline, or a teacher. @throws as `openEncoder` and `openBackbone`; InputError 'backbone.no-such-layer'. */
export async function openAsItIs(folder: string, options: { readonly threads?: number; readonly pooling?: PoolingChoice } = {}): Promise<Encoder> {
  if ((await stat(join(folder, MANIFEST_FILE)).catch(() => null)) !== null) return openEncoder(folder, options);
  return createBackboneEncoder(modelAsItIs(pooledAs(await openBackbone(folder), options.pooling ?? {})), { modelId: sha256(folder), ...(options.threads === undefined ? {} : { threads: options.threads }) });
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
