/** Which parameters does a recipe train, and which does weight decay pull? Frozen parts, thin matrices, heads. */
import { InputError } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import { chanceWeights } from '../../encoding/chance-weights.ts';
import { DENSE, lowRankNames, maskedLanguageModelParameters, transformerParameters, type TransformerParameter, type TransformerShape } from '../../modules/index.ts';
import type { LoraSettings, TransformerRecipe } from '../recipe-schema.ts';

/** What a recipe says of it; `guesses`: hidden tokens, in any step. */
export type ParameterChoices = { readonly freeze: { readonly embeddings: boolean; readonly lowerLayers: number }; readonly lora: LoraSettings | undefined; readonly guesses: boolean; readonly seed: number };

export function choicesOf({ encoder, losses, seed }: TransformerRecipe): ParameterChoices {
  const { freeze, lora } = encoder.kind === 'backbone' ? encoder : UNFROZEN;
  const { weight, pretrainingSteps } = losses.maskedLanguage;
  return { freeze, lora, guesses: weight + pretrainingSteps > 0, seed };
}

export type ParameterPlan = {
  /** Every array that training needs beside the encoder's own: thin matrices, a head that the backbone lacks. Always the same for a seed. */
  readonly additions: () => ReadonlyMap<string, Float32Array>;
  readonly trained: ReadonlySet<string>;
  /** Numbers in each array, by name. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly decays: (name: string) => boolean;
  /** Whether hidden tokens are guessed in any step. */
  readonly guesses: boolean;
};

/**
 * @param pooledLayer the layer whose states are pooled: those above it are trained only when hidden tokens are guessed.
 * @param known names that the backbone has.
 * @throws InputError 'recipe.freeze' when nothing is left to train, or more layers should be frozen than there are.
 */
export function planParameters(options: { readonly choices: ParameterChoices; readonly shape: TransformerShape; readonly pooledLayer: number; readonly known: ReadonlySet<string> }): ParameterPlan {
  const { choices, shape, pooledLayer, known } = options;
  const { freeze, lora, guesses, seed } = choices;
  if (freeze.lowerLayers > shape.layers) throw new InputError('recipe.freeze', `"freeze/lowerLayers": expected at most the layers of the backbone, ${shape.layers}, found ${freeze.lowerLayers}.`);
  const reached = ({ layer }: TransformerParameter): boolean => layer === null || guesses || layer < pooledLayer;
  const thawed = ({ layer }: TransformerParameter): boolean => (layer === null ? !freeze.embeddings : layer >= freeze.lowerLayers);
  const candidates = transformerParameters(shape).filter((parameter) => reached(parameter) && thawed(parameter));
  const head = guesses ? maskedLanguageModelParameters(shape) : [];
  const dense = [DENSE.weight, DENSE.bias].filter((name) => known.has(name));
  const thin = lora === undefined ? [] : thinMatrices(candidates, lora);
  const trained = new Set(lora === undefined ? [...candidates.map(({ name }) => name), ...head.map(({ name }) => name), ...dense] : thin.map(({ name }) => name));
  if (trained.size === 0) throw new InputError('recipe.freeze', 'The recipe freezes everything: there is nothing left to train. Freeze fewer layers, or leave the embeddings free.');
  const decaying = new Set([...transformerParameters(shape), ...head].filter(({ kind }) => kind === 'weight' || kind === 'embedding').map(({ name }) => name).concat(thin.map(({ name }) => name), DENSE.weight));
  return {
    additions: () => new Map([...chanceWeights(head.filter(({ name }) => !known.has(name)), seed), ...thin.map((matrix) => [matrix.name, thinStart(matrix, seed)] as const)]),
    trained,
    sizes: new Map([...[...transformerParameters(shape), ...head].map(({ name, shape: size }) => [name, size.reduce((product, length) => product * length, 1)] as const), ...thin.map(({ name, rows, columns }) => [name, rows * columns] as const)]),
    decays: (name) => decaying.has(name),
    guesses,
  };
}

const UNFROZEN = { freeze: { embeddings: false, lowerLayers: 0 }, lora: undefined };

/** One of the two thin matrices beside a weight. */
export type ThinMatrix = { readonly name: string; readonly rows: number; readonly columns: number; readonly isUp: boolean };

function thinMatrices(parameters: readonly TransformerParameter[], { rank, targets }: LoraSettings): readonly ThinMatrix[] {
  return parameters.flatMap(({ name, shape: [out = 0, into = 0], layer }) => {
    const target = targets.find((part) => layer !== null && name === `layer.${layer}.${part}.weight`);
    if (target === undefined) return [];
    return thinBeside(name, { rows: out, columns: into, rank });
  });
}

/** The thin matrices beside a weight [rows, columns]. */
export function thinBeside(name: string, { rows, columns, rank }: { readonly rows: number; readonly columns: number; readonly rank: number }): readonly ThinMatrix[] {
  const { down, up } = lowRankNames(name);
  return [{ name: down, rows: rank, columns, isUp: false }, { name: up, rows, columns: rank, isUp: true }];
}

/** Hu et al. 2021, section 4.1: one random, the other zero, so that training starts at the backbone as it came. */
export function thinStart({ name, rows, columns, isUp }: ThinMatrix, seed: number): Float32Array {
  const values = new Float32Array(rows * columns);
  if (isUp) return values;
  const random = seededRandom(seed, `start ${name}`);
  const deviation = 1 / Math.sqrt(columns);
  for (let i = 0; i < values.length; i += 1) values[i] = deviation * random.normal();
  return values;
}
