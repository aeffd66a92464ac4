/** What is the fingerprint of this text, these bytes, this file? SHA-256, in lower-case hexadecimal. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 of a UTF-8 text or of bytes, 64 hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** SHA-256 of a file, read as a stream in constant memory. @throws what opening or reading throws; the signal's reason. */
export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, signal === undefined ? {} : { signal })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
