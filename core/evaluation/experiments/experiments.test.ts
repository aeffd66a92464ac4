/** Does an experiment file say what will be run, and do the results say what was found? */
import { describe, expect, it } from 'vitest';
import { modelRowOf, parseExperiment, recipeOf, type Experiment } from './experiment-file.ts';
import { experimentPlot } from './plot.ts';
import { experimentReport } from './report.ts';
import { holm, summarise, type Measurement } from './results.ts';

const place = { file: '/experiments/one.json', dataFolder: '/data' };
const written = {
  name: 'one',
  title: 'Does <semaCL> help?',
  source: 'Hu et al. 2023, Table 2',
  about: 'A test.',
  scale: 'small',
  base: { losses: { semantic: { weight: 0 }, retrieval: { weight: 1 } }, parallel: [{ path: '{data}/pairs.tsv', source: 'en', target: 'sw' }] },
  rows: [
    { name: 'ir', kind: 'recipe', label: 'L_IR', train: {}, x: 1, series: 'losses' },
    { name: 'sema', kind: 'recipe', label: '+ semaCL', train: { losses: { semantic: { weight: 1 } } }, x: 2, series: 'losses' },
    { name: 'untrained', kind: 'untrained', of: 'ir' },
  ],
  seeds: [1, 2],
  tasks: [{ name: 'pairs', kind: 'pairs', source: '{data}/a', target: 'b' }],
  claims: [{ text: 'semaCL helps', better: 'sema', than: 'ir' }],
  plot: { x: 'weight', y: 'accuracy' },
};
const experiment = (): Experiment => parseExperiment(written, place);

/** 200 items whose mean is `share`; the same items are right in each seed but for a few. */
const measured = (row: string, seed: number, share: number): Measurement => {
  const items = Array.from({ length: 200 }, (_, i) => ((i * 37 + seed) % 200 < share * 200 ? 1 : 0));
  return { row, seed, task: 'pairs', metric: 'accuracy', value: share, items };
};

describe('an experiment file', () => {
  it('has its places resolved, its rows merged into the base and its seeds set', () => {
    const read = experiment();
    const [, sema] = read.rows;
    if (sema?.kind !== 'recipe') throw new Error('no row');
    expect(read.reference).toBe('ir');
    expect(read.tasks[0]).toMatchObject({ source: '/data/a', target: '/experiments/b' });
    expect(recipeOf(read, { row: sema, seed: 7 })).toEqual({ losses: { semantic: { weight: 1 }, retrieval: { weight: 1 } }, parallel: [{ path: '/data/pairs.tsv', source: 'en', target: 'sw' }], seed: 7 });
    expect(read.rows.map((row) => modelRowOf(read, row)?.name)).toEqual(['ir', 'sema', 'ir']);
  });

  it('says all that is wrong with it', () => {
    const broken = { ...written, rows: [{ name: 'ir', kind: 'search', of: 'nothing' }, { name: 'ir', kind: 'recipe', train: {} }, { name: 'words', kind: 'bm25', tuned: true }], claims: [{ text: 'x', better: 'nobody', than: 'ir' }], reference: 'who' };
    expect(() => parseExperiment(broken, place)).toThrow(/each name once, found "ir"[^]*"reference"[^]*"who"[^]*"nobody"[^]*"rows\/0"[^]*found "nothing"[^]*"rows\/2"[^]*development[^]*"rows\/2"[^]*kind "bm25"[^]*Nothing was started/);
    expect(() => parseExperiment({ ...written, seeds: [] }, place)).toThrow(/seeds/);
    expect(() => parseExperiment({ ...written, rowss: [] }, place)).toThrow(/rowss/);
  });

  it('asks for the data folder when it needs one', () => {
    expect(() => parseExperiment(written, { ...place, dataFolder: null })).toThrow(/--data/);
  });
});

describe('holm', () => {
  it('gives the values worked by hand, in the order given', () => {
    expect(holm([0.04, 0.01, 0.03])).toEqual([0.06, 0.03, 0.06]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

describe('summarise', () => {
  const measurements = [measured('ir', 1, 0.5), measured('ir', 2, 0.52), measured('sema', 1, 0.7), measured('sema', 2, 0.72)];

  it('averages over seeds, with an interval that holds the mean and is narrower with more items', () => {
    const { cells } = summarise(experiment(), measurements);
    const [ir, sema] = cells;
    expect(cells).toHaveLength(2);
    expect(ir?.mean).toBeCloseTo(0.51, 10);
    expect(ir?.deviation).toBeCloseTo(Math.sqrt(0.0002), 10);
    expect(ir?.difference).toBeNull();
    expect(sema?.difference?.value).toBeCloseTo(0.2, 2);
    expect(sema?.difference?.corrected).toBeLessThan(0.01);
    for (const cell of cells) {
      expect(cell.interval.low).toBeLessThan(cell.mean);
      expect(cell.interval.high).toBeGreaterThan(cell.mean);
      expect(cell.interval.high - cell.interval.low).toBeLessThan(0.2);
    }
  });

  it('judges claims by the interval of the difference', () => {
    const verdict = (sema: number): string | undefined => summarise(experiment(), [measured('ir', 1, 0.5), measured('ir', 2, 0.5), measured('sema', 1, sema), measured('sema', 2, sema)]).claims[0]?.verdict;
    expect(verdict(0.8)).toBe('holds');
    expect(verdict(0.2)).toBe('does not hold');
    expect(verdict(0.5)).toBe('undecided');
  });

  it('does not judge what was not measured', () => {
    expect(summarise(experiment(), measurements.slice(0, 2)).claims).toEqual([]);
    expect(summarise(experiment(), [])).toEqual({ cells: [], averages: [], claims: [] });
  });
});

describe('the page of an experiment', () => {
  const facts = { node: 'v24', platform: 'linux x64', cpu: '2 x cpu', threads: 1, minutes: 1.25, cpuMinutes: 1.5, rows: [{ row: 'ir', cpuMinutes: 0.7 }], choices: {}, notes: [] };
  const results = summarise(experiment(), [measured('ir', 1, 0.5), measured('ir', 2, 0.5), measured('sema', 1, 0.75), measured('sema', 2, 0.75)]);

  it('has the table with the labels of the paper, the best in bold, stars, intervals, and what is missing', () => {
    const page = experimentReport(experiment(), results, { facts, plotFile: 'plot.svg' });
    expect(page).toMatch(/\| L_IR \| 0\.500 \[0\.\d+, 0\.\d+\] \|/);
    expect(page).toMatch(/\| \+ semaCL \| \*\*0\.750\*\*\* \[/);
    expect(page).toContain('| untrained | not run |');
    expect(page).toMatch(/\| semaCL helps \| \+0\.250 \| \+0\.\d+ to \+0\.\d+ \| holds \|/);
    expect(page).toContain('![Does <semaCL> help?](plot.svg)');
  });

  it('has a plot that is well-formed, escaped, and holds a point for each row with a place', () => {
    const plot = experimentPlot(experiment(), results) ?? '';
    expect(plot.match(/<circle/g)).toHaveLength(2);
    expect(plot).toContain('Does &lt;semaCL&gt; help?');
    expect(plot).not.toContain('NaN');
    expect((plot.match(/<svg/g) ?? []).length + (plot.match(/<\/svg>/g) ?? []).length).toBe(2);
    expect(experimentPlot({ ...experiment(), plot: undefined }, results)).toBeNull();
  });
});
