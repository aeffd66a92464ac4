import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPhraseSet } from '../corpus/phrase-set.ts';
import { phraseVectors } from '../encoding/phrase-vectors.ts';
import { createStaticEncoder } from '../encoding/static-encoder.ts';
import { TEST_SENTENCES, testModel } from '../encoding/test-models.ts';
import { evaluatePhrases } from './phrases-task.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-phrases-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const put = async (name: string, lines: readonly string[]): Promise<string> => {
  await writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(''));
  return join(folder, name);
};
const signal = new AbortController().signal;
const read = async (pairs: readonly string[], sources: readonly string[], targets: readonly string[]) =>
  readPhraseSet({ pairsPath: await put('pairs.tsv', pairs), sourcePath: await put('sentences.en.tsv', sources), targetPath: await put('sentences.sw.tsv', targets) }, signal);

const PAIRS = ['river\tmto', 'the hill\tkilima', 'big house\tnyumba kubwa', 'water\tmaji', 'the rain\tmvua'];
const EN = ['river\t2\tthe small boat crosses the wide river\tthe river is wide after the rain', 'the hill\t1\ta big house stands on the hill', 'Big House\t1\ta big house stands on the hill', 'water\t1\tthey carry clean water from the well', 'the rain\t1\tthe river is wide after the rain'];
const SW = ['mto\t2\twavuvi huvuka mto mpana kwa mashua\tmto ni mpana baada ya mvua', 'kilima\t1\tnyumba kubwa iko juu ya kilima', 'nyumba kubwa\t1\tnyumba kubwa iko juu ya kilima', 'maji\t1\twanabeba maji safi kutoka kisimani', 'mvua\t1\tmto ni mpana baada ya mvua'];

describe('phrase retrieval', () => {
  it('counts what a brute force over all similarities counts, always the same', async () => {
    const set = await read(PAIRS, EN, SW);
    expect(set.problems).toEqual([]);
    expect(set.sources[2]).toEqual({ phrase: 'big house', sentences: [TEST_SENTENCES[1]] });
    const encoder = createStaticEncoder(await testModel(), 'test');
    const result = await evaluatePhrases({ encoder, set });
    const { vectors: left, width } = await phraseVectors(encoder, set.sources);
    const { vectors: right } = await phraseVectors(encoder, set.targets);
    const similarity = (i: number, j: number): number => Array.from({ length: width }, (_, k) => (left[i * width + k] ?? 0) * (right[j * width + k] ?? 0)).reduce((a, b) => a + b, 0);
    const all = PAIRS.map((_, i) => i);
    const best = (score: (j: number) => number): number => all.reduce((a, b) => (score(b) > score(a) ? b : a));
    const forward = all.filter((i) => best((j) => similarity(i, j)) === i).length / all.length;
    const backward = all.filter((j) => best((i) => similarity(i, j)) === j).length / all.length;
    expect(result).toEqual({ phrases: 5, 'accuracy@1': (forward + backward) / 2, forward, backward });
    expect(await evaluatePhrases({ encoder, set })).toEqual(result);
  });

  it('is perfect for phrases that are their own translations, and takes either translation of a phrase', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    const same = await read(['mto\tmto', 'maji\tmaji', 'kilima\tkilima'], SW, SW);
    expect(await evaluatePhrases({ encoder, set: same })).toMatchObject({ phrases: 3, 'accuracy@1': 1 });
    const two = await read(['mto\tmaji', 'mto\tmto', 'maji\tmto'], SW, SW);
    expect(await evaluatePhrases({ encoder, set: two })).toMatchObject({ forward: 2 / 3, backward: 2 / 3 });
  });

  it('uses as many sentences as are asked for', async () => {
    const set = await read(PAIRS, EN, SW);
    const seen: number[] = [];
    const encoder = { width: 1, encode: () => Promise.resolve(new Float32Array(5)), phrases: { width: 1, layers: null, vectors: (phrases: readonly { readonly sentences: readonly string[] }[]) => {
      seen.push(...phrases.map(({ sentences }) => sentences.length));
      return Promise.resolve(new Float32Array(phrases.length));
    } } };
    await evaluatePhrases({ encoder, set, mostSentences: 1 });
    expect(seen).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });
});

describe('files of phrases', () => {
  it('have each wrong line named, and the rest is used', async () => {
    const { sources, targets, problems } = await read(
      ['river\tmto', 'one column', 'river\tmto', '\tmaji', 'unknown\tmaji'],
      ['river\t3\tone\ttwo', 'river\tmany\tone', 'river\t1\tthe river', 'river\t1\tagain', '\t1\tx', 'dry\t0'],
      ['mto\t1\tmto', 'maji\t1\tmaji safi'],
    );
    expect(sources).toEqual([{ phrase: 'river', sentences: ['the river'] }, { phrase: 'unknown', sentences: [] }]);
    expect(targets.map(({ phrase }) => phrase)).toEqual(['mto', 'maji']);
    expect(problems.map(({ code, line, path }) => [path.split('/').at(-1)?.slice(0, 9), line, code])).toEqual([
      ['sentences', 1, 'corpus.column-count'],
      ['sentences', 2, 'corpus.not-an-integer'],
      ['sentences', 4, 'corpus.duplicate-id'],
      ['sentences', 5, 'corpus.empty-text'],
      ['sentences', 6, 'corpus.empty-text'],
      ['pairs.tsv', 2, 'corpus.column-count'],
      ['pairs.tsv', 3, 'corpus.duplicate-pair'],
      ['pairs.tsv', 4, 'corpus.empty-text'],
      ['pairs.tsv', 5, 'corpus.no-sentences'],
    ]);
  });

  it('without a line that can be used are refused', async () => {
    await expect(read(['nothing'], EN, SW)).rejects.toMatchObject({ code: 'corpus.no-records' });
    await expect(read(PAIRS, ['river\tx'], SW)).rejects.toMatchObject({ code: 'corpus.no-records' });
    await expect(read([' '], EN, SW)).rejects.toMatchObject({ code: 'corpus.empty-file' });
  });
});
