/** When do chunks reach the disk? In batches: rows first, then one synced line in the journal that makes them count. */
import type { Chunk } from '../documents/chunker.ts';
import { expectVectors, isUsable } from './dense-index.ts';
import { appendEntry } from './store/journal.ts';
import type { JournalFile } from './store/journal.ts';
import type { SegmentWriter } from './segments/segment-folder.ts';
import type { LanceStore, StoredChunk } from './store/lance-store.ts';

export type FileFacts = Pick<JournalFile, 'path' | 'hash' | 'sizeBytes' | 'title' | 'language' | 'modifiedAt' | 'isLatin'>;

export type BatchWriter = {
  /**
   * Adds a chunk with its vectors [rows, H] (null: its tokens stand for them); writes when a batch is full. Vectors of zeros are not kept.
   * @returns how many vectors stand for it; 0: it is found by its letters alone.
   * @throws InputError 'index.bad-vector'.
   */
  readonly add: (file: FileFacts, chunk: Chunk, vectors: Float32Array | null) => Promise<number>;
  /** Says that the file has no more chunks. */
  readonly endFile: (file: FileFacts) => void;
  /** Writes what waits. */
  readonly flush: () => Promise<void>;
};

/** 2,000 to 5,000 rows in one commit (reliability.md, 1.10). */
const BATCH_ROWS = 4096;

export function createBatchWriter(options: { readonly store: LanceStore; readonly segments: SegmentWriter; readonly journalPath: string; readonly firstBatch: number; readonly width: number }): BatchWriter {
  const { store, segments, journalPath, width } = options;
  let batch = options.firstBatch;
  let chunks: StoredChunk[] = [];
  let blocks: Float32Array[] = [];
  let owners: number[] = [];
  let windows: number[] = [];
  let files = new Map<string, JournalFile>();
  const partsOf = new Map<string, number>(); // of files that are not at their end

  const entryOf = (file: FileFacts): JournalFile => files.get(file.path) ?? { ...file, chunks: 0, vectors: 0, part: partsOf.get(file.path) ?? 0, isLast: false };

  const flush = async (): Promise<void> => {
    if (files.size === 0) return;
    const vectors = new Float32Array(owners.length * width);
    let at = 0;
    for (const block of blocks) {
      vectors.set(block, at);
      at += block.length;
    }
    await store.add(chunks, { vectors, batches: new Int32Array(owners.length).fill(batch), chunks: Int32Array.from(owners), windows: Int32Array.from(windows) });
    await appendEntry(journalPath, { kind: 'batch', batch, files: [...files.values()] });
    batch += 1;
    for (const { path, part, isLast } of files.values()) {
      if (isLast) partsOf.delete(path);
      else partsOf.set(path, part + 1);
    }
    [chunks, blocks, owners, windows, files] = [[], [], [], [], new Map()];
    await segments.pause();
  };

  return {
    add: async (file, chunk, vectors) => {
      if (vectors !== null) expectVectors(vectors, width, file.path);
      const places = vectors === null ? [] : usableRows(vectors, width);
      const rows = places.length;
      if (owners.length + rows > BATCH_ROWS || chunks.length >= BATCH_ROWS) await flush();
      const number = chunks.length;
      const stored = { batch, chunk: number, path: file.path, ...chunk };
      chunks.push(stored);
      const bySums = segments.add(stored);
      for (const place of places) {
        blocks.push((vectors ?? new Float32Array(0)).subarray(place * width, (place + 1) * width));
        owners.push(number);
        windows.push(place);
      }
      const entry = entryOf(file);
      files.set(file.path, { ...entry, chunks: entry.chunks + 1, vectors: entry.vectors + rows + bySums });
      return rows + bySums;
    },
    endFile: (file) => {
      files.set(file.path, { ...entryOf(file), isLast: true });
    },
    flush,
  };
}

/** The rows that are not all zeros. */
function usableRows(vectors: Float32Array, width: number): readonly number[] {
  return Array.from({ length: vectors.length / width }, (_, row) => row).filter((row) => isUsable(vectors.subarray(row * width, (row + 1) * width)));
}
