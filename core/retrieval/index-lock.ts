/** Is another run bringing this index up to date? A lock beside the index folder says which; that of a dead process is taken over. */
import { access, constants } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '../base/atomic-files.ts';
import { toIsoglossError } from '../base/errors.ts';
import { takeProcessLock } from '../base/process-lock.ts';

/**
 * Keeps the index folder for this run until it is disposed of. The lock lies beside the folder, or in it where only the folder
 * itself can be written to (it must then be there already).
 * @throws InputError 'index.already-running' naming the process of the other run; EnvironmentError 'disk.no-permission', 'disk.full'.
 */
export async function lockIndex(indexFolder: string): Promise<AsyncDisposable> {
  const folder = resolve(indexFolder);
  const parent = dirname(folder);
  const busy = { code: 'index.already-running', message: `${folder}: another run is bringing this index up to date. Wait for it, or choose another folder` };
  const isInside = (await isReadOnly(parent)) && (await isWritable(folder));
  try {
    if (!isInside) await makeFolder(parent);
    return await takeProcessLock(isInside ? join(folder, '.index.lock') : join(parent, `.${basename(folder)}.lock`), busy);
  } catch (thrown) {
    const error = toIsoglossError(thrown);
    if (error.code !== 'disk.no-permission' || !(error.cause instanceof Error)) throw thrown;
    throw toIsoglossError(error.cause, folder); // the folder that was asked for, not the one the lock lies in
  }
}

const isWritable = (folder: string): Promise<boolean> => access(folder, constants.W_OK | constants.X_OK).then(() => true, () => false);

/** There, and not to be written to. */
async function isReadOnly(folder: string): Promise<boolean> {
  const may = (mode: number): Promise<boolean> => access(folder, mode).then(() => true, () => false);
  return (await may(constants.F_OK)) && !(await may(constants.W_OK | constants.X_OK));
}
