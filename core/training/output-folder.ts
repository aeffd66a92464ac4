/** May a run write its model here? Asked before any work: nothing of the person's is overwritten, the place is writable, no other run is at it. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder, restoreFolder } from '../base/atomic-files.ts';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { takeProcessLock } from '../base/process-lock.ts';
import { MANIFEST_FILE } from '../encoding/model-folder.ts';

/** Where a run keeps its checkpoints until its model is written. */
export function checkpointFolderOf(outputFolder: string): string {
  return `${resolve(outputFolder)}.training`;
}

/**
 * Checks that a model may be written to `outputFolder`: it is missing, empty or an older model, and its parent (made when missing) is writable.
 * @param mark  the file by which an older one is known.
 * @throws InputError 'file.not-a-folder', 'training.output-not-a-model'; EnvironmentError 'disk.no-permission', 'disk.full'.
 */
export async function checkOutputFolder(outputFolder: string, mark = MANIFEST_FILE): Promise<void> {
  const folder = resolve(outputFolder);
  try {
    await makeFolder(dirname(folder));
    await access(dirname(folder), constants.W_OK | constants.X_OK);
    const found = await stat(folder).catch((thrown: unknown) => {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
      throw thrown;
    });
    if (found === null) return;
    if (!found.isDirectory()) throw new InputError('file.not-a-folder', `${folder}: expected a folder, found a file in its place.`, { data: { path: folder } });
    await access(folder, constants.W_OK | constants.X_OK);
    const names = await readdir(folder);
    if (names.length > 0 && !names.includes(mark)) {
      throw new InputError('training.output-not-a-model', `${folder}: expected a new or empty folder, or an older model, to write the model to; found other files (${names.slice(0, 3).join(', ')}). They are left alone: choose another folder.`, { data: { path: folder } });
    }
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}

/**
 * As `checkOutputFolder`, and keeps the place for this run until it is disposed of. What a crash left there is tidied up, which only the
 * holder of the place may do.
 * @throws as `checkOutputFolder`; InputError 'training.already-running'.
 */
export async function reserveOutputFolder(outputFolder: string): Promise<AsyncDisposable> {
  const folder = resolve(outputFolder);
  await makeFolder(dirname(folder));
  const lock = await takeProcessLock(join(dirname(folder), `.${basename(folder)}.lock`), { code: 'training.already-running', message: `${folder}: another training is writing to this folder. Wait for it, or choose another folder.` });
  try {
    await restoreFolder(folder);
    await checkOutputFolder(folder);
    return lock;
  } catch (thrown) {
    await lock[Symbol.asyncDispose]();
    throw thrown;
  }
}
