/** How does any training go from its first plan to a finished model folder? In a folder of its own, on a device that may fail, resumed where it was. */
import { join, resolve } from 'node:path';
import { CancellationError, EnvironmentError } from '../base/errors.ts';
import { chooseDevice, type DeviceChoice } from '../runtime/choose-device.ts';
import { deviceNames, DEVICES, type DeviceWish } from '../runtime/device.ts';
import { readNewestCheckpoint, removeCheckpoints, type CheckpointState } from './checkpoint.ts';
import { coTrain, type CoTrainingOptions } from './co-training.ts';
import { noControl, type ReportTraining, type TrainingControl, type TrainingSummary } from './events.ts';
import { checkOutputFolder, checkpointFolderOf, reserveOutputFolder } from './output-folder.ts';
import { planSteps } from './plan.ts';
import type { Recipe } from './recipe-schema.ts';
import { NO_LOSSES } from './trainable-encoder.ts';
import type { WriteModel } from './training-subject.ts';

/** What a person says of a run beside its recipe. */
export type PlannedRunOptions = {
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

/**
 * Trains into a folder that no other run may use meanwhile. When the device fails on the way, says so and goes on from the last saved state
 * on the CPU; only a plan is made without any of it.
 * @throws as `checkOutputFolder`, `reserveOutputFolder` and `train`.
 */
export async function inOutputFolder<Options extends PlannedRunOptions, Result>(options: Options, train: (options: Options) => Promise<Result>): Promise<Result> {
  if (options.planOnly === true) {
    await checkOutputFolder(options.outputFolder);
    return train(options);
  }
  const place = await reserveOutputFolder(options.outputFolder);
  try {
    return await train(options);
  } catch (thrown) {
    const device = failedDevice(thrown);
    if (options.device === 'cpu' || device === null) throw thrown;
    options.report({ kind: 'message', code: 'device.failed', message: `${device[0]?.toUpperCase() ?? ''}${device.slice(1)} failed, so training goes on with the processor from the last saved state.` });
    return await train({ ...options, device: 'cpu', resume: true });
  } finally {
    await place[Symbol.asyncDispose]();
  }
}

/** The name of the device that failed in a calculation, or would not take a graph; null for any other fault. */
function failedDevice(thrown: unknown): string | null {
  if (!(thrown instanceof EnvironmentError) || !['runtime.device-failed', 'runtime.model-refused'].includes(thrown.code)) return null;
  const device = DEVICES.find((name) => name === thrown.data['device']);
  return device === undefined || device === 'cpu' ? null : deviceNames[device];
}

/** The device of a run; why it was chosen is said where somebody asked for another than the CPU. */
export async function chosenDevice({ device: wish, threads, signal, report }: Pick<PlannedRunOptions, 'device' | 'threads' | 'signal' | 'report'>): Promise<DeviceChoice> {
  const { device, code, message, data, detail } = await chooseDevice(wish, { threads, signal });
  if (wish !== 'cpu') report({ kind: 'message', code, message, data });
  return { device, code, message, data, detail };
}

/** @param Part  what a step is made of. */
export type PlannedSteps<Part extends { readonly texts: readonly Uint32Array[] }> = Pick<CoTrainingOptions<Part>, 'encoder' | 'partsAt' | 'beforeStep' | 'learningRate' | 'earlyStopping' | 'lookAt'> & {
  readonly run: PlannedRunOptions;
  /** What checkpoints belong to. */
  readonly runKey: string;
  readonly budget: Recipe['budget'];
  /** Milliseconds of a step, by trial steps that leave everything where step 0 starts. */
  readonly trial: () => Promise<number>;
  /** Told how many steps there will be, before the first. */
  readonly onPlan?: (steps: number) => void;
  /** Before the first step of a run that does not continue another. */
  readonly onStart?: () => Promise<unknown>;
};

/**
 * Trial steps, the plan, and all steps of the run, from the newest checkpoint where one is asked for and found.
 * @returns the state at the end; null when only the plan was asked for.
 * @throws as `coTrain`; CancellationError once the signal is aborted.
 */
export async function trainByPlan<Part extends { readonly texts: readonly Uint32Array[] }>({ run, runKey, budget, trial, onPlan, onStart, ...steps }: PlannedSteps<Part>): Promise<CheckpointState | null> {
  const { outputFolder, resume, planOnly = false, signal, report, control = noControl, checkpointEveryMs } = run;
  const { encoder } = steps;
  const checkpointFolder = checkpointFolderOf(outputFolder);
  if (!resume && !planOnly) await removeCheckpoints(checkpointFolder);
  const stepMs = await abortable(signal, trial);
  const found = resume ? await readNewestCheckpoint(checkpointFolder, runKey, encoder.arrays) : null;
  if (found !== null) await encoder.residence?.send();
  for (const name of found?.damaged ?? []) report({ kind: 'message', code: 'training.checkpoint-damaged', message: `The saved state ${name} is damaged; an earlier one is used.` });
  if (resume && found === null) report({ kind: 'message', code: 'training.nothing-to-resume', message: 'There is no saved state of this recipe and these files; training starts at the beginning.' });
  const plan = planSteps({ budget, stepMs, doneSteps: found?.state.step ?? 0, fixedSteps: found?.state.steps ?? null });
  onPlan?.(plan.steps);
  report({ kind: 'plan', ...plan });
  if (planOnly) return null;
  if (found === null && onStart !== undefined) await abortable(signal, onStart);
  const start: CheckpointState = found?.state ?? { version: 1, step: 0, steps: plan.steps, learningRateFactor: 1, rollbacks: 0, runKey, losses: NO_LOSSES };
  return abortable(signal, () => coTrain({ ...steps, start, checkpointFolder, signal, control, report, ...(checkpointEveryMs === undefined ? {} : { checkpointEveryMs }) }));
}

/** Turns what was learned into a model folder; the checkpoints go when it is complete. @param files  beside the model, by name. */
export async function finishRun({ outputFolder, signal, report }: PlannedRunOptions, finish: () => Promise<{ readonly write: WriteModel; readonly files: Readonly<Record<string, string>> }>): Promise<void> {
  report({ kind: 'progress', phase: 'finishing', done: 0, total: 2, unit: 'steps', leftMs: null });
  const { write, files } = await abortable(signal, finish);
  report({ kind: 'progress', phase: 'finishing', done: 1, total: 2, unit: 'steps', leftMs: null });
  await write(outputFolder, files);
  await removeCheckpoints(checkpointFolderOf(outputFolder));
  report({ kind: 'progress', phase: 'finishing', done: 2, total: 2, unit: 'steps', leftMs: 0 });
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

/** Begins to measure a run. @returns what gives its summary: wall time, CPU time, memory at its peak. */
export function measureRun({ outputFolder }: Pick<PlannedRunOptions, 'outputFolder'>): (end: Pick<CheckpointState, 'step' | 'losses'>, parameters: number) => TrainingSummary {
  const started = { wall: performance.now(), cpu: process.cpuUsage() };
  return ({ step, losses }, parameters) => {
    const cpu = process.cpuUsage(started.cpu);
    return {
      model: join(resolve(outputFolder)),
      steps: step,
      wallSeconds: (performance.now() - started.wall) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      peakMemoryMB: Math.round(process.resourceUsage().maxRSS / 1024),
      parameters,
      losses,
    };
  };
}
