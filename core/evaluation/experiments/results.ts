/** What did an experiment find? Means over seeds with intervals, differences from the reference row, claims that hold or do not. */
import { ratioDifferenceTest, type Ratio } from '../../metrics/ratio-differences.ts';
import type { Experiment, ExperimentClaim } from './experiment-file.ts';
import { createIntervals, type Interval, type Intervals } from './intervals.ts';
import type { Measurement } from './measurement.ts';
import { furtherMetricsOf, metricOf } from './tasks.ts';

export type { Interval } from './intervals.ts';
export type { Measurement } from './measurement.ts';

/** Against the reference row, item by item (means over seeds). */
export type Difference = { readonly value: number; readonly pValue: number; /** After Holm's correction over all comparisons of the experiment. */ readonly corrected: number };

export type Cell = {
  readonly row: string;
  readonly task: string;
  readonly metric: string;
  /** Mean over seeds. */
  readonly mean: number;
  /** Standard deviation over seeds; null of one seed. */
  readonly deviation: number | null;
  /** 95 %: seeds and items drawn with replacement. */
  readonly interval: Interval;
  readonly seeds: number;
  /** null for the reference itself. */
  readonly difference: Difference | null;
};

/** The mean of a row over several tasks; only where all of them were measured. */
export type AverageCell = Omit<Cell, 'task'> & { readonly average: string };

export type ClaimResult = {
  readonly text: string;
  readonly better: string;
  readonly than: string;
  readonly relation: ExperimentClaim['relation'];
  readonly difference: number;
  readonly interval: Interval;
  /** Of "better": the interval of the difference lies above 0, below 0, or holds it. Of "close": within ± margin, all outside of it, or neither. */
  readonly verdict: 'holds' | 'does not hold' | 'undecided';
};

export type ExperimentResults = { readonly cells: readonly Cell[]; readonly averages: readonly AverageCell[]; readonly claims: readonly ClaimResult[] };

const STATISTICS_SEED = 20_261_120;

/** Rows and tasks that were not measured yet are left out. */
export function summarise(experiment: Experiment, measurements: readonly Measurement[]): ExperimentResults {
  const intervals = createIntervals();
  const of = (row: string, task: string, metric: string): readonly Measurement[] => measurements.filter((one) => one.row === row && one.task === task && one.metric === metric);
  const drafts = columnsOf(experiment).flatMap(({ average, tasks }) =>
    experiment.rows.flatMap(({ name: row }) => {
      const own = tasks.map(({ task, metric }) => of(row, task, metric));
      if (own.some(({ length }) => length === 0)) return [];
      const reference = tasks.map(({ task, metric }) => of(experiment.reference, task, metric));
      const isCompared = row !== experiment.reference && reference.every(({ length }) => length > 0);
      return [{ row, average, task: tasks[0]?.task ?? '', metric: tasks[0]?.metric ?? '', own, reference: isCompared ? reference : null }];
    }),
  );
  const compared = drafts.map(({ own, reference }) => (reference === null ? null : ratioDifferenceTest({ a: reference.map(meanRatio), b: own.map(meanRatio), seed: STATISTICS_SEED })));
  const corrected = holm(compared.flatMap((comparison) => (comparison === null ? [] : [comparison.pValue])));
  let next = 0;
  const cells: Cell[] = [];
  const averages: AverageCell[] = [];
  drafts.forEach(({ row, average, task, metric, own }, i) => {
    const comparison = compared[i] ?? null;
    const difference = comparison === null ? null : { value: comparison.difference, pValue: comparison.pValue, corrected: corrected[next++] ?? 1 };
    const bySeed = valuesBySeed(own);
    const cell = { row, metric, mean: mean(own.map((task_) => mean(task_.map(({ value }) => value)))), deviation: deviation(bySeed), interval: intervals.of(own.map((one) => ({ own: one, other: null }))), seeds: own[0]?.length ?? 0, difference };
    if (average === null) cells.push({ ...cell, task });
    else averages.push({ ...cell, average });
  });
  return { cells, averages, claims: experiment.claims.flatMap((claim) => judged(claim, experiment, of, intervals)) };
}

