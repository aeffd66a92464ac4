/** How does a recipe become a model folder? Prepare, plan, train, turn into a search space, learn word translations, write. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { trainTranslationTable, type SentencePair, type TranslationTableData } from '../alignment/translation-table.ts';
import { CancellationError, InputError } from '../base/errors.ts';
import { sha256, sha256OfFile } from '../base/hashing.ts';
import { pauseFor } from '../base/pause.ts';
import { writeModelFolder, type StaticModel } from '../encoding/model-folder.ts';
import { readStarterFolder, type Starter } from '../encoding/starter-folder.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../optimizers/kernel-memory.ts';
import { chooseDevice } from '../runtime/choose-device.ts';
import { coTrain } from './co-training.ts';
import { readNewestCheckpoint, removeCheckpoints, type CheckpointState } from './checkpoint.ts';
import { noControl, type Losses, type ReportTraining, type TrainingControl, type TrainingSummary } from './events.ts';
import { createLook } from './look.ts';
import { openLossSessions } from './loss-sessions.ts';
import { checkOutputFolder, checkpointFolderOf, reserveOutputFolder } from './output-folder.ts';
import { planSteps, STEP_MEMORY_BYTES } from './plan.ts';
import { corpusWeight, pairsByLanguage, prepareTraining, sidesOf, type PreparedTraining } from './prepare.ts';
import { recipeFiles, type Recipe } from './recipe.ts';
import { turnIntoSearchSpace, type SearchSpace } from './search-space.ts';
import { alignTokens, fillStartingTable, startingWeights, type TokenTranslations } from './starting-table.ts';
import { createStaticParameters, parameterArrays, type StaticParameters } from './static-parameters.ts';
import { createStepBatches } from './step-batches.ts';

export type RunTrainingOptions = {
  /** As `readRecipe` gives it: paths absolute. */
  readonly recipe: Recipe;
  /** The model folder to make; an older model there is replaced when the new one is complete. */
  readonly outputFolder: string;
  /** The shipped starter; used when the recipe has no retrieval data. */
  readonly starterFolder: string;
  readonly threads: number;
  readonly device: 'cpu' | 'webgpu' | 'auto';
  /** Continue from the newest checkpoint of the same recipe and files, if there is one. */
  readonly resume: boolean;
  readonly signal: AbortSignal;
  readonly control?: TrainingControl;
  readonly report: ReportTraining;
  /** Stop after the plan. */
  readonly planOnly?: boolean;
  /** Milliseconds between checkpoints; 45 seconds when left out. */
  readonly checkpointEveryMs?: number;
};

/** Held-back texts beside the model, for the report made from it. */
export const HELD_OUT_FILE = 'held-out.json';

export { checkpointFolderOf } from './output-folder.ts';

/**
 * Trains a static encoder by a recipe.
 *
 * The same recipe, files, seed and thread count give the same weights, also when the run was killed and resumed (with a budget in minutes:
 * the number of steps is fixed by the first plan and kept by the checkpoints).
 *
 * @returns null when `planOnly`.
 * @throws InputError for corpora, recipes and an output folder that holds something else or is another run's; CancellationError (checkpoints stay for a resume); EnvironmentError for disk, memory, divergence.
 */
export async function runTraining(options: RunTrainingOptions): Promise<TrainingSummary | null> {
  if (options.planOnly === true) {
    await checkOutputFolder(options.outputFolder);
    return trainAndWrite(options);
  }
  const place = await reserveOutputFolder(options.outputFolder);
  try {
    return await trainAndWrite(options);
  } finally {
    await place[Symbol.asyncDispose]();
  }
}

