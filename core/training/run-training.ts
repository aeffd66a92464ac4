/** How does a recipe become a model folder? Prepare, plan, train, turn into a search space, learn word translations, write. */
import { InputError } from '../base/errors.ts';
import { openContextPrediction, type ContextPrediction } from './context-prediction/context-prediction.ts';
import { documentsOf } from './context-prediction/documents.ts';
import { openDistillation } from './distillation.ts';
import type { TrainingSummary } from './events.ts';
import { withLessMemory } from './less-memory.ts';
import { createLook, type LookResult } from './look.ts';
import { openLossSessions } from './loss-sessions.ts';
import { languagesOf, learnTranslations, trainingFacts } from './model-facts.ts';
import { measureStepMs } from './plan.ts';
import { abortable, finishRun, inOutputFolder, measureRun, trainByPlan, type PlannedRunOptions } from './planned-run.ts';
import { isStatic, type Recipe } from './recipe-schema.ts';
import { runKeyOf } from './run-key.ts';
import { STATIC_ADAMW } from './static-parameters.ts';
import { openStaticSubject } from './static-subject.ts';
import type { TrainableEncoder } from './trainable-encoder.ts';
import { createTrainingBatches } from './training-batches.ts';
import type { TrainingSubject } from './training-subject.ts';
import { ADAM_EPSILON, openTransformerSubject } from './transformer/transformer-subject.ts';

export type RunTrainingOptions = PlannedRunOptions & {
  /** As `readRecipe` gives it: paths absolute. */
  readonly recipe: Recipe;
  /** The shipped starter; used when the recipe has no retrieval data. */
  readonly starterFolder: string;
  /** false: nobody follows the run, so held-back texts are looked at only where early stopping needs it. */
  readonly isWatched?: boolean;
  /** false: the model is not searched by translated words, so no tables are learned at the end. */
  readonly learnsTranslations?: boolean;
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
export function runTraining(options: RunTrainingOptions): Promise<TrainingSummary | null> {
  return inOutputFolder(options, trainAndWrite);
}

async function trainAndWrite(options: RunTrainingOptions): Promise<TrainingSummary | null> {
  const { threads, signal, report } = options;
  const recipe = options.takesLess === true ? withLessMemory(options.recipe) : options.recipe;
  const summary = measureRun(options);
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

  const restart = async (): Promise<void> => {
    await encoder.restart();
    batches.restart();
  };
  const trained: TrainableEncoder = { ...encoder, arrays: new Map([...encoder.arrays, ...batches.arrays]), restart };
  const trial = async (): Promise<number> => {
    const stepMs = await measureStepMs(encoder, batches.partsAt, report);
    batches.restart();
    return stepMs;
  };
  const { learningRate: peak, schedule: kind } = recipe.optimizer;
  const warmUp = isStatic(recipe) ? undefined : recipe.optimizer.warmUp;
  const end = await trainByPlan({
    run: options, runKey: await runKeyOf(options.recipe, options.starterFolder), budget: recipe.budget, trial, onPlan: (steps) => { run.steps = steps; },
    encoder: trained, partsAt: batches.partsAt, beforeStep: batches.beforeStep, learningRate: { peak, kind, warmUp }, earlyStopping: recipe.earlyStopping, lookAt,
  });
  if (end === null) return null;
  await finishRun(options, async () => {
    const translations = options.learnsTranslations === false ? [] : await learnTranslations(texts.corpora.parallel, signal);
    const { steps, losses, wallSeconds } = summary(end, encoder.parameterCount);
    const training = { ...trainingFacts(recipe, { steps, losses, device: device.device }), wallSeconds: Math.round(wallSeconds) };
    return {
      write: await subject.finish({ pivot: texts.pivot, languages: languagesOf(texts), translations, training }),
      files: { [HELD_OUT_FILE]: JSON.stringify({ pairs: texts.heldOut, questions: texts.heldOutQuestions }) },
    };
  });
  return summary(end, encoder.parameterCount);
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
