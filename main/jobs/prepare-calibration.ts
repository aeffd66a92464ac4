/** How is a project's model calibrated as a job, and what follows when it is done? */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import type { JobRequest } from '../contract/index.ts';
import { calibratedName, factsPath, tidyCalibrated, trainedModel, type CalibrationFacts } from '../project/calibration.ts';
import { threadsOf } from '../project/estimates.ts';
import { servingModel } from '../project/index-places.ts';
import { modelFolderOf } from '../project/models.ts';
import type { OpenProject, Projects } from '../project/projects.ts';
import { corporaOf, projectPaths } from '../project/recipe.ts';
import type { StartProcess } from '../workers/process.ts';
import { callInWorker } from '../workers/train-in-worker.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PrepareCalibrationOptions = { readonly projects: Pick<Projects, 'get'>; readonly startProcess: StartProcess; readonly usualThreads: number; readonly now: () => number };

/** The calibrated model stands beside the trained one and is not used before somebody says so. @throws InputError 'calibration.no-model', 'calibration.nothing-to-do'. */
export async function prepareCalibration(options: PrepareCalibrationOptions, { folder, file }: OpenProject, { steps }: Extract<JobRequest, { kind: 'calibrate' }>): Promise<PreparedJob> {
  const from = await trainedModel(folder, file);
  if (from === null) throw new InputError('calibration.no-model', 'Expected a trained model, found none. Train first, then bring its languages together.');
  if (!steps.shift && !steps.scale && steps.rotate === 'none') throw new InputError('calibration.nothing-to-do', 'Expected at least one of shift, scale and rotate, found none.');
  const model = calibratedName(options.now());
  const outputFolder = join(folder, model);
  return {
    run: (onEvent) =>
      runInWorker<'calibrate'>((call) => callInWorker(options.startProcess, 'calibrate', call), {
        makeReady: async () => {
          await makeFolder(projectPaths(folder).models);
          await rm(outputFolder, { recursive: true, force: true });
          const questions = file.questions === null ? null : { file: join(folder, file.questions), folder };
          return { modelFolder: join(folder, from), outputFolder, corpora: corporaOf(folder, file), steps, threads: threadsOf(file.settings, options.usualThreads), questions };
        },
        onEvent,
        finish: async ({ pivot, languages, heldOut }) => {
          const outcome = { at: options.now(), steps, pivot, languages, heldOut };
          const facts: CalibrationFacts = { from, outcome };
          await writeJsonAtomic(factsPath(folder, model), facts);
          const present = await options.projects.get(file.id);
          await tidyCalibrated(folder, [outputFolder, modelFolderOf(folder, present.file), await servingModel(folder)]);
          return { kind: 'calibrate', calibration: { ...outcome, inUse: false } };
        },
      }),
  };
}
