/** Facts about mining on the command line: pairs with scores, best first, as training reads them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { runHere } from './test-program.ts';

const folder = temporaryFolder();
const place = (name: string): string => join(folder.path, name);
const LINES = ['the river is wide after the rain', 'they carry clean water', 'the small boat', 'over the lake at night', 'a woman at the market', 'fish and bread'];

beforeAll(async () => {
  await writeModelFolder(place('model'), await testModel());
  await writeFile(place('a.txt'), LINES.map((line) => `${line}\n`).join(''));
  await writeFile(place('b.txt'), [...LINES].reverse().map((line) => `${line}\r\n`).join(''));
  return () => { folder[Symbol.dispose](); };
});

describe('mine', () => {
  const words = ['mine', '--model', place('model'), '--source', place('a.txt'), '--target', place('b.txt'), '--threads', '1'];

  it('finds the same sentences of two texts, and writes sentence, sentence, score', async () => {
    const { code, stdout, stderr } = await runHere([...words, '--out', place('pairs.tsv'), '--threshold', '1.01', '--json']);
    expect(code, stderr).toBe(0);
    const found = JSON.parse(stdout) as { candidates: number; pairs: number };
    expect(found).toEqual({ candidates: expect.any(Number) as number, pairs: expect.any(Number) as number, threshold: 1.01, out: place('pairs.tsv') });
    const rows = (await readFile(place('pairs.tsv'), 'utf8')).trimEnd().split('\n').map((line) => line.split('\t'));
    expect(rows).toHaveLength(found.pairs);
    expect(rows.length).toBeGreaterThan(3);
    for (const [source, target] of rows) expect(target).toBe(source);
    const scores = rows.map(([, , score]) => Number(score));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    const none = await runHere([...words, '--out', place('none.tsv'), '--threshold', '99', '--json']);
    expect(JSON.parse(none.stdout)).toMatchObject({ candidates: found.candidates, pairs: 0 });
  });

  it.each([
    [['--out', place('a.txt')], /another file than --source/],
    [['--out', place('x.tsv'), '--threshold', 'high'], /--threshold: expected a number/],
    [['--out', place('x.tsv'), '--target', place('a.txt')], /the same one twice/],
    [['--out', place('x.tsv'), '--target', place('missing.txt')], /missing\.txt/],
    [[], /--out: expected/],
  ])('refuses %j in a sentence', async (more, said) => {
    const { code, stderr } = await runHere([...words, ...more]);
    expect([code, said.test(stderr)], stderr).toEqual([2, true]);
    expect(await readFile(place('a.txt'), 'utf8')).toContain(LINES[0]);
  });
});
