/** Which files lie in a folder that somebody dropped as a corpus? Bounded: the folder may be anything. */
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, toIsoglossError } from '../base/errors.ts';

/** A published collection in parts has some thousands; a person's whole disk has more. */
const NAMES_LIMIT = 100_000;

/**
 * Names in a folder and, down to `depth` folders, below it with "/" between, in the order of their letters; folders themselves only at
 * the deepest level that is looked at. Links are not followed. @throws InputError 'corpus.too-many-files', 'file.missing'; EnvironmentError from the disk.
 */
export async function namesIn(folder: string, depth = 0, limit = NAMES_LIMIT): Promise<readonly string[]> {
  const names: string[] = [];
  const visit = async (below: string, left: number): Promise<void> => {
    for await (const entry of await opendir(join(folder, below))) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && left > 0) await visit(name, left - 1);
      else names.push(name);
      if (names.length > limit) throw new InputError('corpus.too-many-files', `${folder}: expected a folder with one corpus, found more than ${limit} files. Choose the folder of the corpus alone.`, { data: { path: folder } });
    }
  };
  try {
    await visit('', depth);
  } catch (thrown) {
    throw toIsoglossError(thrown, folder);
  }
  return names.sort();
}
