/** What does an experiment need that is not there, and where is it to be had? */
import { access } from 'node:fs/promises';
import { InputError } from '../../core/base/errors.ts';
import type { Experiment, ExperimentNeed } from '../../core/evaluation/experiments/experiment-file.ts';
import { pathsOfTask } from '../../core/evaluation/experiments/tasks.ts';

export type Needs = { readonly missing: readonly ExperimentNeed[]; /** Files of tasks that no need stands for. */ readonly missingFiles: readonly string[] };

export async function findNeeds({ needs, tasks, development }: Experiment): Promise<Needs> {
  const missing: ExperimentNeed[] = [];
  for (const need of needs) if (!(await isThere(need.path))) missing.push(need);
  const missingFiles: string[] = [];
  for (const path of new Set([...tasks, ...development].flatMap(pathsOfTask))) {
    const isNamed = missing.some((need) => path === need.path || path.startsWith(`${need.path}/`));
    if (!isNamed && !(await isThere(path))) missingFiles.push(path);
  }
  return { missing, missingFiles };
}

/** @throws InputError 'experiment.missing-data' naming everything that has to be brought, and where it is to be had. */
export async function expectNeeds(experiment: Experiment): Promise<void> {
  const { missing, missingFiles } = await findNeeds(experiment);
  if (missing.length + missingFiles.length === 0) return;
  const lines = [...missing.map(({ path, what, from }) => `${path}: ${what}. From ${from}`), ...missingFiles.map((path) => `${path}: named by a task`)];
  throw new InputError('experiment.missing-data', `This experiment needs what is not there:\n${lines.join('\n')}\nNothing was started. With --plan it says what it would take.`, { data: { paths: [...missing.map(({ path }) => path), ...missingFiles] } });
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false); // the answer itself, not a failure
}
