/** How is an experiment shown? A Markdown page with the table of the paper, the claims, and what was run. */
import type { Experiment, ExperimentRow } from './experiment-file.ts';
import { costTable, type RowCost } from './costs.ts';
import type { AverageCell, Cell, ExperimentResults } from './results.ts';
import { furtherMetricsOf, metricOf, type ExperimentTask } from './tasks.ts';
import { tasksOfRow } from './rows.ts';

/** What was run, for the end of the page. */
export type ExperimentRunFacts = {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly threads: number;
  /** On the clock, and of all cores together. */
  readonly minutes: number;
  readonly cpuMinutes: number;
  readonly rows: readonly RowCost[];
  /** What development data chose: row -> in words. */
  readonly choices: Readonly<Record<string, string>>;
  /** Facts of single measurements, such as precision and recall of mining. */
  readonly notes: readonly string[];
};

const SIGNIFICANT = 0.05;

/** The page. `plotFile` is the plot's name beside it, or null. */
export function experimentReport(experiment: Experiment, results: ExperimentResults, { facts, plotFile }: { readonly facts: ExperimentRunFacts; readonly plotFile: string | null }): string {
  const { title, source, about, rows, tasks, seeds, reference, claims } = experiment;
  const compared = [...results.cells, ...results.averages].filter(({ difference }) => difference !== null).length;
  const lines = [
    `# ${title}`,
    '',
    `${source}. ${about}`,
    '',
    ...metricTables(experiment, results),
    `Means over ${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'} (${seeds.join(', ')}), in brackets the 95 % interval (seeds and questions drawn again). **Bold**: best of its column. * differs from "${labelOf(experiment, reference)}" with p < ${SIGNIFICANT} (paired randomisation test, Holm's correction over ${compared} comparisons).${rows.some(({ kind }) => kind === 'reported') ? ' *Italics*: as the paper printed it.' : ''}`,
    '',
  ];
  if (plotFile !== null) lines.push(`![${title}](${plotFile})`, '');
  if (claims.length > 0) {
    lines.push('## What the paper says, and what was found', '', '| claim | difference | 95 % interval | at this scale |', '| --- | --- | --- | --- |');
    for (const claim of results.claims) lines.push(`| ${claim.text} | ${signed(claim.difference, experiment.percent)} | ${signed(claim.interval.low, experiment.percent)} to ${signed(claim.interval.high, experiment.percent)} | ${claim.verdict} |`);
    const missing = claims.length - results.claims.length;
    if (missing > 0) lines.push('', `${missing} ${missing === 1 ? 'claim is' : 'claims are'} not judged yet: rows are missing.`);
    lines.push('');
  }
  if (experiment.showsCosts) lines.push('## What training takes', '', ...costTable(experiment, facts.rows), '');
  const choices = Object.entries(facts.choices);
  if (choices.length > 0) lines.push('## Chosen on development data', '', ...choices.map(([row, chosen]) => `- ${labelOf(experiment, row)}: ${chosen}`), '');
  if (facts.notes.length > 0) lines.push('## In detail', '', ...facts.notes.map((note) => `- ${note}`), '');
  const measured = facts.rows.filter(({ cpuMinutes }) => cpuMinutes !== null).map(({ row, cpuMinutes }) => `${labelOf(experiment, row)} ${(cpuMinutes ?? 0).toFixed(1)}`);
  lines.push(
    '## What was run',
    '',
    `${rows.filter(({ kind }) => kind !== 'reported').length} rows, ${tasks.length} tasks; ${facts.minutes.toFixed(1)} minutes on the clock, ${facts.cpuMinutes.toFixed(1)} CPU-minutes with ${facts.threads} ${facts.threads === 1 ? 'thread' : 'threads'}; Node ${facts.node}, ${facts.platform}, ${facts.cpu}.`,
    '',
    ...(measured.length === 0 ? [] : [`CPU-minutes of a seed, measuring included: ${measured.join('; ')}.`, '']),
  );
  return lines.join('\n');
}

/** One table a metric: tasks that are measured by it, then those that are measured by it further. */
function metricTables(experiment: Experiment, results: ExperimentResults): string[] {
  const byMetric = new Map<string, readonly ExperimentTask[]>();
  for (const task of experiment.tasks) byMetric.set(metricOf(task), [...(byMetric.get(metricOf(task)) ?? []), task]);
  const further = new Map<string, readonly ExperimentTask[]>();
  for (const task of experiment.tasks) for (const metric of furtherMetricsOf(task)) further.set(metric, [...(further.get(metric) ?? []), task]);
  const main = byMetric.size === 1 ? [...byMetric].map(([metric, tasks]) => ({ metric, tasks })) : [{ metric: null, tasks: experiment.tasks }];
  return [...main, ...[...further].map(([metric, tasks]) => ({ metric, tasks }))].flatMap(({ metric, tasks }) => [...(metric === null ? [] : [`${metric}:`, '']), ...table(experiment, results, { metric, tasks }), '']);
}

