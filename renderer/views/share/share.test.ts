// @vitest-environment happy-dom
/** Do the views of sharing, of experiments and of comparing say what is there, and ask for what was chosen? */
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { DataSheet, ExperimentTable, MapPair, Run, RunComparison, SharePlan, TrainingEvent } from '../../../main/contract/index.ts';
import ExperimentChart from '../../charts/ExperimentChart.vue';
import SentenceMap from '../../charts/SentenceMap.vue';
import DataSheetPanel from '../../components/DataSheetPanel.vue';
import RunComparisonPanel from '../../components/RunComparisonPanel.vue';
import RunHistory from '../../components/RunHistory.vue';
import ResultsTable from '../experiments/ResultsTable.vue';
import LayoutCard from './LayoutCard.vue';
import PortableCard from './PortableCard.vue';

const sheet: DataSheet = {
  format: 'isogloss-data-sheet', version: 1, name: 'Ziwa', madeAt: 0, madeBy: 'Isogloss 0.1.0', pivot: 'en',
  languages: [{ tag: 'en', name: 'English', pairs: 0, sentences: 0 }, { tag: 'sw', name: 'Swahili', pairs: 400, sentences: 10 }],
  model: { modelId: 'm', trainedAt: 0, languages: ['en', 'sw'], steps: 120, minutes: 1, parameters: 1000, sizeBytes: 2_000_000, kind: 'static', width: 512, pieces: 17_000, seed: 1, device: 'cpu' },
  recipe: {}, usesStarter: true,
  corpora: [{ name: 'bible.tsv', role: 'pairs', languages: ['en', 'sw'], records: 1512, source: null, licence: 'CC BY-NC 4.0', consent: 'given', access: 'registered' }, { name: 'stories.txt', role: 'texts', languages: ['sw'], records: null, source: null, licence: null, consent: null, access: null }],
  terms: { licence: 'unknown', consent: 'unknown', access: 'closed', because: { licence: ['stories.txt'], consent: ['stories.txt'], access: ['stories.txt'] }, sources: [], sentence: '' },
  measured: null, contents: { texts: true, index: { documents: 60, chunks: 300 } },
};
const plan: Extract<SharePlan, { status: 'ready' }> = { status: 'ready', sheet, modelBytes: 18_000_000, indexBytes: 5_000_000, heldBackTexts: 48, proposesTexts: false, formats: ['safetensors', 'onnx'], isCalibrated: false, licence: null, fileName: 'ziwa.isogloss', folder: '/media/me' };

describe('the card of the portable file', () => {
  it('leaves closed texts and the index out until they are asked for, and names the size', async () => {
    const card = mount(PortableCard, { props: { plan, folder: '/stick', disabled: false } });
    await card.find('form').trigger('submit');
    await card.findAll('input[type=checkbox]')[1]?.setValue(true);
    await card.findAll('input[type=checkbox]')[2]?.setValue(true);
    expect(card.text()).toContain('It holds the text of 60 documents.');
    await card.find('form').trigger('submit');
    expect(card.emitted('write')).toEqual([
      [{ kind: 'portable', folder: '/stick', fileName: 'ziwa.isogloss', withIndex: false, withTexts: false }],
      [{ kind: 'portable', folder: '/stick', fileName: 'ziwa.isogloss', withIndex: true, withTexts: true }],
    ]);
    await card.find('input[type=text]').setValue('a/b');
    expect(card.find('button[type=submit]').attributes('disabled')).toBeDefined();
  });
});

describe('the card of other layouts', () => {
  it('asks for the licence that nobody said, or for a promise', async () => {
    const card = mount(LayoutCard, { props: { plan, folder: '/stick', disabled: false } });
    expect(card.find('button').attributes('disabled')).toBeDefined();
    await card.findAll('input[type=checkbox]').at(-1)?.setValue(true);
    await card.find('form').trigger('submit');
    await card.findAll('input[type=text]')[0]?.setValue('mit');
    await card.find('form').trigger('submit');
    expect(card.emitted('write')?.map(([wish]) => wish)).toEqual([
      { kind: 'layout', folder: '/stick', fileName: 'ziwa', formats: ['safetensors', 'onnx'], licence: null, allowsUnknownLicence: true },
      { kind: 'layout', folder: '/stick', fileName: 'ziwa', formats: ['safetensors', 'onnx'], licence: 'mit', allowsUnknownLicence: true },
    ]);
  });
});

describe('the data sheet', () => {
  it('names every text with its amount and licence, and says what is not known', () => {
    const rows = mount(DataSheetPanel, { props: { sheet } }).findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()));
    expect(rows.map((row) => [row[0], row[3], row[4]])).toEqual([['bible.tsv', '1,512', 'CC BY-NC 4.0'], ['stories.txt', 'not recorded', 'not said']]);
  });
});

