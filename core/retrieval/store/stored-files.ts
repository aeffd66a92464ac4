/** What does an index hold, and is it all there? The journal's word compared with the rows that the store still has. */
import type { IndexedFile, JournalState } from './journal.ts';
import type { LanceStore, StoredChunk } from './lance-store.ts';

export type StoredFiles = {
  /** Files whose every chunk and vector is there. */
  readonly files: ReadonlyMap<string, IndexedFile>;
  /** Paths of files that the journal has but whose rows are gone (a damaged or lost version): to be indexed again. */
  readonly missing: readonly string[];
  /** Chunks of the files that are there, by path and place. */
  readonly chunks: readonly StoredChunk[];
  /** Batches in the store of which nothing counts any more. */
  readonly staleBatches: readonly number[];
};

/**
 * Reads and checks. Rows count only if the journal names their file in their batch, so an interrupted or replaced batch is
 * invisible whether or not its rows were removed.
 * @throws EnvironmentError 'index.damaged' when rows cannot be read.
 */
export async function readStoredFiles(store: LanceStore, journal: JournalState): Promise<StoredFiles> {
  const allChunks = await store.readChunks();
  const vectorCounts = await store.countVectorsByBatch();
  const chunkCounts = new Map<string, number>();
  for (const { batch, path } of allChunks) chunkCounts.set(key(batch, path), (chunkCounts.get(key(batch, path)) ?? 0) + 1);
  const expectedVectors = new Map<number, number>();
  for (const { parts } of journal.files.values()) for (const { batch, vectors } of parts) expectedVectors.set(batch, (expectedVectors.get(batch) ?? 0) + vectors);

  const isWhole = (file: IndexedFile): boolean =>
    file.parts.every(({ batch, chunks }) => (chunkCounts.get(key(batch, file.storedPath ?? file.path)) ?? 0) === chunks && (vectorCounts.get(batch) ?? 0) >= (expectedVectors.get(batch) ?? 0));
  const files = new Map([...journal.files].filter(([, file]) => isWhole(file)));
  const pathOf = new Map([...files.values()].flatMap(({ path, storedPath, parts }) => parts.map(({ batch }) => [key(batch, storedPath ?? path), path] as const))); // a renamed file's rows carry its old path
  const liveBatches = new Set([...files.values()].flatMap(({ parts }) => parts.map(({ batch }) => batch)));
  const present = new Set([...vectorCounts.keys(), ...allChunks.map(({ batch }) => batch)]);
  return {
    files,
    missing: [...journal.files.keys()].filter((path) => !files.has(path)),
    chunks: allChunks.flatMap((chunk) => {
      const path = pathOf.get(key(chunk.batch, chunk.path));
      return path === undefined ? [] : [path === chunk.path ? chunk : { ...chunk, path }];
    }).sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start)),
    staleBatches: [...present].filter((batch) => !liveBatches.has(batch)),
  };
}

const key = (batch: number, path: string): string => `${batch} ${path}`;
