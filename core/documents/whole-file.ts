/** What are the bytes of a file that is read as one thing, and what are its first ones? Only of regular files. */
import { open, stat } from 'node:fs/promises';
import { InputError, toIsoglossError } from '../base/errors.ts';
import { pathOnDisk } from '../base/file-names.ts';

/** @throws InputError 'documents.not-a-file', 'documents.too-large', 'file.missing'; EnvironmentError from the disk. */
export async function readWholeFile(path: string, limitBytes: number): Promise<Uint8Array> {
  return await readStart(path, limitBytes, (size) => {
    if (size > limitBytes) throw new InputError('documents.too-large', `${path}: expected at most ${limitBytes} bytes, found ${size}. Split the file.`, { data: { path, limitBytes } });
  });
}

/** The first bytes of a file, at most `length`. @throws as `readWholeFile`. */
export async function readHead(path: string, length: number): Promise<Uint8Array> {
  return await readStart(path, length, () => undefined);
}

async function readStart(path: string, length: number, check: (size: number) => void): Promise<Uint8Array> {
  try {
    const place = pathOnDisk(path);
    const facts = await stat(place);
    if (!facts.isFile()) throw new InputError('documents.not-a-file', `${path}: expected a file, found a ${facts.isDirectory() ? 'folder' : 'device or pipe'}.`, { data: { path } });
    check(facts.size);
    const file = await open(place, 'r');
    try {
      const bytes = new Uint8Array(Math.min(length, facts.size));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    throw toIsoglossError(thrown);
  }
}
