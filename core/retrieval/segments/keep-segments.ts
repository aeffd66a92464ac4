/** How do the segments of an index stay few, sound and complete? What is missing, small or mostly dead is made again from the stored texts. */
import type { IndexedFile } from '../store/journal.ts';
import type { LanceStore } from '../store/lance-store.ts';
import { numberDocuments } from '../library-documents.ts';
import { createSegmentWriter, openSegments, removeSegments, SMALL_SEGMENT } from './segment-folder.ts';
import type { SegmentMaking } from './segment-folder.ts';

/** With more segments than this the small ones are joined. */
const MOST_SEGMENTS = 12;
/** A segment of which less than this share still counts is made anew. */
const LEAST_LIVE_SHARE = 0.6;
const PIECE_CHUNKS = 4096;

/**
 * Removes segments of which nothing counts, and makes one again of every part that no segment has, that is in a damaged segment, or in
 * one that is small among many or mostly dead. Old segments go after the new ones are on the disk; a kill in between leaves both, and
 * the newer counts.
 * @returns the names of damaged segments that were replaced.
 */
export async function keepSegments(options: { readonly indexFolder: string; readonly making: SegmentMaking; readonly store: LanceStore; readonly files: ReadonlyMap<string, IndexedFile>; readonly signal?: AbortSignal }): Promise<{ readonly damaged: readonly string[] }> {
  const { indexFolder, making, store, files, signal } = options;
  const { segments: found, damaged, foreign } = await openSegments(indexFolder, making);
  let leave: ReadonlySet<string>;
  let batches: ReadonlySet<number>;
  let uncoveredKeys: ReadonlySet<string>;
  try {
    const all = numberDocuments(found.map(({ segment }) => segment), files);
    const isWorn = (s: number): boolean => {
      const live = all.liveBySegment[s] ?? 0;
      const size = found[s]?.segment.facts.size ?? 0;
      return live < size * LEAST_LIVE_SHARE || (found.length > MOST_SEGMENTS && size < SMALL_SEGMENT);
    };
    const kept = found.filter((_, s) => !isWorn(s));
    const { uncovered } = numberDocuments(kept.map(({ segment }) => segment), files);
    leave = new Set(kept.map(({ name }) => name));
    batches = new Set(uncovered.map(({ batch }) => batch));
    uncoveredKeys = new Set(uncovered.map(({ batch, path }) => `${batch} ${path}`));
  } finally {
    for (const { segment } of found) segment.close();
  }
  if (batches.size > 0) {
    const writer = createSegmentWriter(indexFolder, making);
    for (const some of inPieces([...batches].sort((a, b) => a - b), Math.max(1, Math.floor(PIECE_CHUNKS / 1000)))) {
      const chunks = [];
      for await (const piece of store.readBatches(some)) {
        signal?.throwIfAborted();
        chunks.push(...piece.filter(({ batch, path }) => uncoveredKeys.has(`${batch} ${path}`)));
      }
      for (const chunk of chunks.sort((a, b) => a.batch - b.batch || a.chunk - b.chunk)) writer.add(chunk);
      await writer.pause();
    }
    await writer.finish();
  }
  await removeSegments(indexFolder, [...found.map(({ name }) => name).filter((name) => !leave.has(name)), ...damaged, ...foreign]);
  return { damaged };
}

function inPieces<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}
