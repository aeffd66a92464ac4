/** Worker: one mining job, from two texts to candidates. */
import { answerCalls } from './answer.ts';
import { runMineTask } from './run-mine-task.ts';

answerCalls({
  mine: (task, { signal, report }) => runMineTask(task, { signal, report: (event) => report({ kind: 'index', event }) }),
});
