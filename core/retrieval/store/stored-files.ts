/** What does an index hold, and is it all there? The journal's word compared with the rows that the store still has. */
import type { IndexedFile, JournalState } from './journal.ts';
import type { LanceStore } from './lance-store.ts';
import type { Seal } from './seal.ts';

export type StoredFiles = {
  /** Files whose every chunk and vector is there. */
  readonly files: ReadonlyMap<string, IndexedFile>;
  /** Paths of files that the journal has but whose rows are gone (a damaged or lost version): to be indexed again. */
  readonly missing: readonly string[];
  /** Batches in the store of which nothing counts any more. */
  readonly staleBatches: readonly number[];
};

/** The path that the rows of a file carry. */
export const rowPath = ({ path, storedPath }: Pick<IndexedFile, 'path' | 'storedPath'>): string => storedPath ?? path;

/** Rows count only if the journal names their file in their batch: by this key. */
export const partKey = (batch: number, path: string): string => `${batch} ${path}`;

/** What the seal says, without reading rows. */
export function sealedFiles(journal: JournalState, seal: Seal): StoredFiles {
  const missing = new Set(seal.missing);
  return { files: new Map([...journal.files].filter(([path]) => !missing.has(path))), missing: seal.missing, staleBatches: seal.staleBatches };
}

/**
 * Reads the keys of all rows and compares. An interrupted or replaced batch is invisible whether or not its rows were removed.
 * @throws EnvironmentError 'index.damaged' when rows cannot be read.
 */
export async function readStoredFiles(store: LanceStore, journal: JournalState): Promise<StoredFiles> {
  const chunkCounts = new Map<string, number>();
  const present = new Set<number>();
  for await (const { batches, paths } of store.readKeys()) {
    batches.forEach((batch, i) => {
      const key = partKey(batch, paths[i] ?? '');
      chunkCounts.set(key, (chunkCounts.get(key) ?? 0) + 1);
      present.add(batch);
    });
  }
  const vectorCounts = await store.countVectorsByBatch();
  for (const batch of vectorCounts.keys()) present.add(batch);
  const expectedVectors = new Map<number, number>();
  for (const { parts } of journal.files.values()) for (const { batch, vectors } of parts) expectedVectors.set(batch, (expectedVectors.get(batch) ?? 0) + vectors);
  const hasVectors = (batch: number): boolean => !store.keepsVectors || (vectorCounts.get(batch) ?? 0) >= (expectedVectors.get(batch) ?? 0);
  const isWhole = (file: IndexedFile): boolean => file.parts.every(({ batch, chunks }) => (chunkCounts.get(partKey(batch, rowPath(file))) ?? 0) === chunks && hasVectors(batch));

  const files = new Map([...journal.files].filter(([, file]) => isWhole(file)));
  const liveBatches = new Set([...files.values()].flatMap(({ parts }) => parts.map(({ batch }) => batch)));
  return { files, missing: [...journal.files.keys()].filter((path) => !files.has(path)), staleBatches: [...present].filter((batch) => !liveBatches.has(batch)) };
}
