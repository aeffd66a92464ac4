/** Worker: one calibration, from a trained model to a calibrated one. */
import { answerCalls } from './answer.ts';
import { runCalibrateTask } from './run-calibrate-task.ts';

answerCalls({
  calibrate: (task, { signal, report }) => runCalibrateTask(task, { signal, report: (event) => report({ kind: 'index', event }) }),
});
