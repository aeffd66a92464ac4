/** Where do chunks and their vectors lie on disk? In two LanceDB tables, configured as measured; the only importer of LanceDB. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, Index } from '@lancedb/lancedb';
import type { Connection, Table } from '@lancedb/lancedb';
import { Field, FixedSizeList, Float16, Int32, makeData, RecordBatch, Schema, Struct, Table as ArrowTable, Utf8, vectorFromArray } from 'apache-arrow';
import { EnvironmentError, toIsoglossError } from '../../base/errors.ts';
import { createFolderSync, quarantineManifests } from './durable-files.ts';

/** A chunk as it is stored; (batch, chunk) is its key, batches are numbered by the journal. */
export type StoredChunk = {
  readonly batch: number;
  readonly chunk: number;
  /** Relative to the documents' folder, "/" between parts. */
  readonly path: string;
  readonly text: string;
  readonly line: number;
  /** Rows count from 1; null where the document has none. */
  readonly row: number | null;
  readonly headings: readonly string[];
  readonly start: number;
  readonly end: number;
};

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
  readonly readChunks: () => Promise<readonly StoredChunk[]>;
  /** Vector rows in pieces, so that memory holds the result and one piece. */
  readonly readVectors: () => AsyncGenerator<StoredVectors>;
  readonly countVectors: () => Promise<number>;
  readonly countVectorsByBatch: () => Promise<ReadonlyMap<number, number>>;
  /** Approximate (with an index) or exact (without); `limit` rows with the largest cosine. */
  readonly nearest: (vector: Float32Array, limit: number) => Promise<NearestRows>;
  /** Removes every row of these batches. */
  readonly removeBatches: (batches: readonly number[]) => Promise<void>;
  /** Builds the vector index that the number of rows asks for; removes old versions. */
  readonly finish: () => Promise<void>;
  readonly close: () => void;
};

const FOLDER = 'lance';
const TABLES = { chunks: 'chunks', vectors: 'vectors' } as const;

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
  new Field('batch', new Int32(), false),
  new Field('chunk', new Int32(), false),
  new Field('path', new Utf8(), false),
  new Field('text', new Utf8(), false),
  new Field('line', new Int32(), false),
  new Field('row', new Int32(), true),
  new Field('headings', new Utf8(), false),
  new Field('start', new Int32(), false),
  new Field('end', new Int32(), false),
]);

function vectorSchema(width: number): Schema {
  return new Schema([new Field('batch', new Int32(), false), new Field('chunk', new Int32(), false), new Field('window', new Int32(), false), new Field('vector', new FixedSizeList(width, new Field('item', new Float16(), true)), false)]);
}

/** Removes a store and everything in it. */
export async function removeStore(indexFolder: string): Promise<void> {
  await rm(join(indexFolder, FOLDER), { recursive: true, force: true });
}

/**
 * Opens the store of an index folder, or makes an empty one.
 * @throws EnvironmentError 'index.damaged' when it cannot be opened even after damaged manifests are moved aside,
 *   'disk.full', 'disk.no-permission'.
 */
export async function openStore(indexFolder: string, width: number): Promise<LanceStore> {
  const folder = join(indexFolder, FOLDER);
  try {
    const quarantined: string[] = [];
    for (const name of Object.values(TABLES)) quarantined.push(...(await quarantineManifests(join(folder, `${name}.lance`))));
    const connection = await connect(folder);
    const present = await connection.tableNames();
    const table = async (name: string, schema: Schema): Promise<Table> => (present.includes(name) ? connection.openTable(name) : connection.createEmptyTable(name, schema));
    const chunks = await table(TABLES.chunks, chunkSchema);
    const vectors = await table(TABLES.vectors, vectorSchema(width));
    return makeStore({ folder, width, quarantined, connection, chunks, vectors });
  } catch (thrown) {
    throw storeError(thrown, indexFolder);
  }
}

type OpenTables = { readonly folder: string; readonly width: number; readonly quarantined: readonly string[]; readonly connection: Connection; readonly chunks: Table; readonly vectors: Table };

