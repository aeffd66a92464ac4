/** What did an experiment find, laid out as in the paper? results.json and the experiment file become tables, a plot and verdicts. */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../core/base/atomic-files.ts';
import type { Experiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { tasksOfRow, type RowOf } from '../../core/evaluation/experiments/rows.ts';
import { furtherMetricsOf, metricOf, type ExperimentTask } from '../../core/evaluation/experiments/tasks.ts';
import type { ExperimentCell, ExperimentPlot, ExperimentResults, ExperimentTable } from '../contract/index.ts';
import { unitsOf } from '../experiments/units.ts';
import { readExperimentAt, type ExperimentPlace } from './experiments.ts';

const SIGNIFICANT = 0.05;

const interval = z.object({ low: z.number(), high: z.number() });
const cell = z.object({ row: z.string(), metric: z.string(), mean: z.number(), deviation: z.number().nullable(), interval, seeds: z.number(), difference: z.object({ value: z.number(), pValue: z.number(), corrected: z.number() }).nullable() });
const resultsSchema = z.object({
  seeds: z.array(z.number()),
  cells: z.array(cell.extend({ task: z.string() })),
  averages: z.array(cell.extend({ average: z.string() })).default([]),
  claims: z.array(z.object({ text: z.string(), difference: z.number(), interval, verdict: z.enum(['holds', 'does not hold', 'undecided']) })),
  facts: z.looseObject({ minutes: z.number().optional(), notes: z.array(z.string()).optional() }).optional(),
  measurements: z.array(z.object({ row: z.string(), seed: z.number() })).default([]),
});
type Found = z.infer<typeof resultsSchema>;
type FoundCell = z.infer<typeof cell>;

/** The results of an experiment; `none` when nothing was measured yet or the file is of an older Isogloss. @throws InputError 'experiment.invalid'. */
export async function readExperimentResults(place: ExperimentPlace): Promise<ExperimentResults> {
  const parsed = resultsSchema.safeParse(await readJson(join(place.outputFolder, 'results.json')).catch(() => null)); // not measured yet
  if (!parsed.success) return { status: 'none' };
  const experiment = await readExperimentAt(place);
  const found = parsed.data;
  const { title, source, about, scale, percent, claims, reference } = experiment;
  const measured = new Set(found.measurements.map(({ row, seed }) => `${row} ${String(seed)}`));
  return {
    status: 'ready',
    title, source, about, scale,
    seeds: found.seeds,
    isPercent: percent,
    tables: tablesOf(experiment, found),
    comparisons: [...found.cells, ...found.averages].filter(({ difference }) => difference !== null).length,
    reference: labelOf(experiment, reference),
    plot: plotOf(experiment, found),
    claims: found.claims,
    openClaims: Math.max(0, claims.length - found.claims.length),
    minutes: found.facts?.minutes ?? null,
    notes: found.facts?.notes ?? [],
    folder: place.outputFolder,
    isComplete: unitsOf(experiment).every(({ root, seed }) => measured.has(`${root.name} ${String(seed)}`)),
  };
}

type Column = { readonly heading: string; readonly tasks: readonly ExperimentTask[]; readonly find: (row: string) => FoundCell | undefined; readonly reported: (row: RowOf<'reported'>) => number | null };

/** One table a metric: tasks that are measured by it, then those that are measured by it further. */
export function tablesOf(experiment: Experiment, found: Found): readonly ExperimentTable[] {
  const metrics = [...new Set([...experiment.tasks.map(metricOf), ...experiment.tasks.flatMap(furtherMetricsOf)])];
  return metrics.map((metric) => {
    const tasks = experiment.tasks.filter((task) => metricOf(task) === metric || furtherMetricsOf(task).includes(metric));
    const columns: readonly Column[] = [
      ...tasks.map((task): Column => ({
        heading: task.label ?? task.name,
        tasks: [task],
        find: (row) => found.cells.find((one) => one.row === row && one.task === task.name && one.metric === metric),
        reported: (row) => (metric === metricOf(task) ? row.values[task.name] : row.also[metric]?.[task.name]) ?? null,
      })),
      ...experiment.averages.flatMap(({ label, tasks: names }): readonly Column[] => {
        const own = tasks.filter(({ name }) => names.includes(name));
        if (own.length < names.length || names.length < 2) return [];
        return [{
          heading: label,
          tasks: own,
          find: (row) => found.averages.find((one) => one.row === row && one.average === label && one.metric === metric),
          reported: (row) => meanOf(own.map((task) => (metric === metricOf(task) ? row.values[task.name] : row.also[metric]?.[task.name]))),
        }];
      }),
    ];
    const best = columns.map(({ find }) => Math.max(...experiment.rows.map((row) => (row.kind === 'reported' ? -Infinity : (find(row.name)?.mean ?? -Infinity)))));
    const rows = experiment.rows.map((row) => ({
      name: row.label ?? row.name,
      group: row.group ?? null,
      isReference: row.name === experiment.reference,
      cells: columns.map((column, i): ExperimentCell => {
        if (row.kind === 'reported') {
          const value = column.reported(row);
          return value === null ? { kind: 'impossible' } : { kind: 'reported', value };
        }
        const own = column.find(row.name);
        if (own === undefined) return { kind: column.tasks.every(({ kind }) => tasksOfRow[row.kind].includes(kind)) ? 'none' : 'impossible' };
        return { kind: 'measured', mean: own.mean, interval: own.interval, deviation: own.deviation, seeds: own.seeds, isBest: own.mean === best[i], differs: own.difference !== null && own.difference.corrected < SIGNIFICANT };
      }),
    })).filter((row, i) => experiment.rows[i]?.kind !== 'reported' || row.cells.some(({ kind }) => kind === 'reported'));
    return { metric, columns: columns.map(({ heading }) => heading), rows };
  });
}

/** The rows that have a place on the axis, averaged over tasks where there are several. */
export function plotOf(experiment: Experiment, found: Found): ExperimentPlot | null {
  const { plot, rows, averages } = experiment;
  if (plot === undefined) return null;
  const overTasks = (row: string): FoundCell | undefined => found.averages.find((one) => one.row === row) ?? (averages.length === 0 ? found.cells.find((one) => one.row === row) : undefined);
  const series = new Map<string, ExperimentPlot['series'][number]['points'][number][]>();
  for (const row of rows) {
    const own = overTasks(row.name);
    if (row.x === undefined || own === undefined) continue;
    series.set(row.series ?? '', [...(series.get(row.series ?? '') ?? []), { x: row.x, mean: own.mean, interval: own.interval }]);
  }
  if (series.size === 0) return null;
  const lines = plot.lines.flatMap((row) => {
    const own = overTasks(row);
    return own === undefined ? [] : [{ name: labelOf(experiment, row), mean: own.mean }];
  });
  return { x: plot.x, y: plot.y, isLogarithmic: plot.logarithmic, series: [...series].map(([name, points]) => ({ name, points: points.toSorted((a, b) => a.x - b.x) })), lines };
}

function labelOf({ rows }: Experiment, name: string): string {
  return rows.find((row) => row.name === name)?.label ?? name;
}

function meanOf(values: readonly (number | undefined)[]): number | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 || known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
