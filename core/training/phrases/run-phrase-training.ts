/** How do phrase pairs become a model that tells phrases apart? Read, plan, train in the loop of all trainings, measure, write an ordinary model folder. */
import { sha256 } from '../../base/hashing.ts';
import { tokensInUse } from '../../encoding/phrase-vectors.ts';
import type { PhraseInUse } from '../../encoding/encoder.ts';
import { chooseDevice, type DeviceWish } from '../../runtime/choose-device.ts';
import { readNewestCheckpoint, removeCheckpoints, type CheckpointState } from '../checkpoint.ts';
import { coTrain } from '../co-training.ts';
import { noControl, type ReportTraining, type TrainingControl, type TrainingSummary } from '../events.ts';
import { checkOutputFolder, checkpointFolderOf, reserveOutputFolder } from '../output-folder.ts';
import { measureStepMs, planSteps } from '../plan.ts';
import { hashesBelow } from '../run-key.ts';
import { phrasesWithLessMemory } from '../less-memory.ts';
import { abortable, summarise, trainOrFallBack } from '../run-training.ts';
import { NO_LOSSES } from '../trainable-encoder.ts';
import { createPhraseBatches } from './phrase-batches.ts';
import { createPhraseLook } from './phrase-look.ts';
import { readPhrasePairs, type PhrasePairs } from './phrase-pairs.ts';
import { phraseRecipeFiles, type PhraseRecipe } from './phrase-recipe.ts';
import { openPhraseSubject, startsStatic } from './phrase-start.ts';

export type RunPhraseTrainingOptions = {
  /** As `readPhraseRecipe` gives it: paths absolute. */
  readonly recipe: PhraseRecipe;
  /** The model folder to make; an older model there is replaced when the new one is complete. */
  readonly outputFolder: string;
  readonly threads: number;
  /** A device that fails, before or during the training, is left for the CPU with one sentence. */
  readonly device: DeviceWish;
  /** Continue from the newest checkpoint of the same recipe and files, if there is one. */
  readonly resume: boolean;
  /** After the memory did not suffice: half the slices, or half the batch; a saved state of the whole recipe is resumed all the same. */
  readonly takesLess?: boolean;
  readonly signal: AbortSignal;
  readonly control?: TrainingControl;
  readonly report: ReportTraining;
  /** Stop after the plan. */
  readonly planOnly?: boolean;
  /** Milliseconds between checkpoints; 45 seconds when left out. */
  readonly checkpointEveryMs?: number;
};

/** What was learned of one list. `before` and `after`: accuracy@1 on its held-back phrases, mean of both directions; null: none were kept back. */
export type PhrasesOfPair = { readonly source: string; readonly target: string; readonly training: number; readonly heldBack: number; readonly before: number | null; readonly after: number | null };

export type PhraseTrainingSummary = TrainingSummary & { readonly pairs: readonly PhrasesOfPair[] };

/** Beside the model: what was learned, list by list. */
export const PHRASES_FILE = 'phrases.json';

/**
 * Trains a model on phrases (Zheng et al. 2022, algorithm 1). The same recipe, files, seed and threads give the same weights, also when the
 * run was killed and resumed.
 * @returns null when `planOnly`.
 * @throws InputError for recipe, lists, models and an output folder that holds something else or is another run's; CancellationError
 *   (checkpoints stay for a resume); EnvironmentError for disk, memory, divergence.
 */
