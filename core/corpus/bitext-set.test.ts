/** Facts about reading mining tests in BUCC's form. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBitextSet } from './bitext-set.ts';

const { signal } = new AbortController();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-bitext-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(source: string, target: string, gold: string): ReturnType<typeof readBitextSet> {
  const paths = { sourcePath: join(folder, 's'), targetPath: join(folder, 't'), goldPath: join(folder, 'g') };
  await Promise.all([writeFile(paths.sourcePath, source), writeFile(paths.targetPath, target), writeFile(paths.goldPath, gold)]);
  return readBitextSet(paths, signal);
}

it('gives sentences in order and gold pairs by place', async () => {
  const set = await read('s1\tmaji\ns2\tnyumba\n', 't1\thouse\nt2\twater\tof the lake\n', 's2\tt1\ns1\tt2\n');
  expect(set.sources).toEqual([{ id: 's1', text: 'maji' }, { id: 's2', text: 'nyumba' }]);
  expect(set.targets[1]?.text).toBe('water\tof the lake');
  expect(set.gold).toEqual([{ source: 1, target: 0 }, { source: 0, target: 1 }]);
  expect(set.problems).toEqual([]);
});

it('names lines without an id, ids used twice, empty sentences and pairs of unknown ids, and uses the rest', async () => {
  const set = await read('s1\tmaji\nno tab here\ns1\tagain\ns3\t \n', 't1\twater\n', 's1\tt1\ns9\tt1\nonly-one\n');
  expect(set.sources.length).toBe(1);
  expect(set.gold).toEqual([{ source: 0, target: 0 }]);
  expect(set.problems.map(({ code, line }) => [code, line])).toEqual([['corpus.column-count', 2], ['corpus.duplicate-id', 3], ['corpus.empty-text', 4], ['corpus.unknown-id', 2], ['corpus.column-count', 3]]);
});

it('refuses files without any pair that both sides have', async () => {
  await expect(read('s1\tmaji\n', 't1\twater\n', 'a\tb\n')).rejects.toMatchObject({ code: 'corpus.no-records' });
});
