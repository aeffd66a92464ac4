/** Do `baseline clwe`, `baseline clse` and tuned BM25 answer with one JSON value, and refuse what makes no sense? */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { baselineClseCommand, baselineClweCommand } from './baseline.ts';
import { readOptions, type Command } from './command.ts';
import { evaluateCommand } from './evaluate.ts';
import { inRepository } from './test-program.ts';

const context = { signal: new AbortController().signal, say: (): void => undefined };
const run = (command: Command, ...words: readonly string[]) => command.run(readOptions(command, words), context);
const pairs = inRepository('core/sample/parallel.en-sw.tsv');

describe('baselines on the command line', () => {
  it('word vectors from pairs, a text and a file of vectors become a model', async () => {
    using folder = temporaryFolder();
    const vectors = join(folder.path, 'wiki.en.vec');
    await writeFile(vectors, '4 8\nwater 1 0 0 1 0 0 1 0\nhouse 0 1 0 0 1 0 0 1\nlake 1 1 0 0 0 1 0 0\nroad 0 0 1 1 0 0 0 1\nroad oops\n');
    const out = join(folder.path, 'model');
    const { json, text } = await run(baselineClweCommand, '--parallel', `en:sw=${pairs}`, '--monolingual', `sw=${inRepository('core/sample/monolingual.sw.txt')}`, '--vectors', `en=${vectors}`, '--width', '8', '--epochs', '1', '--out', out);
    expect(json).toMatchObject({ model: out, supervision: 'supervised', width: 8, languages: [{ language: 'en', words: 4, from: 'vectors' }, { language: 'sw', from: 'texts' }] });
    expect(text).toContain('en: 4 words from a file');
  });

  it('a pretrained model becomes a model as it is', async () => {
    using folder = temporaryFolder();
    const { json } = await run(baselineClseCommand, '--backbone', inRepository('test/reference/backbones/minilm'), '--layer', '1', '--out', join(folder.path, 'model'));
    expect(json).toMatchObject({ layer: 1, map: 'none', width: 8, languages: [] });
  });

  it('writes over no folder that holds something else', async () => {
    using folder = temporaryFolder();
    await writeFile(join(folder.path, 'notes.txt'), 'mine');
    const pairs = inRepository('core/sample/parallel.en-sw.tsv');
    for (const [command, ...words] of [[baselineClseCommand, '--backbone', inRepository('test/reference/backbones/minilm')], [baselineClweCommand, '--parallel', `en:sw=${pairs}`]] as const) {
      await expect(run(command, ...words, '--out', folder.path)).rejects.toMatchObject({ code: 'training.output-not-a-model' });
      expect(await readdir(folder.path)).toEqual(['notes.txt']);
    }
  });

  it('BM25 is tuned on other questions than it is measured on', async () => {
    using folder = temporaryFolder();
    const file = (name: string, text: string): Promise<void> => writeFile(join(folder.path, name), text);
    await file('collection.jsonl', '{"_id":"d1","title":"","text":"the lake is wide"}\n{"_id":"d2","title":"","text":"the road is long"}\n');
    await file('queries.jsonl', '{"_id":"q1","text":"Which lake?"}\n');
    await file('qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t1\n');
    const development = join(folder.path, 'other', 'dev.jsonl');
    await mkdir(join(folder.path, 'other'));
    await file(join('other', 'dev.jsonl'), '{"query":"which lake?","positive":"a lake"}\n{"query":"a long road","positive":"the road"}\n');
    const words = ['--task', 'retrieval', '--data', folder.path, '--method', 'bm25'];
    const { json } = await run(evaluateCommand, ...words, '--bm25', 'tuned', '--development', development);
    expect(json).toMatchObject({ 'MRR@100': 1, bm25: { k1: 0.9, b: 0.4, development: { metric: 'MRR@100', queries: 1, leftOut: 1 } } });
    await expect(run(evaluateCommand, ...words, '--bm25', 'tuned', '--development', folder.path)).rejects.toMatchObject({ code: 'evaluation.development-is-test' });
    await expect(run(evaluateCommand, ...words, '--bm25', 'tuned')).rejects.toMatchObject({ code: 'cli.missing-option' });
    await expect(run(evaluateCommand, ...words, '--development', folder.path)).rejects.toMatchObject({ code: 'cli.useless-option' });
  });

  it.each([
    [baselineClweCommand, ['--parallel', 'ensw=x'], 'cli.bad-file-name'],
    [baselineClweCommand, ['--monolingual', 'texts.txt'], 'cli.bad-file-name'],
    [baselineClweCommand, ['--supervision', 'some'], 'baseline.invalid'],
    [baselineClweCommand, [], 'baseline.no-languages'],
    [baselineClweCommand, ['--width', '0'], 'cli.not-a-number'],
    [baselineClseCommand, [], 'baseline.no-backbone'],
    [baselineClseCommand, ['--backbone', inRepository('test/reference/backbones/minilm'), '--layer', '9'], 'backbone.no-such-layer'],
  ] as const)('refuses what it cannot do: %#', async (command, words, code) => {
    using folder = temporaryFolder();
    await expect(run(command, ...words, '--out', join(folder.path, 'out'))).rejects.toMatchObject({ code });
  });
});
