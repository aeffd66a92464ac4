/** XOR-Retrieve as a task of an experiment: to be filled with its reader and metric (Wu et al. 2022, Table 4). */
import { InputError } from '../../../core/base/errors.ts';
import type { TaskOf } from '../../../core/evaluation/experiments/tasks.ts';
import type { TaskMeasurement } from './measure-task.ts';

export function measureXor(task: TaskOf<'xor'>): Promise<TaskMeasurement> {
  return Promise.reject(new InputError('experiment.no-such-task', `"${task.name}": tasks of kind "xor" are not there yet.`));
}
