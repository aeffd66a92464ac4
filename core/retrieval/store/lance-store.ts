/** Where do chunks and their vectors lie on disk? In two LanceDB tables, configured as measured; the only importer of LanceDB. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, Index } from '@lancedb/lancedb';
import type { Connection, Table } from '@lancedb/lancedb';
import { Field, FixedSizeList, Float16, Int32, Int64, makeData, RecordBatch, Schema, Struct, Table as ArrowTable, Utf8 } from 'apache-arrow';
import { z } from 'zod';
import { EnvironmentError, toIsoglossError } from '../../base/errors.ts';
import type { Chunk } from '../../documents/chunker.ts';
import { retryConflicts } from './retry-conflicts.ts';
import { createFolderSync, damagedDataFiles, quarantineManifests } from './durable-files.ts';

/** A chunk as it is stored; (batch, chunk) is its key, batches are numbered by the journal. */
export type StoredChunk = {
  readonly batch: number;
  readonly chunk: number;
  /** Relative to the documents' folder, "/" between parts. */
  readonly path: string;
} & Pick<Chunk, 'text' | 'location' | 'aligned'>;

/** What identifies a chunk. */
export type ChunkKey = Pick<StoredChunk, 'batch' | 'chunk'>;

/** Changes whenever a row does. */
export type StoreVersion = { readonly chunksVersion: number; readonly vectorsVersion: number; readonly chunkRows: number; readonly vectorRows: number };

/** Which chunk each row belongs to, and which of its vectors it is (0 = the whole chunk, then its windows). */
export type RowKeys = { readonly batches: Int32Array; readonly chunks: Int32Array; readonly windows: Int32Array };

/** Vectors of chunks, [rows, H]. */
export type StoredVectors = RowKeys & { readonly vectors: Float32Array };

export type NearestRows = RowKeys & { /** Cosine, the largest first. */ readonly similarities: Float64Array };

export type LanceStore = {
  readonly width: number;
  /** Names of damaged manifests that were moved aside when the store was opened. */
  readonly quarantined: readonly string[];
  /** Adds one batch: vectors first, then chunks; durable when it returns. */
  readonly add: (chunks: readonly StoredChunk[], rows: StoredVectors) => Promise<void>;
  /** Whether vectors are rows here; otherwise documents are compared by their tokens, which segments keep. */
  readonly keepsVectors: boolean;
  readonly version: () => Promise<StoreVersion>;
  /** Batch and path of every chunk, in pieces. */
  readonly readKeys: () => AsyncGenerator<{ readonly batches: Int32Array; readonly paths: readonly string[] }>;
  /** The chunks of these batches, in pieces, in no order. */
  readonly readBatches: (batches: readonly number[]) => AsyncGenerator<readonly StoredChunk[]>;
  /** Chunks by key, in any order; those that are not there are left out. */
  readonly readChunks: (keys: readonly ChunkKey[]) => Promise<readonly StoredChunk[]>;
  /** Vector rows in pieces, so that memory holds the result and one piece. */
  readonly readVectors: () => AsyncGenerator<StoredVectors>;
  readonly countVectors: () => Promise<number>;
  readonly countVectorsByBatch: () => Promise<ReadonlyMap<number, number>>;
  /** Approximate (with an index) or exact (without); `limit` rows with the largest cosine. */
  readonly nearest: (vector: Float32Array, limit: number) => Promise<NearestRows>;
  /** Removes every row of these batches. */
  readonly removeBatches: (batches: readonly number[]) => Promise<void>;
  /** Whether single rows and nearest vectors are found by their indexes; false when those are damaged or gone. */
  readonly areIndexesSound: () => Promise<boolean>;
  /** Builds the vector index that the number of rows asks for; removes old versions. */
  readonly finish: () => Promise<void>;
  readonly close: () => void;
};