type Shown = { readonly heading: string; readonly of: (row: ExperimentRow) => Cell | AverageCell | number | undefined; readonly canMeasure: (row: ExperimentRow) => boolean };

function table(experiment: Experiment, { cells, averages }: ExperimentResults, { metric, tasks }: { readonly metric: string | null; readonly tasks: readonly ExperimentTask[] }): string[] {
  const { rows } = experiment;
  const wanted = (task: ExperimentTask): string => metric ?? metricOf(task);
  const taskColumn = (task: ExperimentTask): Shown => ({
    heading: `${task.label ?? task.name}${metric === null ? ` (${metricOf(task)})` : ''}`,
    of: (row) => (row.kind === 'reported' ? reportedValue(row, task, wanted(task)) : cells.find((cell) => cell.row === row.name && cell.task === task.name && cell.metric === wanted(task))),
    canMeasure: (row) => tasksOfRow[row.kind].includes(task.kind),
  });
  const averageColumn = (label: string, names: readonly string[]): Shown => {
    const own = tasks.filter(({ name }) => names.includes(name));
    return {
      heading: label,
      of: (row) => (row.kind === 'reported' ? meanReported(own.map((task) => reportedValue(row, task, wanted(task)))) : averages.find((cell) => cell.row === row.name && cell.average === label && (metric === null || cell.metric === metric))),
      canMeasure: (row) => own.every(({ kind }) => tasksOfRow[row.kind].includes(kind)),
    };
  };
  const columns = tasks.flatMap((task, i) => [
    taskColumn(task),
    ...experiment.averages.filter(({ tasks: names }) => names.every((name) => tasks.some((one) => one.name === name)) && Math.max(...names.map((name) => tasks.findIndex((one) => one.name === name))) === i).map(({ label, tasks: names }) => averageColumn(label, names)),
  ]);
  const lines = [`| | ${columns.map(({ heading }) => heading).join(' | ')} |`, `| --- |${' --- |'.repeat(columns.length)}`];
  const best = columns.map((column) => Math.max(...rows.map((row) => meanOf(row.kind === 'reported' ? undefined : column.of(row)))));
  let group: string | undefined;
  for (const row of rows) {
    if (row.kind === 'reported' && columns.every((column) => column.of(row) === undefined)) continue;
    if (row.group !== group && row.group !== undefined) lines.push(`| *${row.group}* |${' |'.repeat(columns.length)}`);
    group = row.group;
    lines.push(`| ${row.label ?? row.name} | ${columns.map((column, i) => shown(column, row, { best: best[i] ?? Infinity, percent: experiment.percent })).join(' | ')} |`);
  }
  return lines;
}

function shown({ of, canMeasure }: Shown, row: ExperimentRow, { best, percent }: { readonly best: number; readonly percent: boolean }): string {
  const cell = of(row);
  if (typeof cell === 'number') return `*${written(cell, percent)}*`;
  if (cell === undefined) return row.kind === 'reported' || !canMeasure(row) ? '–' : 'not run';
  const value = written(cell.mean, percent);
  const mark = cell.difference !== null && cell.difference.corrected < SIGNIFICANT ? '*' : '';
  return `${cell.mean === best ? `**${value}**` : value}${mark} [${written(cell.interval.low, percent)}, ${written(cell.interval.high, percent)}]`;
}

function reportedValue(row: Extract<ExperimentRow, { kind: 'reported' }>, task: ExperimentTask, metric: string): number | undefined {
  return metric === metricOf(task) ? row.values[task.name] : row.also[metric]?.[task.name];
}

function meanReported(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 || known.length < values.length ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function meanOf(cell: Cell | AverageCell | number | undefined): number {
  return typeof cell === 'object' ? cell.mean : -Infinity;
}

/** What the paper calls a row. */
export function labelOf(experiment: Experiment, row: string): string {
  return experiment.rows.find(({ name }) => name === row)?.label ?? row;
}

function written(value: number, percent: boolean): string {
  return percent ? (100 * value).toFixed(2) : value.toFixed(3);
}

function signed(value: number, percent: boolean): string {
  return `${value >= 0 ? '+' : '−'}${written(Math.abs(value), percent)}`;
}
