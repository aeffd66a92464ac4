/** Is the setting of BM25 chosen on development questions, all of the grid tried, and never on what the test asks? */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/test-disks.ts';
import { evaluateRetrieval, prepareCollection } from '../retrieval-task.ts';
import { readDevelopmentSet } from './development-set.ts';
import { tuneBm25, usualBm25Grid } from './tune-bm25.ts';

/** The answer is the long text; a short one that says less stands against it. With b = 1 the short one wins, with b = 0 the long one. */
const documents = [
  { id: 'long', title: '', text: `lake lake lake ${'and other things of the shore '.repeat(12)}` },
  { id: 'short', title: '', text: 'lake lake' },
  { id: 'other', title: '', text: 'mountain road and goats' },
];
const queries = [{ id: 'q', text: 'lake' }];
const qrels = new Map([['q', new Map([['long', 1]])]]);
const { signal } = new AbortController();

describe('tuneBm25', () => {
  it('tries all 160 settings of the usual grid and takes one that puts the answer first', async () => {
    expect(usualBm25Grid.k1.length * usualBm25Grid.b.length).toBe(160);
    const found = await tuneBm25({ documents, queries, qrels });
    expect(found.tried).toHaveLength(160);
    expect(found.defaultScore).toBe(0.5);
    expect(found.score).toBe(1);
    expect(Math.max(...found.tried.map(({ score }) => score))).toBe(found.score);
    const { metrics } = await evaluateRetrieval({ collection: await prepareCollection({ documents, encoder: null, bm25: found.parameters }), queries, qrels, method: 'bm25' });
    expect(metrics['MRR@100']).toBe(1);
  });

  it('stays at the default where the questions decide nothing', async () => {
    const found = await tuneBm25({ documents, queries: [{ id: 'q', text: 'goats' }], qrels: new Map([['q', new Map([['other', 1]])]]) });
    expect(found.parameters).toEqual({ k1: 0.9, b: 0.4 });
  });

  it('refuses a grid that BM25 has no meaning for', async () => {
    await expect(tuneBm25({ documents, queries, qrels, grid: { k1: [0.9], b: [1.5] } })).rejects.toMatchObject({ code: 'evaluation.bad-grid' });
    await expect(tuneBm25({ documents, queries, qrels, grid: { k1: [], b: [0.4] } })).rejects.toMatchObject({ code: 'evaluation.bad-grid' });
  });
});

describe('readDevelopmentSet', () => {
  it('reads a folder by its development judgements, leaves out what the test asks, and takes questions with passages', async () => {
    using place = temporaryFolder();
    const file = (name: string, lines: readonly string[]): Promise<void> => writeFile(join(place.path, name), `${lines.join('\n')}\n`);
    await file('corpus.jsonl', ['{"_id":"d1","title":"","text":"the lake"}', '{"_id":"d2","title":"","text":"the road"}']);
    await file('queries.jsonl', ['{"_id":"q1","text":"Where is the lake?"}', '{"_id":"q2","text":"Where is the road?"}']);
    await file('qrels.tsv', ['query-id\tcorpus-id\tscore', 'q1\td1\t1', 'q2\td2\t1']);
    const set = await readDevelopmentSet(place.path, { testQueries: ['where is the LAKE?'], signal });
    expect(set.queries.map(({ id }) => id)).toEqual(['q2']);
    expect(set.leftOut).toBe(1);
    await expect(readDevelopmentSet(place.path, { testQueries: ['Where is the lake?', 'Where is the road?'], signal })).rejects.toMatchObject({ code: 'evaluation.development-is-test' });
    await file('dev.jsonl', ['{"query":"one","positive":"a passage of its own"}', '{"query":"two","positive":"a passage of its own"}']);
    const pairs = await readDevelopmentSet(join(place.path, 'dev.jsonl'), { testQueries: [], signal });
    expect(pairs.documents).toHaveLength(1);
    expect([...pairs.qrels.values()].map((judged) => [...judged.keys()])).toEqual([['passage-1'], ['passage-1']]);
  });
});
