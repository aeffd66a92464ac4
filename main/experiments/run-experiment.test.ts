/** Is an experiment run from its file to its page, and gone on with after it was stopped? With the sample texts, in seconds. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { parseExperiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { runExperiment } from './run-experiment.ts';

const sample = join(import.meta.dirname, '../../core/sample');
const HELD_OUT = 40;

async function tryOut(folder: string) {
  const lines = (await readFile(join(sample, 'parallel.en-sw.tsv'), 'utf8')).trim().split('\n');
  await writeFile(join(folder, 'pairs.tsv'), lines.slice(HELD_OUT).join('\n'));
  for (const [side, name] of ['en.txt', 'sw.txt'].entries()) await writeFile(join(folder, name), lines.slice(0, HELD_OUT).map((line) => line.split('\t')[side] ?? '').join('\n'));
  const experiment = parseExperiment(
    {
      name: 'sample',
      title: 'Sample',
      source: 'none',
      about: 'Sample texts.',
      scale: 'small',
      base: { encoder: { kind: 'static', width: 32, vocabularySize: 1200 }, parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }], losses: { retrieval: { weight: 0 } }, optimizer: { parallelBatch: 64 }, budget: { steps: 25 } },
      rows: [{ name: 'before', kind: 'untrained', of: 'sema' }, { name: 'sema', kind: 'recipe', train: {} }, { name: 'lang', kind: 'recipe', train: { losses: { language: { weight: 0.1 } } } }],
      seeds: [1],
      tasks: [{ name: 'en-sw', kind: 'pairs', source: 'en.txt', target: 'sw.txt' }],
      claims: [{ text: 'training helps', better: 'sema', than: 'before' }],
    },
    { file: join(folder, 'experiment.json'), dataFolder: null },
  );
  const said: string[] = [];
  const run = (over: Partial<Parameters<typeof runExperiment>[0]> = {}) =>
    runExperiment({ experiment, outputFolder: join(folder, 'out'), starterFolder: join(import.meta.dirname, '../../core/training/starter'), only: null, threads: 1, device: 'cpu', keepModels: false, signal: new AbortController().signal, say: (line) => said.push(line), reportTraining: () => undefined, ...over });
  return { run, said };
}

describe('runExperiment', () => {
  it('trains and measures every row, writes the page, and goes on where it was stopped', async () => {
    using place = temporaryFolder();
    const folder = place.path;
    const { run, said } = await tryOut(folder);
    const first = await run({ only: 'sema' });
    expect(first.cells.map(({ row }) => row)).toEqual(['before', 'sema']); // one model serves both
    const whole = await run();
    expect(said).toEqual(['1 of 2: before, sema, seed 1', '2 of 2: lang, seed 1']);
    expect(whole.cells.map(({ row }) => row)).toEqual(['before', 'sema', 'lang']);
    const [before, sema] = whole.cells;
    expect(sema?.mean).toBeGreaterThan((before?.mean ?? 1) + 0.1);
    expect(whole.claims[0]?.verdict).toBe('holds');
    const page = await readFile(join(folder, 'out', 'report.md'), 'utf8');
    expect(page).toContain('| training helps |');
    const results: unknown = JSON.parse(await readFile(join(folder, 'out', 'results.json'), 'utf8'));
    expect(results).toMatchObject({ experiment: 'sample', seeds: [1], cells: [{ row: 'before' }, { row: 'sema' }, { row: 'lang' }] });

    await rm(join(folder, 'out', 'runs', 'lang.1.json'));
    await writeFile(join(folder, 'out', 'runs', 'sema.1.json'), '{"cut'); // as a disk may leave it
    const again = await run();
    expect(said.slice(2)).toEqual(said.slice(0, 2));
    expect(again).toEqual(whole);
  });

  it('stops when told to, and knows no row that is not there', async () => {
    using place = temporaryFolder();
    const { run } = await tryOut(place.path);
    await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ family: 'cancellation' });
    await expect(run({ only: 'who' })).rejects.toThrow(/before, sema, lang, found "who"/);
  });
});
