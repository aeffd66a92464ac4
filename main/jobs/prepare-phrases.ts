/** How is a project's model trained on its dictionaries as a job, and what follows when it is done? */
import { makeFolder, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError } from '../../core/base/errors.ts';
import type { JobRequest } from '../contract/index.ts';
import { usualDevice } from '../contract/recipe-settings.ts';
import { threadsOf } from '../project/estimates.ts';
import { modelFolderOf } from '../project/models.ts';
import { hasPhraseCheckpoint, phraseCorpora, phrasePaths, phraseTexts } from '../project/phrases.ts';
import type { OpenProject } from '../project/projects.ts';
import type { StartProcess } from '../workers/process.ts';
import { trainInWorker } from '../workers/train-in-worker.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PreparePhrasesOptions = { readonly startProcess: StartProcess; readonly usualThreads: number; readonly now: () => number };

/** @throws InputError 'phrases.no-model', 'phrases.no-dictionary'. */
export async function preparePhrases(options: PreparePhrasesOptions, { folder, file }: OpenProject, request: Extract<JobRequest, { kind: 'phrases' }>): Promise<PreparedJob> {
  const modelFolder = modelFolderOf(folder, file);
  if (modelFolder === null || file.model === null) throw new InputError('phrases.no-model', 'Expected a trained model, found none. Train first, then let it learn your phrases.');
  const corpora = phraseCorpora(folder, file).filter(({ languages }) => languages !== null);
  if (corpora.length === 0) throw new InputError('phrases.no-dictionary', 'Expected a dictionary whose languages are known among the texts of this project, found none. Add one: LIFT, Toolbox, or a table of words with translations.');
  const model = file.model;
  const paths = phrasePaths(folder);
  const resume = request.resume && (await hasPhraseCheckpoint(folder));
  return {
    run: (onEvent) =>
      runInWorker<'phrase-training'>((call) => trainInWorker(options.startProcess, 'phrase-training', call), {
        makeReady: async () => {
          await makeFolder(paths.folder);
          return { modelFolder, outputFolder: paths.model, recipePath: paths.recipe, corpora: [...corpora], texts: [...phraseTexts(folder, file)], seed: 1, threads: threadsOf(file.settings, options.usualThreads), device: file.settings.device ?? usualDevice(file.settings.encoder), resume };
        },
        onEvent,
        finish: async ({ summary, pairs }) => {
          const known = { at: options.now(), steps: summary.steps, pairs };
          await writeJsonAtomic(paths.facts, { ...known, model });
          return { kind: 'phrases', model: { ...known, isStale: false } };
        },
      }),
  };
}
