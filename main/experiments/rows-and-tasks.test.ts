/** Do the kinds of rows and tasks work together: a transformer that begins from another, variants, calibration, tuned BM25; retrieval, bitext, phrases, joined pairs? */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { parseExperiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { runExperiment } from './run-experiment.ts';

const sample = join(import.meta.dirname, '../../core/sample');
const SHOWN = 40;

async function withFiles(folder: string): Promise<void> {
  const pairs = (await readFile(join(sample, 'parallel.en-sw.tsv'), 'utf8')).trim().split('\n').slice(0, 3 * SHOWN).map((line) => line.split('\t'));
  const [english, swahili] = [0, 1].map((side) => pairs.map((pair) => pair[side] ?? ''));
  const write = (name: string, lines: readonly (string | undefined)[]): Promise<void> => writeFile(join(folder, name), `${lines.join('\n')}\n`);
  const few = <T>(list: readonly T[] | undefined, from = 0): readonly T[] => (list ?? []).slice(from, from + SHOWN);
  await write('pairs.tsv', pairs.map((pair) => pair.join('\t')));
  await write('en.txt', few(english));
  await write('sw.txt', few(swahili));
  await write('en-turned.txt', [...few(english)].reverse());
  for (const part of ['test', 'dev']) {
    const from = part === 'test' ? 0 : SHOWN;
    await mkdir(join(folder, part));
    await write(join(part, 'corpus.jsonl'), few(english, from).map((text, i) => JSON.stringify({ _id: `d${i}`, text })));
    await write(join(part, 'queries.jsonl'), few(english, from).map((text, i) => JSON.stringify({ _id: `q${i}`, text: text.split(' ').slice(0, 4).join(' ') })));
    await write(join(part, 'qrels.tsv'), few(english).map((_, i) => `q${i}\t0\td${i}\t1`));
    await write(`${part}.sw`, few(swahili, from).map((text, i) => `sw-${i}\t${text}`));
    await write(`${part}.en`, few(english, from).map((text, i) => `en-${i}\t${text}`));
    await write(`${part}.gold`, few(english).slice(0, 20).map((_, i) => `sw-${i}\ten-${i}`));
  }
}

const retrieval = (name: string) => ({ name, kind: 'retrieval', data: name, queryLanguage: 'en', documentLanguage: 'en', also: ['R@10'] });
const none = { retrieval: { weight: 0 }, semantic: { weight: 0 }, language: { weight: 0 } };

it('runs them all, chooses on development data alone, and shows what was chosen', async () => {
  using place = temporaryFolder();
  const folder = place.path;
  await withFiles(folder);
  const bitext = (part: string) => ({ source: `${part}.sw`, target: `${part}.en`, gold: `${part}.gold` });
  const experiment = parseExperiment(
    {
      name: 'kinds', title: 'Kinds', source: 'none', about: 'Sample texts.', scale: 'small', percent: true, showsCosts: true,
      base: { encoder: { kind: 'transformer', layers: 1, width: 16, heads: 2, feedForward: 32, positions: 32, vocabularySize: 600 }, parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }], losses: none, optimizer: { parallelBatch: 16 }, budget: { steps: 2 } },
      rows: [
        { name: 'words', kind: 'bm25', tuned: true },
        { name: 'tuned', kind: 'recipe', startFrom: 'pretrained', train: { losses: { semantic: { weight: 1, temperature: 0.07 } } }, variants: [{ optimizer: { learningRate: 1e-5 } }, { optimizer: { learningRate: 0.01 } }] },
        { name: 'shifted', kind: 'calibrated', of: 'tuned', steps: { shift: true, scale: true, rotate: 'pairs' }, texts: { en: ['en.txt'], sw: ['sw.txt'] }, pairs: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }] },
        { name: 'pretrained', kind: 'recipe', train: { losses: { ...none, maskedLanguage: { weight: 1 } } } },
        { name: 'printed', kind: 'reported', values: { test: 0.5 }, compute: { batch: 32, steps: 4 } },
      ],
      reference: 'pretrained', seeds: [1],
      development: [retrieval('dev')],
      tasks: [retrieval('test'), { name: 'mined', kind: 'bitext', train: bitext('dev'), test: bitext('test'), sourceLanguage: 'sw', targetLanguage: 'en' }, { name: 'joined', kind: 'pairs', source: 'sw.txt', target: 'sw.txt', through: { source: 'en.txt', target: 'en.txt' }, direction: 'forward' }],
      claims: [{ text: 'a sentence is like itself', better: 'pretrained', than: 'tuned', tasks: ['joined'], relation: 'close', margin: 0.5 }],
    },
    { file: join(folder, 'kinds.json'), dataFolder: null },
  );
  const results = await runExperiment({ experiment, outputFolder: join(folder, 'out'), starterFolder: '', only: null, threads: 1, device: 'cpu', keepModels: false, signal: new AbortController().signal, say: () => undefined, reportTraining: () => undefined });
  const value = (row: string, task: string, metric?: string): number => results.cells.find((cell) => cell.row === row && cell.task === task && (metric === undefined || cell.metric === metric))?.mean ?? Number.NaN;
  expect(value('words', 'test')).toBeGreaterThan(0.8); // four words of the text itself
  expect(value('words', 'test', 'R@10')).toBeGreaterThan(0.8);
  expect(results.cells.some(({ row, task }) => row === 'words' && task === 'mined')).toBe(false);
  for (const row of ['pretrained', 'tuned', 'shifted']) {
    expect(value(row, 'joined'), row).toBeGreaterThan(0.9); // the same sentences on both sides
    expect(value(row, 'mined'), row).toBeGreaterThanOrEqual(0);
  }
  expect(value('shifted', 'test')).not.toBe(value('tuned', 'test'));
  const page = await readFile(join(folder, 'out', 'report.md'), 'utf8');
  expect(page).toMatch(/## Chosen on development data\n\n- words: k1 [\d.]+, b [\d.]+ \([\d.]+ on dev\)\n- tuned: \{"optimizer":\{"learningRate":0\.00001\}\} 0\.\d+.*\(chosen\)/);
  expect(page).toMatch(/\| printed \| \*50\.00\* \| – \| – \| – \|/);
  expect(page).toMatch(/\| printed \| 32 \| 4 \| 4x \| – \|/);
  expect(page).toMatch(/precision \d\.\d+, recall \d\.\d+ at the threshold/);
  expect(page).toContain('R@10:');
});
