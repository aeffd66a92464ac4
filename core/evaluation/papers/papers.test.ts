/** Can every shipped experiment be read, and every row of it be a recipe? */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseExperiment, recipeOf } from '../experiments/experiment-file.ts';

const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));

describe('the experiments of the papers', () => {
  it('are there', () => {
    expect(names.length).toBeGreaterThan(2);
  });

  it.each(names)('%s reads, is named after its file and compares rows that differ', (name) => {
    const file = join(import.meta.dirname, name);
    const experiment = parseExperiment(JSON.parse(readFileSync(file, 'utf8')), { file, dataFolder: '/data' });
    expect(`${experiment.name}.json`).toBe(name);
    expect(experiment.name.endsWith(`.${experiment.scale}`)).toBe(true);
    const recipes = experiment.rows.filter((row) => row.kind === 'recipe').map((row) => JSON.stringify([row.startFrom, row.variants, recipeOf(experiment, { row, seed: 1 })]));
    expect(new Set(recipes).size).toBe(recipes.length);
  });
});
