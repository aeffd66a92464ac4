/** What is the state of the folder that a project searches? */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { walkFolder } from '../../core/documents/folder-walk.ts';
import { LIBRARY_FILES_SHOWN, libraryFileSchema, list, type Library } from '../contract/index.ts';
import type { ProjectFile } from './project-file.ts';

const REPORT_FILE = join('library', 'last-run.json');

/** What the last indexing left, beside the index. */
const reportSchema = z.object({
  documentsFolder: z.string(),
  modelId: z.string(),
  /** Milliseconds since 1970: when the indexing began, so that what changed meanwhile counts as changed. */
  indexedAt: z.number(),
  chunks: z.number(),
  files: list(libraryFileSchema.extend({ modifiedAt: z.number() })),
});
export type LibraryReport = z.infer<typeof reportSchema>;

export async function writeLibraryReport(projectFolder: string, report: LibraryReport): Promise<void> {
  await writeJsonAtomic(join(projectFolder, REPORT_FILE), report);
}

/** Null when nothing has been indexed, or the report is not readable: then indexing again is quick and puts it right. */
export async function readLibraryReport(projectFolder: string): Promise<LibraryReport | null> {
  try {
    const parsed = reportSchema.safeParse(await readJson(join(projectFolder, REPORT_FILE)));
    return parsed.success ? parsed.data : null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null;
    throw thrown;
  }
}

/** Looks at the folder and at what was indexed of it. `modelId`: the model that the project uses now. */
export async function viewLibrary(options: { readonly folder: string; readonly file: ProjectFile; readonly modelId: string | null }): Promise<Library> {
  const { folder } = options.file.library;
  if (folder === null) return { status: 'none' };
  const isThere = await stat(folder).then((found) => found.isDirectory(), () => false);
  if (!isThere) return { status: 'folder-missing', folder };
  const report = await readLibraryReport(options.folder);
  if (report === null || report.documentsFolder !== folder) return { status: 'not-indexed', folder };
  return {
    status: 'indexed',
    folder,
    indexedAt: report.indexedAt,
    madeBy: report.modelId === options.modelId ? 'this-model' : 'other-model',
    changes: await countChanges(folder, report),
    chunks: report.chunks,
    files: report.files.map(({ path, sizeBytes, chunks, state }) => ({ path, sizeBytes, chunks, state })),
  };
}

/** Looks no further than the files that are listed, so that a large library costs no more than a small one. */
async function countChanges(folder: string, { files }: LibraryReport): Promise<{ readonly added: number; readonly changed: number; readonly removed: number }> {
  const known = new Map(files.map((file) => [file.path, file]));
  const changes = { added: 0, changed: 0, removed: 0 };
  const seen = new Set<string>();
  for await (const entry of walkFolder(folder, new AbortController().signal, { entries: LIBRARY_FILES_SHOWN })) {
    if (entry.kind !== 'document') continue;
    seen.add(entry.relativePath);
    const before = known.get(entry.relativePath);
    if (before === undefined) changes.added += files.length < LIBRARY_FILES_SHOWN ? 1 : 0;
    else if (before.state.status === 'read' && (before.sizeBytes !== entry.sizeBytes || before.modifiedAt !== entry.modifiedMs)) changes.changed += 1;
  }
  if (seen.size < LIBRARY_FILES_SHOWN) changes.removed = files.filter(({ path, state }) => state.status === 'read' && !seen.has(path)).length;
  return changes;
}
