import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { evaluateRun, metricsPerQuery } from '../metrics/ranking.ts';
import type { Qrels } from '../metrics/ranking.ts';
import { createHashEncoder } from '../retrieval/hash-encoder.ts';
import { compareRuns } from './compare-runs.ts';
import { evaluatePairs } from './pairs-task.ts';
import { reportRow } from './report.ts';
import { evaluateRetrieval, prepareCollection } from './retrieval-task.ts';
import { formatRun, readRun, writeRun } from './trec-run.ts';

const never = new AbortController().signal;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-evaluation-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const documents = [
  { id: 'a', title: '', text: 'The river bank was steep and green.' },
  { id: 'b', title: 'Money', text: 'A savings account earns interest.' },
  { id: 'c', title: '', text: 'Mountains are high.' },
];
const queries = [
  { id: 'q1', text: 'river bank' },
  { id: 'q2', text: 'money interest' },
  { id: 'q3', text: 'nothing shared' },
  { id: 'unjudged', text: 'mountains' },
];
const qrels: Qrels = new Map([
  ['q1', new Map([['a', 1]])],
  ['q2', new Map([['b', 1]])],
  ['q3', new Map([['c', 1]])],
]);
const encoder = createHashEncoder({ width: 32 });

describe('the reference run', () => {
  const reference = new URL('../metrics/reference/', import.meta.url);
  const valuesSchema = z.record(z.string(), z.number());

  it('gives what trec_eval defines, query by query and in the mean, ties included', async () => {
    const run = await readRun(new URL('run.txt', reference).pathname, never);
    const judgements = new Map<string, Map<string, number>>();
    for (const line of (await readFile(new URL('qrels.txt', reference), 'utf8')).trim().split('\n')) {
      const [queryId = '', , documentId = '', grade = ''] = line.split(' ');
      judgements.set(queryId, (judgements.get(queryId) ?? new Map<string, number>()).set(documentId, Number(grade)));
    }
    const expected = z.object({ mean: valuesSchema, perQuery: z.record(z.string(), valuesSchema) }).parse(JSON.parse(await readFile(new URL('expected.json', reference), 'utf8')));
    const perQuery = metricsPerQuery(run, judgements);
    expect(perQuery.size).toBe(40);
    for (const [queryId, metrics] of perQuery) {
      for (const [name, value] of Object.entries(metrics)) expect(value, `${queryId} ${name}`).toBeCloseTo(expected.perQuery[queryId]?.[name] ?? NaN, 12);
    }
    for (const [name, value] of Object.entries(evaluateRun(run, judgements))) expect(value, name).toBeCloseTo(expected.mean[name] ?? NaN, 12);
  });
});

describe('evaluateRetrieval', () => {
  it('counts judged queries, and a query that finds nothing as 0', async () => {
    const collection = await prepareCollection({ documents, encoder: null });
    const { metrics, queries: count, documents: size, run } = await evaluateRetrieval({ collection, queries, qrels, method: 'bm25' });
    expect({ count, size }).toEqual({ count: 3, size: 3 });
    expect(metrics['MRR@100']).toBeCloseTo(2 / 3, 12);
    expect(run.get('q3')).toEqual([]);
    expect(run.has('unjudged')).toBe(false);
  });

  it('searches titles too', async () => {
    const collection = await prepareCollection({ documents, encoder: null });
    const { run } = await evaluateRetrieval({ collection, queries: [{ id: 'q2', text: 'money' }], qrels, method: 'bm25' });
    expect(run.get('q2')?.[0]?.documentId).toBe('b');
  });

  it.each(['dense', 'hybrid', 'bm25-char'] as const)('%s finds documents by shared words', async (method) => {
    const collection = await prepareCollection({ documents, encoder });
    const { metrics } = await evaluateRetrieval({ collection, queries: queries.slice(0, 2), qrels, method });
    expect(metrics['R@1']).toBe(1);
  });

  it('says what is missing: a model, a table, judged queries', async () => {
    const without = await prepareCollection({ documents, encoder: null });
    await expect(evaluateRetrieval({ collection: without, queries, qrels, method: 'dense' })).rejects.toMatchObject({ code: 'evaluation.needs-model' });
    const collection = await prepareCollection({ documents, encoder });
    await expect(evaluateRetrieval({ collection, queries, qrels, method: 'translated', queryLanguage: 'sw', documentLanguage: 'en' })).rejects.toMatchObject({ code: 'evaluation.no-translation', message: expect.stringContaining('sw to en') });
    await expect(evaluateRetrieval({ collection, queries: [{ id: 'other', text: 'x' }], qrels, method: 'bm25' })).rejects.toMatchObject({ code: 'evaluation.no-queries' });
  });

  it('stops when told to', async () => {
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    await expect(prepareCollection({ documents, encoder, signal: controller.signal })).rejects.toThrow('stop');
  });

  it('hybrid without a model is BM25 on character n-grams', async () => {
    const collection = await prepareCollection({ documents, encoder: null });
    const hybrid = await evaluateRetrieval({ collection, queries, qrels, method: 'hybrid' });
    const characters = await evaluateRetrieval({ collection, queries, qrels, method: 'bm25-char' });
    expect(hybrid.run).toEqual(characters.run);
  });
});

