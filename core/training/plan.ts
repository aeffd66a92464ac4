/** How long will it take, and how much memory? Measured by a few steps that change nothing, before the first real one. */
import type { ReportTraining } from './events.ts';
import type { Recipe } from './recipe-schema.ts';
import { stepInMemory } from './step-in-memory.ts';
import type { TrainedInSteps } from './trainable-encoder.ts';

const TRIAL_STEPS = 3;
const MS_PER_MINUTE = 60_000;
/** After training: principal axes, rotation, word translations, writing; a part of a minute budget is kept for it. */
const FINISHING_MS = 15_000;
const LEAST_STEPS = 20;

export type TrainingPlan = { readonly steps: number; readonly estimatedMinutes: number; readonly estimatedMemoryMB: number };

/**
 * Times three steps at learning rate 0 and puts the moments back to zero: values are as before to the bit. For before the first step, and
 * before a checkpoint is read. Where the memory does not suffice, the encoder takes less from then on.
 * @returns milliseconds of one step.
 */
export async function measureStepMs<Part>(encoder: Pick<TrainedInSteps<Part>, 'step' | 'shrink' | 'values' | 'arrays' | 'residence'>, partsAt: (step: number) => readonly Part[], report: ReportTraining): Promise<number> {
  const trial = async (step: number): Promise<void> => {
    await stepInMemory({ encoder, parts: partsAt(step), step, learningRate: 0, report });
  };
  await trial(0);
  const started = performance.now();
  for (let step = 1; step < TRIAL_STEPS; step += 1) await trial(step);
  const stepMs = (performance.now() - started) / (TRIAL_STEPS - 1);
  for (const [name, array] of encoder.arrays) if (!encoder.values.has(name)) array.fill(0);
  await encoder.residence?.send();
  return stepMs;
}

/** @param fixedSteps the steps of a run that is resumed; else the budget decides: its steps, or as many as its minutes hold. */
export function planSteps(options: { readonly budget: Recipe['budget']; readonly stepMs: number; readonly doneSteps: number; readonly fixedSteps: number | null }): TrainingPlan {
  const { budget, stepMs, doneSteps, fixedSteps } = options;
  const fromBudget = 'steps' in budget ? budget.steps : Math.max(LEAST_STEPS, Math.floor((budget.minutes * MS_PER_MINUTE - FINISHING_MS) / stepMs));
  const steps = fixedSteps ?? fromBudget;
  return { steps, estimatedMinutes: ((steps - doneSteps) * stepMs + FINISHING_MS) / MS_PER_MINUTE, estimatedMemoryMB: Math.round(process.memoryUsage.rss() / 2 ** 20) };
}
