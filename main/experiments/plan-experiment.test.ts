/** Does a plan say what every shipped experiment takes, without its data, and more of what is more? */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseExperiment, type Experiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { stepOperations } from '../../core/training/backbone-inspection/step-cost.ts';
import { knownShape } from './known-backbones.ts';
import { expectNeeds } from './needs.ts';
import { planExperiment } from './plan-experiment.ts';
import { planText } from './plan-text.ts';

const papers = join(import.meta.dirname, '../../core/evaluation/papers');
const files = readdirSync(papers).filter((name) => name.endsWith('.json'));
const opened = (name: string): Experiment => parseExperiment(JSON.parse(readFileSync(join(papers, name), 'utf8')), { file: join(papers, name), dataFolder: join(papers, 'nothing-here') });
const operationsPerSecond = 1e11;

describe('planExperiment', () => {
  it.each(files)('%s: memory and time of every row that trains, and what has to be brought', async (name) => {
    const plan = await planExperiment(opened(name), { operationsPerSecond });
    expect(plan.rows.length).toBeGreaterThan(0);
    for (const row of plan.rows.filter(({ trainings }) => trainings > 0)) {
      expect(row.memoryBytes, row.row).toBeGreaterThan(2 ** 28);
      expect(row.hours, row.row).toBeGreaterThan(0);
      expect(row.parameters, row.row).toBeGreaterThan(0);
    }
    expect(plan.missing.length + plan.missingFiles.length).toBeGreaterThan(0); // there is no data in that folder
    expect(planText(plan)).toContain('To be brought:');
    expect(planText(plan)).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('XLM-R base with an encoder of its own for questions: 277 M parameters, about 10 GB, a day or so on a graphics card', async () => {
    const plan = await planExperiment(opened('hu-table-2.full.json'), { operationsPerSecond });
    const sema = plan.rows.find(({ row }) => row === 'sema');
    const ir = plan.rows.find(({ row }) => row === 'ir');
    expect((sema?.parameters ?? 0) / 1e6).toBeCloseTo(277.5, 0); // 278 M with the pooler, which is not trained
    expect(sema?.memoryBytes).toBeGreaterThan(8 * 2 ** 30);
    expect(sema?.memoryBytes).toBeLessThan(16 * 2 ** 30);
    expect(sema?.trainingOperations).toBeGreaterThan(ir?.trainingOperations ?? Infinity);
    expect(plan.missing.map(({ what }) => what.split(' ')[0])).toEqual(['XLM-R', 'Natural', 'WikiMatrix', 'Mr.']);
    expect(plan.missing.every(({ from }) => from.startsWith('https://'))).toBe(true);
  });

  it('a step of context prediction counts its small batches and one batch of hidden tokens: 64 x 2 x 32 and 2,048 sentences of 36 tokens', async () => {
    const experiment = opened('ccp-table-1.full.json');
    const row = (await planExperiment(experiment, { operationsPerSecond })).rows.find(({ trainings }) => trainings > 0);
    const shape = knownShape('xlm-r-large');
    const step = stepOperations(shape, { texts: 64 * 2 * 32 + 2048, tokens: 36 });
    expect((row?.trainingOperations ?? 0) / (row?.steps ?? Number.NaN) / step).toBeCloseTo(experiment.seeds.length, 6);
    const batches = (await planExperiment(opened('ccp-table-6.full.json'), { operationsPerSecond })).rows;
    const of = (name: string): number => batches.find(({ row: named }) => named === name)?.trainingOperations ?? Number.NaN;
    expect((of('w5.b64') - of('w5.b32')) / (of('w5.b16') - of('w5.b8'))).toBeCloseTo(4, 6);
  });

  it('an experiment whose data is not there names all of it, and starts nothing', async () => {
    await expect(expectNeeds(opened('hu-table-6.full.json'))).rejects.toThrow(/XLM-R base[^]*LaBSE[^]*BUCC 2018[^]*Nothing was started/);
  });
});
