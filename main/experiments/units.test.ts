/** Are measurements grouped by their model and seed, models before what begins from them, and known again by what they depend on? */
import { describe, expect, it } from 'vitest';
import { parseExperiment, type Experiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { keyOfUnit, unitsOf } from './units.ts';

const rows = [
  { name: 'bm25', kind: 'bm25' },
  { name: 'printed', kind: 'reported', values: { es: 0.5 } },
  { name: 'tuned', kind: 'recipe', startFrom: 'pretrained', train: { losses: { semantic: { weight: 1 } } } },
  { name: 'shifted', kind: 'calibrated', of: 'tuned', steps: { shift: true }, texts: { es: ['a'] } },
  { name: 'hybrid', kind: 'search', of: 'tuned', method: 'hybrid' },
  { name: 'pretrained', kind: 'recipe', train: {} },
  { name: 'before', kind: 'untrained', of: 'pretrained' },
];
const experiment = (over: object = {}): Experiment =>
  parseExperiment({ name: 'units', title: '', source: '', about: '', scale: 'small', rows, seeds: [1, 2], tasks: [{ name: 'es', kind: 'retrieval', data: 'es', queryLanguage: 'es', documentLanguage: 'es' }], ...over }, { file: '/x/units.json', dataFolder: null });

describe('unitsOf', () => {
  it('has one unit a model and seed, in an order in which models are there before what begins from them; what chance has no part in comes once', () => {
    expect(unitsOf(experiment()).map(({ root, rows: own, seed }) => `${root.name} ${seed}: ${own.map(({ name }) => name).join(' ')}`)).toEqual([
      'bm25 1: bm25',
      'pretrained 1: pretrained before',
      'tuned 1: tuned shifted hybrid',
      'pretrained 2: pretrained before',
      'tuned 2: tuned shifted hybrid',
    ]);
  });

  it('refuses rows that use each other in a circle, or a model that is none', () => {
    const circle = [{ name: 'a', kind: 'recipe', train: {}, startFrom: 'b' }, { name: 'b', kind: 'recipe', train: {}, startFrom: 'a' }];
    expect(() => experiment({ rows: circle })).toThrow(/circle/);
    expect(() => experiment({ rows: [{ name: 'words', kind: 'bm25' }, { name: 'x', kind: 'search', of: 'words' }] })).toThrow(/there is none/);
    expect(() => experiment({ rows: [{ name: 'p', kind: 'phrases', settings: {} }] })).toThrow(/either "of" or "backbone"[^]*tasks of kind phrases/);
  });
});

describe('keyOfUnit', () => {
  const keyOf = (one: Experiment, name: string): string => {
    const unit = unitsOf(one).find(({ root, seed }) => root.name === name && seed === 1);
    return unit === undefined ? '' : keyOfUnit(one, unit);
  };
  const changed = (name: string, change: object): Experiment => experiment({ rows: rows.map((row) => (row.name === name ? { ...row, ...change } : row)) });

  it('changes with the recipe, with that of the model it begins from, and with the tasks', () => {
    const key = keyOf(experiment(), 'tuned');
    expect(keyOf(changed('tuned', { train: { seedling: 1 } }), 'tuned')).not.toBe(key);
    expect(keyOf(changed('pretrained', { train: { budget: { steps: 3 } } }), 'tuned')).not.toBe(key);
    expect(keyOf(experiment({ tasks: [{ name: 'es', kind: 'retrieval', data: 'other', queryLanguage: 'es', documentLanguage: 'es' }] }), 'tuned')).not.toBe(key);
  });

  it('does not change with what a row is called, or where it stands in a plot', () => {
    expect(keyOf(changed('tuned', { label: 'Tuned', group: 'G', x: 3, series: 's' }), 'tuned')).toBe(keyOf(experiment(), 'tuned'));
    expect(keyOf(changed('bm25', { k1: 2 }), 'tuned')).toBe(keyOf(experiment(), 'tuned'));
  });
});
