/** What is the state of the folder that a project searches? */
import { stat } from 'node:fs/promises';
import type { Library } from '../contract/index.ts';
import type { ProjectFile } from './project-file.ts';

/** Looks at the folder and at the index beside the project. */
export async function viewLibrary(options: { readonly folder: string; readonly file: ProjectFile; readonly modelId: string | null }): Promise<Library> {
  const { folder } = options.file.library;
  if (folder === null) return { status: 'none' };
  const isThere = await stat(folder).then((found) => found.isDirectory(), () => false);
  if (!isThere) return { status: 'folder-missing', folder };
  return { status: 'not-indexed', folder };
}