const FOLDER = 'lance';
const TABLES = { chunks: 'chunks', vectors: 'vectors' } as const;
const TABLE_NAMES: ReadonlySet<string> = new Set(Object.values(TABLES));

/** Which index for how many rows (reliability.md, 1.10); below the first: none, search is exact. */
const vectorIndexes = [
  { fromRows: 50_000, make: () => Index.ivfRq({ distanceType: 'cosine' }) },
  { fromRows: 5_000, make: () => Index.ivfFlat({ distanceType: 'cosine' }) },
] as const;
/** How carefully an index is asked (reliability.md, 1.3 and 1.4: recall@10 >= .99). IVF_RQ is never asked without refining. */
const SMALL_QUERY = { partitions: 40, refine: 5 };
const LARGE_QUERY = { fromRows: 200_000, partitions: 50, refine: 10 };
/**
 * Candidates refined are limit * refine; many results need less of it: with 400 results of 140,000 rows of 1,024 numbers,
 * refine 1 gives the best 100 with recall .95 (20 partitions) in half the time that 2 takes (2026-11-20).
 */
const MOST_REFINED = 600;

const chunkSchema = new Schema([
  /** chunkId(batch, chunk): what single rows are found by. */
  new Field('id', new Int64(), false),
  new Field('batch', new Int32(), false),
  new Field('chunk', new Int32(), false),
  new Field('path', new Utf8(), false),
  new Field('text', new Utf8(), false),
  /** JSON: location and aligned texts, as the chunker gives them. */
  new Field('place', new Utf8(), false),
]);
const CHUNKS_PER_BATCH = 2 ** 20; // far above what a batch holds
const chunkId = ({ batch, chunk }: ChunkKey): number => batch * CHUNKS_PER_BATCH + chunk;
/** From so many chunks on, single rows are found by an index of their ids. */
const INDEXED_CHUNKS = 5_000;

function vectorSchema(width: number): Schema {
  return new Schema([new Field('batch', new Int32(), false), new Field('chunk', new Int32(), false), new Field('window', new Int32(), false), new Field('vector', new FixedSizeList(width, new Field('item', new Float16(), true)), false)]);
}

/** Where the tables of an index lie. */
export const storeFolder = (indexFolder: string): string => join(indexFolder, FOLDER);

/** Removes a store and everything in it. */
export async function removeStore(indexFolder: string, location: string | null = null): Promise<void> {
  if (location === null) {
    await rm(storeFolder(indexFolder), { recursive: true, force: true });
    return;
  }
  const connection = await connect(location);
  for (const name of await connection.tableNames()) if (TABLE_NAMES.has(name)) await connection.dropTable(name);
  connection.close();
}

/**
 * Opens the store of an index folder, or makes an empty one.
 * @throws EnvironmentError 'index.damaged' when it cannot be opened even after damaged manifests are moved aside,
 *   'disk.full', 'disk.no-permission'.
 */
export async function openStore(indexFolder: string, { width, keepsVectors, location = null }: StoreShape): Promise<LanceStore> {
  const folder = join(indexFolder, FOLDER);
  try {
    const quarantined: string[] = [];
    for (const name of location === null ? Object.values(TABLES) : []) {
      const tableFolder = join(folder, `${name}.lance`);
      quarantined.push(...(await quarantineManifests(tableFolder)));
      const [damaged] = await damagedDataFiles(tableFolder);
      if (damaged !== undefined) throw new EnvironmentError('index.damaged', `${indexFolder}: the index cannot be read (${damaged} is cut off or overwritten). Your documents are untouched: index the folder again.`, { data: { path: indexFolder } });
    }
    const connection = await connect(location ?? folder);
    const present = await connection.tableNames();
    const table = async (name: string, schema: Schema): Promise<Table> => (present.includes(name) ? connection.openTable(name) : connection.createEmptyTable(name, schema, { existOk: true })); // some S3-compatible servers do not list folders that hold only folders
    const chunks = await table(TABLES.chunks, chunkSchema);
    const vectors = await table(TABLES.vectors, vectorSchema(width));
    return makeStore({ folder, width, keepsVectors, location, quarantined, connection, chunks, vectors });
  } catch (thrown) {
    throw storeError(thrown, indexFolder);
  }
}

