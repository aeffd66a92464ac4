/** Is the store as it was left? A note of its versions and row counts, made when everything had been compared; while it holds, opening need not compare again. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeJsonAtomic } from '../../base/atomic-files.ts';
import { toIsoglossError } from '../../base/errors.ts';
import { sha256OfFile } from '../../base/hashing.ts';
import { journalPath } from './index-manifest.ts';
import type { StoreVersion } from './lance-store.ts';

const sealSchema = z.object({
  store: z.object({ chunksVersion: z.int(), vectorsVersion: z.int(), chunkRows: z.int(), vectorRows: z.int() }),
  /** SHA-256 of the journal. */
  journal: z.string(),
  missing: z.array(z.string()).readonly(),
  staleBatches: z.array(z.int()).readonly(),
});
export type Seal = z.infer<typeof sealSchema>;

const sealPath = (indexFolder: string): string => join(indexFolder, 'seal.json');

export async function writeSeal(indexFolder: string, facts: Omit<Seal, 'journal'>): Promise<void> {
  await writeJsonAtomic(sealPath(indexFolder), { ...facts, journal: await sha256OfFile(journalPath(indexFolder)) } satisfies Seal);
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
  try {
    const parsed = sealSchema.safeParse(JSON.parse(await readFile(sealPath(indexFolder), 'utf8')));
    if (!parsed.success) return null;
    const { chunksVersion, vectorsVersion, chunkRows, vectorRows } = parsed.data.store;
    const isSame = chunksVersion === store.chunksVersion && vectorsVersion === store.vectorsVersion && chunkRows === store.chunkRows && vectorRows === store.vectorRows;
    return isSame && parsed.data.journal === (await sha256OfFile(journalPath(indexFolder))) ? parsed.data : null;
  } catch {
    return null; // no seal, or one that cannot be read: everything is compared
  }
}
