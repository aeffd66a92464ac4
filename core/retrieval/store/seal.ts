/** Is the store as it was left? A note of its versions and row counts, made when everything had been compared; while it holds, opening need not compare again. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeJsonAtomic } from '../../base/atomic-files.ts';
import { toIsoglossError } from '../../base/errors.ts';
import { sha256OfFile } from '../../base/hashing.ts';
import { journalPath } from './index-manifest.ts';
import { dataFiles } from './durable-files.ts';
import { storeFolder } from './lance-store.ts';
import type { StoreVersion } from './lance-store.ts';

const sealSchema = z.object({
  store: z.object({ chunksVersion: z.int(), vectorsVersion: z.int(), chunkRows: z.int(), vectorRows: z.int() }),
  /** SHA-256 of the journal. */
  journal: z.string(),
  /** SHA-256 of LanceDB's data files, which never change, by path below the store. */
  files: z.record(z.string(), z.string()),
  missing: z.array(z.string()).readonly(),
  staleBatches: z.array(z.int()).readonly(),
});
export type Seal = z.infer<typeof sealSchema>;

const sealPath = (indexFolder: string): string => join(indexFolder, 'seal.json');

export async function writeSeal(indexFolder: string, facts: Omit<Seal, 'journal' | 'files'>, known: Readonly<Record<string, string>> = {}): Promise<void> {
  const files: Record<string, string> = {};
  for (const path of await dataFiles(storeFolder(indexFolder))) files[path] = known[path] ?? (await sha256OfFile(join(storeFolder(indexFolder), path)));
  await writeJsonAtomic(sealPath(indexFolder), { ...facts, files, journal: await sha256OfFile(journalPath(indexFolder)) } satisfies Seal);
}

/** Sums of data files that the last seal knew, whether or not it still holds. */
export async function knownSums(indexFolder: string): Promise<Readonly<Record<string, string>>> {
  return (await parseSeal(indexFolder))?.files ?? {};
}

/** Data files whose bytes are not what they were when they were sealed: bit rot, which LanceDB does not notice. Reads them all. */
export async function damagedFiles(indexFolder: string): Promise<readonly string[]> {
  const damaged: string[] = [];
  for (const [path, sum] of Object.entries(await knownSums(indexFolder))) {
    const now = await sha256OfFile(join(storeFolder(indexFolder), path)).catch(() => null);
    if (now !== sum) damaged.push(path);
  }
  return damaged;
}

async function parseSeal(indexFolder: string): Promise<Seal | null> {
  try {
    const parsed = sealSchema.safeParse(JSON.parse(await readFile(sealPath(indexFolder), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // no seal, or one that cannot be read: everything is compared
  }
}

/** Before the store is written to. */
export async function breakSeal(indexFolder: string): Promise<void> {
  try {
    await rm(sealPath(indexFolder), { force: true });
  } catch (thrown) {
    throw toIsoglossError(thrown, indexFolder);
  }
}

/** The seal if it holds: the store has the same versions and rows, and the journal the same bytes. Anything else is no seal. */
export async function readSeal(indexFolder: string, store: StoreVersion): Promise<Seal | null> {
  const seal = await parseSeal(indexFolder);
  if (seal === null) return null;
  const { chunksVersion, vectorsVersion, chunkRows, vectorRows } = seal.store;
  const isSame = chunksVersion === store.chunksVersion && vectorsVersion === store.vectorsVersion && chunkRows === store.chunkRows && vectorRows === store.vectorRows;
  return isSame && seal.journal === (await sha256OfFile(journalPath(indexFolder)).catch(() => '')) ? seal : null;
}
