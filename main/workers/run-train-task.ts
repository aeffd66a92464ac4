/** How is a training task handed to core, and its result measured? */
import { readRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';
import type { TrainingEvent } from '../../core/training/events.ts';
import type { CallOutput, TrainTask } from './messages.ts';

export type TrainWishes = {
  readonly signal: AbortSignal;
  readonly isPaused: () => boolean;
  readonly shouldStopAndKeep: () => boolean;
  readonly report: (event: TrainingEvent) => void;
};

/** Trains; for `onlyPlan` the summary is null. @throws as `readRecipe` and `runTraining`. */
export async function runTrainTask(task: TrainTask, wishes: TrainWishes): Promise<CallOutput<'train'>> {
  const { recipePath, outputFolder, starterFolder, threads, device, resume, onlyPlan } = task;
  const summary = await runTraining({
    recipe: await readRecipe(recipePath),
    outputFolder,
    starterFolder,
    threads,
    device,
    resume,
    planOnly: onlyPlan,
    signal: wishes.signal,
    control: { paused: wishes.isPaused, stopAndKeep: wishes.shouldStopAndKeep },
    report: wishes.report,
  });
  return { summary, keptEarly: wishes.shouldStopAndKeep() };
}
