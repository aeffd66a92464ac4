/** How do phrase pairs become a model that tells phrases apart? Read, plan, train in the loop of all trainings, measure, write an ordinary model folder. */
import { resolve } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { sha256 } from '../../base/hashing.ts';
import { tokensInUse } from '../../encoding/phrase-vectors.ts';
import type { PhraseInUse } from '../../encoding/encoder.ts';
import type { TrainingSummary } from '../events.ts';
import { phrasesWithLessMemory } from '../less-memory.ts';
import { measureStepMs } from '../plan.ts';
import { abortable, chosenDevice, finishRun, inOutputFolder, measureRun, trainByPlan, type PlannedRunOptions } from '../planned-run.ts';
import { hashesBelow, readingsOf } from '../run-key.ts';
import { createPhraseBatches } from './phrase-batches.ts';
import { createPhraseLook } from './phrase-look.ts';
import { readPhrasePairs, type PhrasePairs } from './phrase-pairs.ts';
import { phraseRecipeFiles, type PhraseRecipe } from './phrase-recipe.ts';
import { openPhraseSubject, startsStatic } from './phrase-start.ts';

export type RunPhraseTrainingOptions = PlannedRunOptions & {
  /** As `readPhraseRecipe` gives it: paths absolute. */
  readonly recipe: PhraseRecipe;
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
  const { start } = options.recipe;
  const beginning = 'model' in start ? start.model : 'backbone' in start ? start.backbone : null;
  if (beginning !== null && resolve(beginning) === resolve(options.outputFolder)) throw new InputError('phrases.same-folder', `${resolve(options.outputFolder)}: expected another folder than that of the model which learns the phrases, found the same. Its way of reading whole sentences would be lost; name a new folder.`, { data: { path: resolve(options.outputFolder) } });
  return inOutputFolder(options, trainAndWrite);
}

async function trainAndWrite(options: RunPhraseTrainingOptions): Promise<PhraseTrainingSummary | null> {
  const { threads, signal, report } = options;
  const recipe = options.takesLess === true ? phrasesWithLessMemory(options.recipe, await startsStatic(options.recipe)) : options.recipe;
  const summary = measureRun(options);
  await using stack = new AsyncDisposableStack();
  const pairs = await abortable(signal, () => readPhrasePairs({ recipe, signal, report }));
  const { device } = await chosenDevice(options);
  const subject = stack.use(await abortable(signal, () => openPhraseSubject({ recipe, pairs, threads, device, signal, report })));
  const { trainable, reader } = subject;
  const read = (phrase: PhraseInUse) => tokensInUse(phrase, reader);
  const { optimizer, sentences, seed, budget } = recipe;
  const batches = createPhraseBatches({ sets: pairs.training, read, batch: optimizer.batch, accumulation: optimizer.accumulation, sentences: sentences.training, seed });
  const look = createPhraseLook({ sets: pairs.heldBack, trainable, read, sentences: sentences.evaluation, report });
  await abortable(signal, () => trainable.restart());
  let before: readonly Measured[] = [];
  const trial = async (): Promise<number> => {
    const stepMs = await measureStepMs(trainable, batches.partsAt, report);
    await trainable.restart(); // the trial filled queues and moved nothing else
    if (options.planOnly === true) return stepMs;
    report({ kind: 'progress', phase: 'evaluating', done: 0, total: null, unit: 'phrases', leftMs: null });
    before = await look.measure(null);
    return stepMs;
  };
  const end = await trainByPlan({
    run: options, runKey: await runKeyOf(options.recipe), budget: 'epochs' in budget ? { steps: Math.max(1, Math.ceil(budget.epochs * batches.stepsPerEpoch)) } : budget, trial, onStart: () => look.lookAt(0),
    encoder: trainable, partsAt: batches.partsAt, learningRate: { peak: subject.learningRate, kind: optimizer.schedule, warmUp: optimizer.warmUp },
    earlyStopping: recipe.earlyStopping === undefined || pairs.heldBack.length === 0 ? undefined : { metric: 'pairs', ...recipe.earlyStopping }, lookAt: look.lookAt,
  });
  if (end === null) return null;
  let learned: readonly PhrasesOfPair[] = [];
  await finishRun(options, async () => {
    learned = learnedOf(pairs, before, await look.measure(trainable.head));
    const facts = { recipe, seed, steps: end.step, losses: end.losses, device, node: process.version, pairs: learned };
    return { write: subject.finish({ ...subject.facts.training, phrases: JSON.parse(JSON.stringify(facts)) }), files: { [PHRASES_FILE]: `${JSON.stringify({ pairs: learned }, null, 2)}\n` } };
  });
  return { ...summary(end, trainable.parameterCount), pairs: learned };
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
  return sha256(JSON.stringify({ kind: 'phrases', settings, start: 'transformer' in start ? start : Object.keys(start), read: [training, heldBack, texts].map(readingsOf), hashes }));
}
