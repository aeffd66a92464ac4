/** How does a dropped file come into a project? Piece by piece into a hidden file of incoming/, renamed when whole. */
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../core/base/atomic-files.ts';
import { InputError, toIsoglossError } from '../../core/base/errors.ts';
import { UPLOAD_CHUNK_BYTES, UPLOAD_LIMIT_BYTES } from '../contract/limits.ts';

export type UploadPiece = { readonly folder: string; readonly upload: string; readonly name: string; readonly offset: number; readonly totalBytes: number; readonly bytes: Uint8Array };
export type UploadState = { readonly status: 'receiving'; readonly receivedBytes: number } | { readonly status: 'complete'; readonly path: string; readonly sizeBytes: number };

/** Where a file goes that is dropped while no project is open; what was not taken in from there is removed when the program starts. */
export const commonIncoming = (dataFolder: string): string => join(dataFolder, 'incoming');

/**
 * Takes one piece. Pieces come in order; the first has offset 0 and begins anew.
 * @throws InputError 'upload.out-of-order', 'upload.too-large', 'upload.bad-name'; EnvironmentError 'disk.full'.
 */
export async function receivePiece({ folder, upload, name, offset, totalBytes, bytes }: UploadPiece): Promise<UploadState> {
  const safeName = safeFileName(name);
  if (totalBytes > UPLOAD_LIMIT_BYTES || bytes.length > UPLOAD_CHUNK_BYTES || offset + bytes.length > totalBytes) {
    throw new InputError('upload.too-large', `${safeName}: files up to 2 GB can be dropped. Use "Choose a file" for larger ones: then nothing is copied.`, { data: { name: safeName } });
  }
  const partial = join(folder, `.${upload}.part`);
  try {
    await mkdir(folder, { recursive: true });
    const receivedBytes = await append(partial, { offset, bytes, isLast: offset + bytes.length === totalBytes });
    if (receivedBytes < totalBytes) return { status: 'receiving', receivedBytes };
    const path = join(folder, await freeName(folder, safeName));
    await rename(partial, path);
    await syncFolder(folder);
    return { status: 'complete', path, sizeBytes: totalBytes };
  } catch (thrown) {
    await rm(partial, { force: true });
    throw toIsoglossError(thrown);
  }
}

async function append(partial: string, { offset, bytes, isLast }: { offset: number; bytes: Uint8Array; isLast: boolean }): Promise<number> {
  const there = offset === 0 ? 0 : await stat(partial).then((found) => found.size, () => -1);
  if (there !== offset) throw new InputError('upload.out-of-order', 'A piece of the dropped file was lost. Drop the file again.', { data: { expected: there, found: offset } });
  await using file = await open(partial, offset === 0 ? 'w' : 'a');
  await file.writeFile(bytes);
  if (isLast) await file.sync();
  return offset + bytes.length;
}

const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** The name without any folder, control characters or names that a system keeps for itself. */
export function safeFileName(name: string): string {
  const last = name.normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const clean = last.replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '_').replace(/^\.+/, '').replace(/[. ]+$/, '').slice(0, 150);
  if (clean === '' || RESERVED_ON_WINDOWS.test(clean)) throw new InputError('upload.bad-name', `"${name}": expected a file name that works on every computer. Rename the file and drop it again.`, { data: { name } });
  return clean;
}

async function freeName(folder: string, name: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  const dot = name.indexOf('.') === -1 ? name.length : name.indexOf('.');
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name.slice(0, dot)}-${String(number)}${name.slice(dot)}`;
    if (!taken.has(candidate)) return candidate;
  }
}
