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

/** Opening an index that is not finished costs what it holds, so it is opened anew when it has grown by this much. */
const GROWTH = 1.5;

export type PrepareIndexOptions = {
  readonly startProcess: StartProcess;
  readonly now: () => number;
  readonly onIndexed: (projectId: string) => void;
  /** A first reading has got further, by half of what it had read: whoever searches meanwhile opens the index anew. */
  readonly onGrown: (projectId: string) => void;
};

/** @throws InputError 'index.no-model', 'index.no-folder'. */
export function prepareIndex(options: PrepareIndexOptions, { folder, file }: OpenProject): PreparedJob {
  const modelFolder = modelFolderOf(folder, file);
  const { folders } = file.library;
  if (modelFolder === null) throw new InputError('index.no-model', 'Expected a trained model, found none. Train first, then index the folder.');
  if (folders.length === 0) throw new InputError('index.no-folder', 'Expected a folder of documents, found none. Choose the folder first.');
  const place = libraryPlace(folder);
  let indexedAt = options.now();
  let isFirst = false;
  let readWhenOpened = 0;
  const followGrowth = (done: number): void => {
    if (!isFirst || done < readWhenOpened * GROWTH + 1) return;
    readWhenOpened = done;
    options.onGrown(file.id);
  };
  return {
    run: (onEvent) =>
      runInWorker<'index'>((call) => callInWorker(options.startProcess, 'index', call), {
        makeReady: async () => {
          indexedAt = options.now();
          await mkdir(place, { recursive: true });
          const before = await readLibraryReport(folder);
          isFirst = before === null;
          return { modelFolder, folders, place, failures: before?.failures ?? [], spelling: file.spelling };
        },
        onEvent: (event) => {
          if (event.kind === 'index' && event.event.kind === 'progress' && event.event.phase === 'encoding') followGrowth(event.event.done);
          onEvent(event);
        },
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
