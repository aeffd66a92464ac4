/** How are two texts mined as a job, and what follows when it is done? */
import { randomUUID } from 'node:crypto';
import { makeFolder } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import type { JobRequest } from '../contract/index.ts';
import { miningPaths, readMining, writeMiningFacts } from '../project/mining.ts';
import { modelFolderOf } from '../project/models.ts';
import { threadsOf } from '../project/estimates.ts';
import type { OpenProject } from '../project/projects.ts';
import { absolutePaths } from '../project/recipe.ts';
import type { StartProcess } from '../workers/process.ts';
import { callInWorker } from '../workers/train-in-worker.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PrepareMiningOptions = { readonly startProcess: StartProcess; readonly usualThreads: number; readonly now: () => number };

/** @throws InputError 'mine.no-model', 'mine.same-text'. */
export function prepareMining(options: PrepareMiningOptions, { folder, file }: OpenProject, { source, target }: Extract<JobRequest, { kind: 'mine' }>): PreparedJob {
  const modelFolder = modelFolderOf(folder, file);
  if (modelFolder === null) throw new InputError('mine.no-model', 'Expected a trained model, found none. Train first, then look for translations in your texts.');
  if (source.path === target.path) throw new InputError('mine.same-text', `${source.path}: expected two texts, found the same one twice. Choose the text in the other language.`, { data: { path: source.path } });
  const id = randomUUID();
  /** A corpus of the project is read as it was said to be; any other file as it is found. */
  const textOf = (text: typeof source) => {
    const corpus = file.corpora.find(({ role, paths }) => role === 'texts' && absolutePaths(folder, paths)[0] === text.path);
    return { ...text, format: corpus?.format ?? null, encoding: corpus?.encoding ?? null, mapping: corpus?.mapping ?? null };
  };
  return {
    run: (onEvent) =>
      runInWorker<'mine'>((call) => callInWorker(options.startProcess, 'mine', call), {
        makeReady: async () => {
          await makeFolder(miningPaths(folder, id).folder);
          return { modelFolder, source: textOf(source), target: textOf(target), outputFile: miningPaths(folder, id).candidates, threads: threadsOf(file.settings, options.usualThreads) };
        },
        onEvent,
        finish: async ({ proposed, candidates }) => {
          await writeMiningFacts(folder, { id, source, target, at: options.now(), proposed, corpusId: null, candidates });
          return { kind: 'mine', mining: (await readMining(folder, id)).mining };
        },
      }),
  };
}
