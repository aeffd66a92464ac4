/** Are only experiments offered that can be run, and are their results laid out as in the paper? */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../core/base/test-disks.ts';
import { readExperimentResults } from './experiment-results.ts';
import { addExperiment, chooseExperimentData, findExperiment, forgetExperiment, listExperiments } from './experiments.ts';

const EXPERIMENT = {
  name: 'one', title: 'Does it help?', source: 'Paper, Table 1', about: 'Small.', scale: 'small',
  base: { parallel: [{ path: '{data}/pairs.tsv', source: 'en', target: 'sw' }] },
  rows: [
    { kind: 'recipe', name: 'ir', label: 'L_IR', train: {}, x: 1, series: 'losses' },
    { kind: 'recipe', name: 'sema', label: '+ semaCL', train: { losses: { semantic: { weight: 1 } } }, x: 2, series: 'losses' },
    { kind: 'untrained', name: 'none', label: 'untrained', of: 'ir' },
    { kind: 'reported', name: 'paper', label: 'printed', values: { 'en-sw': 0.5 } },
  ],
  reference: 'ir', seeds: [1, 2],
  tasks: [{ name: 'en-sw', kind: 'pairs', source: '{data}/en.txt', target: '{data}/sw.txt' }],
  claims: [{ text: 'semaCL helps', better: 'sema', than: 'ir' }],
  plot: { x: 'losses', y: 'accuracy' },
};
const cell = (row: string, mean: number, corrected: number | null) => ({ row, task: 'en-sw', metric: 'accuracy', mean, deviation: 0.01, interval: { low: mean - 0.05, high: mean + 0.05 }, seeds: 2, difference: corrected === null ? null : { value: 0.2, pValue: corrected, corrected } });

async function setUp(folder: string) {
  const folders = { projectFolder: join(folder, 'project'), shippedFolder: join(folder, 'papers') };
  for (const name of ['project', 'papers', 'data']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'papers', 'hu-table-1.small.json'), JSON.stringify(EXPERIMENT));
  return { folders, data: join(folder, 'data') };
}

describe('the experiments that are offered', () => {
  it('say what is missing, step by step, until they can be run', async () => {
    using place = temporaryFolder();
    const { folders, data } = await setUp(place.path);
    expect((await listExperiments(folders)).experiments).toMatchObject([{ id: 'hu-table-1-small', origin: 'shipped', status: 'needs-folder', rows: 4, seeds: 2, missing: [], results: 'none' }]);
    await chooseExperimentData(folders.projectFolder, data);
    const waiting = (await listExperiments(folders)).experiments[0];
    expect(waiting?.status).toBe('needs-data');
    expect(waiting?.status === 'needs-data' ? waiting.missing.map(({ what }) => what).sort() : []).toEqual(['en.txt', 'pairs.tsv', 'sw.txt']);
    for (const name of ['en.txt', 'sw.txt', 'pairs.tsv']) await writeFile(join(data, name), 'x\ty\n');
    expect((await listExperiments(folders)).experiments).toMatchObject([{ status: 'ready' }]);
  });

  it('hold the person\'s own, refuse what is none, and name a file that has been spoilt', async () => {
    using place = temporaryFolder();
    const { folders } = await setUp(place.path);
    const own = join(place.path, 'own.json');
    await writeFile(own, JSON.stringify({ ...EXPERIMENT, rowss: [] }));
    await expect(addExperiment(folders.projectFolder, own)).rejects.toMatchObject({ code: 'experiment.invalid' });
    await writeFile(own, JSON.stringify(EXPERIMENT));
    await addExperiment(folders.projectFolder, own);
    await addExperiment(folders.projectFolder, own);
    const { experiments } = await listExperiments(folders);
    expect(experiments.map(({ origin }) => origin)).toEqual(['shipped', 'own']);
    const id = experiments[1]?.id ?? '';
    await writeFile(own, '{"cut');
    expect((await listExperiments(folders)).experiments[1]).toMatchObject({ id, status: 'unusable', error: { code: 'file.not-json' } });
    await forgetExperiment(folders.projectFolder, id);
    await expect(findExperiment(folders, id)).rejects.toMatchObject({ code: 'experiment.unknown' });
  });
});

describe('the results of an experiment', () => {
  it('are a table with the paper\'s rows, best and stars, a plot and verdicts; what was not run is said', async () => {
    using place = temporaryFolder();
    const { folders } = await setUp(place.path);
    const at = await findExperiment(folders, 'hu-table-1-small');
    expect(await readExperimentResults(at)).toEqual({ status: 'none' });
    await mkdir(join(at.outputFolder, 'runs'), { recursive: true });
    await writeFile(join(at.outputFolder, 'runs', 'ir.1.json'), '{}');
    await writeFile(join(at.outputFolder, 'results.json'), JSON.stringify({ seeds: [1, 2], cells: [cell('ir', 0.5, null), cell('sema', 0.7, 0.01)], averages: [], claims: [{ text: 'semaCL helps', difference: 0.2, interval: { low: 0.1, high: 0.3 }, verdict: 'holds' }], facts: { minutes: 2, notes: [] }, measurements: [{ row: 'ir', seed: 1 }] }));
    const found = await readExperimentResults(at);
    if (found.status !== 'ready') throw new Error('no results');
    expect(found).toMatchObject({ isComplete: false, comparisons: 1, reference: 'L_IR', openClaims: 0, minutes: 2 });
    expect(found.tables).toMatchObject([{ metric: 'accuracy', columns: ['en-sw'], rows: [
      { name: 'L_IR', isReference: true, cells: [{ kind: 'measured', mean: 0.5, isBest: false, differs: false }] },
      { name: '+ semaCL', cells: [{ kind: 'measured', isBest: true, differs: true }] },
      { name: 'untrained', cells: [{ kind: 'none' }] },
      { name: 'printed', cells: [{ kind: 'reported', value: 0.5 }] },
    ] }]);
    expect(found.plot).toMatchObject({ x: 'losses', series: [{ name: 'losses', points: [{ x: 1, mean: 0.5 }, { x: 2, mean: 0.7 }] }], lines: [] });
    expect((await listExperiments(folders)).experiments[0]).toMatchObject({ results: 'some' });
  });
});
