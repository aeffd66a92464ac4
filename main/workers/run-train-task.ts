/** How is a training task handed to core/training? */
import { readRecipe } from '../../core/training/recipe.ts';
import { dirname } from 'node:path';
import type { TrainingEvent, TrainingSummary } from '../contract/index.ts';
import type { TrainTask } from './messages.ts';

/** What core/training offers (seam of 2026-11-20). */
type RunTraining = (options: {
  readonly recipe: Awaited<ReturnType<typeof readRecipe>>;
  readonly recipeFolder: string;
  readonly outputFolder: string;
  readonly threads: number;
  readonly device: 'cpu' | 'webgpu' | 'auto';
  readonly resume: boolean;
  readonly signal: AbortSignal;
  readonly control: { readonly paused: () => boolean; readonly stopAndKeep: () => boolean };
  readonly report: (event: TrainingEvent) => void;
}) => Promise<TrainingSummary>;

export type TrainWishes = {
  readonly signal: AbortSignal;
  readonly isPaused: () => boolean;
  readonly shouldStopAndKeep: () => boolean;
  readonly report: (event: TrainingEvent) => void;
};

export async function runTrainTask(task: TrainTask, wishes: TrainWishes): Promise<{ readonly summary: TrainingSummary | null; readonly keptEarly: boolean }> {
  const runTraining = await loadRunTraining();
  const summary = await runTraining({
    recipe: await readRecipe(task.recipePath),
    recipeFolder: dirname(task.recipePath),
    outputFolder: task.outputFolder,
    threads: task.threads,
    device: task.device,
    resume: task.resume,
    signal: wishes.signal,
    control: { paused: wishes.isPaused, stopAndKeep: wishes.shouldStopAndKeep },
    report: wishes.report,
  });
  return { summary, keptEarly: wishes.shouldStopAndKeep() };
}

export async function loadRunTraining(): Promise<RunTraining> {
  const specifier = '../../core/training/run-training.ts';
  const module = (await import(specifier)) as { readonly runTraining: RunTraining };
  return module.runTraining;
}
