/** How are the small files of somebody else's model folder read? Only when they are plain files of a sensible size. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, toIsoglossError } from '../../base/errors.ts';
import { LARGEST_TOKENIZER_BYTES } from '../../text/tokenizer-guards.ts';

/** Deeper JSON is no settings, but an attempt on the parser. */
const DEEPEST_JSON = 64;

/** Whether JSON is nested too deeply to be parsed in peace; told from its bytes alone. */
export function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isInText) {
      if (byte === 0x5c) at += 1; // backslash: skip what it escapes
      else if (byte === 0x22) isInText = false;
    } else if (byte === 0x22) isInText = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > DEEPEST_JSON) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

/** The bytes of a file; null when there is none. @throws InputError 'backbone.file-too-large' before a large file is read. */
export async function readFolderBytes(folder: string, name: string): Promise<Buffer | null> {
  const path = join(folder, name);
  try {
    const { size } = await stat(path);
    if (size > LARGEST_TOKENIZER_BYTES) throw new InputError('backbone.file-too-large', `${path}: expected at most ${LARGEST_TOKENIZER_BYTES / 2 ** 20} MB, found ${Math.ceil(size / 2 ** 20)} MB.`, { data: { path, sizeBytes: size } });
    return await readFile(path);
  } catch (thrown) {
    const error = toIsoglossError(thrown, path);
    if (error.code === 'file.missing') return null;
    throw error;
  }
}

/** A JSON object; null when the file is missing. @throws InputError 'file.not-json'. */
export async function readFolderJson(folder: string, name: string): Promise<Readonly<Record<string, unknown>> | null> {
  const value = await readFolderValue(folder, name);
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw notJson(join(folder, name), 'no object');
  return value as Readonly<Record<string, unknown>>; // checked in the line above
}

/** Any JSON; null when the file is missing. @throws InputError 'file.not-json'. */
export async function readFolderValue(folder: string, name: string): Promise<unknown> {
  const bytes = await readFolderBytes(folder, name);
  if (bytes === null) return null;
  if (isTooDeep(bytes)) throw notJson(join(folder, name), `more than ${DEEPEST_JSON} levels of nesting`);
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (cause) {
    throw notJson(join(folder, name), cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function notJson(path: string, found: string, cause?: unknown): InputError {
  return new InputError('file.not-json', `${path}: expected JSON, found text that does not parse (${found}).`, { cause, data: { path } });
}
