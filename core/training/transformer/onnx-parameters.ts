/** Which weights of a foreign graph does a recipe train? Frozen parts and thin matrices, by the places that its calculation tells (onnx-layers.ts). */
import { InputError } from '../../base/errors.ts';
import type { OnnxBackbone } from '../../encoding/backbone.ts';
import { placesOfWeights, type WeightPlace } from '../../encoding/backbones/onnx-layers.ts';
import type { GraphLowRank } from '../../encoding/onnx-embeddings.ts';
import { onnxParameters } from '../../encoding/onnx-vectors.ts';
import { DENSE } from '../../modules/index.ts';
import { thinBeside, thinStart, type ParameterChoices } from './trained-parameters.ts';

export type GraphParameterPlan = {
  readonly trained: ReadonlySet<string>;
  readonly decays: (name: string) => boolean;
  readonly lowRank: GraphLowRank | null;
  /** The thin matrices where training starts; always the same for a seed. */
  readonly additions: () => ReadonlyMap<string, Float32Array>;
};

/**
 * As `planParameters`, for a graph; a dense map behind the pooling is trained as it is there.
 * @param path  of the backbone, for messages.
 * @throws InputError 'recipe.freeze' when nothing is left to train or there are not so many layers; 'recipe.onnx' for a graph without layers.
 */
export function planGraphParameters(backbone: Pick<OnnxBackbone, 'graph' | 'parameters' | 'pooling'>, { choices, path }: { readonly choices: Omit<ParameterChoices, 'guesses'>; readonly path: string }): GraphParameterPlan {
  const { graph, parameters } = backbone;
  const { freeze, lora, seed } = choices;
  const names = [...onnxParameters(backbone).keys()];
  const places = placesOfWeights(graph, new Set(parameters.keys()));
  const layers = [...places.values()].reduce((most, { layer }) => Math.max(most, (layer ?? -1) + 1), 0);
  if ((freeze.lowerLayers > 0 || lora !== undefined) && layers === 0) throw new InputError('recipe.onnx', `${path}: no layers with attention were found in this ONNX graph, so "encoder/freeze/lowerLayers" and "encoder/lora" cannot be done with it. Take them out of the recipe, or choose the Hugging Face folder of the same model.`, { data: { path } });
  if (freeze.lowerLayers > layers) throw new InputError('recipe.freeze', `"freeze/lowerLayers": expected at most the layers of the backbone, ${layers}, found ${freeze.lowerLayers}.`);
  const isThawed = ({ layer }: WeightPlace): boolean => (layer === null ? !freeze.embeddings : layer >= freeze.lowerLayers);
  const thawed = names.filter((name) => isThawed(places.get(name) ?? { layer: layers, matrix: null })); // a dense map stands behind all layers
  const shapes = new Map(graph.inputs.map(({ name, shape }) => [name, shape.map(Number)] as const));
  const targets = lora === undefined ? [] : thawed.filter((name) => lora.targets.some((target) => places.get(name)?.matrix === target) && shapes.get(name)?.length === 2);
  const thin = targets.flatMap((name) => {
    const [rows = 0, columns = 0] = shapes.get(name) ?? [];
    return thinBeside(name, { rows, columns, rank: lora?.rank ?? 0 });
  });
  if (lora !== undefined && thin.length === 0) throw new InputError('recipe.onnx', `${path}: none of the matrices "encoder/lora/targets" names (${lora.targets.join(', ')}) was found in the layers of this ONNX graph that are not frozen. A graph that calculates queries, keys and values in one product has it under "value".`, { data: { path } });
  const trained = new Set(lora === undefined ? thawed : thin.map(({ name }) => name));
  if (trained.size === 0) throw new InputError('recipe.freeze', 'The recipe freezes everything: there is nothing left to train. Freeze fewer layers, or leave the embeddings free.');
  const matrices = new Set([...[...shapes].flatMap(([name, { length }]) => (length > 1 ? [name] : [])), ...thin.map(({ name }) => name), DENSE.weight]);
  return {
    trained,
    decays: (name) => matrices.has(name),
    lowRank: lora === undefined ? null : { weights: new Set(targets), rank: lora.rank, scale: lora.alpha / lora.rank },
    additions: () => new Map(thin.map((matrix) => [matrix.name, thinStart(matrix, seed)] as const)),
  };
}
