/** How does a recipe become a model folder? Prepare, plan, train, turn into a search space, learn word translations, write. */
import { join, resolve } from 'node:path';
import { CancellationError, EnvironmentError, InputError } from '../base/errors.ts';
import { deviceNames, DEVICES, type DeviceWish } from '../runtime/device.ts';
import { readNewestCheckpoint, removeCheckpoints, type CheckpointState } from './checkpoint.ts';
import { coTrain } from './co-training.ts';
import { openContextPrediction, type ContextPrediction } from './context-prediction/context-prediction.ts';
import { documentsOf } from './context-prediction/documents.ts';
import { openDistillation } from './distillation.ts';
import { noControl, type Losses, type ReportTraining, type TrainingControl, type TrainingSummary } from './events.ts';
import { withLessMemory } from './less-memory.ts';
import { createLook, type LookResult } from './look.ts';
import { openLossSessions } from './loss-sessions.ts';
import { languagesOf, learnTranslations, trainingFacts } from './model-facts.ts';
import { checkOutputFolder, checkpointFolderOf, reserveOutputFolder } from './output-folder.ts';
import { measureStepMs, planSteps } from './plan.ts';
import { isStatic, type Recipe } from './recipe-schema.ts';
import { runKeyOf } from './run-key.ts';
import { STATIC_ADAMW } from './static-parameters.ts';
import { openStaticSubject } from './static-subject.ts';
import { NO_LOSSES, type TrainableEncoder } from './trainable-encoder.ts';
import { createTrainingBatches } from './training-batches.ts';
import type { TrainingSubject } from './training-subject.ts';
import { ADAM_EPSILON, openTransformerSubject } from './transformer/transformer-subject.ts';

export type RunTrainingOptions = {
  /** As `readRecipe` gives it: paths absolute. */
  readonly recipe: Recipe;
  /** The model folder to make; an older model there is replaced when the new one is complete. */
  readonly outputFolder: string;
  /** The shipped starter; used when the recipe has no retrieval data. */
  readonly starterFolder: string;
  readonly threads: number;
  /** A device that fails, before or during the training, is left for the CPU with one sentence. */
  readonly device: DeviceWish;
  /** Continue from the newest checkpoint of the same recipe and files, if there is one. */
  readonly resume: boolean;
  readonly signal: AbortSignal;
  readonly control?: TrainingControl;
  readonly report: ReportTraining;
  /** After the memory did not suffice: half the slices, or half the batch; a saved state of the whole recipe is resumed all the same. */
  readonly takesLess?: boolean;
  /** false: nobody follows the run, so held-back texts are looked at only where early stopping needs it. */
  readonly isWatched?: boolean;
  /** false: the model is not searched by translated words, so no tables are learned at the end. */
  readonly learnsTranslations?: boolean;
  /** Stop after the plan. */
  readonly planOnly?: boolean;
  /** Milliseconds between checkpoints; 45 seconds when left out. */
  readonly checkpointEveryMs?: number;
};

/** Held-back texts beside the model, for the report made from it. */
export const HELD_OUT_FILE = 'held-out.json';

export { checkpointFolderOf } from './output-folder.ts';

/**
 * Trains an encoder by a recipe: static or transformer, in one and the same loop.
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
    return await trainOrFallBack(options, trainAndWrite);
  } finally {
    await place[Symbol.asyncDispose]();
  }
}

/** Trains; when the device fails on the way, says so and goes on from the last saved state on the CPU. */
export async function trainOrFallBack<Options extends Pick<RunTrainingOptions, 'device' | 'resume' | 'report'>, Result>(options: Options, train: (options: Options) => Promise<Result>): Promise<Result> {
  try {
    return await train(options);
  } catch (thrown) {
    const device = failedDevice(thrown);
    if (options.device === 'cpu' || device === null) throw thrown;
    options.report({ kind: 'message', code: 'device.failed', message: `${device[0]?.toUpperCase() ?? ''}${device.slice(1)} failed, so training goes on with the processor from the last saved state.` });
    return train({ ...options, device: 'cpu', resume: true });
  }
}

