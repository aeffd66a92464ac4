/** What is the state of the folders that a project searches? */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError, IsoglossError } from '../../core/base/errors.ts';
import { pathOnDisk } from '../../core/base/file-names.ts';
import { walkLibrary } from '../../core/documents/library-folders.ts';
import { errorRecordSchema, LIBRARY_FILES_SHOWN, LIBRARY_FOLDERS, libraryFileSchema, list, spellingRulesSchema, type Library, type LibraryFolder, type Watching } from '../contract/index.ts';
import { hasPassages, libraryPlace } from './index-places.ts';
import type { ProjectFile } from './project-file.ts';

const REPORT_FILE = 'last-run.json';

export type ProjectFolders = ProjectFile['library']['folders'];

/** What the last indexing left, beside the index. */
const reportSchema = z.object({
  folders: list(z.object({ name: z.string(), path: z.string() })),
  modelId: z.string(),
  spelling: spellingRulesSchema,
  /** Milliseconds since 1970: when the indexing began, so that what changed meanwhile counts as changed. */
  indexedAt: z.number(),
  /** Of all files as they were then (main/workers/look-at-library.ts). */
  fingerprint: z.string(),
  chunks: z.number(),
  documents: z.number(),
  files: list(libraryFileSchema.extend({ modifiedAt: z.number() })),
  /** Files that could not be read, all of them. */
  failures: list(z.object({ path: z.string(), hash: z.string().nullable(), error: errorRecordSchema })),
});
export type LibraryReport = z.infer<typeof reportSchema>;

export async function writeLibraryReport(projectFolder: string, report: LibraryReport): Promise<void> {
  await writeJsonAtomic(join(libraryPlace(projectFolder), REPORT_FILE), report);
}

/** Null when nothing has been indexed, or the report is not readable: then indexing again is quick and puts it right. */
export async function readLibraryReport(projectFolder: string): Promise<LibraryReport | null> {
  try {
    const parsed = reportSchema.safeParse(await readJson(join(libraryPlace(projectFolder), REPORT_FILE)));
    return parsed.success ? parsed.data : null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null;
    throw thrown;
  }
}

/** From now on these files are tried again; null: all that could not be read. */
export async function forgetFailures(projectFolder: string, paths: readonly string[] | null): Promise<void> {
  const report = await readLibraryReport(projectFolder);
  if (report === null) return;
  await writeLibraryReport(projectFolder, { ...report, failures: paths === null ? [] : report.failures.filter(({ path }) => !paths.includes(path)) });
}

export type LibraryFacts = {
  /** The project's folder. */
  readonly folder: string;
  readonly file: ProjectFile;
  /** The model that the project uses now. */
  readonly modelId: string | null;
  readonly watching: Watching;
};

/** Looks at the folders and at what was indexed of them. */
export async function viewLibrary({ folder, file, modelId, watching }: LibraryFacts): Promise<Library> {
  if (file.library.folders.length === 0) return viewShared(await readLibraryReport(folder), modelId);
  const folders = await Promise.all(file.library.folders.map(viewFolder));
  const report = await readLibraryReport(folder);
  if (report === null || !report.folders.some(({ path }) => folders.some((now) => now.path === path))) {
    if (folders.every(({ state }) => state === 'missing')) return { status: 'folder-missing', folders, watching };
    return { status: 'not-indexed', folders, watching, isSearchable: report === null && (await hasPassages(libraryPlace(folder))) };
  }
  if (folders.every(({ state }) => state === 'missing')) return { status: 'folder-missing', folders, watching };
  return {
    status: 'indexed',
    folders,
    watching,
    indexedAt: report.indexedAt,
    madeBy: report.modelId === modelId ? 'this-model' : 'other-model',
    changes: await countChanges(file.library.folders, report),
    chunks: report.chunks,
    documents: report.documents,
    failed: report.files.filter(({ state }) => state.status === 'failed').length,
    files: report.files.map(({ path, sizeBytes, chunks, state }) => ({ path, sizeBytes, chunks, state })),
  };
}

/** An index that came in a portable file: it answers, and the documents themselves are elsewhere. */
function viewShared(report: LibraryReport | null, modelId: string | null): Library {
  if (report === null || report.folders.length > 0) return { status: 'none' };
  const { indexedAt, chunks, documents, files } = report;
  return { status: 'indexed', folders: [], watching: 'off', indexedAt, madeBy: report.modelId === modelId ? 'this-model' : 'other-model', changes: { added: 0, changed: 0, removed: 0 }, chunks, documents, failed: files.filter(({ state }) => state.status === 'failed').length, files: files.map(({ path, sizeBytes, chunks: own, state }) => ({ path, sizeBytes, chunks: own, state })) };
}

async function viewFolder({ name, path }: ProjectFolders[number]): Promise<LibraryFolder> {
  const isThere = await stat(pathOnDisk(path)).then((found) => found.isDirectory(), () => false);
  return { name, path, state: isThere ? 'present' : 'missing' };
}

/** Looks no further than the files that are listed, so that a large library costs no more than a small one. */
async function countChanges(folders: ProjectFolders, { files }: LibraryReport): Promise<{ readonly added: number; readonly changed: number; readonly removed: number }> {
  const known = new Map(files.map((file) => [file.path, file]));
  const changes = { added: 0, changed: 0, removed: 0 };
  const seen = new Set<string>();
  let looked = 0;
  for await (const entry of walkLibrary(folders, new AbortController().signal)) {
    looked += 1;
    if (looked > LIBRARY_FILES_SHOWN) break;
    if (entry.kind !== 'document') continue;
    seen.add(entry.relativePath);
    const before = known.get(entry.relativePath);
    if (before === undefined) changes.added += files.length < LIBRARY_FILES_SHOWN ? 1 : 0;
    else if (before.state.status === 'read' && (before.sizeBytes !== entry.sizeBytes || before.modifiedAt !== entry.modifiedMs)) changes.changed += 1;
  }
  if (looked <= LIBRARY_FILES_SHOWN) changes.removed = files.filter(({ path, state }) => state.status === 'read' && !seen.has(path)).length;
  return changes;
}

/** The folders with one more. The first of several gets a name too; what it was called before is renamed in the index, not embedded again. */
export function withFolder(folders: ProjectFolders, path: string): ProjectFolders {
  if (folders.some((folder) => folder.path === path)) return folders;
  if (folders.length >= LIBRARY_FOLDERS) throw new InputError('library.too-many-folders', `Expected at most ${String(LIBRARY_FOLDERS)} folders in one library. Choose a folder that holds several of them.`);
  if (folders.length === 0) return [{ name: '', path }];
  const named: { name: string; path: string }[] = [];
  for (const folder of [...folders, { name: '', path }]) named.push({ ...folder, name: folder.name === '' ? freeName(basename(folder.path), named) : folder.name });
  return named;
}

function freeName(wanted: string, taken: ProjectFolders): string {
  const stem = wanted === '' ? 'documents' : wanted;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}-${String(number)}`;
    if (!taken.some((folder) => folder.name === name)) return name;
  }
}