type Column = { readonly average: string | null; readonly tasks: readonly { readonly task: string; readonly metric: string }[] };

/** Each task by each of its metrics, then the averages by each metric that all of their tasks have. */
function columnsOf({ tasks, averages }: Experiment): readonly Column[] {
  const single = tasks.flatMap((task) => [metricOf(task), ...furtherMetricsOf(task)].map((metric): Column => ({ average: null, tasks: [{ task: task.name, metric }] })));
  const means = averages.flatMap(({ label, tasks: names }): Column[] => {
    const own = tasks.filter(({ name }) => names.includes(name));
    const main: Column = { average: label, tasks: own.map((task) => ({ task: task.name, metric: metricOf(task) })) };
    const further = [...new Set(own.flatMap(furtherMetricsOf))].filter((metric) => own.every((task) => furtherMetricsOf(task).includes(metric)));
    return [main, ...further.map((metric): Column => ({ average: label, tasks: own.map((task) => ({ task: task.name, metric })) }))];
  });
  return [...single, ...means];
}

function judged(claim: ExperimentClaim, experiment: Experiment, of: (row: string, task: string, metric: string) => readonly Measurement[], intervals: Intervals): ClaimResult[] {
  const names = claim.tasks ?? experiment.tasks.map(({ name }) => name);
  const pairs = experiment.tasks.filter(({ name }) => names.includes(name)).map((task) => ({ own: of(claim.better, task.name, metricOf(task)), other: of(claim.than, task.name, metricOf(task)) }));
  if (pairs.some(({ own, other }) => own.length === 0 || other.length === 0)) return [];
  const interval = intervals.of(pairs);
  const value = (measured: readonly Measurement[]): number => mean(measured.map((one) => one.value));
  const { text, better, than, relation, margin } = claim;
  return [{ text, better, than, relation, difference: mean(pairs.map(({ own, other }) => value(own) - value(other))), interval, verdict: relation === 'better' ? verdictOfBetter(interval) : verdictOfClose(interval, margin) }];
}

function verdictOfBetter({ low, high }: Interval): ClaimResult['verdict'] {
  return low > 0 ? 'holds' : high < 0 ? 'does not hold' : 'undecided';
}

function verdictOfClose({ low, high }: Interval, margin: number): ClaimResult['verdict'] {
  if (low >= -margin && high <= margin) return 'holds';
  return low > margin || high < -margin ? 'does not hold' : 'undecided';
}

/**
 * Holm's step-down correction: the k-th smallest of n p-values is multiplied by n − k + 1 (k from 1), and never falls.
 * @returns corrected p-values in the order given. @see Holm 1979.
 */
export function holm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0));
  const corrected = new Array<number>(pValues.length).fill(1);
  let largest = 0;
  order.forEach((index, k) => {
    largest = Math.max(largest, Math.min(1, (pValues[index] ?? 1) * (pValues.length - k)));
    corrected[index] = largest;
  });
  return corrected;
}

/** Numerators and denominators of each item, averaged over seeds. */
function meanRatio(measurements: readonly Measurement[]): Ratio {
  const [first] = measurements;
  const over = (pick: (measurement: Measurement) => readonly number[] | undefined): readonly number[] => (first?.items ?? []).map((_, i) => mean(measurements.map((one) => pick(one)?.[i] ?? 0)));
  return { numerators: over(({ items }) => items), ...(first?.weights === undefined ? {} : { denominators: over(({ weights }) => weights) }) };
}

/** The mean over tasks with the first seed, with the second ... as far as all tasks have them. */
function valuesBySeed(tasks: readonly (readonly Measurement[])[]): readonly number[] {
  const seeds = Math.min(...tasks.map(({ length }) => length));
  return Array.from({ length: seeds }, (_, k) => mean(tasks.map((task) => task[k]?.value ?? 0)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}
