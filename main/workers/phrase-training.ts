/** Worker: one training on phrases, from dictionaries to a model folder. */
import { answerCalls } from './answer.ts';
import { runPhrasesTask } from './run-phrases-task.ts';

answerCalls({
  'phrase-training': (task, { signal, isPaused, shouldStopAndKeep, report }) => runPhrasesTask(task, { signal, isPaused, shouldStopAndKeep, report: (event) => report({ kind: 'training', event }) }),
});
