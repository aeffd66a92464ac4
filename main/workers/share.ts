/** Worker: one file or folder that leaves, or one that comes in. */
import { answerCalls } from './answer.ts';
import { fillFromBrought, runShareTask } from './run-share-task.ts';
import { lookAtBrought } from '../project/brought.ts';

answerCalls({
  share: (task, { signal, report }) => runShareTask(task, { signal, report: (event) => report({ kind: 'index', event }) }),
  lookAtBrought: ({ path }, { signal }) => lookAtBrought(path, signal),
  fillFromBrought: (task, { signal, report }) => fillFromBrought(task, { signal, report: (event) => report({ kind: 'index', event }) }),
});