/** What an encoder asks of a store; with token sums its vectors are not kept. */
export type StoreShape = { readonly width: number; readonly keepsVectors: boolean; /** Where the tables lie when not in the index folder: an address (store-location.ts). */ readonly location?: string | null };
export const storeShapeOf = ({ width, tokenSums }: { readonly width: number; readonly tokenSums?: object }, location: string | null = null): StoreShape => ({ width, keepsVectors: tokenSums === undefined, location });

type OpenTables = StoreShape & { readonly folder: string; readonly quarantined: readonly string[]; readonly connection: Connection; readonly chunks: Table; readonly vectors: Table };

function makeStore({ folder, width, keepsVectors, location, quarantined, connection, chunks, vectors }: OpenTables): LanceStore {
  const sync = location === undefined || location === null ? createFolderSync(folder) : () => Promise.resolve(); // a remote store answers when it has it for certain
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw storeError(thrown, folder);
    }
  };
  return {
    width,
    keepsVectors,
    quarantined,
    version: () => guarded(async () => ({ chunksVersion: await chunks.version(), vectorsVersion: await vectors.version(), chunkRows: await chunks.countRows(), vectorRows: await vectors.countRows() })),
    add: (rows, vectorRows) =>
      guarded(async () => {
        if (vectorRows.batches.length > 0) await vectors.add(vectorTable(vectorRows, width));
        if (rows.length > 0) await chunks.add(chunkTable(rows));
        await sync();
      }),
    readKeys: () => readKeys(chunks, folder),
    readBatches: (batches) => readBatches(chunks, batches, folder),
    readChunks: (keys) => guarded(async () => (keys.length === 0 ? [] : chunksOf(await chunks.query().where(`id IN (${keys.map(chunkId).map(Math.trunc).join(', ')})`).toArrow()))),
    readVectors: () => readVectors(vectors, folder),
    countVectors: () => guarded(() => vectors.countRows()),
    countVectorsByBatch: () =>
      guarded(async () => {
        const counts = new Map<number, number>();
        for (const batch of numbersOf(await vectors.query().select(['batch']).toArrow(), 'batch')) counts.set(batch, (counts.get(batch) ?? 0) + 1);
        return counts;
      }),
    nearest: (vector, limit) => guarded(() => nearestRows(vectors, vector, limit)),
    removeBatches: (batches) =>
      guarded(async () => {
        if (batches.length === 0) return;
        const predicate = batchPredicate(batches);
        await retryConflicts(() => chunks.delete(predicate));
        await retryConflicts(() => vectors.delete(predicate));
        await sync();
      }),
    areIndexesSound: async () => {
      try {
        if ((await vectors.countRows()) > 0) await vectors.query().nearestTo(new Float32Array(width).fill(1)).distanceType('cosine').select(['batch', '_distance']).limit(1).toArrow();
        await chunks.query().where('id IN (0)').select(['batch']).toArrow();
        return true;
      } catch {
        return false;
      }
    },
    finish: () => guarded(() => finish({ chunks, vectors, sync })),
    close: () => {
      chunks.close();
      vectors.close();
      connection.close();
    },
  };
}

async function finish({ chunks, vectors, sync }: { readonly chunks: Table; readonly vectors: Table; readonly sync: () => Promise<void> }): Promise<void> {
  const rows = await vectors.countRows();
  const wanted = vectorIndexes.find(({ fromRows }) => rows >= fromRows);
  if (wanted !== undefined) await retryConflicts(() => vectors.createIndex('vector', { config: wanted.make(), replace: true }));
  if ((await chunks.countRows()) >= INDEXED_CHUNKS) await retryConflicts(() => chunks.createIndex('id', { config: Index.btree(), replace: true }));
  for (const table of [chunks, vectors]) await retryConflicts(() => table.optimize({ cleanupOlderThan: new Date(Date.now() - KEPT_VERSIONS_MS) }));
  await sync();
}