describe('the table of an experiment', () => {
  const table: ExperimentTable = { metric: 'F1', columns: ['es-en', 'average'], rows: [
    { name: 'base', group: null, isReference: true, cells: [{ kind: 'measured', mean: 0.5, interval: { low: 0.4, high: 0.6 }, deviation: null, seeds: 1, isBest: false, differs: false }, { kind: 'none' }] },
    { name: 'ours', group: 'new', isReference: false, cells: [{ kind: 'measured', mean: 0.75, interval: { low: 0.7, high: 0.8 }, deviation: null, seeds: 1, isBest: true, differs: true }, { kind: 'impossible' }] },
    { name: 'paper', group: 'new', isReference: false, cells: [{ kind: 'reported', value: 0.9 }, { kind: 'none' }] },
  ] };

  it('has bold, star, slant, groups and words for what is not there', () => {
    const drawn = mount(ResultsTable, { props: { table, percent: true } });
    expect(drawn.find('strong').text()).toBe('75.0');
    expect(drawn.findAll('abbr')).toHaveLength(1);
    expect(drawn.find('em').text()).toBe('90.0');
    expect(drawn.findAll('[scope=colgroup]').map((one) => one.text())).toEqual(['new']);
    expect(drawn.text()).toContain('[40.0, 60.0]');
    expect(drawn.text()).toContain('not run');
  });

  it('goes with a plot whose numbers stand in a table too', () => {
    const plot = mount(ExperimentChart, { props: { title: 'Sizes', percent: false, plot: { x: 'pairs', y: 'F1', isLogarithmic: true, series: [{ name: 'ours', points: [{ x: 1000, mean: 0.5, interval: { low: 0.4, high: 0.6 } }, { x: 4000, mean: 0.7, interval: { low: 0.6, high: 0.8 } }] }], lines: [{ name: 'base', mean: 0.45 }] } } });
    expect(plot.find('svg').attributes('aria-hidden')).toBe('true');
    expect(plot.findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()))).toEqual([['ours', '1,000', '0.500', '[0.400, 0.600]'], ['ours', '4,000', '0.700', '[0.600, 0.800]']]);
    expect(plot.findAll('.plot-interval')).toHaveLength(2);
  });
});

describe('the history of trainings', () => {
  const run = (id: string, changes: Partial<Run> = {}): Run => ({ id, at: 1_700_000_000_000, preset: 'quick', steps: 120, minutes: 1, keptEarly: false, languages: ['sw'], isPresent: false, hasModel: true, foundFirst: 0.5, isComparable: true, ...changes });

  it('proposes the two newest, and compares those that are chosen', async () => {
    const history = mount(RunHistory, { props: { runs: [run('c', { isPresent: true }), run('b'), run('a', { hasModel: false, isComparable: false })], working: false } });
    expect(history.text()).toContain('model deleted');
    await history.find('button').trigger('click');
    expect(history.emitted('compare')).toEqual([['b', 'c']]);
    await history.findAll('input[name=run-older]')[2]?.setValue(true);
    expect(history.find('button').attributes('disabled')).toBeDefined();
    expect(history.text()).toContain('Train once more to compare');
  });

  it('says in words what differs, and what may be chance', () => {
    const comparison: RunComparison = {
      a: run('a'), b: run('b'), settings: [{ path: 'seed', a: '1', b: '2' }], corpora: [{ name: 'a.tsv', a: 400, b: null }],
      rows: [{ question: 'to-english', language: 'sw', shared: 40, alone: { a: 2, b: 0 }, documents: { a: 42, b: 40 }, first: { a: 0.5, b: 0.75 }, difference: 0.2, interval: { low: 0.1, high: 0.3 }, pValue: 0.001, corrected: 0.001, better: 12, worse: 2, equal: 26, verdict: 'better' }],
      better: [{ question: 'to-english', language: 'sw', queryLanguage: 'sw', text: 'Maji hutoka wapi?', rankA: null, rankB: 1 }], worse: [],
    };
    const text = mount(RunComparisonPanel, { props: { comparison } }).text();
    for (const part of ['better', 'Found first 50 times in 100, now 75. 12 questions better, 2 worse, 26 as before.', 'Only questions that both were asked are compared (40); 2 and 0', 'among 42 and 40 texts', 'from not found to place 1', 'not there', 'None.']) expect(text).toContain(part);
  });
});

describe('the map of sentences', () => {
  const pair = (x: number, sourceLanguage = 'sw'): MapPair => ({ source: `s${String(x)}`, target: `t${String(x)}`, sourceLanguage, targetLanguage: 'en', from: [x, 0], to: [-x, 0] });
  const map = (step: number, nearness: number, pairs: readonly MapPair[]): Extract<TrainingEvent, { kind: 'map' }> => ({ kind: 'map', step, share: 0.4, nearness, pairs });

  it('says how near translations lie, now and at first, and gives each pair a row', async () => {
    const drawn = mount(SentenceMap, { props: { first: map(0, 1, [pair(1), pair(2, 'th')]), now: map(9, 0.4, [pair(0.5), pair(0.2, 'th')]) } });
    expect(drawn.text()).toContain('lie 40 % as far apart as any two sentences (at the beginning: 100 %)');
    expect(drawn.findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()))).toEqual([['s0.5', 't0.5', '2.00', '1.00'], ['s0.2', 't0.2', '4.00', '0.40']]);
    await drawn.find('select').setValue('th');
    expect(drawn.findAll('circle.map-mark')).toHaveLength(1);
    await drawn.find('button').trigger('click');
    expect(drawn.find('circle.map-mark title').text()).toBe('s2');
  });
});
