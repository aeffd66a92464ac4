/** Which file was Isogloss started with? A portable file or the folder of a project, as the desktop hands it over. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PORTABLE_ENDING } from '../project/portable-file.ts';
import { PROJECT_FILE } from '../project/project-file.ts';

/**
 * The last argument that names a portable file or a project's folder; null where there is none.
 * @param words the arguments after the program (and, unpackaged, after the folder it was started on).
 */
export function openedPath(words: readonly string[], workingDirectory: string): string | null {
  for (const word of words.toReversed()) {
    if (word.startsWith('-') || word === '') continue;
    const path = resolve(workingDirectory, word);
    if (isOurs(path)) return path;
  }
  return null;
}

export function isOurs(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return found.isFile() ? path.toLowerCase().endsWith(PORTABLE_ENDING) : found.isDirectory() && statSync(join(path, PROJECT_FILE), { throwIfNoEntry: false })?.isFile() === true;
}

/** The arguments that are a person's: without the program, and without the folder that an unpackaged Electron is started on. */
export function ownArguments(argv: readonly string[], isPackaged: boolean): readonly string[] {
  return argv.slice(isPackaged ? 1 : 2);
}