/** Old versions stay a day: they are what a damaged manifest falls back to. */
const KEPT_VERSIONS_MS = 24 * 60 * 60 * 1000;

async function nearestRows(table: Table, vector: Float32Array, limit: number): Promise<NearestRows> {
  const rows = await table.countRows();
  const { partitions, refine } = rows >= LARGE_QUERY.fromRows ? LARGE_QUERY : SMALL_QUERY;
  const ask = (isIndexed: boolean) => {
    const query = table.query().nearestTo(vector).distanceType('cosine').select(['batch', 'chunk', 'window', '_distance']).limit(limit);
    const asked = isIndexed ? query.nprobes(partitions).refineFactor(Math.max(1, Math.min(refine, Math.floor(MOST_REFINED / limit)))) : query.bypassVectorIndex();
    return asked.toArrow();
  };
  const found = await ask(true).catch(() => ask(false)); // an index that is damaged or gone: every vector is compared until it is made again
  const distances = numbersOf(found, '_distance');
  return { ...keysOf(found), similarities: Float64Array.from(distances, (distance) => 1 - distance) };
}

async function* readVectors(table: Table, folder: string): AsyncGenerator<StoredVectors> {
  try {
    for await (const piece of table.query().select(['batch', 'chunk', 'window', 'vector'])) yield vectorsOf(piece);
  } catch (thrown) {
    throw storeError(thrown, folder);
  }
}

async function* readKeys(table: Table, folder: string): AsyncGenerator<{ readonly batches: Int32Array; readonly paths: readonly string[] }> {
  try {
    for await (const piece of table.query().select(['batch', 'path'])) yield { batches: Int32Array.from(numbersOf(piece, 'batch')), paths: Array.from(piece.getChild('path') ?? [], String) };
  } catch (thrown) {
    throw storeError(thrown, folder);
  }
}

async function* readBatches(table: Table, batches: readonly number[], folder: string): AsyncGenerator<readonly StoredChunk[]> {
  if (batches.length === 0) return;
  try {
    for await (const piece of table.query().where(batchPredicate(batches))) yield chunksOf(piece);
  } catch (thrown) {
    throw storeError(thrown, folder);
  }
}

const batchPredicate = (batches: readonly number[]): string => `batch IN (${batches.map(Math.trunc).join(', ')})`;

function vectorsOf(table: Columns): StoredVectors {
  const parts: Float32Array[] = [];
  for (const data of table.getChild('vector')?.data ?? []) {
    const child = data.children[0];
    const width = (data.type as FixedSizeList).listSize;
    const values: unknown = child?.values;
    if (child === undefined || !(values instanceof Uint16Array)) throw new EnvironmentError('index.damaged', 'The vectors of the index are not float16 numbers. Index the folder again.');
    parts.push(new Float32Array(new Float16Array(values.slice(0, data.length * width).buffer))); // Arrow has cut `values` to the piece
  }
  const vectors = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    vectors.set(part, at);
    at += part.length;
  }
  return { vectors, ...keysOf(table) };
}

function keysOf(table: Columns): RowKeys {
  const column = (name: string): Int32Array => Int32Array.from(numbersOf(table, name));
  return { batches: column('batch'), chunks: column('chunk'), windows: column('window') };
}

/** What is read: a table or a piece of one. LanceDB makes them with its own copy of Arrow, so they are never tested by class. */
type Columns = Pick<ArrowTable, 'getChild'>;

function numbersOf(table: Columns, name: string): number[] {
  const column = table.getChild(name);
  return column === null ? [] : Array.from(column, Number);
}