function makeStore({ folder, width, quarantined, connection, chunks, vectors }: OpenTables): LanceStore {
  const sync = createFolderSync(folder);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw storeError(thrown, folder);
    }
  };
  return {
    width,
    quarantined,
    add: (rows, vectorRows) =>
      guarded(async () => {
        if (vectorRows.batches.length > 0) await vectors.add(vectorTable(vectorRows, width));
        if (rows.length > 0) await chunks.add(chunkTable(rows));
        await sync();
      }),
    readChunks: () => guarded(async () => chunksOf(await chunks.query().toArrow())),
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
        const predicate = `batch IN (${batches.map((batch) => Math.trunc(batch)).join(', ')})`;
        await chunks.delete(predicate);
        await vectors.delete(predicate);
        await sync();
      }),
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
  if (wanted !== undefined) await vectors.createIndex('vector', { config: wanted.make(), replace: true });
  for (const table of [chunks, vectors]) await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEPT_VERSIONS_MS) });
  await sync();
}

/** Old versions stay a day: they are what a damaged manifest falls back to. */
const KEPT_VERSIONS_MS = 24 * 60 * 60 * 1000;

async function nearestRows(table: Table, vector: Float32Array, limit: number): Promise<NearestRows> {
  const rows = await table.countRows();
  const { partitions, refine } = rows >= LARGE_QUERY.fromRows ? LARGE_QUERY : SMALL_QUERY;
  const found = await table
    .query()
    .nearestTo(vector)
    .distanceType('cosine')
    .nprobes(partitions)
    .refineFactor(Math.max(1, Math.min(refine, Math.floor(MOST_REFINED / limit))))
    .select(['batch', 'chunk', 'window', '_distance'])
    .limit(limit)
    .toArrow();
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

function chunksOf(table: Columns): StoredChunk[] {
  const column = (name: string): readonly unknown[] => Array.from(table.getChild(name) ?? []);
  const strings = (name: string): string[] => column(name).map(String);
  const [batches, chunks, lines, starts, ends] = ['batch', 'chunk', 'line', 'start', 'end'].map((name) => numbersOf(table, name));
  const [paths, texts, headings] = ['path', 'text', 'headings'].map(strings);
  return column('row').map((row, i) => ({
    batch: batches?.[i] ?? 0,
    chunk: chunks?.[i] ?? 0,
    path: paths?.[i] ?? '',
    text: texts?.[i] ?? '',
    line: lines?.[i] ?? 1,
    row: typeof row === 'number' ? row : null,
    headings: headings?.[i] === undefined || headings[i] === '' ? [] : headings[i].split('\n'),
    start: starts?.[i] ?? 0,
    end: ends?.[i] ?? 0,
  }));
}

function chunkTable(rows: readonly StoredChunk[]): ArrowTable {
  const integers = (values: readonly number[]) => makeData({ type: new Int32(), length: rows.length, data: Int32Array.from(values) });
  const strings = (values: readonly string[]) => utf8(values);
  return tableOf(chunkSchema, rows.length, [
    integers(rows.map(({ batch }) => batch)),
    integers(rows.map(({ chunk }) => chunk)),
    strings(rows.map(({ path }) => path)),
    strings(rows.map(({ text }) => text)),
    integers(rows.map(({ line }) => line)),
    nullableIntegers(rows.map(({ row }) => row)),
    strings(rows.map(({ headings }) => headings.map((heading) => heading.replace(/\s+/g, ' ')).join('\n'))),
    integers(rows.map(({ start }) => start)),
    integers(rows.map(({ end }) => end)),
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

function utf8(values: readonly string[]): ArrowData {
  const encoded = values.map((value) => Buffer.from(value, 'utf8'));
  const valueOffsets = new Int32Array(values.length + 1);
  encoded.forEach((bytes, i) => {
    valueOffsets[i + 1] = (valueOffsets[i] ?? 0) + bytes.length;
  });
  return makeData({ type: new Utf8(), length: values.length, valueOffsets, data: Buffer.concat(encoded) });
}

function nullableIntegers(values: readonly (number | null)[]): ArrowData {
  const [data] = vectorFromArray([...values], new Int32()).data;
  if (data === undefined) return makeData({ type: new Int32(), length: 0, data: new Int32Array(0) });
  return data;
}

/** LanceDB's errors as ours: full disk and missing rights by their own names, everything else as a damaged index, which can be made again. */
function storeError(thrown: unknown, place: string): Error {
  const known = toIsoglossError(thrown, place);
  if (known.family !== 'invariant' || known.code !== 'base.unexpected') return known;
  return new EnvironmentError('index.damaged', `${place}: the index cannot be read (${known.message.split('\n')[0] ?? ''}). Your documents are untouched: index the folder again.`, { cause: thrown, data: { path: place } });
}
