/** Is a streamed search the search in memory, however the documents come? */
import { describe, expect, it } from 'vitest';
import { createHashEncoder } from '../retrieval/hash-encoder.ts';
import { denseRun } from './dense-run.ts';
import { evaluateRetrieval, prepareCollection, type TaskDocument } from './retrieval-task.ts';

const words = ['lake', 'mountain', 'goat', 'river', 'village', 'road', 'market', 'song'];
const documents: TaskDocument[] = Array.from({ length: 5_000 }, (_, i) => ({ id: `d${i}`, title: i % 3 === 0 ? words[i % 8] ?? '' : '', text: `${words[(i * 5) % 8] ?? ''} ${words[(i * 3 + 1) % 8] ?? ''} ${i % 97} ${words[(i >> 3) % 8] ?? ''}` }));
const queries = [{ id: 'a', text: 'goat on the mountain' }, { id: 'b', text: 'market 42' }, { id: 'c', text: '?!' }];
const qrels = new Map(queries.map(({ id }) => [id, new Map([['d1', 1]])]));
const { signal } = new AbortController();
async function* inBatches(size: number): AsyncGenerator<readonly TaskDocument[]> {
  for (let start = 0; start < documents.length; start += size) yield Promise.resolve(documents.slice(start, start + size));
}

describe('denseRun', () => {
  it('finds what evaluateRetrieval finds, with the same scores, over more than one block', async () => {
    const encoder = createHashEncoder({ width: 32 });
    const { run } = await evaluateRetrieval({ collection: await prepareCollection({ documents, encoder }), queries, qrels, method: 'dense' });
    const streamed = await denseRun({ documents: inBatches(700), queries, encoder, signal });
    expect([...streamed.keys()]).toEqual(['a', 'b', 'c']);
    expect(streamed.get('c')).toEqual([]);
    expect(run.get('c')).toEqual([]);
    for (const id of ['a', 'b']) {
      const scores = (found: typeof run): readonly number[] => found.get(id)?.map(({ score }) => score) ?? [];
      expect(scores(streamed)).toHaveLength(1000);
      expect(scores(streamed)).toEqual(scores(run));
      const [best = 0] = scores(run);
      const first = (found: typeof run): readonly string[] => found.get(id)?.filter(({ score }) => score === best).map(({ documentId }) => documentId).sort() ?? [];
      expect(first(streamed)).toEqual(first(run));
    }
  });

  it('counts an id once, and stops when told to', async () => {
    const encoder = createHashEncoder({ width: 32 });
    async function* twice(): AsyncGenerator<readonly TaskDocument[]> {
      yield Promise.resolve(documents.slice(0, 3));
      yield Promise.resolve(documents.slice(0, 3));
    }
    expect((await denseRun({ documents: twice(), queries, encoder, signal })).get('a')).toHaveLength(3);
    await expect(denseRun({ documents: inBatches(100), queries, encoder, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
