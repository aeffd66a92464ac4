/** In which folder is the index that answers, and where is another one made beside it? */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { findManifest, journalPath, type IndexManifest } from '../../core/retrieval/store/index-manifest.ts';

const CURRENT_FILE = 'current.json';
/** The name that the first index of a library has. */
const FIRST_NAME = 'index';
const NAME = /^index(?:-[0-9a-f]{16})?$/;
const ID_CHARACTERS = 16;
const currentSchema = z.object({ index: z.string().regex(NAME) });

/** The library's own folder in a project. */
export const libraryPlace = (projectFolder: string): string => join(projectFolder, 'library');

/** The index in use: its folder, whether or not there is one in it yet. */
export async function currentIndex(place: string): Promise<string> {
  try {
    const parsed = currentSchema.safeParse(await readJson(join(place, CURRENT_FILE)));
    return join(place, parsed.success ? parsed.data.index : FIRST_NAME);
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return join(place, FIRST_NAME); // none chosen, or not readable: indexing again puts it right
    throw thrown;
  }
}

/** The folder to index into with a model: the one in use where that model made it (or nobody did), else one of its own beside it. */
export async function indexForModel(place: string, modelId: string): Promise<string> {
  const current = await currentIndex(place);
  const manifest = await manifestIn(current);
  if (manifest === null || manifest.modelId === modelId) return current;
  const own = join(place, `${FIRST_NAME}-${modelId.slice(0, ID_CHARACTERS)}`);
  const there = await manifestIn(own);
  if (there !== null && there.modelId !== modelId) await rm(own, { recursive: true, force: true });
  return own;
}

/** From now on this index answers: one file, replaced atomically. */
export async function useIndex(place: string, folder: string): Promise<void> {
  await writeJsonAtomic(join(place, CURRENT_FILE), { index: folder.split(/[\\/]/).at(-1) });
}

/** Removes indexes that no longer answer; one that another process still holds stays until the next time. */
export async function tidyIndexes(place: string): Promise<void> {
  const current = await currentIndex(place);
  for (const name of await readdir(place).catch(() => [])) {
    if (!NAME.test(name) || join(place, name) === current) continue;
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined); // Windows keeps open files
  }
}

/** Which index answers, and which model's vectors are in it. `modelFolder` null: the one that made it is gone. */
export type ServingIndex = { readonly indexFolder: string; readonly modelFolder: string | null; readonly modelId: string };

/** Null: nothing has been indexed. `present` is the model that the project uses now. */
export async function servingIndex(place: string, present: { readonly modelFolder: string; readonly modelId: string } | null): Promise<ServingIndex | null> {
  const indexFolder = await currentIndex(place);
  const manifest = await manifestIn(indexFolder);
  if (manifest === null) return null;
  const { modelId } = manifest;
  if (present !== null && present.modelId === modelId) return { indexFolder, modelFolder: present.modelFolder, modelId };
  const isThere = manifest.modelFolder !== null && (await stat(manifest.modelFolder).then(() => true, () => false));
  return { indexFolder, modelFolder: isThere ? manifest.modelFolder : null, modelId };
}

/** Whether a first reading has stored something by now; a look at one file, because it is asked every few seconds. */
export async function hasPassages(place: string): Promise<boolean> {
  return stat(journalPath(await currentIndex(place))).then(({ size }) => size > 0, () => false);
}

/** Damaged or of a newer version counts as none here; opening it says what is wrong. */
async function manifestIn(folder: string): Promise<IndexManifest | null> {
  try {
    return await findManifest(folder);
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null;
    throw thrown;
  }
}

/** The folder of the model whose index answers now, which must not be deleted; null when there is none. */
export async function servingModel(projectFolder: string): Promise<string | null> {
  return (await servingIndex(libraryPlace(projectFolder), null))?.modelFolder ?? null;
}