async function trainAndWrite(options: RunTrainingOptions): Promise<TrainingSummary | null> {
  const { recipe, outputFolder, threads, signal, report, control = noControl } = options;
  const started = { wall: performance.now(), cpu: process.cpuUsage() };
  const starter = recipe.retrieval === undefined ? await readStarterFolder(options.starterFolder, recipe.encoder.width) : null;
  const prepared = await abortable(signal, () => prepareTraining({ recipe, starter, signal, report }));
  const memory = createKernelMemory(memoryNeeded(prepared));
  const kernels = createKernels(memory);
  const parameters = createStaticParameters({ vocabularySize: prepared.tokenizer.vocabularySize, width: recipe.encoder.width, memory });
  const lookAt = createLook({ prepared, kernels, memory, parameters, report });
  if (!options.resume && options.planOnly !== true) {
    placeRows({ prepared, parameters, translations: [] });
    lookAt(0); // what the curve starts from: nothing learned yet, not even which word translates which
  }
  const frozen = await abortable(signal, () => fillParameters({ prepared, parameters, signal, report }));
  const device = await chooseDevice(options.device, { threads, signal });
  if (options.device !== 'cpu') report({ kind: 'message', code: device.code, message: device.message });
  await using sessions = openLossSessions({ settings: recipe.losses, width: recipe.encoder.width, threads, device: device.device });
  const { partsAt } = createStepBatches(prepared, sessions);
  if (partsAt(0).length === 0) throw new InputError('recipe.nothing-to-train', 'The recipe leaves no loss to train: give at least one loss a weight above 0 and the corpora it needs.');

  const checkpointFolder = checkpointFolderOf(outputFolder);
  const runKey = await fingerprint(recipe, options.starterFolder);
  const arrays = parameterArrays(parameters);
  const found = options.resume ? await readNewestCheckpoint(checkpointFolder, runKey, arrays) : null;
  for (const name of found?.damaged ?? []) report({ kind: 'message', code: 'training.checkpoint-damaged', message: `The saved state ${name} is damaged; an earlier one is used.` });
  if (options.resume && found === null) report({ kind: 'message', code: 'training.nothing-to-resume', message: 'There is no saved state of this recipe and these files; training starts at the beginning.' });
  if (!options.resume && options.planOnly !== true) await removeCheckpoints(checkpointFolder);
  const plan = await planSteps({ recipe, kernels, memory, parameters, partsAt, frozen, doneSteps: found?.state.step ?? 0, fixedSteps: found?.state.steps ?? null });
  report({ kind: 'plan', ...plan });
  if (options.planOnly === true) return null;

  const start: CheckpointState = found?.state ?? { version: 1, step: 0, steps: plan.steps, learningRateFactor: 1, rollbacks: 0, runKey, losses: { retrieval: 0, semantic: 0, language: 0 } };
  const end = await abortable(signal, () => coTrain({
    kernels, memory, parameters, partsAt, frozen, start, learningRate: recipe.optimizer.learningRate, checkpointFolder, signal, control, report, lookAt,
    restart: async () => {
      for (const array of arrays.values()) array.fill(0);
      await fillParameters({ prepared, parameters, signal, report });
    },
    ...(options.checkpointEveryMs === undefined ? {} : { checkpointEveryMs: options.checkpointEveryMs }),
  }));

  const model = await abortable(signal, () => finishModel({ prepared, kernels, memory, parameters, threads, signal, report, trainingFacts: { recipe, steps: end.step, losses: end.losses, device: device.device } }));
  report({ kind: 'progress', phase: 'finishing', done: 1, total: 2, unit: 'steps', leftMs: null });
  await writeModelFolder(outputFolder, model, { [HELD_OUT_FILE]: JSON.stringify({ pairs: prepared.heldOut, questions: prepared.heldOutQuestions }) });
  await removeCheckpoints(checkpointFolder);
  report({ kind: 'progress', phase: 'finishing', done: 2, total: 2, unit: 'steps', leftMs: 0 });
  return summarise({ outputFolder, parameters, steps: end.step, losses: end.losses, started });
}