const placeSchema = z.object({ location: z.looseObject({ line: z.number(), headings: z.array(z.string()), start: z.number(), end: z.number() }), aligned: z.array(z.object({ language: z.string(), text: z.string() })).optional() });

function chunksOf(table: Columns): StoredChunk[] {
  const strings = (name: string): string[] => Array.from(table.getChild(name) ?? [], String);
  const [batches, chunks] = [numbersOf(table, 'batch'), numbersOf(table, 'chunk')];
  const [paths, places] = [strings('path'), strings('place')];
  return strings('text').map((text, i) => ({ batch: batches[i] ?? 0, chunk: chunks[i] ?? 0, path: paths[i] ?? '', text, ...placeOf(places[i] ?? '') }));
}

/** The one cast: what the chunker gave was written as JSON; that the fields everyone needs are there is checked. */
function placeOf(json: string): Pick<StoredChunk, 'location' | 'aligned'> {
  const parsed = placeSchema.safeParse(JSON.parse(json));
  if (!parsed.success) throw new EnvironmentError('index.damaged', 'The places of the index cannot be read. Index the folder again.', { cause: parsed.error });
  return parsed.data as Pick<StoredChunk, 'location' | 'aligned'>;
}

function chunkTable(rows: readonly StoredChunk[]): ArrowTable {
  const integers = (values: readonly number[]) => makeData({ type: new Int32(), length: rows.length, data: Int32Array.from(values) });
  return tableOf(chunkSchema, rows.length, [
    makeData({ type: new Int64(), length: rows.length, data: BigInt64Array.from(rows, (row) => BigInt(chunkId(row))) }),
    integers(rows.map(({ batch }) => batch)),
    integers(rows.map(({ chunk }) => chunk)),
    utf8(rows.map(({ path }) => path)),
    utf8(rows.map(({ text }) => text)),
    utf8(rows.map(({ location, aligned }) => JSON.stringify({ location, aligned }))),
  ]);
}

function vectorTable({ vectors, batches, chunks, windows }: StoredVectors, width: number): ArrowTable {
  const schema = vectorSchema(width);
  const halves = new Uint16Array(new Float16Array(vectors).buffer);
  const child = makeData({ type: new Float16(), length: halves.length, data: halves });
  return tableOf(schema, batches.length, [
    makeData({ type: new Int32(), length: batches.length, data: batches }),
    makeData({ type: new Int32(), length: chunks.length, data: chunks }),
    makeData({ type: new Int32(), length: windows.length, data: windows }),
    makeData({ type: new FixedSizeList(width, new Field('item', new Float16(), true)), length: batches.length, child }),
  ]);
}

type ArrowData = ReturnType<typeof makeData>;

function tableOf(schema: Schema, length: number, children: ArrowData[]): ArrowTable {
  return new ArrowTable(schema, [new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children }))]);
}

/** All texts one after another in one piece of memory. */
function utf8(values: readonly string[]): ArrowData {
  const valueOffsets = new Int32Array(values.length + 1);
  const data = Buffer.allocUnsafe(values.reduce((sum, value) => sum + MOST_UTF8_BYTES * value.length, 0));
  let at = 0;
  values.forEach((value, i) => {
    at += data.write(value, at, 'utf8');
    valueOffsets[i + 1] = at;
  });
  return makeData({ type: new Utf8(), length: values.length, valueOffsets, data: data.subarray(0, at) });
}

/** Bytes that a UTF-16 unit takes at most. */
const MOST_UTF8_BYTES = 3;

/** LanceDB's errors as ours: full disk and missing rights by their own names, everything else as a damaged index, which can be made again. */
function storeError(thrown: unknown, place: string): Error {
  const known = toIsoglossError(thrown, place);
  if (known.family !== 'invariant' || known.code !== 'base.unexpected') return known;
  return new EnvironmentError('index.damaged', `${place}: the index cannot be read (${known.message.split('\n')[0] ?? ''}). Your documents are untouched: index the folder again.`, { cause: thrown, data: { path: place } });
}
