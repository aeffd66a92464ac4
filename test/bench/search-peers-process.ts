/** What do others take on the same texts and questions? SQLite's full-text search, a plain scan of a Float32Array, hnswlib's graph (where it is given). */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { answerTask } from './child.ts';
import { measure, median, MS_PER_SECOND, quantile, rounded } from './measures.ts';

const HITS = 10;
const TAIL = 0.95;
const ROWS_AT_ONCE = 256;
/** hnswlib as its authors' defaults for good recall. */
const GRAPH = { links: 16, construction: 128, search: 64 };

const taskSchema = z.object({ modelFolder: z.string(), documentsFolder: z.string(), databasePath: z.string(), queries: z.array(z.string()), scanned: z.number(), graph: z.number(), hnswlib: z.string().nullable() });

answerTask(async (task) => {
  const { modelFolder, documentsFolder, databasePath, queries, scanned, graph, hnswlib } = taskSchema.parse(task);
  const fts5 = await askFts5(documentsFolder, databasePath, queries);
  const encoder = await openEncoder(modelFolder);
  const { width } = encoder;
  const texts: string[] = [];
  for await (const text of paragraphs(documentsFolder)) {
    texts.push(text);
    if (texts.length === scanned) break;
  }
  const vectors = new Float32Array(texts.length * width);
  for (let start = 0; start < texts.length; start += ROWS_AT_ONCE) vectors.set(await encoder.encode(texts.slice(start, start + ROWS_AT_ONCE), 'document'), start * width);
  const questions = await Promise.all(queries.map((query) => encoder.encode([query], 'query')));
  const scan = await timed(questions, (question) => scanAll(vectors, width, question));
  const peers: Record<string, Record<string, number | string>> = {
    'sqlite-fts5': fts5,
    'float32array-scan': { rows: texts.length, width, what: 'one vector a chunk, whole texts', ...scan },
  };
  if (hnswlib !== null) peers['hnswlib-node'] = await askGraph({ hnswlib, vectors: vectors.subarray(0, Math.min(texts.length, graph) * width), width, questions });
  return peers;
});

/** Chunks as they were written: paragraphs of every file, in order. */
async function* paragraphs(folder: string): AsyncGenerator<string> {
  for (const entry of (await readdir(folder, { withFileTypes: true, recursive: true })).filter((file) => file.isFile()).sort((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
    yield* (await readFile(join(entry.parentPath, entry.name), 'utf8')).split('\n\n');
  }
}

async function timed<T>(questions: readonly T[], ask: (question: T) => unknown): Promise<{ readonly p50Ms: number; readonly p95Ms: number }> {
  const wall: number[] = [];
  for (const question of questions) wall.push((await measure(() => ask(question))).spent.wallMs);
  return { p50Ms: rounded(median(wall)), p95Ms: rounded(quantile(wall, TAIL)) };
}

async function askFts5(documentsFolder: string, path: string, queries: readonly string[]): Promise<Record<string, number>> {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE chunks USING fts5(text)');
    const insert = database.prepare('INSERT INTO chunks (text) VALUES (?)');
    let rows = 0;
    const building = await measure(async () => {
      database.exec('BEGIN');
      for await (const text of paragraphs(documentsFolder)) {
        insert.run(text);
        rows += 1;
      }
      database.exec('COMMIT');
    });
    const find = database.prepare('SELECT rowid, text FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT ?');
    /** Any of the words, as our BM25 asks; quoted, so that nothing in them is syntax. */
    const matchOf = (query: string): string => (query.match(/[\p{L}\p{N}]+/gu) ?? ['x']).map((word) => `"${word}"`).join(' OR ');
    const times = await timed(queries, (query) => find.all(matchOf(query), HITS));
    return { rows, ...times, buildSeconds: Math.round(building.spent.wallMs / MS_PER_SECOND) };
  } finally {
    database.close();
  }
}

function scanAll(vectors: Float32Array, width: number, question: Float32Array): readonly number[] {
  const best: { row: number; score: number }[] = [];
  for (let row = 0; row * width < vectors.length; row += 1) {
    let score = 0;
    const at = row * width;
    for (let k = 0; k < width; k += 1) score += (question[k] ?? 0) * (vectors[at + k] ?? 0);
    if (best.length === HITS && score <= (best.at(-1)?.score ?? 0)) continue;
    best.push({ row, score });
    best.sort((a, b) => b.score - a.score).splice(HITS);
  }
  return best.map(({ row }) => row);
}

const graphSchema = z.custom<{ readonly HierarchicalNSW: new (space: string, width: number) => Graph }>((value) => typeof value === 'object' && value !== null && 'HierarchicalNSW' in value);
type Graph = { initIndex(rows: number, links: number, construction: number): void; addPoint(point: number[], label: number): void; setEf(search: number): void; searchKnn(point: number[], hits: number): { neighbors: number[] } };

/** hnswlib-node from a folder where it is installed: it is compiled at installation, so the project does not depend on it. */
async function askGraph({ hnswlib, vectors, width, questions }: { readonly hnswlib: string; readonly vectors: Float32Array; readonly width: number; readonly questions: readonly Float32Array[] }): Promise<Record<string, number>> {
  const { HierarchicalNSW } = graphSchema.parse(createRequire(join(hnswlib, 'package.json'))('hnswlib-node'));
  const graph = new HierarchicalNSW('ip', width);
  const rows = vectors.length / width;
  const building = await measure(() => {
    graph.initIndex(rows, GRAPH.links, GRAPH.construction);
    for (let row = 0; row < rows; row += 1) graph.addPoint(Array.from(vectors.subarray(row * width, (row + 1) * width)), row);
    graph.setEf(GRAPH.search);
  });
  const times = await timed(questions, (question) => graph.searchKnn(Array.from(question), HITS));
  const recalls = questions.map((question) => {
    const exact = scanAll(vectors, width, question);
    const found = new Set(graph.searchKnn(Array.from(question), HITS).neighbors);
    return exact.filter((row) => found.has(row)).length / exact.length;
  });
  return { rows, width, ...times, 'recall@10': rounded(recalls.reduce((sum, share) => sum + share, 0) / recalls.length), buildSeconds: Math.round(building.spent.wallMs / MS_PER_SECOND) };
}
