/** What did an experiment find? Means over seeds with intervals, differences from the reference row, claims that hold or do not. */
import { seededRandom } from '../../base/random.ts';
import { comparePaired } from '../../metrics/significance.ts';
import type { Experiment } from './experiment-file.ts';

/** One evaluated task of one row and seed; `items` are the values of single queries (or sentences), whose mean is `value`. */
export type Measurement = { readonly row: string; readonly seed: number; readonly task: string; readonly value: number; readonly items: readonly number[] };

export type Interval = { readonly low: number; readonly high: number };

export type Cell = {
  readonly row: string;
  readonly task: string;
  /** Mean over seeds. */
  readonly mean: number;
  /** Standard deviation over seeds; null of one seed. */
  readonly deviation: number | null;
  /** 95 %: seeds and queries drawn with replacement. */
  readonly interval: Interval;
  readonly seeds: number;
  /** Against the reference row, query by query (means over seeds): null for the reference itself. */
  readonly difference: { readonly value: number; readonly pValue: number; /** After Holm's correction over all comparisons of the experiment. */ readonly corrected: number } | null;
};

export type ClaimResult = {
  readonly text: string;
  readonly better: string;
  readonly than: string;
  readonly difference: number;
  readonly interval: Interval;
  /** 'holds': the interval lies above 0; 'does not hold': below 0; 'undecided': 0 lies inside. */
  readonly verdict: 'holds' | 'does not hold' | 'undecided';
};

export type ExperimentResults = { readonly cells: readonly Cell[]; readonly claims: readonly ClaimResult[] };

const DRAWS = 2_000;
const TAIL = 0.025;
const STATISTICS_SEED = 20_261_120;

/** Rows and tasks that were not measured yet are left out. */
export function summarise(experiment: Experiment, measurements: readonly Measurement[]): ExperimentResults {
  const of = (row: string, task: string): readonly Measurement[] => measurements.filter((one) => one.row === row && one.task === task);
  const drafts = experiment.rows.flatMap(({ name: row }) =>
    experiment.tasks.flatMap(({ name: task }) => {
      const own = of(row, task);
      return own.length === 0 ? [] : [{ row, task, own, reference: row === experiment.reference ? [] : of(experiment.reference, task) }];
    }),
  );
  const compared = drafts.map(({ own, reference }) => (reference.length === 0 ? null : comparePaired({ a: meanItems(reference), b: meanItems(own), seed: STATISTICS_SEED })));
  const corrected = holm(compared.flatMap((comparison) => (comparison === null ? [] : [comparison.pValue])));
  let next = 0;
  const cells = drafts.map(({ row, task, own }, i): Cell => {
    const comparison = compared[i] ?? null;
    const values = own.map(({ value }) => value);
    const difference = comparison === null ? null : { value: comparison.difference, pValue: comparison.pValue, corrected: corrected[next++] ?? 1 };
    return { row, task, mean: mean(values), deviation: deviation(values), interval: interval([own]), seeds: own.length, difference };
  });
  const claims = experiment.claims.flatMap((claim): ClaimResult[] => {
    const tasks = claim.tasks ?? experiment.tasks.map(({ name }) => name);
    const pairs = tasks.map((task) => ({ better: of(claim.better, task), than: of(claim.than, task) }));
    if (pairs.some(({ better, than }) => better.length === 0 || than.length === 0)) return [];
    const differences = pairs.map(({ better, than }) => differencesBySeed(better, than));
    const bounds = interval(differences);
    const verdict = bounds.low > 0 ? 'holds' : bounds.high < 0 ? 'does not hold' : 'undecided';
    return [{ text: claim.text, better: claim.better, than: claim.than, difference: mean(differences.map((task) => mean(task.map(({ value }) => value)))), interval: bounds, verdict }];
  });
  return { cells, claims };
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

/** Row `better` minus row `than`, item by item, seed by seed (seeds that both have; else the k-th with the k-th). */
function differencesBySeed(better: readonly Measurement[], than: readonly Measurement[]): readonly Measurement[] {
  return better.slice(0, Math.min(better.length, than.length)).map((one, k) => {
    const other = than.find(({ seed }) => seed === one.seed) ?? than[k] ?? one;
    const items = one.items.map((value, i) => value - (other.items[i] ?? 0));
    return { ...one, value: one.value - other.value, items };
  });
}

/** The middle 95 % of bootstrap means: seeds are drawn, and the items of each task, with replacement; tasks are averaged. */
function interval(tasks: readonly (readonly Measurement[])[]): Interval {
  const random = seededRandom(STATISTICS_SEED, 'experiment intervals');
  const means = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let total = 0;
    for (const seeds of tasks) {
      let sum = 0;
      let count = 0;
      for (let s = 0; s < seeds.length; s += 1) {
        const items = seeds[random.integer(seeds.length)]?.items ?? [];
        for (let i = 0; i < items.length; i += 1) sum += items[random.integer(items.length)] ?? 0;
        count += items.length;
      }
      total += count === 0 ? 0 : sum / count;
    }
    means[draw] = total / tasks.length;
  }
  means.sort();
  const at = (share: number): number => means[Math.min(DRAWS - 1, Math.floor(share * DRAWS))] ?? 0;
  return { low: at(TAIL), high: at(1 - TAIL) };
}

/** The mean of each item over seeds. */
function meanItems(measurements: readonly Measurement[]): readonly number[] {
  const first = measurements[0]?.items ?? [];
  return first.map((_, i) => mean(measurements.map(({ items }) => items[i] ?? 0)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}
