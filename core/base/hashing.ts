/** What is the fingerprint of this text, these bytes, this file? SHA-256, in lower-case hexadecimal. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pathOnDisk } from './file-names.ts';

/** SHA-256 of a UTF-8 text or of bytes, 64 hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

const READ_BYTES = 2 ** 18;
/** Room of readings that are over: files are many, and new room for each would keep the garbage collector busy. */
const spareRoom: Uint8Array<ArrayBuffer>[] = [];
const MOST_SPARE = 4;

/** SHA-256 of a file, read in constant memory. @throws what opening or reading throws; the signal's reason. */
export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const hash = createHash('sha256');
  const room = spareRoom.pop() ?? new Uint8Array(READ_BYTES);
  try {
    await using file = await open(pathOnDisk(path), 'r');
    for (;;) {
      const { bytesRead } = await file.read(room, 0, room.length, null);
      signal?.throwIfAborted();
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(room.subarray(0, bytesRead));
    }
  } finally {
    if (spareRoom.length < MOST_SPARE) spareRoom.push(room);
  }
}
