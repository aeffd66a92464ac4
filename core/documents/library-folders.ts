/** Which documents are in the folders of a library? Several folders walked as one; a folder that is away is told, not taken for empty. */
import { toIsoglossError } from '../base/errors.ts';
import { walkFolder } from './folder-walk.ts';
import type { FolderEntry } from './folder-walk.ts';

/** `name` begins the paths of the folder's documents ("interviews/2019/a.txt"); '' for a library of one folder that needs none. */
export type LibraryFolder = { readonly name: string; readonly path: string };

export type LibraryEntry = FolderEntry | { readonly kind: 'folder-missing'; readonly name: string; readonly path: string };

/**
 * Walks the folders in their order, each as walkFolder does. A folder that cannot be found (a disk that is not plugged in)
 * gives one 'folder-missing'; what is known of its documents stays true.
 * @throws what walkFolder throws but 'file.missing'; the signal's reason once aborted.
 */
export async function* walkLibrary(folders: readonly LibraryFolder[], signal: AbortSignal): AsyncGenerator<LibraryEntry> {
  for (const { name, path } of folders) {
    try {
      for await (const entry of walkFolder(path, signal)) yield name === '' ? entry : { ...entry, relativePath: `${name}/${entry.relativePath}`, shown: `${name}/${entry.shown}` };
    } catch (thrown) {
      const error = toIsoglossError(thrown);
      if (error.code !== 'file.missing') throw error;
      yield { kind: 'folder-missing', name, path };
    }
  }
}

/** Whether a document's path lies in the folder of that name. */
export function isInFolder(path: string, name: string): boolean {
  return name === '' || path.startsWith(`${name}/`);
}
