/** What was a model around a backbone before it was trained? The backbone as it came; where that is gone or never was, weights of chance. */
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { transformerParameters } from '../modules/transformer-shape.ts';
import type { Backbone } from './backbone.ts';
import { readBackboneModelFolder, type BackboneModel } from './backbone-model-folder.ts';
import { openBackbone } from './backbones/open-backbone.ts';
import { chanceWeights } from './chance-weights.ts';

/** What of a recipe is needed; a model made otherwise has none of it. */
const recipeSchema = z.object({ recipe: z.object({ encoder: z.object({ kind: z.string(), path: z.string().optional() }), seed: z.number() }) });

/** The model with the weights that training began with: one encoder for both kinds of text, no translations. @throws as `readBackboneModelFolder`. */
export async function openUntrainedModel(modelFolder: string): Promise<BackboneModel> {
  const { manifest, model } = await readBackboneModelFolder(modelFolder);
  const parsed = recipeSchema.safeParse(manifest.training);
  const recipe = parsed.success ? parsed.data.recipe : null;
  const backbone = (await asItCame(recipe?.encoder.path, model.backbone)) ?? byChance(model.backbone, recipe?.seed ?? 0);
  return { ...model, backbone, queryBackbone: null, translations: [] };
}

/** The backbone from its folder, pooled as the model is; null when there is no such folder any more, or another model in it. */
async function asItCame(path: string | undefined, trained: Backbone): Promise<Backbone | null> {
  if (path === undefined || (await stat(path).catch(() => null)) === null) return null;
  const backbone = await openBackbone(path).catch(() => null); // what was a backbone then may be something else now
  if (backbone?.kind !== trained.kind) return null;
  const { mode, layer } = trained.pooling;
  return { ...backbone, pooling: { ...backbone.pooling, mode, layer }, prefixes: trained.prefixes, maxTokens: Math.min(trained.maxTokens, backbone.maxTokens) };
}

function byChance(trained: Backbone, seed: number): Backbone {
  return trained.kind === 'transformer' ? { ...trained, parameters: chanceWeights(transformerParameters(trained.shape), seed) } : trained;
}
