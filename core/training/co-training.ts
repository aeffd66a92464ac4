/** How does a run go from its first step to its last? Steps with checkpoints, pauses, roll-backs after non-finite numbers, and events. */
import { CancellationError, EnvironmentError, toIsoglossError } from '../base/errors.ts';
import { estimateLeftMs } from '../base/progress.ts';
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';
import { linearLearningRate } from '../optimizers/schedules.ts';
import { readNewestCheckpoint, writeCheckpoint, type CheckpointState } from './checkpoint.ts';
import type { Losses, ReportTraining, TrainingControl } from './events.ts';
import type { NamedLossPart } from './step-batches.ts';
import { parameterArrays, staticStep, type StaticParameters } from './static-parameters.ts';

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

export type CoTrainingOptions = {
  readonly kernels: Kernels;
  readonly memory: KernelMemory;
  readonly parameters: StaticParameters;
  readonly partsAt: (step: number) => NamedLossPart[];
  readonly frozen: Uint8Array | null;
  readonly start: CheckpointState;
  readonly learningRate: number;
  /** null: no checkpoints (a trial). */
  readonly checkpointFolder: string | null;
  /** Milliseconds between checkpoints. */
  readonly checkpointEveryMs?: number;
  /** Puts the parameters back to where step 0 starts: for a roll-back before the first checkpoint. */
  readonly restart?: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly control: TrainingControl;
  readonly report: ReportTraining;
  /** Looks at held-back data between steps; changes nothing. */
  readonly lookAt: (step: number) => void;
};

/**
 * Trains from `start.step` to `start.steps`. Updates are the same whether the run was interrupted or not: batches depend on the step,
 * and a checkpoint holds every number that an update reads.
 * @returns the state at the end: `step` is smaller than `steps` when the person chose to stop and keep.
 * @throws CancellationError when the signal is aborted; EnvironmentError 'training.diverged', 'disk.full' ...
 */
export async function coTrain(options: CoTrainingOptions): Promise<CheckpointState> {
  const { kernels, memory, parameters, partsAt, frozen, checkpointFolder, checkpointEveryMs = CHECKPOINT_EVERY_MS, signal, control, report, lookAt } = options;
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
      if (checkpointFolder !== null) await save({ folder: checkpointFolder, state, parameters, kernels, report });
      while (control.paused() && !control.stopAndKeep() && !signal.aborted) await wait(PAUSE_POLL_MS);
      pace.startedAt += performance.now() - pausedAt;
      lastSaved = performance.now();
      continue;
    }
    const learningRate = state.learningRateFactor * linearLearningRate(state.step, { peak: options.learningRate, steps: state.steps, warmUpFraction: WARM_UP_FRACTION, floorFraction: FLOOR_FRACTION });
    const parts = partsAt(state.step);
    const result = await staticStep({ kernels, memory, parameters, parts, learningRate, frozen });
    if (!result.isFinite) {
      nonFinite += 1;
      report({ kind: 'message', code: 'training.non-finite', message: `Step ${state.step + 1} gave a number that is not finite; it was left out.` });
      if (nonFinite >= MOST_NON_FINITE_STEPS) {
        state = await rollBack(state, options);
        nonFinite = 0;
        continue;
      }
    } else nonFinite = 0;
    tokens += parts.reduce((sum, part) => sum + part.bags.ids.length, 0);
    state = { ...state, step: state.step + 1, ...(result.isFinite ? { losses: namedLosses(parts, result.losses) } : {}) };
    const now = performance.now();
    const done = state.step - pace.firstStep;
    if (now - lastEvent >= EVENT_EVERY_MS || state.step === state.steps) {
      lastEvent = now;
      const elapsedMs = now - pace.startedAt;
      const leftMs = estimateLeftMs({ elapsedMs, done, total: state.steps - pace.firstStep });
      report({ kind: 'step', step: state.step, steps: state.steps, losses: state.losses, learningRate, tokensPerSecond: (tokens / elapsedMs) * 1000, leftMs });
      await wait(0); // lets messages (pause, cancel) in
    }
    if (state.step % lookEvery === 0 || state.step === state.steps) lookAt(state.step);
    if (checkpointFolder !== null && (now - lastSaved >= checkpointEveryMs || state.step === state.steps)) {
      await save({ folder: checkpointFolder, state, parameters, kernels, report });
      lastSaved = performance.now();
    }
  }
  if (!areFinite(parameters, kernels)) throw diverged(state);
  return state;
}

function namedLosses(parts: readonly NamedLossPart[], values: readonly number[]): Losses {
  const losses = { retrieval: 0, semantic: 0, language: 0 };
  parts.forEach((part, i) => {
    losses[part.name] = values[i] ?? 0;
  });
  return losses;
}

/**
 * A checkpoint that cannot be written (a full disk, a drive pulled out) does not end the run: the one before stays, and the person is told.
 * Parameters that are not finite are never saved: the steps after them roll back to a state that is.
 */
async function save(options: { readonly folder: string; readonly state: CheckpointState; readonly parameters: StaticParameters; readonly kernels: Kernels; readonly report: ReportTraining }): Promise<void> {
  const { folder, state, parameters, kernels, report } = options;
  if (!areFinite(parameters, kernels)) return;
  try {
    await writeCheckpoint(folder, state, parameterArrays(parameters));
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.family !== 'environment' && error.family !== 'input') throw error;
    report({ kind: 'message', code: 'training.checkpoint-failed', message: `The state could not be saved at step ${state.step}: ${error.message} Training goes on; the last saved state stays.` });
  }
}

function areFinite({ table, logWeights }: StaticParameters, kernels: Kernels): boolean {
  return Number.isFinite(kernels.dot(table, table)) && Number.isFinite(kernels.dot(logWeights, logWeights));
}

/** The newest checkpoint, or the start where there is none yet, with half the learning rate. @throws EnvironmentError 'training.diverged'. */
async function rollBack(state: CheckpointState, options: CoTrainingOptions): Promise<CheckpointState> {
  const found = state.rollbacks >= MOST_ROLLBACKS ? null : await lastGoodState(state, options);
  if (found === null) throw diverged(state);
  const learningRateFactor = state.learningRateFactor / 2;
  options.report({ kind: 'message', code: 'training.rolled-back', message: `Three steps in a row gave numbers that are not finite. Training went back to step ${found.step} with half the learning rate.` });
  return { ...found, learningRateFactor, rollbacks: state.rollbacks + 1 };
}

async function lastGoodState(state: CheckpointState, { checkpointFolder, parameters, restart }: CoTrainingOptions): Promise<CheckpointState | null> {
  const found = checkpointFolder === null ? null : await readNewestCheckpoint(checkpointFolder, state.runKey, parameterArrays(parameters));
  if (found !== null) return found.state;
  if (restart === undefined) return null;
  await restart();
  return { ...state, step: 0, losses: { retrieval: 0, semantic: 0, language: 0 } };
}

function diverged({ step }: CheckpointState): EnvironmentError {
  return new EnvironmentError('training.diverged', `The losses stopped being finite numbers around step ${step + 1}, also with a smaller learning rate. Try again with half the learning rate or a higher temperature.`, { data: { step } });
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
