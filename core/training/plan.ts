/** How long will it take, and how much memory? Measured by a few steps that change nothing, before the first real one. */
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';
import type { Recipe } from './recipe.ts';
import type { NamedLossPart } from './step-batches.ts';
import { parameterArrays, staticStep, type StaticParameters } from './static-parameters.ts';

/** Room for the gradients and pooled sums of one step beside the tables. */
export const STEP_MEMORY_BYTES = 400 * 2 ** 20;
const TRIAL_STEPS = 3;
const MS_PER_MINUTE = 60_000;
/** After training: principal axes, rotation, word translations, writing; a part of a minute budget is kept for it. */
const FINISHING_MS = 15_000;
const LEAST_STEPS = 20;

export type TrainingPlan = { readonly steps: number; readonly estimatedMinutes: number; readonly estimatedMemoryMB: number };

/**
 * Times three steps at learning rate 0 and puts the moments back, so that the parameters are as before to the bit.
 * @param fixedSteps the steps of a run that is resumed; else the budget decides: its steps, or as many as its minutes hold.
 */
export async function planSteps(options: {
  readonly recipe: Recipe;
  readonly kernels: Kernels;
  readonly memory: KernelMemory;
  readonly parameters: StaticParameters;
  readonly partsAt: (step: number) => NamedLossPart[];
  readonly frozen: Uint8Array | null;
  readonly doneSteps: number;
  readonly fixedSteps: number | null;
}): Promise<TrainingPlan> {
  const { recipe, kernels, memory, parameters, partsAt, frozen, doneSteps, fixedSteps } = options;
  const moments = [...parameterArrays(parameters)].filter(([name]) => name !== 'table' && name !== 'log-weights').map(([, array]) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  const kept = doneSteps === 0 ? null : moments.map((bytes) => bytes.slice()); // before the first step they are all zero
  await staticStep({ kernels, memory, parameters, parts: partsAt(0), learningRate: 0, frozen });
  const started = performance.now();
  for (let trial = 1; trial < TRIAL_STEPS; trial += 1) await staticStep({ kernels, memory, parameters, parts: partsAt(trial), learningRate: 0, frozen });
  const stepMs = (performance.now() - started) / (TRIAL_STEPS - 1);
  moments.forEach((bytes, i) => {
    const old = kept?.[i];
    if (old === undefined) bytes.fill(0);
    else bytes.set(old);
  });
  const { budget } = recipe;
  const fromBudget = 'steps' in budget ? budget.steps : Math.max(LEAST_STEPS, Math.floor((budget.minutes * MS_PER_MINUTE - FINISHING_MS) / stepMs));
  const steps = fixedSteps ?? fromBudget;
  return { steps, estimatedMinutes: ((steps - doneSteps) * stepMs + FINISHING_MS) / MS_PER_MINUTE, estimatedMemoryMB: Math.round(process.memoryUsage.rss() / 2 ** 20) };
}
