/** How is an indexing task handed to core, and what is told of each file? */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../../core/base/progress.ts';
import { estimateLeftMs } from '../../core/base/progress.ts';
import { deserialiseError, serialiseError, type IsoglossError } from '../../core/base/errors.ts';
import { pathOnDisk } from '../../core/base/file-names.ts';
import { isInFolder, type LibraryFolder } from '../../core/documents/library-folders.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { buildIndex, type BuildSummary } from '../../core/retrieval/build-index.ts';
import { inheritTerms } from '../../core/retrieval/index-terms.ts';
import { journalPath } from '../../core/retrieval/store/index-manifest.ts';
import { readJournal } from '../../core/retrieval/store/journal.ts';
import { LIBRARY_FILES_SHOWN, type ErrorRecord, type IndexEvent } from '../contract/index.ts';
import { indexForModel } from '../project/index-places.ts';
import { fingerprintLibrary } from './look-at-library.ts';
import type { CallOutput, IndexTask } from './messages.ts';

const PHASES: Readonly<Record<string, Extract<IndexEvent, { kind: 'progress' }>['phase']>> = { listing: 'listing', checking: 'reading', indexing: 'encoding', finishing: 'finishing' };

/** Reasons that say what a file is, not that something is wrong with it. */
const QUIET_REASONS = new Set(['format', 'hidden']);

export type IndexWishes = { readonly signal: AbortSignal; readonly isPaused: () => boolean; readonly report: (event: IndexEvent) => void };

/** Indexes, beside the present index where another model made that. @throws as `openEncoder` and `buildIndex`. */
export async function runIndexTask(task: IndexTask, wishes: IndexWishes): Promise<CallOutput<'index'>> {
  const { modelFolder, folders, place, failures, spelling } = task;
  const start = performance.now();
  const fingerprint = await fingerprintLibrary(folders, wishes.signal); // before anything is read: what changes meanwhile is noticed afterwards
  const encoder = await openEncoder(modelFolder);
  const indexFolder = await indexForModel(place, encoder.modelId);
  const built = await buildIndex({
    encoder,
    modelFolder,
    documentsFolder: folders[0]?.path ?? '',
    folders,
    indexFolder,
    ifOtherModel: 'rebuild',
    rules: spelling,
    knownFailures: new Map(failures.flatMap(({ path, hash, error }) => (hash === null ? [] : [[path, { hash, error: deserialiseError(error) }] as const]))),
    isPaused: wishes.isPaused,
    signal: wishes.signal,
    report: progressReporter(wishes.report),
  });
  await inheritTerms({ indexFolder, modelFolder });
  for (const { path, error } of built.failed) wishes.report({ kind: 'problem', code: error.code, message: error.message, path, line: null });
  for (const { path, reason } of built.skipped) if (!QUIET_REASONS.has(reason)) wishes.report({ kind: 'problem', code: `library.skipped-${reason}`, message: `${path}: left out (${reason}).`, path, line: null });
  for (const { code, message, path, line } of built.problems) wishes.report({ kind: 'problem', code, message, path, line });
  return {
    summary: { files: built.files, skipped: built.skipped.length, failed: built.failed.length, chunks: built.chunks, wallSeconds: (performance.now() - start) / 1000 },
    modelId: encoder.modelId,
    indexFolder,
    fingerprint,
    libraryFiles: await describeFiles({ built, folders, indexFolder }),
    failures: built.failed.map(({ path, hash, error }) => ({ path, hash, error: recordOf(error) })),
  };
}

function progressReporter(report: (event: IndexEvent) => void): (progress: Progress) => void {
  let phase = '';
  let phaseStart = 0;
  return (progress) => {
    if (progress.phase !== phase) {
      phase = progress.phase;
      phaseStart = performance.now();
    }
    const leftMs = estimateLeftMs({ elapsedMs: performance.now() - phaseStart, done: progress.done, total: progress.total });
    report({ kind: 'progress', phase: PHASES[phase] ?? 'encoding', done: progress.done, total: progress.total, unit: progress.unit, leftMs });
  };
}

/** What needs a look stands first. */
async function describeFiles({ built, folders, indexFolder }: { readonly built: BuildSummary; readonly folders: readonly LibraryFolder[]; readonly indexFolder: string }): Promise<CallOutput<'index'>['libraryFiles']> {
  const { files } = await readJournal(journalPath(indexFolder));
  const failed = built.failed.map(({ path, error }) => ({ path, sizeBytes: 0, chunks: 0, state: { status: 'failed' as const, error: recordOf(error) } }));
  const skipped = built.skipped.map(({ path, reason }) => ({ path, sizeBytes: 0, chunks: 0, state: { status: 'skipped' as const, reason } }));
  const failedPaths = new Set(failed.map(({ path }) => path));
  const read = [...files.values()]
    .filter(({ path }) => !failedPaths.has(path))
    .map(({ path, sizeBytes, parts }) => ({ path, sizeBytes, chunks: parts.reduce((sum, { chunks }) => sum + chunks, 0), state: { status: 'read' as const } }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const shown = [...failed, ...skipped, ...read].slice(0, LIBRARY_FILES_SHOWN);
  return Promise.all(shown.map(async (file) => ({ ...file, modifiedAt: await stat(pathOnDisk(placeOf(file.path, folders))).then(({ mtimeMs }) => mtimeMs, () => 0) })));
}

/** Where the document of a library's path lies on the disk. */
export function placeOf(path: string, folders: readonly LibraryFolder[]): string {
  const folder = folders.find(({ name }) => isInFolder(path, name));
  return join(folder?.path ?? '', folder === undefined || folder.name === '' ? path : path.slice(folder.name.length + 1));
}

function recordOf(error: IsoglossError): ErrorRecord {
  const { family, code, message, data } = serialiseError(error);
  return { family, code, message, data: { ...data } };
}
