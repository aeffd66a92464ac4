/** How is a training task handed to core, and its result measured? */
import { readRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';
import type { TrainingEvent } from '../../core/training/events.ts';
import type { CallOutput, TrainTask } from './messages.ts';
import { writeReport } from './write-report.ts';

export type TrainWishes = {
  readonly signal: AbortSignal;
  readonly isPaused: () => boolean;
  readonly shouldStopAndKeep: () => boolean;
  readonly report: (event: TrainingEvent) => void;
};

/** Trains and measures; for `onlyPlan` the summary is null. @throws as `readRecipe`, `runTraining` and `writeReport`. */
export async function runTrainTask(task: TrainTask, wishes: TrainWishes): Promise<CallOutput<'train'>> {
  const { recipePath, outputFolder, starterFolder, questions, threads, device, resume, takesLess = false, onlyPlan } = task;
  const summary = await runTraining({
    recipe: await readRecipe(recipePath),
    outputFolder,
    starterFolder,
    threads,
    device,
    resume,
    takesLess,
    planOnly: onlyPlan,
    signal: wishes.signal,
    control: { paused: wishes.isPaused, stopAndKeep: wishes.shouldStopAndKeep },
    report: wishes.report,
  });
  const keptEarly = wishes.shouldStopAndKeep();
  if (summary !== null) {
    await writeReport({
      modelFolder: outputFolder,
      questions,
      signal: wishes.signal,
      onRow: (done, total) => wishes.report({ kind: 'progress', phase: 'evaluating', done, total, unit: 'comparisons', leftMs: null }),
    });
  }
  return { summary, keptEarly };
}
