/** Has anything changed in the folders of a library? One fingerprint of all names, sizes and times, whatever their number. */
import { createHash } from 'node:crypto';
import { walkLibrary, type LibraryFolder } from '../../core/documents/library-folders.ts';

/** Equal when no file was added, changed, renamed, moved or deleted (a change of content that keeps size and time aside: indexing compares contents). */
export async function fingerprintLibrary(folders: readonly LibraryFolder[], signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const entry of walkLibrary(folders, signal)) {
    if (entry.kind === 'document') hash.update(`${entry.relativePath}\0${String(entry.sizeBytes)}\0${String(entry.modifiedMs)}\n`);
    else if (entry.kind === 'folder-missing') hash.update(`${entry.name}\0missing\n`);
  }
  return hash.digest('hex');
}
