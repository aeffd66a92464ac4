/** Worker: one training job, from recipe to model folder. */
import { answerCalls } from './answer.ts';
import { runTrainTask } from './run-train-task.ts';

answerCalls({
  train: (task, { signal, isPaused, shouldStopAndKeep, report }) => runTrainTask(task, { signal, isPaused, shouldStopAndKeep, report: (event) => report({ kind: 'training', event }) }),
});