describe('TREC run files', () => {
  it('come back as they were written, and give the same metrics', async () => {
    const collection = await prepareCollection({ documents, encoder });
    const { run, metrics } = await evaluateRetrieval({ collection, queries, qrels, method: 'hybrid' });
    const path = join(folder, 'run.txt');
    await writeRun(path, run, 'isogloss-hybrid');
    const read = await readRun(path, never);
    expect(evaluateRun(read, qrels)).toEqual(metrics);
    expect([...read.keys()].sort()).toEqual([...run].filter(([, list]) => list.length > 0).map(([id]) => id).sort());
  });

  it('are written in ranking order with ranks from 1', () => {
    expect(formatRun(new Map([['q', [{ documentId: 'low', score: 1 }, { documentId: 'high', score: 2.5 }]]]), 'name')).toBe('q Q0 high 1 2.5 name\nq Q0 low 2 1 name\n');
  });

  it.each([
    ['too few columns', 'q Q0 d 1\n', 'line 1'],
    ['a score that is no number', 'q Q0 d 1 2.0 n\nq Q0 e 2 high n\n', 'line 2'],
  ])('with %s are refused by file and line', async (_, text, place) => {
    const path = join(folder, 'bad.txt');
    await writeFile(path, text);
    await expect(readRun(path, never)).rejects.toMatchObject({ code: 'run.bad-line', message: expect.stringContaining(place) });
  });

  it('refuse a document twice and ids with spaces', async () => {
    const path = join(folder, 'twice.txt');
    await writeFile(path, 'q Q0 d 1 2.0 n\nq Q0 d 2 1.0 n\n');
    await expect(readRun(path, never)).rejects.toMatchObject({ code: 'run.repeated-document' });
    await expect(writeRun(path, new Map([['my query', []]]), 'n')).rejects.toMatchObject({ code: 'run.bad-id' });
    await expect(readRun(join(folder, 'nowhere.txt'), never)).rejects.toMatchObject({ code: 'file.missing' });
  });
});

describe('evaluatePairs', () => {
  it('is 1 when every sentence is nearest to its own translation', async () => {
    const sentences = ['one fish', 'two birds', 'three trees'];
    expect(await evaluatePairs({ encoder, sources: sentences, targets: sentences })).toMatchObject({ pairs: 3, accuracy: 1, forward: 1, backward: 1, right: new Uint8Array(6).fill(1) });
  });

  it('refuses sides of different length, and none', async () => {
    await expect(evaluatePairs({ encoder, sources: ['a'], targets: [] })).rejects.toThrow(/1 and 0/);
    await expect(evaluatePairs({ encoder, sources: [], targets: [] })).rejects.toThrow(/at least one/);
  });
});

describe('comparing runs and reporting', () => {
  it('compares two methods query by query', async () => {
    const collection = await prepareCollection({ documents, encoder: null });
    const { run } = await evaluateRetrieval({ collection, queries, qrels, method: 'bm25' });
    const comparison = compareRuns({ a: new Map(), b: run, qrels, metric: 'MRR@100', seed: 1 });
    expect(comparison).toMatchObject({ queries: 3, better: 2, worse: 0, equal: 1, difference: expect.closeTo(2 / 3, 12) });
  });

  it('a report row holds untrained, BM25 (the better one), dense and hybrid', async () => {
    const untrained = createHashEncoder({ width: 4, modelId: 'untrained' });
    const row = await reportRow({ question: 'within', language: 'en', documents, queries, qrels, untrained, trained: encoder, queryLanguage: 'en', documentLanguage: 'en' });
    expect(row).toMatchObject({ question: 'within', language: 'en', queries: 3, documents: 3 });
    expect(row.methods.bm25['MRR@100']).toBeGreaterThanOrEqual(2 / 3);
    expect(Object.keys(row.methods)).toEqual(['untrained', 'bm25', 'dense', 'hybrid']);
  });
});
