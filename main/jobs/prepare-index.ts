/** How is a library indexed as a job, and what follows when it is done? */
import { mkdir } from 'node:fs/promises';
import { InputError } from '../../core/base/errors.ts';
import { libraryPlace, tidyIndexes, useIndex } from '../project/index-places.ts';
import { readLibraryReport, writeLibraryReport } from '../project/library.ts';
import { modelFolderOf } from '../project/models.ts';
import type { OpenProject } from '../project/projects.ts';
import { callInWorker } from '../workers/train-in-worker.ts';
import type { StartProcess } from '../workers/process.ts';
import type { PreparedJob } from './registry.ts';
import { runInWorker } from './run-in-worker.ts';

export type PrepareIndexOptions = {
  readonly startProcess: StartProcess;
  readonly now: () => number;
  readonly onIndexed: (projectId: string) => void;
};

/** @throws InputError 'index.no-model', 'index.no-folder'. */
export function prepareIndex(options: PrepareIndexOptions, { folder, file }: OpenProject): PreparedJob {
  const modelFolder = modelFolderOf(folder, file);
  const { folders } = file.library;
  if (modelFolder === null) throw new InputError('index.no-model', 'Expected a trained model, found none. Train first, then index the folder.');
  if (folders.length === 0) throw new InputError('index.no-folder', 'Expected a folder of documents, found none. Choose the folder first.');
  const place = libraryPlace(folder);
  let indexedAt = options.now();
  return {
    run: (onEvent) =>
      runInWorker<'index'>((call) => callInWorker(options.startProcess, 'index', call), {
        makeReady: async () => {
          indexedAt = options.now();
          await mkdir(place, { recursive: true });
          return { modelFolder, folders, place, failures: (await readLibraryReport(folder))?.failures ?? [], spelling: file.spelling };
        },
        onEvent,
        finish: async ({ summary, modelId, indexFolder, fingerprint, libraryFiles, failures }) => {
          await useIndex(place, indexFolder);
          await writeLibraryReport(folder, { folders, modelId, spelling: file.spelling, indexedAt, fingerprint, chunks: summary.chunks, documents: summary.files, files: libraryFiles, failures });
          options.onIndexed(file.id);
          await tidyIndexes(place);
          return { kind: 'index', summary };
        },
      }),
  };
}
