/** Pretrained weights as they came, as a row. */
import { createBackboneEncoder } from '../../../core/encoding/backbone-encoder.ts';
import { openBackbone } from '../../../core/encoding/backbones/open-backbone.ts';
import type { RowOf } from '../../../core/evaluation/experiments/rows.ts';
import { oneEncoder, type System, type SystemContext } from '../system.ts';

/** @throws as openBackbone. */
export async function openBackboneSystem({ path, pooling }: RowOf<'backbone'>, { threads }: SystemContext): Promise<System> {
  const backbone = await openBackbone(path);
  const { mode = backbone.pooling.mode, layer = backbone.pooling.layer } = pooling;
  const model = { backbone: { ...backbone, pooling: { ...backbone.pooling, mode, layer } }, queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} };
  return oneEncoder(createBackboneEncoder(model, { modelId: `${path} ${mode} ${layer}`, threads }), 'dense');
}
