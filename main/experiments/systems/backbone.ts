/** Pretrained weights as they came, as a row; a trained model pooled in another way. */
import { createBackboneEncoder } from '../../../core/encoding/backbone-encoder.ts';
import { readBackboneModelFolder } from '../../../core/encoding/backbone-model-folder.ts';
import type { Encoder } from '../../../core/encoding/encoder.ts';
import { openAsItIs } from '../../../core/encoding/open-as-it-is.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { oneEncoder, type System, type SystemContext } from '../system.ts';

/** @throws as openAsItIs. */
export async function openBackboneSystem({ path, pooling }: RowOf<'backbone'>, { threads }: SystemContext): Promise<System> {
  return oneEncoder(await openAsItIs(path, { threads, pooling }), 'dense');
}

/** Opens a trained model with another pooling. @throws as readBackboneModelFolder. */
export function pooledAs(pooling: RowOf<'backbone'>['pooling']): (modelFolder: string, options: { readonly threads: number }) => Promise<Encoder> {
  return async (modelFolder, { threads }) => {
    const { model } = await readBackboneModelFolder(modelFolder);
    const { mode = model.backbone.pooling.mode, layer = model.backbone.pooling.layer } = pooling;
    return createBackboneEncoder({ ...model, backbone: { ...model.backbone, pooling: { ...model.backbone.pooling, mode, layer } } }, { modelId: `${modelFolder} ${mode} ${layer}`, threads });
  };
}