export async function runPhraseTraining(options: RunPhraseTrainingOptions): Promise<PhraseTrainingSummary | null> {
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

async function trainAndWrite(options: RunPhraseTrainingOptions): Promise<PhraseTrainingSummary | null> {
  const { outputFolder, threads, signal, report, control = noControl } = options;
  const recipe = options.takesLess === true ? phrasesWithLessMemory(options.recipe, await startsStatic(options.recipe)) : options.recipe;
  const started = { wall: performance.now(), cpu: process.cpuUsage() };
  await using stack = new AsyncDisposableStack();
  const pairs = await abortable(signal, () => readPhrasePairs({ recipe, signal, report }));
  const chosen = await chooseDevice(options.device, { threads, signal });
  if (options.device !== 'cpu') report({ kind: 'message', code: chosen.code, message: chosen.message });
  const subject = stack.use(await abortable(signal, () => openPhraseSubject({ recipe, pairs, threads, device: chosen.device, signal, report })));
  const { trainable, reader } = subject;
  const read = (phrase: PhraseInUse) => tokensInUse(phrase, reader);
  const { optimizer, sentences, seed, budget } = recipe;
  const batches = createPhraseBatches({ sets: pairs.training, read, batch: optimizer.batch, accumulation: optimizer.accumulation, sentences: sentences.training, seed });
  const look = createPhraseLook({ sets: pairs.heldBack, trainable, read, sentences: sentences.evaluation, report });
  await abortable(signal, () => trainable.restart());

  const checkpointFolder = checkpointFolderOf(outputFolder);
  const runKey = await runKeyOf(options.recipe);
  if (!options.resume && options.planOnly !== true) await removeCheckpoints(checkpointFolder);
  const stepMs = await abortable(signal, () => measureStepMs(trainable, batches.partsAt, report));
  await abortable(signal, () => trainable.restart()); // the trial filled queues and moved nothing else
  report({ kind: 'progress', phase: 'evaluating', done: 0, total: null, unit: 'phrases', leftMs: null });
  const before = options.planOnly === true ? [] : await abortable(signal, () => look.measure(null));
  const found = options.resume ? await readNewestCheckpoint(checkpointFolder, runKey, trainable.arrays) : null;
  for (const name of found?.damaged ?? []) report({ kind: 'message', code: 'training.checkpoint-damaged', message: `The saved state ${name} is damaged; an earlier one is used.` });
  if (options.resume && found === null) report({ kind: 'message', code: 'training.nothing-to-resume', message: 'There is no saved state of this recipe and these files; training starts at the beginning.' });
  const asked = 'epochs' in budget ? { steps: Math.max(1, Math.ceil(budget.epochs * batches.stepsPerEpoch)) } : budget;
  const plan = planSteps({ budget: asked, stepMs, doneSteps: found?.state.step ?? 0, fixedSteps: found?.state.steps ?? null });
  report({ kind: 'plan', ...plan });
  if (options.planOnly === true) return null;

  const start: CheckpointState = found?.state ?? { version: 1, step: 0, steps: plan.steps, learningRateFactor: 1, rollbacks: 0, runKey, losses: NO_LOSSES };
  if (found === null) await abortable(signal, () => look.lookAt(0));
  const end = await abortable(signal, () => coTrain({
    encoder: trainable, partsAt: batches.partsAt, start, learningRate: { peak: subject.learningRate, kind: optimizer.schedule, warmUp: optimizer.warmUp },
    earlyStopping: recipe.earlyStopping === undefined || pairs.heldBack.length === 0 ? undefined : { metric: 'pairs', ...recipe.earlyStopping },
    checkpointFolder, signal, control, report, lookAt: look.lookAt,
    ...(options.checkpointEveryMs === undefined ? {} : { checkpointEveryMs: options.checkpointEveryMs }),
  }));

  report({ kind: 'progress', phase: 'finishing', done: 0, total: 2, unit: 'steps', leftMs: null });
  const after = await abortable(signal, () => look.measure(trainable.head));
  const learned = learnedOf(pairs, before, after);
  const facts = { recipe, seed, steps: end.step, losses: end.losses, device: chosen.device, node: process.version, pairs: learned };
  const write = subject.finish({ ...subject.facts.training, phrases: JSON.parse(JSON.stringify(facts)) });
  report({ kind: 'progress', phase: 'finishing', done: 1, total: 2, unit: 'steps', leftMs: null });
  await write(outputFolder, { [PHRASES_FILE]: `${JSON.stringify({ pairs: learned }, null, 2)}\n` });
  await removeCheckpoints(checkpointFolder);
  report({ kind: 'progress', phase: 'finishing', done: 2, total: 2, unit: 'steps', leftMs: 0 });
  return { ...summarise({ outputFolder, parameters: trainable.parameterCount, steps: end.step, losses: end.losses, started }), pairs: learned };
}

/** Every list that was trained or measured, by its languages. */
function learnedOf({ training, heldBack }: PhrasePairs, before: readonly Measured[], after: readonly Measured[]): readonly PhrasesOfPair[] {
  const keys = [...new Set([...training, ...heldBack].map(({ source, target }) => `${source} ${target}`))];
  return keys.map((key) => {
    const isOf = ({ source, target }: { readonly source: string; readonly target: string }): boolean => `${source} ${target}` === key;
    const [source = '', target = ''] = key.split(' ');
    const count = (sets: PhrasePairs['training']): number => sets.filter(isOf).reduce((sum, set) => sum + set.pairs.length, 0);
    return { source, target, training: count(training), heldBack: count(heldBack), before: meanOf(before.filter(isOf)), after: meanOf(after.filter(isOf)) };
  });
}

type Measured = { readonly source: string; readonly target: string; readonly phrases: number; readonly accuracy: number };

/** Over all phrases of the lists; null of none. */
function meanOf(measures: readonly Measured[]): number | null {
  const phrases = measures.reduce((sum, measure) => sum + measure.phrases, 0);
  return phrases === 0 ? null : measures.reduce((sum, measure) => sum + measure.phrases * measure.accuracy, 0) / phrases;
}

/** The recipe's settings and the content of its files, whatever their names: what a checkpoint belongs to. */
async function runKeyOf(recipe: PhraseRecipe): Promise<string> {
  const hashes: string[] = [];
  for (const file of phraseRecipeFiles(recipe)) hashes.push(...(await hashesBelow(file)));
  const { training, heldBack = [], texts, start, ...settings } = recipe;
  const languages = [...training, ...heldBack].map((entry) => ('folder' in entry ? ['en', entry.language, entry.split ?? ''] : [entry.source, entry.target]));
  return sha256(JSON.stringify({ kind: 'phrases', settings, start: 'transformer' in start ? start : Object.keys(start), languages, texts: texts.map(({ language }) => language), hashes }));
}
