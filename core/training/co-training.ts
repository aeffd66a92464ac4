/** How does a run go from its first step to its last? Steps with checkpoints, pauses, roll-backs after non-finite numbers, and events. */
import { CancellationError, EnvironmentError, toIsoglossError } from '../base/errors.ts';
import { estimateLeftMs } from '../base/progress.ts';
import { cosineLearningRate, linearLearningRate } from '../optimizers/schedules.ts';
import { readNewestCheckpoint, writeCheckpoint, type CheckpointState } from './checkpoint.ts';
import { createEarlyStopping, type EarlyStoppingSettings } from './early-stopping.ts';
import type { ReportTraining, TrainingControl } from './events.ts';
import type { LookResult } from './look.ts';
import { stepInMemory } from './step-in-memory.ts';
import { NO_LOSSES, type StepPart, type TrainedInSteps } from './trainable-encoder.ts';

/** default-retriever.md: 5 % warm-up, then linearly to 2 %. */
const WARM_UP_FRACTION = 0.05;
const FLOOR_FRACTION = 0.02;
/** reliability.md, section 3: three non-finite steps in a row roll back; the rate is halved, at most twice. */
const MOST_NON_FINITE_STEPS = 3;
const MOST_ROLLBACKS = 2;
const CHECKPOINT_EVERY_MS = 45_000;
const PAUSE_POLL_MS = 100;
/** How often the curve gets a point and the held-back sentences are looked at, as parts of the run. */
const LOOKS_PER_RUN = 24;
const EVENT_EVERY_MS = 250;

export type LearningRateSchedule = { readonly peak: number; readonly kind?: 'linear' | 'cosine' | undefined; readonly warmUp?: number | undefined };

/** What the loop reads of a part: its texts, to count their tokens. */
type AnyPart = { readonly texts: readonly Uint32Array[] };

export type CoTrainingOptions<Part extends AnyPart = StepPart> = {
  readonly encoder: TrainedInSteps<Part>;
  /** The losses of a step; a function of (seed, step). */
  readonly partsAt: (step: number) => readonly Part[];
  /** Called before each step: refreshes what batches are made of (hard negatives). Its state is among the encoder's arrays. */
  readonly beforeStep?: (step: number) => Promise<void>;
  readonly start: CheckpointState;
  readonly learningRate: LearningRateSchedule;
  /** null: no checkpoints (a trial). */
  readonly checkpointFolder: string | null;
  /** Milliseconds between checkpoints. */
  readonly checkpointEveryMs?: number;
  readonly earlyStopping?: EarlyStoppingSettings | undefined;
  readonly signal: AbortSignal;
  readonly control: TrainingControl;
  readonly report: ReportTraining;
  /** Looks at held-back data between steps; changes nothing. */
  readonly lookAt: (step: number) => Promise<LookResult>;
};

/**
 * Trains from `start.step` to `start.steps`. Updates are the same whether the run was interrupted or not: batches depend on the step,
 * and a checkpoint holds every number that an update reads.
 * @returns the state at the end: `step` is smaller than `steps` when the person chose to stop and keep.
 * @throws CancellationError when the signal is aborted; EnvironmentError 'training.diverged', 'disk.full' ...
 */