/** Fills rows and weights where training starts. @returns which rows stay as they are (the starter's), or null. */
async function fillParameters(options: { readonly prepared: PreparedTraining; readonly parameters: StaticParameters; readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<Uint8Array | null> {
  const { prepared, parameters, signal, report } = options;
  const languages = pairsByLanguage(prepared);
  const translations: TokenTranslations[] = [];
  for (const pairs of languages) {
    report({ kind: 'progress', phase: 'alignment', done: translations.length, total: languages.length, unit: 'languages', leftMs: null });
    translations.push(await alignTokens(pairs, parameters.vocabularySize, signal));
  }
  report({ kind: 'progress', phase: 'starting', done: 0, total: 1, unit: 'tables', leftMs: null });
  return placeRows({ prepared, parameters, translations });
}

/** Puts rows and weights where the given translations (none: chance) say; the starter's rows stand where they stood. @returns as `fillParameters`. */
function placeRows(options: { readonly prepared: PreparedTraining; readonly parameters: StaticParameters; readonly translations: readonly TokenTranslations[] }): Uint8Array | null {
  const { prepared, parameters, translations } = options;
  const { vocabularySize, width, table, logWeights } = parameters;
  const anchored = prepared.starter === null ? null : anchorRows(prepared.starter, vocabularySize, width);
  fillStartingTable({ table, width, seed: prepared.recipe.seed, counts: prepared.counts, pivot: prepared.pivot, translations, anchored });
  const weights = startingWeights(prepared.counts, vocabularySize);
  for (let t = 0; t < vocabularySize; t += 1) logWeights[t] = Math.log(anchored?.isAnchored[t] === 1 ? (anchored.weights[t] ?? 1) : (weights[t] ?? 1));
  return anchored?.isAnchored ?? null;
}

function anchorRows(starter: Starter, vocabularySize: number, width: number): { readonly rows: Float32Array; readonly weights: Float32Array; readonly isAnchored: Uint8Array } {
  const isAnchored = new Uint8Array(vocabularySize);
  isAnchored.fill(1, 0, starter.vocabulary.pieces.length);
  const rows = new Float32Array(vocabularySize * width);
  rows.set(starter.rows);
  return { rows, weights: starter.weights, isAnchored };
}

async function finishModel(options: {
  readonly prepared: PreparedTraining;
  readonly kernels: Parameters<typeof turnIntoSearchSpace>[0]['kernels'];
  readonly memory: Parameters<typeof turnIntoSearchSpace>[0]['memory'];
  readonly parameters: StaticParameters;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly report: ReportTraining;
  readonly trainingFacts: { readonly recipe: Recipe; readonly steps: number; readonly losses: Losses; readonly device: string };
}): Promise<StaticModel> {
  const { prepared, parameters, signal, report, trainingFacts } = options;
  const { starter } = prepared;
  report({ kind: 'progress', phase: 'finishing', done: 0, total: 2, unit: 'steps', leftMs: null });
  const space: SearchSpace = starter === null ? await turnIntoSearchSpace(options) : { table: parameters.table, mean: starter.mean, scale: starter.scale };
  return {
    width: parameters.width,
    pivot: prepared.pivot,
    languages: languagesOf(prepared),
    tokenizer: prepared.tokenizerJson,
    table: space.table,
    weights: parameters.logWeights.map((value) => Math.exp(value)),
    mean: space.mean,
    scale: space.scale,
    translations: await learnTranslations(prepared, signal),
    training: {
      recipe: JSON.parse(JSON.stringify(trainingFacts.recipe)),
      seed: trainingFacts.recipe.seed,
      steps: trainingFacts.steps,
      losses: { ...trainingFacts.losses },
      device: trainingFacts.device,
      node: process.version,
      starter: starter === null ? null : 'shipped',
    },
  };
}

/** One table in each direction for every language with pairs. */
async function learnTranslations(prepared: PreparedTraining, signal: AbortSignal): Promise<TranslationTableData[]> {
  const all = prepared.corpora.parallel;
  const byLanguages = new Map<string, { source: string; target: string; pairs: SentencePair[] }>();
  for (const corpus of all) {
    const key = `${corpus.source} ${corpus.target}`;
    const entry = byLanguages.get(key) ?? { source: corpus.source, target: corpus.target, pairs: [] };
    byLanguages.set(key, entry);
    const weight = corpusWeight(corpus, all);
    for (const pair of corpus.pairs) entry.pairs.push({ ...pair, weight });
  }
  const tables: TranslationTableData[] = [];
  for (const { source, target, pairs } of byLanguages.values()) {
    await pauseFor(signal);
    tables.push(await trainTranslationTable({ pairs, sourceLanguage: source, targetLanguage: target, signal }));
    await pauseFor(signal);
    const reversed = pairs.map((pair) => ({ source: pair.target, target: pair.source, weight: pair.weight }));
    tables.push(await trainTranslationTable({ pairs: reversed, sourceLanguage: target, targetLanguage: source, signal }));
  }
  return tables;
}

function languagesOf(prepared: PreparedTraining): StaticModel['languages'] {
  const languages = new Map<string, { pairs: number; sentences: number }>();
  const entryOf = (tag: string): { pairs: number; sentences: number } => {
    const entry = languages.get(tag) ?? { pairs: 0, sentences: 0 };
    languages.set(tag, entry);
    return entry;
  };
  entryOf(prepared.pivot);
  for (const corpus of prepared.corpora.parallel) {
    const sides = sidesOf(corpus, prepared.pivot);
    for (const tag of sides === null ? [corpus.source, corpus.target] : [sides.foreign]) entryOf(tag).pairs += corpus.pairs.length;
  }
  for (const corpus of prepared.corpora.monolingual) entryOf(corpus.language).sentences += corpus.sentences.length;
  return [...languages].map(([tag, entry]) => ({ tag, ...entry }));
}

function memoryNeeded(prepared: PreparedTraining): number {
  const { width } = prepared.recipe.encoder;
  const table = prepared.tokenizer.vocabularySize * width;
  return kernelMemoryBytes([table, table, table, table]) + STEP_MEMORY_BYTES;
}

/** The recipe's settings, the content of its files (whatever their names) and the starter: what a checkpoint belongs to. */
async function fingerprint(recipe: Recipe, starterFolder: string): Promise<string> {
  const hashes: string[] = [];
  const files = [...recipeFiles(recipe), ...(recipe.retrieval === undefined ? [starterFolder] : [])];
  for (const file of files) hashes.push(...(await hashesBelow(file)));
  const { encoder, losses, optimizer, budget, seed, parallel, monolingual } = recipe;
  const settings = { encoder, losses, optimizer, budget, seed };
  return sha256(JSON.stringify({ settings, languages: [parallel.map(({ source, target }) => [source, target]), monolingual.map(({ language }) => language)], hashes }));
}

/** The hash of a file, or those of all files in a folder. */
async function hashesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null); // not a folder
  if (entries === null) return [await sha256OfFile(path)];
  const hashes: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) if (entry.isFile()) hashes.push(await sha256OfFile(join(path, entry.name)));
  return hashes;
}

/** Turns an aborted signal's reason, wherever it surfaces, into CancellationError. */
async function abortable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    if (signal.aborted) throw new CancellationError();
    return await work();
  } catch (thrown) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: thrown });
    throw thrown;
  }
}

function summarise(options: { readonly outputFolder: string; readonly parameters: StaticParameters; readonly steps: number; readonly losses: Losses; readonly started: { readonly wall: number; readonly cpu: NodeJS.CpuUsage } }): TrainingSummary {
  const { outputFolder, parameters, steps, losses, started } = options;
  const cpu = process.cpuUsage(started.cpu);
  return {
    model: join(resolve(outputFolder)),
    steps,
    wallSeconds: (performance.now() - started.wall) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakMemoryMB: Math.round(process.resourceUsage().maxRSS / 1024),
    parameters: parameters.table.length + parameters.logWeights.length,
    losses,
  };
}