/** The name of the device that failed in a calculation, or would not take a graph; null for any other fault. */
function failedDevice(thrown: unknown): string | null {
  if (!(thrown instanceof EnvironmentError) || !['runtime.device-failed', 'runtime.model-refused'].includes(thrown.code)) return null;
  const device = DEVICES.find((name) => name === thrown.data['device']);
  return device === undefined || device === 'cpu' ? null : deviceNames[device];
}

async function trainAndWrite(options: RunTrainingOptions): Promise<TrainingSummary | null> {
  const { outputFolder, threads, signal, report, control = noControl } = options;
  const recipe = options.takesLess === true ? withLessMemory(options.recipe) : options.recipe;
  const started = { wall: performance.now(), cpu: process.cpuUsage() };
  await using stack = new AsyncDisposableStack();
  const subject = stack.use(await abortable(signal, () => openSubject({ ...options, recipe })));
  const { texts, encoder, device } = subject;
  const lookAt = options.isWatched === false && recipe.earlyStopping === undefined ? looksAtNothing : createLook({ ...texts, encoder, report });
  if (!options.resume && options.planOnly !== true) await subject.lookBefore(lookAt); // what the curve starts from: nothing learned yet
  await abortable(signal, () => encoder.restart());
  const sessions = stack.use(openLossSessions({ settings: recipe.losses, width: encoder.width, threads, device: device.device }));
  const distillation = stack.use(await abortable(signal, () => openDistillation({ recipe, texts, starterFolder: options.starterFolder, width: encoder.width, threads, device: device.device })));
  const contexts = contextPredictionOf(recipe, subject, threads);
  if (contexts !== null) stack.use(contexts);
  const run = { steps: 1 }; // until the plan says how many
  const batches = createTrainingBatches({ recipe, texts, sessions, encoder, distillation, maskedAt: subject.maskedAt, contexts, steps: () => run.steps, signal });
  if (batches.partsAt(0).length === 0) throw new InputError('recipe.nothing-to-train', 'The recipe leaves no loss to train: give at least one loss a weight above 0 and the corpora it needs.');

  const checkpointFolder = checkpointFolderOf(outputFolder);
  const runKey = await runKeyOf(options.recipe, options.starterFolder);
  if (!options.resume && options.planOnly !== true) await removeCheckpoints(checkpointFolder);
  const stepMs = await abortable(signal, () => measureStepMs(encoder, batches.partsAt, report));
  batches.restart();
  const restart = async (): Promise<void> => {
    await encoder.restart();
    batches.restart();
  };
  const trained: TrainableEncoder = { ...encoder, arrays: new Map([...encoder.arrays, ...batches.arrays]), restart };
  const found = options.resume ? await readNewestCheckpoint(checkpointFolder, runKey, trained.arrays) : null;
  if (found !== null) await encoder.residence?.send();
  for (const name of found?.damaged ?? []) report({ kind: 'message', code: 'training.checkpoint-damaged', message: `The saved state ${name} is damaged; an earlier one is used.` });
  if (options.resume && found === null) report({ kind: 'message', code: 'training.nothing-to-resume', message: 'There is no saved state of this recipe and these files; training starts at the beginning.' });
  const plan = planSteps({ budget: recipe.budget, stepMs, doneSteps: found?.state.step ?? 0, fixedSteps: found?.state.steps ?? null });
  run.steps = plan.steps;
  report({ kind: 'plan', ...plan });
  if (options.planOnly === true) return null;

  const start: CheckpointState = found?.state ?? { version: 1, step: 0, steps: plan.steps, learningRateFactor: 1, rollbacks: 0, runKey, losses: NO_LOSSES };
  const { learningRate: peak, schedule: kind } = recipe.optimizer;
  const warmUp = isStatic(recipe) ? undefined : recipe.optimizer.warmUp;
  const end = await abortable(signal, () => coTrain({
    encoder: trained, partsAt: batches.partsAt, beforeStep: batches.beforeStep, start, learningRate: { peak, kind, warmUp }, earlyStopping: recipe.earlyStopping,
    checkpointFolder, signal, control, report, lookAt,
    ...(options.checkpointEveryMs === undefined ? {} : { checkpointEveryMs: options.checkpointEveryMs }),
  }));

  report({ kind: 'progress', phase: 'finishing', done: 0, total: 2, unit: 'steps', leftMs: null });
  const write = await abortable(signal, async () =>
    subject.finish({
      pivot: texts.pivot,
      languages: languagesOf(texts),
      translations: options.learnsTranslations === false ? [] : await learnTranslations(texts.corpora.parallel, signal),
      training: { ...trainingFacts(recipe, { steps: end.step, losses: end.losses, device: device.device }), wallSeconds: Math.round((performance.now() - started.wall) / 1000) },
    }),
  );
  report({ kind: 'progress', phase: 'finishing', done: 1, total: 2, unit: 'steps', leftMs: null });
  await write(outputFolder, { [HELD_OUT_FILE]: JSON.stringify({ pairs: texts.heldOut, questions: texts.heldOutQuestions }) });
  await removeCheckpoints(checkpointFolder);
  report({ kind: 'progress', phase: 'finishing', done: 2, total: 2, unit: 'steps', leftMs: 0 });
  return summarise({ outputFolder, parameters: encoder.parameterCount, steps: end.step, losses: end.losses, started });
}