export async function coTrain<Part extends AnyPart>(options: CoTrainingOptions<Part>): Promise<CheckpointState> {
  const { encoder, partsAt, beforeStep, checkpointFolder, checkpointEveryMs = CHECKPOINT_EVERY_MS, signal, control, report, lookAt } = options;
  const stopping = options.earlyStopping === undefined ? null : createEarlyStopping({ settings: options.earlyStopping, folder: checkpointFolder, runKey: options.start.runKey, values: encoder.values, report });
  let state = options.start;
  let nonFinite = 0;
  let lastSaved = performance.now();
  let lastEvent = 0;
  let tokens = 0;
  const pace = { startedAt: performance.now(), firstStep: state.step };
  const lookEvery = Math.max(1, Math.floor(state.steps / LOOKS_PER_RUN));
  while (state.step < state.steps) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: signal.reason });
    if (control.stopAndKeep()) break;
    if (control.paused()) {
      const pausedAt = performance.now();
      if (checkpointFolder !== null) await save({ folder: checkpointFolder, state, encoder, report });
      while (control.paused() && !control.stopAndKeep() && !signal.aborted) await wait(PAUSE_POLL_MS);
      pace.startedAt += performance.now() - pausedAt;
      lastSaved = performance.now();
      continue;
    }
    const learningRate = state.learningRateFactor * rateAt(state.step, state.steps, options.learningRate);
    await beforeStep?.(state.step);
    const parts = partsAt(state.step);
    const result = await stepInMemory({ encoder, parts, step: state.step, learningRate, report });
    if (!result.isFinite) {
      nonFinite += 1;
      report({ kind: 'message', code: 'training.non-finite', message: `Step ${state.step + 1} gave a number that is not finite; it was left out.` });
      if (nonFinite >= MOST_NON_FINITE_STEPS) {
        state = await rollBack(state, options);
        nonFinite = 0;
        continue;
      }
    } else nonFinite = 0;
    tokens += parts.reduce((sum, part) => sum + part.texts.reduce((all, ids) => all + ids.length, 0), 0);
    state = { ...state, step: state.step + 1, ...(result.isFinite ? { losses: result.losses } : {}) };
    const now = performance.now();
    const done = state.step - pace.firstStep;
    if (now - lastEvent >= EVENT_EVERY_MS || state.step === state.steps) {
      lastEvent = now;
      const elapsedMs = now - pace.startedAt;
      const leftMs = estimateLeftMs({ elapsedMs, done, total: state.steps - pace.firstStep });
      report({ kind: 'step', step: state.step, steps: state.steps, losses: state.losses, learningRate, tokensPerSecond: (tokens / elapsedMs) * 1000, leftMs });
      await wait(0); // lets messages (pause, cancel) in
    }
    if (state.step % lookEvery === 0 || state.step === state.steps) {
      const look = await lookAt(state.step);
      if (stopping !== null) {
        await encoder.residence?.bringBack();
        state = await stopping.afterLook(state, look);
      }
    }
    if (checkpointFolder !== null && (now - lastSaved >= checkpointEveryMs || state.step === state.steps)) {
      await save({ folder: checkpointFolder, state, encoder, report });
      lastSaved = performance.now();
    }
    if (stopping?.isOver(state) === true) break;
  }
  await encoder.residence?.bringBack();
  if (!encoder.areFinite()) throw diverged(state);
  return stopping === null ? state : stopping.keepBest(state);
}

function rateAt(step: number, steps: number, { peak, kind = 'linear', warmUp = WARM_UP_FRACTION }: LearningRateSchedule): number {
  const schedule = { peak, steps, warmUpFraction: warmUp, floorFraction: FLOOR_FRACTION };
  return kind === 'cosine' ? cosineLearningRate(step, schedule) : linearLearningRate(step, schedule);
}

/**
 * A checkpoint that cannot be written (a full disk, a drive pulled out) does not end the run: the one before stays, and the person is told.
 * Parameters that are not finite are never saved: the steps after them roll back to a state that is.
 */
async function save(options: { readonly folder: string; readonly state: CheckpointState; readonly encoder: Pick<TrainedInSteps<never>, 'arrays' | 'residence' | 'areFinite'>; readonly report: ReportTraining }): Promise<void> {
  const { folder, state, encoder, report } = options;
  await encoder.residence?.bringBack();
  if (!encoder.areFinite()) return;
  try {
    await writeCheckpoint(folder, state, encoder.arrays);
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.family !== 'environment' && error.family !== 'input') throw error;
    report({ kind: 'message', code: 'training.checkpoint-failed', message: `The state could not be saved at step ${state.step}: ${error.message} Training goes on; the last saved state stays.` });
  }
}

/** The newest checkpoint, or the start where there is none yet, with half the learning rate. @throws EnvironmentError 'training.diverged'. */
async function rollBack<Part extends AnyPart>(state: CheckpointState, options: CoTrainingOptions<Part>): Promise<CheckpointState> {
  const found = state.rollbacks >= MOST_ROLLBACKS ? null : await lastGoodState(state, options);
  if (found === null) throw diverged(state);
  const learningRateFactor = state.learningRateFactor / 2;
  options.report({ kind: 'message', code: 'training.rolled-back', message: `Three steps in a row gave numbers that are not finite. Training went back to step ${found.step} with half the learning rate.` });
  return { ...found, learningRateFactor, rollbacks: state.rollbacks + 1 };
}

async function lastGoodState<Part extends AnyPart>(state: CheckpointState, { checkpointFolder, encoder }: CoTrainingOptions<Part>): Promise<CheckpointState> {
  const found = checkpointFolder === null ? null : await readNewestCheckpoint(checkpointFolder, state.runKey, encoder.arrays);
  if (found !== null) {
    await encoder.residence?.send();
    return found.state;
  }
  await encoder.restart();
  return { version: state.version, step: 0, steps: state.steps, learningRateFactor: state.learningRateFactor, rollbacks: state.rollbacks, runKey: state.runKey, losses: NO_LOSSES };
}

function diverged({ step }: CheckpointState): EnvironmentError {
  return new EnvironmentError('training.diverged', `The losses stopped being finite numbers around step ${step + 1}, also with a smaller learning rate. Try again with half the learning rate or a higher temperature.`, { data: { step } });
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
