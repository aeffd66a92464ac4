/** How does a LanceDB folder survive a power cut? LanceDB never calls fsync, so new files are synced here; damaged manifests are moved aside. */
import { open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../base/atomic-files.ts';

const MAGIC = 'LANC'; // the last four bytes of every manifest and data file
const LEAST_BYTES = 16;
const VERSIONS_FOLDER = '_versions';
const MANIFEST_ENDING = '.manifest';
const DATA_FOLDER = 'data';
const DATA_ENDING = '.lance';
export const QUARANTINE_ENDING = '.quarantine';
/** Data before the manifests that name it. */
const VERSIONS_LAST = (a: string, b: string): number => Number(a === VERSIONS_FOLDER) - Number(b === VERSIONS_FOLDER) || (a < b ? -1 : 1);

/** Syncs what is new since the last call: files, manifests last, then their folders. */
export function createFolderSync(root: string): () => Promise<void> {
  const synced = new Set<string>();
  const visit = async (folder: string): Promise<boolean> => {
    let isChanged = false;
    const entries = await readdir(folder, { withFileTypes: true });
    const byName = new Map(entries.map((entry) => [entry.name, entry]));
    for (const name of [...byName.keys()].sort(VERSIONS_LAST)) {
      const path = join(folder, name);
      if (byName.get(name)?.isDirectory() === true) isChanged = (await visit(path)) || isChanged;
      else if (!synced.has(path)) {
        await syncFile(path);
        synced.add(path);
        isChanged = true;
      }
    }
    if (isChanged) await syncFolder(folder);
    return isChanged;
  };
  return async () => {
    await visit(root);
  };
}

async function syncFile(path: string): Promise<void> {
  try {
    await using file = await open(path, 'r');
    await file.sync();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown; // LanceDB removed it in the meantime
  }
}

/**
 * Renames damaged newest manifests of a table (too short, or not ending in LANC: zero-filled, cut off) until a sound one is
 * the newest; LanceDB would refuse the table or, worse, open it empty.
 * @returns the names moved aside.
 */
export async function quarantineManifests(tableFolder: string): Promise<readonly string[]> {
  const folder = join(tableFolder, VERSIONS_FOLDER);
  const names = (await namesOf(folder)).filter((name) => name.endsWith(MANIFEST_ENDING)).sort(); // 2^64 - 1 - version: the newest first
  const moved: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (await endsInMagic(path)) break;
    await rename(path, `${path}${QUARANTINE_ENDING}`);
    moved.push(name);
  }
  return moved;
}

/** Names of data files of a table that are cut off or overwritten: LanceDB would open the table and fail, or answer wrongly, later. */
export async function damagedDataFiles(tableFolder: string): Promise<readonly string[]> {
  const folder = join(tableFolder, DATA_FOLDER);
  const damaged: string[] = [];
  for (const name of await namesOf(folder)) if (name.endsWith(DATA_ENDING) && !(await endsInMagic(join(folder, name)))) damaged.push(name);
  return damaged;
}

/** Paths of all data files of a store, relative to it, in order. */
export async function dataFiles(storeFolder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const table of await namesOf(storeFolder)) for (const name of await namesOf(join(storeFolder, table, DATA_FOLDER))) if (name.endsWith(DATA_ENDING)) paths.push(`${table}/${DATA_FOLDER}/${name}`);
  return paths.sort();
}

async function namesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return [];
    throw thrown;
  }
}

async function endsInMagic(path: string): Promise<boolean> {
  const { size } = await stat(path);
  if (size <= LEAST_BYTES) return false;
  await using file = await open(path, 'r');
  const end = Buffer.alloc(MAGIC.length);
  await file.read(end, 0, MAGIC.length, size - MAGIC.length);
  return end.toString('latin1') === MAGIC;
}
