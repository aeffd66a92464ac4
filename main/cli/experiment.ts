/** `isogloss experiment`: rows that differ in named settings, over seeds and tasks, to a page with tables, intervals and claims. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readExperiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { measureProductRate } from '../../core/training/backbone-inspection/measure-speed.ts';
import { planExperiment } from '../experiments/plan-experiment.ts';
import { planText } from '../experiments/plan-text.ts';
import { runExperiment } from '../experiments/run-experiment.ts';
import { choice, optional, required, wholeNumber, type Command } from './command.ts';
import { starterFolder } from './places.ts';
import { sayEvents } from './train.ts';

const MOST_THREADS = 256;
const MOST_SEEDS = 1000;
const DIGITS = 3;

export const experimentCommand: Command = {
  summary: 'Runs an experiment file: trains its rows, measures them, writes results.json, report.md and plot.svg. --plan says what it would take.',
  usage: '--file FILE --out DIR [--data DIR] [--only ROW] [--seeds N] [--threads N] [--device cpu|webgpu|auto] [--keep-models] [--json]\n       --file FILE --plan [--data DIR] [--threads N] [--json]',
  options: { plan: { type: 'boolean' }, file: { type: 'string' }, out: { type: 'string' }, data: { type: 'string' }, only: { type: 'string' }, seeds: { type: 'string' }, threads: { type: 'string' }, device: { type: 'string' }, 'keep-models': { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const file = resolve(required(values, 'file', 'an experiment file (JSON)'));
    const data = optional(values, 'data');
    const whole = await readExperiment(file, data === null ? null : resolve(data));
    const experiment = { ...whole, seeds: whole.seeds.slice(0, wholeNumber(values, 'seeds', { least: 1, most: MOST_SEEDS }) ?? MOST_SEEDS) };
    const threads = wholeNumber(values, 'threads', { least: 1, most: MOST_THREADS }) ?? availableParallelism();
    if (values['plan'] === true) {
      const plan = await planExperiment(experiment, { operationsPerSecond: await measureProductRate({ threads }) });
      return { json: plan, text: planText(plan) };
    }
    const outputFolder = resolve(required(values, 'out', 'the folder for the results'));
    const lines = sayEvents(say);
    const results = await runExperiment({
      experiment,
      outputFolder,
      starterFolder,
      only: optional(values, 'only'),
      threads,
      device: choice(values, 'device', ['cpu', 'webgpu', 'auto']),
      keepModels: values['keep-models'] === true,
      signal,
      say,
      reportTraining: lines.report,
    }).finally(lines.end);
    const rows = results.cells.map(({ row, task, mean, interval }) => `${row}  ${task}  ${mean.toFixed(DIGITS)} [${interval.low.toFixed(DIGITS)}, ${interval.high.toFixed(DIGITS)}]`);
    const claims = results.claims.map(({ text, difference, verdict }) => `${verdict}: ${text} (${difference.toFixed(DIGITS)})`);
    return { json: { experiment: experiment.name, ...results }, text: [...rows, ...claims, `Report: ${resolve(outputFolder, 'report.md')}`].join('\n') };
  },
};
