/** Worker: one training job, from recipe to model folder. */
import { answerCalls } from './answer.ts';

answerCalls({
  train: async (task, { signal, isPaused, shouldStopAndKeep, report }) => {
    const { runTrainTask } = await import('./run-train-task.ts');
    return runTrainTask(task, { signal, isPaused, shouldStopAndKeep, report: (event) => report({ kind: 'training', event }) });
  },
});
