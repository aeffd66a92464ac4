import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CancellationError, EnvironmentError } from '../base/errors.ts';
import { temporaryFolder } from '../base/test-disks.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { readNewestCheckpoint, type CheckpointState } from './checkpoint.ts';
import { coTrain, type CoTrainingOptions } from './co-training.ts';
import { noControl, type TrainingEvent } from './events.ts';
import type { LookResult } from './look.ts';
import { createStaticParameters } from './static-parameters.ts';
import { createStaticTrainable } from './static-trainable.ts';
import type { TrainableEncoder } from './trainable-encoder.ts';

const V = 6;
const H = 3;
const START: CheckpointState = { version: 1, step: 0, steps: 40, learningRateFactor: 1, rollbacks: 0, runKey: 'test', losses: { retrieval: 0, semantic: 0, language: 0 } };

type Setting = { readonly options: CoTrainingOptions; readonly events: TrainingEvent[]; readonly stepsSeen: number[]; readonly table: Float32Array; readonly encoder: TrainableEncoder };

const NOTHING: LookResult = { pairAccuracy: {}, retrievalMRR: null };
const look = (): Promise<LookResult> => Promise.resolve(NOTHING);

/** A run whose loss pulls every sum towards (1, 1, 1); `isBad(step, tries)` makes a step NaN. */
function setting(changes: Partial<CoTrainingOptions> & { readonly isBad?: (step: number) => boolean } = {}): Setting {
  const { isBad = () => false, ...rest } = changes;
  const memory = createKernelMemory(2 ** 20);
  const parameters = createStaticParameters({ vocabularySize: V, width: H, memory });
  const fill = (): void => { for (let i = 0; i < V * H; i += 1) parameters.table[i] = Math.sin(i); };
  fill();
  const encoder = createStaticTrainable({ kernels: createKernels(memory), memory, parameters, tokenizer: { encode: () => new Uint32Array(0) }, frozen: null, fill: () => { fill(); return Promise.resolve(); } });
  const events: TrainingEvent[] = [];
  const stepsSeen: number[] = [];
  const options: CoTrainingOptions = {
    encoder, start: START, learningRate: { peak: 0.05 }, checkpointFolder: null, signal: new AbortController().signal,
    control: noControl, report: (event) => { events.push(event); }, lookAt: look,
    partsAt: (step) => {
      stepsSeen.push(step);
      const bad = isBad(step);
      return [{
        kind: 'vectors', name: 'semantic', texts: [Uint32Array.of(step % V, (step * 5 + 1) % V), Uint32Array.of((step + 2) % V)], queries: 0,
        evaluate: (pooled) => Promise.resolve({ loss: bad ? Number.NaN : pooled.reduce((sum, x) => sum + (x - 1) ** 2 / 2, 0), gradient: pooled.map((x) => x - 1) }),
      }];
    },
    ...rest,
  };
  return { options, events, stepsSeen, table: parameters.table, encoder };
}

const codes = (events: readonly TrainingEvent[]): string[] => events.flatMap((event) => (event.kind === 'message' ? [event.code] : []));

