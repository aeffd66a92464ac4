/** How does a recipe become a static encoder in training, and that a model? Its vocabulary, its rows from word alignment or the starter, its search space. */
import { writeModelFolder } from '../encoding/model-folder.ts';
import { readStarterFolder, type Starter } from '../encoding/starter-folder.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../optimizers/kernel-memory.ts';
import type { DeviceWish } from '../runtime/device.ts';
import type { ReportTraining } from './events.ts';
import { chosenDevice } from './planned-run.ts';
import { pairsByLanguage, prepareTraining, type PreparedTraining } from './prepare.ts';
import { usesStarter, type StaticRecipe } from './recipe-schema.ts';
import { turnIntoSearchSpace, type SearchSpace } from './search-space.ts';
import { alignTokens, fillStartingTable, startingWeights, type TokenTranslations } from './starting-table.ts';
import { createStaticParameters, type StaticParameters } from './static-parameters.ts';
import { createStaticTrainable } from './static-trainable.ts';
import { teacherSpace } from './teacher.ts';
import type { TrainingSubject } from './training-subject.ts';

/** Room for the gradients and pooled sums of one step beside the tables. */
const STEP_MEMORY_BYTES = 400 * 2 ** 20;

/** Reads the corpora, learns the vocabulary, sets the memory aside; rows are filled by `encoder.restart`. @throws as `prepareTraining`, `chosenDevice`. */
export async function openStaticSubject(options: {
  readonly recipe: StaticRecipe;
  readonly starterFolder: string;
  readonly threads: number;
  readonly device: DeviceWish;
  readonly signal: AbortSignal;
  readonly report: ReportTraining;
}): Promise<TrainingSubject> {
  const { recipe, threads, signal, report } = options;
  const { width } = recipe.encoder;
  const starter = usesStarter(recipe) ? await readStarterFolder(options.starterFolder, width) : null;
  const prepared = await prepareTraining({ recipe, starter, signal, report });
  const { vocabularySize } = prepared.tokenizer;
  const memory = createKernelMemory(memoryNeeded(prepared));
  const kernels = createKernels(memory);
  const parameters = createStaticParameters({ vocabularySize, width, memory });
  const encoder = createStaticTrainable({
    kernels, memory, parameters, tokenizer: prepared.tokenizer,
    frozen: starter === null ? null : starterRows(starter, vocabularySize),
    fill: () => fillParameters({ prepared, parameters, signal, report }),
  });
  const device = await chosenDevice(options);
  return {
    texts: prepared,
    encoder,
    device,
    maskedAt: null,
    lookBefore: async (lookAt) => {
      placeRows({ prepared, parameters, translations: [] });
      await lookAt(0);
    },
    finish: async ({ training, ...facts }) => {
      const given = starter ?? (recipe.distillation === undefined ? null : await teacherSpace({ ...recipe.distillation, starterFolder: options.starterFolder, width }));
      const space: SearchSpace = given === null ? await turnIntoSearchSpace({ prepared, kernels, memory, parameters, threads }) : { table: parameters.table, mean: given.mean, scale: given.scale };
      const model = {
        ...facts,
        ...space,
        width,
        tokenizer: prepared.tokenizerJson,
        weights: parameters.logWeights.map((value) => Math.exp(value)),
        training: { ...training, starter: starter === null ? null : 'shipped' },
      };
      return async (folder, extraFiles) => {
        await writeModelFolder(folder, model, extraFiles);
      };
    },
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
}

/** Fills rows and weights where training starts. */
async function fillParameters(options: { readonly prepared: PreparedTraining; readonly parameters: StaticParameters; readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<void> {
  const { prepared, parameters, signal, report } = options;
  const languages = pairsByLanguage(prepared);
  const translations: TokenTranslations[] = [];
  for (const pairs of languages) {
    report({ kind: 'progress', phase: 'alignment', done: translations.length, total: languages.length, unit: 'languages', leftMs: null });
    translations.push(await alignTokens(pairs, parameters.vocabularySize, signal));
  }
  report({ kind: 'progress', phase: 'starting', done: 0, total: 1, unit: 'tables', leftMs: null });
  placeRows({ prepared, parameters, translations });
}

/** Puts rows and weights where the given translations (none: chance) say; the starter's rows stand where they stood. */
function placeRows(options: { readonly prepared: PreparedTraining; readonly parameters: StaticParameters; readonly translations: readonly TokenTranslations[] }): void {
  const { prepared, parameters, translations } = options;
  const { vocabularySize, width, table, logWeights } = parameters;
  const anchored = prepared.starter === null ? null : anchorRows(prepared.starter, vocabularySize, width);
  fillStartingTable({ table, width, seed: prepared.recipe.seed, counts: prepared.counts, pivot: prepared.pivot, translations, anchored });
  const weights = startingWeights(prepared.counts, vocabularySize);
  for (let t = 0; t < vocabularySize; t += 1) logWeights[t] = Math.log(anchored?.isAnchored[t] === 1 ? (anchored.weights[t] ?? 1) : (weights[t] ?? 1));
}

function anchorRows(starter: Starter, vocabularySize: number, width: number): { readonly rows: Float32Array; readonly weights: Float32Array; readonly isAnchored: Uint8Array } {
  const isAnchored = starterRows(starter, vocabularySize);
  const rows = new Float32Array(vocabularySize * width);
  rows.set(starter.rows);
  return { rows, weights: starter.weights, isAnchored };
}

/** Which rows are the starter's, and stay as they are (1). */
function starterRows(starter: Starter, vocabularySize: number): Uint8Array {
  const isAnchored = new Uint8Array(vocabularySize);
  isAnchored.fill(1, 0, starter.vocabulary.pieces.length);
  return isAnchored;
}

function memoryNeeded(prepared: PreparedTraining): number {
  const { width } = prepared.recipe.encoder;
  const table = prepared.tokenizer.vocabularySize * width;
  return kernelMemoryBytes([table, table, table, table]) + STEP_MEMORY_BYTES;
}

