/** How is an experiment run as a job? It goes on where it was stopped, so a job that was cancelled loses only the model that was being trained. */
import { InputError } from '../../core/base/errors.ts';
import type { JobRequest } from '../contract/index.ts';
import { threadsOf } from '../project/estimates.ts';
import { findExperiment, listExperiments, type ExperimentFolders } from '../project/experiments.ts';
import type { OpenProject } from '../project/projects.ts';
import type { StartProcess } from '../workers/process.ts';
import { callInWorker } from '../workers/train-in-worker.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PrepareExperimentOptions = { readonly startProcess: StartProcess; readonly usualThreads: number; readonly starterFolder: string; readonly experimentsFolder: string };

/** @throws InputError 'experiment.unknown', 'experiment.needs-data', 'experiment.missing-data' and the fault of a file that cannot be used. */
export async function prepareExperiment(options: PrepareExperimentOptions, { folder, file }: OpenProject, { experimentId }: Extract<JobRequest, { kind: 'experiment' }>): Promise<PreparedJob> {
  const folders: ExperimentFolders = { projectFolder: folder, shippedFolder: options.experimentsFolder };
  const place = await findExperiment(folders, experimentId);
  const entry = (await listExperiments(folders)).experiments.find(({ id }) => id === experimentId);
  if (entry?.status === 'needs-folder') throw new InputError('experiment.needs-data', `${place.file}: this experiment uses data that you bring. Choose its folder first.`, { data: { path: place.file } });
  if (entry?.status === 'needs-data') throw new InputError('experiment.missing-data', `${place.file}: expected data that is not there: ${entry.missing.map(({ path }) => path).join(', ')}. Nothing was started.`, { data: { path: place.file } });
  return {
    run: (onEvent) =>
      runInWorker<'experiment'>((call) => callInWorker(options.startProcess, 'experiment', call), {
        makeReady: () => Promise.resolve({ file: place.file, dataFolder: place.dataFolder, outputFolder: place.outputFolder, starterFolder: options.starterFolder, threads: threadsOf(file.settings, options.usualThreads) }),
        onEvent,
        finish: () => Promise.resolve({ kind: 'experiment', experimentId }),
      }),
  };
}
