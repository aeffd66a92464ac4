/** Facts about phrases on the command line: measured and looked up. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModelFolder } from '../../core/encoding/model-folder.ts';
import { testModel } from '../../core/encoding/test-models.ts';
import { runHere } from './test-program.ts';

let folder: string;
const place = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-phrases-'));
  await writeModelFolder(place('model'), await testModel());
  await writeFile(place('pairs.tsv'), 'river\tmto\nwater\tmaji\nbroken\n');
  await writeFile(place('sentences.en.tsv'), 'river\t1\tthe river is wide after the rain\nwater\t1\tthey carry clean water from the well\n');
  await writeFile(place('sentences.sw.tsv'), 'mto\t1\tmto ni mpana baada ya mvua\nmaji\t2\twanabeba maji safi kutoka kisimani\n');
  await writeFile(place('dictionary.tsv'), 'mto\triver; stream\tmto ni mpana\nmaji\twater\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('phrases', () => {
  it('are measured in both directions; lines that are wrong are told, the rest counts', async () => {
    const { code, stdout, stderr } = await runHere(['evaluate', '--task', 'phrases', '--model', place('model'), '--pairs', place('pairs.tsv'), '--source-sentences', place('sentences.en.tsv'), '--target-sentences', place('sentences.sw.tsv'), '--json']);
    expect(code).toBe(0);
    const found: unknown = JSON.parse(stdout);
    expect(found).toEqual({ phrases: 2, 'accuracy@1': expect.any(Number), forward: expect.any(Number), backward: expect.any(Number) });
    expect(stderr).toMatch(/pairs\.tsv: line 3.*2 columns/);
    expect(stderr).toMatch(/sentences\.sw\.tsv: line 2.*2 sentences/);
  });

  it('are looked up with and without a model', async () => {
    const words = ['phrases', 'search', '--dictionary', place('dictionary.tsv'), '--query', 'Stream', '--json'];
    const alone = await runHere(words);
    expect(JSON.parse(alone.stdout)).toEqual([{ dictionary: 'dictionary.tsv', line: 1, phrase: 'mto', translations: ['river', 'stream'], examples: [{ source: 'mto ni mpana', target: null, from: 'dictionary' }], match: 'exact', matched: { text: 'stream', side: 'translation' }, similarity: null, best: [] }]);
    const { code, stdout } = await runHere([...words, '--model', place('model'), '--k', '2']);
    expect([code, (JSON.parse(stdout) as { match: string }[]).map(({ match }) => match)]).toEqual([0, ['exact', 'near']]);
  });

  it('are found in texts, learned and measured', async () => {
    const word = (i: number): string => `neno${'abcdefghijklmnopqrstuvwxyz'[i] ?? ''}`;
    await writeFile(place('list.tsv'), Array.from({ length: 22 }, (_, i) => `${word(i)} moja\tword ${i} one\n`).join(''));
    await writeFile(place('sw.txt'), Array.from({ length: 22 }, (_, i) => `hapa kuna ${word(i)} moja leo asubuhi\n`).join(''));
    await writeFile(place('en.txt'), Array.from({ length: 22 }, (_, i) => `here is word ${i} one this morning\n`).join(''));
    const found = await runHere(['phrases', 'sentences', '--pairs', place('list.tsv'), '--side', 'source', '--texts', place('sw.txt'), '--out', place('found.tsv'), '--json']);
    expect(JSON.parse(found.stdout), found.stderr).toMatchObject({ phrases: 22, found: 22, sentences: 22 });
    expect((await readFile(place('found.tsv'), 'utf8')).split('\n')[0]).toBe('nenoa moja\t1\thapa kuna nenoa moja leo asubuhi');
    const lists = ['--pairs', place('list.tsv'), '--source', 'sw', '--target', 'en', '--source-texts', place('sw.txt'), '--target-texts', place('en.txt')];
    const trained = await runHere(['phrases', 'train', '--model', place('model'), ...lists, '--steps', '2', '--out', place('phrase-model'), '--threads', '1', '--json']);
    expect(JSON.parse(trained.stdout), trained.stderr).toMatchObject({ steps: 2, losses: { phrases: expect.any(Number) }, pairs: [{ source: 'sw', target: 'en', training: 20, heldBack: 2 }] });
    const measured = await runHere(['phrases', 'evaluate', '--model', place('phrase-model'), ...lists, '--json']);
    expect(JSON.parse(measured.stdout), measured.stderr).toEqual({ phrases: 22, 'accuracy@1': expect.any(Number), forward: expect.any(Number), backward: expect.any(Number) });
  });

  it('refuse bad input in a sentence', async () => {
    for (const [words, said] of [
      [['phrases', 'search', '--query', 'a'], /--dictionary: expected/],
      [['phrases', 'search', '--dictionary', place('missing.tsv'), '--query', 'a'], /missing\.tsv/],
      [['phrases'], /phrases search/],
      [['phrases', 'sentences', '--pairs', place('pairs.tsv'), '--side', 'source', '--texts', place('sentences.en.tsv'), '--out', place('pairs.tsv')], /--out .*another file than --pairs/],
      [['evaluate', '--task', 'phrases', '--model', place('model'), '--pairs', place('pairs.tsv')], /--source-sentences: expected/],
      [['evaluate', '--task', 'phrases', '--model', place('model'), '--pairs', place('pairs.tsv'), '--source-sentences', place('sentences.en.tsv'), '--target-sentences', place('sentences.sw.tsv'), '--layer', '3'], /layer/],
      [['evaluate', '--task', 'pairs', '--layer', '3'], /--layer: not used/],
      [['evaluate', '--task', 'phrases', '--model', place('model'), '--pairs', place('pairs.tsv'), '--source-sentences', place('sentences.sw.tsv'), '--target-sentences', place('sentences.en.tsv')], /other way round/],
    ] as const) {
      const { code, stderr } = await runHere(words);
      expect([code, said.test(stderr)], stderr).toEqual([2, true]);
    }
  });
});
