/** Which document of the segments is which chunk of which file, and which of them count? */
import type { Segment } from './segments/segment.ts';
import { basesOf } from './segments/bm25-search.ts';
import type { ChunkKey } from './store/lance-store.ts';
import type { IndexedFile } from './store/journal.ts';
import { partKey, rowPath } from './store/stored-files.ts';
import { fileFilter, partFilter } from './search-filter.ts';
import type { SearchFilter } from './search-filter.ts';

/** A part of a file that no segment has. */
export type UncoveredPart = { readonly batch: number; readonly path: string; readonly file: string; readonly chunks: number };

export type LibraryDocuments = {
  /** Documents of all segments, those that no longer count included. */
  readonly size: number;
  readonly liveDocuments: number;
  readonly files: readonly IndexedFile[];
  /** Place in `files` of each document; -1: it does not count. */
  readonly fileOf: Int32Array;
  readonly keyOf: (document: number) => ChunkKey | null;
  readonly numberOf: (key: ChunkKey) => number | null;
  readonly uncovered: readonly UncoveredPart[];
  /** How many documents that count each segment has. */
  readonly liveBySegment: readonly number[];
  /** Speakers and tiers that documents have, in order. */
  readonly labels: { readonly speakers: readonly string[]; readonly tiers: readonly string[] };
  /** 1 for each document that counts and passes the filter; null when all do. */
  readonly allowed: (filter: SearchFilter | null) => Uint8Array | null;
};

type Run = { readonly batch: number; readonly firstChunk: number; readonly first: number; readonly count: number };

/** Numbers the documents, segment after segment. A part that several segments have counts in the last of them. */
export function numberDocuments(segments: readonly Segment[], indexed: ReadonlyMap<string, IndexedFile>): LibraryDocuments {
  const files = [...indexed.values()];
  const bases = basesOf(segments);
  const size = segments.reduce((sum, { facts }) => sum + facts.size, 0);
  const wanted = new Map(files.flatMap((file, f) => file.parts.map(({ batch, chunks }) => [partKey(batch, rowPath(file)), { file: f, batch, chunks }] as const)));
  const fileOf = new Int32Array(size).fill(-1);
  const liveBySegment = segments.map(() => 0);
  const runsOfBatch = new Map<number, Run[]>();
  const runs: Run[] = [];
  const claimed = new Set<string>();
  for (let s = segments.length - 1; s >= 0; s -= 1) {
    const own = segments[s]?.facts.runs ?? [];
    const base = bases[s] ?? 0;
    const countOf = new Map<string, number>();
    for (const { batch, path, count } of own) countOf.set(partKey(batch, path), (countOf.get(partKey(batch, path)) ?? 0) + count);
    const taken = new Set<string>();
    for (const { batch, path, first, firstChunk, count } of own) {
      const key = partKey(batch, path);
      const part = wanted.get(key);
      if (part === undefined || claimed.has(key) || countOf.get(key) !== part.chunks) continue;
      taken.add(key);
      fileOf.fill(part.file, base + first, base + first + count);
      liveBySegment[s] = (liveBySegment[s] ?? 0) + count;
      const run = { batch, firstChunk, first: base + first, count };
      runs.push(run);
      const list = runsOfBatch.get(batch);
      if (list === undefined) runsOfBatch.set(batch, [run]);
      else list.push(run);
    }
    for (const key of taken) claimed.add(key);
  }
  runs.sort((a, b) => a.first - b.first);
  const liveDocuments = liveBySegment.reduce((sum, count) => sum + count, 0);
  const uncovered = [...wanted].flatMap(([key, { file, batch, chunks }]) => {
    const of = files[file];
    return claimed.has(key) || of === undefined || chunks === 0 ? [] : [{ batch, path: rowPath(of), file: of.path, chunks }];
  });

  const passing = (filter: SearchFilter): Uint8Array => {
    const passes = fileFilter(filter);
    const ofFile = files.map((file) => passes({ path: file.path, language: file.language, modifiedAt: file.modifiedAt ?? null }));
    const partPasses = filter.speakers === undefined && filter.tiers === undefined ? null : partFilter(filter);
    const allowed = new Uint8Array(size);
    segments.forEach((segment, s) => {
      const base = bases[s] ?? 0;
      for (let d = 0; d < segment.facts.size; d += 1) {
        const file = fileOf[base + d] ?? -1;
        if (file >= 0 && ofFile[file] === true && (partPasses === null || partPasses(segment.labels(d)))) allowed[base + d] = 1;
      }
    });
    return allowed;
  };
  const labelsOf = (field: 'speaker' | 'tier'): string[] => [...new Set(segments.flatMap(({ facts }) => facts.labels.map((labels) => labels[field])))].filter((name) => name !== null).sort();
  const live = liveDocuments === size ? null : Uint8Array.from(fileOf, (file) => Number(file >= 0));

  return {
    size,
    liveDocuments,
    files,
    fileOf,
    uncovered,
    liveBySegment,
    labels: { speakers: labelsOf('speaker'), tiers: labelsOf('tier') },
    keyOf: (document) => {
      const run = runs[lastAtOrBefore(runs, document)];
      return run === undefined || document >= run.first + run.count ? null : { batch: run.batch, chunk: run.firstChunk + document - run.first };
    },
    numberOf: ({ batch, chunk }) => {
      const run = runsOfBatch.get(batch)?.find(({ firstChunk, count }) => chunk >= firstChunk && chunk < firstChunk + count);
      return run === undefined ? null : run.first + chunk - run.firstChunk;
    },
    allowed: (filter) => (filter === null ? live : passing(filter)),
  };
}

/** The last run that begins at or before a document. */
function lastAtOrBefore(runs: readonly Run[], document: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.first ?? 0) <= document) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
