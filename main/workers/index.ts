/** Worker: one indexing job, from a folder of documents to an index folder. */
import { answerCalls } from './answer.ts';
import { runIndexTask } from './run-index-task.ts';

answerCalls({
  index: (task, { signal, isPaused, report }) => runIndexTask(task, { signal, isPaused, report: (event) => report({ kind: 'index', event }) }),
});
