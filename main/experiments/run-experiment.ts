/** How is an experiment run? Model by model: train, measure, keep the numbers; what was measured before is not measured again. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeFileAtomic, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { CancellationError, InputError } from '../../core/base/errors.ts';
import { sha256 } from '../../core/base/hashing.ts';
import { modelRowOf, recipeOf, type Experiment, type ExperimentRow } from '../../core/evaluation/experiments/experiment-file.ts';
import { experimentPlot } from '../../core/evaluation/experiments/plot.ts';
import { experimentReport } from '../../core/evaluation/experiments/report.ts';
import { summarise, type ExperimentResults, type Measurement } from '../../core/evaluation/experiments/results.ts';
import type { TrainingEvent } from '../../core/training/events.ts';
import { parseRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';
import { measureRow } from './measure-row.ts';

export type RunExperimentOptions = {
  readonly experiment: Experiment;
  readonly outputFolder: string;
  readonly starterFolder: string;
  /** Only these rows; the reports show what was measured so far. */
  readonly only: string | null;
  readonly threads: number;
  readonly device: 'cpu' | 'webgpu' | 'auto';
  readonly keepModels: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly reportTraining: (event: TrainingEvent) => void;
};

const measurementSchema = z.object({ row: z.string(), seed: z.number(), task: z.string(), value: z.number(), items: z.array(z.number()) });
const recordSchema = z.object({ key: z.string(), minutes: z.number(), measurements: z.array(measurementSchema) });

/** The rows that use one model (or none), and the seed. */
type Unit = { readonly owner: ExperimentRow | null; readonly rows: readonly ExperimentRow[]; readonly seed: number };

/**
 * Runs what was not measured yet and writes results.json, report.md and plot.svg (if the experiment has one) into `outputFolder`.
 * @throws InputError for a recipe that a row makes invalid, or `only` naming no row; CancellationError; what training and evaluation throw.
 */
export async function runExperiment(options: RunExperimentOptions): Promise<ExperimentResults> {
  const { experiment, outputFolder, only, signal, say } = options;
  if (only !== null && !experiment.rows.some(({ name }) => name === only)) throw new InputError('experiment.no-row', `--only: expected one of ${experiment.rows.map(({ name }) => name).join(', ')}, found "${only}".`);
  await mkdir(join(outputFolder, 'runs'), { recursive: true });
  const units = unitsOf(experiment);
  for (const [i, unit] of units.entries()) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: signal.reason });
    if (only !== null && !unit.rows.some(({ name }) => name === only)) continue;
    if ((await recordOf(options, unit)) !== null) continue;
    say(`${i + 1} of ${units.length}: ${unit.rows.map(({ name }) => name).join(', ')}, seed ${unit.seed}`);
    await measureUnit(options, unit);
    await writeResults(options, units);
  }
  return writeResults(options, units);
}

/** Model rows once a seed, with the rows that use their model; rows without a model once. */
function unitsOf(experiment: Experiment): readonly Unit[] {
  const { rows, seeds } = experiment;
  const [firstSeed = 0] = seeds;
  const without = rows.filter((row) => modelRowOf(experiment, row) === null);
  const owners = rows.filter(({ train }) => train !== undefined);
  return [
    ...(without.length === 0 ? [] : [{ owner: null, rows: without, seed: firstSeed }]),
    ...owners.flatMap((owner) => seeds.map((seed) => ({ owner, rows: rows.filter((row) => modelRowOf(experiment, row)?.name === owner.name), seed }))),
  ];
}

async function measureUnit(options: RunExperimentOptions, unit: Unit): Promise<void> {
  const { experiment, starterFolder, threads, device, keepModels, signal } = options;
  const started = performance.now();
  const modelFolder = unit.owner === null ? null : `${unitPath(options, unit)}.model`;
  if (modelFolder !== null && unit.owner !== null) {
    const recipeText = JSON.stringify(recipeOf(experiment, { row: unit.owner, seed: unit.seed }), null, 2);
    const recipePath = `${unitPath(options, unit)}.recipe.json`;
    await writeFile(recipePath, recipeText);
    const recipe = await parseRecipe({ text: recipeText, recipePath, folder: options.outputFolder });
    await runTraining({ recipe, outputFolder: modelFolder, starterFolder, threads, device, resume: true, signal, report: options.reportTraining });
  }
  const measurements: Measurement[] = [];
  for (const row of unit.rows) measurements.push(...(await measureRow({ experiment, row, seed: unit.seed, modelFolder, signal })));
  await writeJsonAtomic(recordPath(options, unit), { key: keyOf(options, unit), minutes: (performance.now() - started) / 60_000, measurements });
  if (modelFolder !== null && !keepModels) await rm(modelFolder, { recursive: true, force: true });
}

/** The measurements of a unit, if they were made with the same settings. */
async function recordOf(options: RunExperimentOptions, unit: Unit): Promise<z.infer<typeof recordSchema> | null> {
  const found = recordSchema.safeParse(await readJson(recordPath(options, unit)).catch(() => null)); // missing or damaged: measured again
  return found.success && found.data.key === keyOf(options, unit) ? found.data : null;
}

async function writeResults(options: RunExperimentOptions, units: readonly Unit[]): Promise<ExperimentResults> {
  const { experiment, outputFolder } = options;
  const measurements: Measurement[] = [];
  let minutes = 0;
  for (const unit of units) {
    const record = await recordOf(options, unit);
    measurements.push(...(record?.measurements ?? []));
    minutes += record?.minutes ?? 0;
  }
  const results = summarise(experiment, measurements);
  const facts = { node: process.version, platform: `${process.platform} ${process.arch}`, cpu: `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}`, minutes };
  const plot = experimentPlot(experiment, results);
  const { name, source, scale, seeds } = experiment;
  await writeJsonAtomic(join(outputFolder, 'results.json'), { experiment: name, source, scale, seeds, ...results, facts, measurements: measurements.map(({ row, seed, task, value }) => ({ row, seed, task, value })) });
  if (plot !== null) await writeFileAtomic(join(outputFolder, 'plot.svg'), Buffer.from(plot));
  await writeFileAtomic(join(outputFolder, 'report.md'), Buffer.from(experimentReport(experiment, results, { facts, plotFile: plot === null ? null : 'plot.svg' })));
  return results;
}

function unitPath({ outputFolder }: RunExperimentOptions, { owner, seed }: Unit): string {
  return join(outputFolder, 'runs', owner === null ? 'without-model' : `${owner.name}.${seed}`);
}

function recordPath(options: RunExperimentOptions, unit: Unit): string {
  return `${unitPath(options, unit)}.json`;
}

/** What the measurements depend on, as far as the experiment says it. */
function keyOf({ experiment }: RunExperimentOptions, { owner, rows, seed }: Unit): string {
  const recipe = owner === null ? null : recipeOf(experiment, { row: owner, seed });
  return sha256(JSON.stringify({ recipe, seed, tasks: experiment.tasks, rows: rows.map(({ name, method }) => ({ name, method })) }));
}