function looksAtNothing(): Promise<LookResult> {
  return Promise.resolve({ pairAccuracy: {}, retrievalMRR: null });
}

/** What the recipe's encoder kind asks for. */
function openSubject(options: RunTrainingOptions): Promise<TrainingSubject> {
  const { recipe } = options;
  if (isStatic(recipe)) return openStaticSubject({ ...options, recipe });
  return openTransformerSubject({ ...options, recipe });
}

/** The guessing of neighbours, where the recipe asks for it. @throws InputError 'recipe.no-documents'. */
function contextPredictionOf(recipe: Recipe, { texts, encoder, device }: Pick<TrainingSubject, 'texts' | 'encoder' | 'device'>, threads: number): ContextPrediction | null {
  const settings = recipe.losses.contextPrediction;
  if (settings.weight === 0 && settings.pretrainingSteps === 0) return null;
  return openContextPrediction({
    settings,
    languages: documentsOf({ ...texts, passages: settings.passages }),
    width: encoder.width,
    tokens: (text) => encoder.tokens(text, 'document'),
    tokenDropout: isStatic(recipe) ? recipe.optimizer.tokenDropout : 0,
    accumulation: recipe.optimizer.accumulation ?? 1,
    optimizer: isStatic(recipe) ? STATIC_ADAMW : { ...recipe.optimizer, epsilon: ADAM_EPSILON },
    seed: recipe.seed,
    threads,
    device: device.device,
  });
}

/** Turns an aborted signal's reason, wherever it surfaces, into CancellationError. */
export async function abortable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    if (signal.aborted) throw new CancellationError();
    return await work();
  } catch (thrown) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: thrown });
    throw thrown;
  }
}

/** What a run took: wall time, CPU time, memory at its peak. */
export function summarise(options: { readonly outputFolder: string; readonly parameters: number; readonly steps: number; readonly losses: Losses; readonly started: { readonly wall: number; readonly cpu: NodeJS.CpuUsage } }): TrainingSummary {
  const { outputFolder, parameters, steps, losses, started } = options;
  const cpu = process.cpuUsage(started.cpu);
  return {
    model: join(resolve(outputFolder)),
    steps,
    wallSeconds: (performance.now() - started.wall) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakMemoryMB: Math.round(process.resourceUsage().maxRSS / 1024),
    parameters,
    losses,
  };
}