describe('co-training', () => {
  it('takes every step once, is looked at in between and at the end, and lowers the loss', async () => {
    const looks: number[] = [];
    const { options, stepsSeen, events } = setting({ lookAt: (step) => { looks.push(step); return look(); } });
    const end = await coTrain(options);
    expect(stepsSeen).toEqual(Array.from({ length: 40 }, (_, step) => step));
    expect(looks).toEqual(Array.from({ length: 40 }, (_, step) => step + 1)); // a short run is looked at after each step
    const first = setting({ start: { ...START, steps: 1 } });
    expect(end.losses.semantic).toBeLessThan((await coTrain(first.options)).losses.semantic);
    expect(events.at(-1)).toMatchObject({ kind: 'step', step: 40, steps: 40, leftMs: 0 });
  });

  it('goes on from a checkpoint to the same bits as without a stop', async () => {
    using folder = temporaryFolder();
    const whole = setting();
    await coTrain(whole.options);
    const controller = new AbortController();
    const cut = setting({ checkpointFolder: folder.path, checkpointEveryMs: 0, signal: controller.signal, control: { ...noControl, paused: () => { if (cut.stepsSeen.length === 17) controller.abort(); return false; } } });
    await expect(coTrain(cut.options)).rejects.toBeInstanceOf(CancellationError);
    const rest = setting();
    const found = await readNewestCheckpoint(folder.path, 'test', rest.encoder.arrays);
    expect(found?.state.step).toBe(18); // the step that had begun
    await coTrain({ ...rest.options, start: found?.state ?? START });
    expect(rest.stepsSeen).toHaveLength(22);
    expect(rest.table).toEqual(whole.table);
  });

  it('stops at the next step when it is cancelled', async () => {
    const controller = new AbortController();
    const { options, stepsSeen } = setting({ signal: controller.signal, lookAt: (step) => { if (step === 5) controller.abort(); return look(); } });
    await expect(coTrain(options)).rejects.toBeInstanceOf(CancellationError);
    expect(stepsSeen).toHaveLength(5);
  });

  it('ends early with what it has when it is told to stop and keep', async () => {
    const { options, stepsSeen } = setting({ control: { paused: () => false, stopAndKeep: () => stepsSeen.length >= 12 } });
    const end = await coTrain(options);
    expect([end.step, end.steps]).toEqual([12, 40]);
    expect(stepsSeen).toHaveLength(12);
  });

  it('saves and waits while it is paused, then takes the same steps; a pause can be stopped or cancelled', async () => {
    using folder = temporaryFolder();
    let asked = 0;
    const pausing = setting({ checkpointFolder: folder.path, control: { stopAndKeep: () => false, paused: () => { asked += 1; return pausing.stepsSeen.length === 7 && asked < 12; } } });
    const whole = setting();
    await coTrain(whole.options);
    const end = await coTrain(pausing.options);
    expect(asked).toBeGreaterThan(12);
    expect(end.step).toBe(40);
    expect(pausing.table).toEqual(whole.table);
    expect(await readdir(folder.path)).toContain('step-000000007');
    const stopped = setting({ control: { stopAndKeep: () => stopped.stepsSeen.length === 7, paused: () => stopped.stepsSeen.length === 7 } });
    expect((await coTrain(stopped.options)).step).toBe(7);
    const controller = new AbortController();
    const cancelled = setting({ signal: controller.signal, control: { stopAndKeep: () => false, paused: () => { setImmediate(() => { controller.abort(); }); return true; } } });
    await expect(coTrain(cancelled.options)).rejects.toBeInstanceOf(CancellationError);
  });

  it('leaves out one or two steps that are not finite, and says so', async () => {
    const { options, events, table } = setting({ isBad: (step) => step === 4 || step === 5 || step === 20 });
    const end = await coTrain(options);
    expect(codes(events)).toEqual(['training.non-finite', 'training.non-finite', 'training.non-finite']);
    expect([end.step, end.rollbacks, end.learningRateFactor]).toEqual([40, 0, 1]);
    expect(table.every(Number.isFinite)).toBe(true);
  });

  it('goes back to the last checkpoint after three in a row, with half the learning rate', async () => {
    using folder = temporaryFolder();
    let times = 0;
    const { options, events, stepsSeen } = setting({ checkpointFolder: folder.path, checkpointEveryMs: 0, isBad: (step) => step >= 10 && step <= 12 && (times += 1) <= 3 });
    const end = await coTrain(options);
    expect(codes(events).filter((code) => code === 'training.rolled-back')).toHaveLength(1);
    expect([end.step, end.rollbacks, end.learningRateFactor]).toEqual([40, 1, 0.5]);
    expect(stepsSeen.filter((step) => step === 12)).toHaveLength(2);
  });

  it('goes back to the start where there is no checkpoint yet', async () => {
    let times = 0;
    const { options, events, stepsSeen } = setting({ isBad: (step) => step >= 2 && (times += 1) <= 3 });
    const end = await coTrain(options);
    expect(codes(events)).toContain('training.rolled-back');
    expect([end.step, end.rollbacks]).toEqual([40, 1]);
    expect(stepsSeen.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 0, 1]);
  });

  it('gives up with a plain sentence after two roll-backs, and never saves what is not finite', async () => {
    using folder = temporaryFolder();
    const { options, events } = setting({ checkpointFolder: folder.path, checkpointEveryMs: 0, isBad: (step) => step >= 10 });
    await expect(coTrain(options)).rejects.toMatchObject({ code: 'training.diverged', family: 'environment', message: expect.stringMatching(/half the learning rate/) });
    expect(codes(events).filter((code) => code === 'training.rolled-back')).toHaveLength(2);
    const broken = setting({ checkpointFolder: join(folder.path, 'broken'), checkpointEveryMs: 0, start: { ...START, steps: 2 } });
    broken.table.fill(Number.POSITIVE_INFINITY);
    await expect(coTrain(broken.options)).rejects.toMatchObject({ code: 'training.diverged' });
    await expect(readdir(join(folder.path, 'broken'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('takes a step again with less at once when the memory does not suffice, and ends when it cannot take less', async () => {
    const { options, encoder, events, stepsSeen } = setting();
    let room = 2;
    const tight: TrainableEncoder = {
      ...encoder,
      step: (asked) => (asked.step === 3 && room > 0 ? Promise.reject(new EnvironmentError('runtime.out-of-memory', 'too little')) : encoder.step(asked)),
      shrink: () => { room -= 1; return true; },
    };
    expect((await coTrain({ ...options, encoder: tight })).step).toBe(40);
    expect(codes(events)).toEqual(['training.less-memory', 'training.less-memory']);
    expect(stepsSeen).toHaveLength(40);
    await expect(coTrain({ ...setting().options, encoder: { ...tight, step: () => Promise.reject(new EnvironmentError('runtime.out-of-memory', 'too little')), shrink: () => false } })).rejects.toMatchObject({ code: 'runtime.out-of-memory' });
  });
});

describe('early stopping', () => {
  /** A metric that rises until step 10 and then falls. */
  const peak = (step: number): Promise<LookResult> => Promise.resolve({ pairAccuracy: { sw: 1 - Math.abs(step - 10) / 100, ar: 1 - Math.abs(step - 10) / 100 }, retrievalMRR: null });
  const earlyStopping = { metric: 'pairs', patience: 5 } as const;

  it('ends after so many looks without a gain, with the values of the best look', async () => {
    using folder = temporaryFolder();
    const { options, table, stepsSeen, events } = setting({ checkpointFolder: folder.path, lookAt: peak, earlyStopping });
    const end = await coTrain(options);
    expect(stepsSeen).toHaveLength(15);
    expect(end.best).toEqual({ step: 10, value: 1, looksSince: 5 });
    expect(codes(events)).toContain('training.kept-best');
    const whole = setting({ start: { ...START, steps: 40 }, control: { paused: () => false, stopAndKeep: () => whole.stepsSeen.length === 10 } });
    await coTrain(whole.options);
    expect(table).toEqual(whole.table);
  });

  it('of a run that was killed between looks stops at the same step with the same values', async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    const whole = setting({ checkpointFolder: folder.path, lookAt: peak, earlyStopping });
    await coTrain(whole.options);
    const controller = new AbortController();
    const cut = setting({ checkpointFolder: other.path, checkpointEveryMs: 0, lookAt: (step) => { if (step === 13) controller.abort(); return peak(step); }, earlyStopping, signal: controller.signal });
    await expect(coTrain(cut.options)).rejects.toBeInstanceOf(CancellationError);
    const rest = setting({ checkpointFolder: other.path, lookAt: peak, earlyStopping });
    const found = await readNewestCheckpoint(other.path, 'test', rest.encoder.arrays);
    const end = await coTrain({ ...rest.options, start: found?.state ?? START });
    expect(end.best).toEqual({ step: 10, value: 1, looksSince: 5 });
    expect(rest.table).toEqual(whole.table);
  });

  it('never ends a run whose metric cannot be measured', async () => {
    const { options } = setting({ lookAt: look, earlyStopping: { metric: 'questions', patience: 1 } });
    expect((await coTrain(options)).step).toBe(40);
  });
});
