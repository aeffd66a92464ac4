/** Facts about measuring on what a person judged. */
import { describe, expect, it } from 'vitest';
import type { Hit, SearchRequest } from '../retrieval/open-index.ts';
import { isSamePassage, measureJudged, poolLists } from './judged-queries.ts';

const place = { path: 'a.txt', start: 100, end: 200, text: 'the passage' };

describe('a judged passage', () => {
  it('is found again by its text wherever its file is, or by its place when half of it is shared', () => {
    expect(isSamePassage({ ...place, path: 'moved.txt', start: 0, end: 9 }, place)).toBe(true);
    expect(isSamePassage({ ...place, text: 'cut anew', start: 150, end: 300 }, place)).toBe(true);
    expect(isSamePassage({ ...place, text: 'cut anew', start: 151, end: 300 }, place)).toBe(false);
    expect(isSamePassage({ ...place, text: 'other', path: 'b.txt' }, place)).toBe(false);
    expect(isSamePassage({ ...place, text: 'after it', start: 200, end: 300 }, place)).toBe(false);
  });
});

describe('scores', () => {
  const locationAt = (start: number): Hit['location'] => ({ line: 1, row: null, paragraph: null, page: null, verse: null, timeMs: null, speaker: null, tier: null, sheet: null, slide: null, heading: null, start, end: start + 10, last: null });
  const hit = (n: number): Hit => ({ chunkId: String(n), score: 1, path: 'a.txt', title: '', location: locationAt(n * 10), text: `text ${String(n)}`, aligned: [], language: null, direction: 'ltr', highlights: [], reasons: [] });
  const orders: Readonly<Record<string, readonly number[]>> = { dense: [3, 1, 2], 'bm25-char': [2, 3], hybrid: [1, 2, 3] };
  const index = { search: ({ method = 'hybrid' }: SearchRequest) => Promise.resolve({ hits: (orders[method] ?? []).map(hit), queryLanguage: null, choices: [] }) };
  const right = (n: number) => ({ path: 'a.txt', start: n * 10, end: n * 10 + 10, text: `text ${String(n)}` });

  it('are means of 1 / rank of the first right passage, 0 where none is found', async () => {
    const scores = await measureJudged({ index, queries: [{ query: 'q', queryLanguage: null, right: [right(1)] }, { query: 'r', queryLanguage: null, right: [right(2), right(3)] }] });
    expect(scores).toEqual({ dense: (1 / 2 + 1) / 2, lexical: (0 + 1) / 2, hybrid: (1 + 1 / 2) / 2 });
    expect(await measureJudged({ index, queries: [] })).toEqual({ dense: 0, lexical: 0, hybrid: 0 });
  });

  it('favour no method: pooled lists give the first of each in turn, every passage once', () => {
    const ids = poolLists([[{ chunkId: 'a' }, { chunkId: 'b' }], [{ chunkId: 'b' }, { chunkId: 'c' }, { chunkId: 'd' }], []]).map(({ chunkId }) => chunkId);
    expect(ids).toEqual(['a', 'b', 'c', 'd']);
    expect(poolLists([])).toEqual([]);
  });
});
