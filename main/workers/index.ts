/** Worker: one indexing job, from a folder of documents to an index folder. */
import { answerCalls } from './answer.ts';
import { runIndexTask } from './run-index-task.ts';

answerCalls({
  index: (task, { signal, report }) => runIndexTask(task, { signal, report: (event) => report({ kind: 'index', event }) }),
});
