/** How is an experiment run? Model by model: train, measure, keep the numbers; what was measured before is not measured again. */
import { mkdir, rm } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeFileAtomic, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { CancellationError, InputError } from '../../core/base/errors.ts';
import type { ExperimentRow } from '../../core/evaluation/experiments/experiment-file.ts';
import { experimentPlot } from '../../core/evaluation/experiments/plot.ts';
import { experimentReport, type ExperimentRunFacts } from '../../core/evaluation/experiments/report.ts';
import { summarise, type ExperimentResults } from '../../core/evaluation/experiments/results.ts';
import { tasksOfRow } from '../../core/evaluation/experiments/rows.ts';
import { ratioOf } from '../../core/metrics/ratio-differences.ts';
import { expectNeeds } from './needs.ts';
import { rowNamed, type System, type SystemContext } from './system.ts';
import { openSystem } from './systems/systems.ts';
import { measureTask } from './tasks/measure-task.ts';
import { choiceOf, ensureModel, modelPath, type ModelOptions } from './train-models.ts';
import { keyOfUnit, rootBefore, unitsOf, type Unit } from './units.ts';

export type RunExperimentOptions = ModelOptions & {
  /** Only these rows; the reports show what was measured so far. */
  readonly only: string | null;
  readonly keepModels: boolean;
};

const measurementSchema = z.object({ row: z.string(), seed: z.number(), task: z.string(), metric: z.string(), value: z.number(), items: z.array(z.number()), weights: z.array(z.number()).optional() });
const recordSchema = z.object({ key: z.string(), minutes: z.number(), cpuMinutes: z.number(), measurements: z.array(measurementSchema), notes: z.array(z.string()), choices: z.record(z.string(), z.string()) });
type UnitRecord = z.infer<typeof recordSchema>;

const MS_PER_MINUTE = 60_000;
const MICROSECONDS_PER_MINUTE = 60_000_000;

/**
 * Runs what was not measured yet and writes results.json, report.md and plot.svg (if the experiment has one) into `outputFolder`.
 * @throws InputError for data or weights that are not there (with where they are to be had), a recipe that a row makes invalid, or `only`
 *   naming no row; CancellationError; what training and evaluation throw.
 */
export async function runExperiment(options: RunExperimentOptions): Promise<ExperimentResults> {
  const { experiment, outputFolder, only, signal, say } = options;
  const runnable = experiment.rows.filter(({ kind }) => kind !== 'reported').map(({ name }) => name);
  if (only !== null && !runnable.includes(only)) throw new InputError('experiment.no-row', `--only: expected one of ${runnable.join(', ')}, found "${only}".`);
  const units = unitsOf(experiment);
  const wanted = units.filter(({ rows }) => only === null || rows.some(({ name }) => name === only));
  await expectNeeds(experiment);
  await mkdir(join(outputFolder, 'runs'), { recursive: true });
  for (const [i, unit] of units.entries()) {
    if (signal.aborted) throw new CancellationError(undefined, { cause: signal.reason });
    if (!wanted.includes(unit) || (await recordOf(options, unit)) !== null) continue;
    say(`${i + 1} of ${units.length}: ${unit.rows.map(({ name }) => name).join(', ')}, seed ${unit.seed}`);
    await measureUnit(options, unit);
    if (!options.keepModels) await removeModels(options, wanted);
  }
  return writeResults(options, units);
}

async function measureUnit(options: RunExperimentOptions, unit: Unit): Promise<void> {
  const { experiment, threads, signal } = options;
  const started = { wall: performance.now(), cpu: process.cpuUsage() };
  const known = new Map<string, Promise<System>>();
  const context: SystemContext = {
    experiment,
    seed: unit.seed,
    threads,
    device: options.device,
    signal,
    say: options.say,
    workFolder: `${unitPath(options, unit)}.work`,
    modelFolderOf: (name) => {
      const row = rowNamed(experiment, name);
      if (row.kind !== 'recipe') throw new RangeError(`Row "${name}" trains no model.`);
      return ensureModel(options, row, unit.seed);
    },
    systemOf: (name) => systemOf(rowNamed(experiment, name)),
  };
  const systemOf = (row: ExperimentRow): Promise<System> => {
    const found = known.get(row.name) ?? openSystem(row, context);
    known.set(row.name, found);
    return found;
  };
  const measurements: UnitRecord['measurements'] = [];
  const notes: string[] = [];
  const choices: Record<string, string> = {};
  for (const row of unit.rows) {
    const system = await systemOf(row);
    for (const task of experiment.tasks) {
      if (!tasksOfRow[row.kind].includes(task.kind)) continue;
      signal.throwIfAborted();
      const { values, note } = await measureTask(task, system, { threads, signal });
      for (const [metric, { items, weights }] of values) measurements.push({ row: row.name, seed: unit.seed, task: task.name, metric, value: ratioOf({ numerators: items, denominators: weights }), items: [...items], ...(weights === undefined ? {} : { weights: [...weights] }) });
      if (note !== undefined) notes.push(`${row.label ?? row.name}, ${task.label ?? task.name}, seed ${unit.seed}: ${note}`);
    }
    const chosen = [...(system.choices?.() ?? []), ...(row.kind === 'recipe' ? [await choiceOf(options, row)].filter((one) => one !== null) : [])];
    if (chosen.length > 0) choices[row.name] = chosen.join('; ');
  }
  const cpu = process.cpuUsage(started.cpu);
  await writeJsonAtomic(recordPath(options, unit), { key: keyOfUnit(experiment, unit), minutes: (performance.now() - started.wall) / MS_PER_MINUTE, cpuMinutes: (cpu.user + cpu.system) / MICROSECONDS_PER_MINUTE, measurements, notes, choices } satisfies UnitRecord);
}

