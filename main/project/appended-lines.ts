/** How are a person's decisions kept? One JSON line each, synced; a line that a power cut tore is passed over, the rest stays true. */
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { makeFolder, syncFolder } from '../../core/base/atomic-files.ts';
import { toIsoglossError } from '../../core/base/errors.ts';

/** Appends lines and syncs them: when it returns they are on the disk. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function appendLines(path: string, values: readonly unknown[]): Promise<void> {
  if (values.length === 0) return;
  try {
    await makeFolder(dirname(path));
    await using file = await open(path, 'a');
    const { size } = await file.stat();
    await file.write(`${size === 0 ? '' : '\n'}${values.map((value) => JSON.stringify(value)).join('\n')}`); // begins a new line, so that a torn line before it stays alone
    await file.sync();
    if (size === 0) await syncFolder(dirname(path));
  } catch (thrown) {
    throw toIsoglossError(thrown, path);
  }
}

/** All lines that are whole and as agreed, in order; none when there is no file. */
export async function readLines<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    const error = toIsoglossError(thrown, path);
    if (error.code === 'file.missing') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    const parsed = schema.safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a torn line is no value
  }
}
