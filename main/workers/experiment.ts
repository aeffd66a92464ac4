/** Worker: one experiment, from its file to its results. */
import { answerCalls } from './answer.ts';
import { runExperimentTask } from './run-experiment-task.ts';

answerCalls({
  experiment: (task, { signal, report }) => runExperimentTask(task, { signal, report: (event) => report({ kind: 'index', event }) }),
});