/** Models of which nothing that is wanted still needs anything. */
async function removeModels(options: RunExperimentOptions, wanted: readonly Unit[]): Promise<void> {
  const { experiment } = options;
  const needed = new Set<string>();
  for (const unit of wanted) {
    if ((await recordOf(options, unit)) !== null) continue;
    for (let root: ExperimentRow | null = unit.root; root !== null; root = rootBefore(experiment, root)) needed.add(`${root.name} ${unit.seed}`);
  }
  for (const unit of wanted) {
    await rm(`${unitPath(options, unit)}.work`, { recursive: true, force: true });
    if (needed.has(`${unit.root.name} ${unit.seed}`)) continue;
    const folder = modelPath(options, unit.root.name, unit.seed);
    await rm(folder, { recursive: true, force: true });
    await rm(`${folder}.key.json`, { force: true });
  }
}

/** The measurements of a unit, if they were made with the same settings. */
async function recordOf(options: RunExperimentOptions, unit: Unit): Promise<UnitRecord | null> {
  const found = recordSchema.safeParse(await readJson(recordPath(options, unit)).catch(() => null)); // missing or damaged: measured again
  return found.success && found.data.key === keyOfUnit(options.experiment, unit) ? found.data : null;
}

async function writeResults(options: RunExperimentOptions, units: readonly Unit[]): Promise<ExperimentResults> {
  const { experiment, outputFolder, threads } = options;
  const records: { readonly unit: Unit; readonly record: UnitRecord }[] = [];
  for (const unit of units) {
    const record = await recordOf(options, unit);
    if (record !== null) records.push({ unit, record });
  }
  const measurements = records.flatMap(({ record }) => record.measurements);
  const results = summarise(experiment, measurements);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const facts: ExperimentRunFacts = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    threads,
    minutes: sum(records.map(({ record }) => record.minutes)),
    cpuMinutes: sum(records.map(({ record }) => record.cpuMinutes)),
    rows: [...new Set(units.map(({ root }) => root.name))].map((row) => {
      const own = records.filter(({ unit }) => unit.root.name === row).map(({ record }) => record.cpuMinutes);
      return { row, cpuMinutes: own.length === 0 ? null : sum(own) / own.length };
    }),
    choices: Object.assign({}, ...records.map(({ record }) => record.choices)) as Readonly<Record<string, string>>, // records of one shape, checked when they were read
    notes: records.flatMap(({ record }) => record.notes),
  };
  const plot = experimentPlot(experiment, results);
  const { name, title, source, scale, seeds } = experiment;
  await writeJsonAtomic(join(outputFolder, 'results.json'), { experiment: name, title, source, scale, seeds, ...results, facts, measurements: measurements.map(({ row, seed, task, metric, value }) => ({ row, seed, task, metric, value })) });
  if (plot !== null) await writeFileAtomic(join(outputFolder, 'plot.svg'), Buffer.from(plot));
  await writeFileAtomic(join(outputFolder, 'report.md'), Buffer.from(experimentReport(experiment, results, { facts, plotFile: plot === null ? null : 'plot.svg' })));
  return results;
}

function unitPath({ outputFolder }: RunExperimentOptions, { root, seed }: Unit): string {
  return join(outputFolder, 'runs', `${root.name}.${seed}`);
}

function recordPath(options: RunExperimentOptions, unit: Unit): string {
  return `${unitPath(options, unit)}.json`;
}
