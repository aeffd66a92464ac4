/** Could the difference between two runs be chance? A paired randomisation test and a bootstrap interval. */
import { seededRandom } from '../base/random.ts';

export type PairedComparison = {
  readonly queries: number;
  readonly meanA: number;
  readonly meanB: number;
  /** meanB - meanA. */
  readonly difference: number;
  /** Two-sided, in (0, 1]: the share of random sign flips whose mean difference is at least as far from 0. */
  readonly pValue: number;
  /** The middle 95 % of bootstrap means of the difference. */
  readonly interval: { readonly low: number; readonly high: number };
  /** Queries where B is better, worse, equal. */
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
};

const DEFAULT_DRAWS = 10_000;
const INTERVAL_TAIL = 0.025; // 95 % interval
const SUM_TOLERANCE = 1e-12; // sums of the same numbers in another order must count as equal

/**
 * Compares two systems by their per-query values of one metric, query by query.
 *
 *   test: differences d_i = b_i - a_i; under "no difference" each sign is a fair coin.
 *   p = (1 + #{draws: |sum s_i d_i| >= |sum d_i|}) / (1 + draws)
 *
 * The interval resamples queries with replacement (percentile bootstrap). Both depend only on the values and the seed.
 *
 * @param a values of system A per query; @param b of system B, the same queries in the same order.
 * @throws RangeError when the lengths differ.
 * @see Smucker, Allan and Carterette 2007 (randomisation test in IR); Phipson and Smyth 2010 (the +1).
 */
export function comparePaired(options: { readonly a: readonly number[]; readonly b: readonly number[]; readonly seed: number; readonly draws?: number }): PairedComparison {
  const { a, b, seed, draws = DEFAULT_DRAWS } = options;
  if (a.length !== b.length) throw new RangeError(`Expected values of the same queries, found ${a.length} and ${b.length}.`);
  const queries = a.length;
  const differences = Float64Array.from(a, (value, i) => (b[i] ?? 0) - value);
  const observed = sum(differences);
  const mean = (values: readonly number[]): number => (queries === 0 ? 0 : sum(values) / queries);
  return {
    queries,
    meanA: mean(a),
    meanB: mean(b),
    difference: queries === 0 ? 0 : observed / queries,
    pValue: randomisationPValue(differences, { seed, draws }),
    interval: bootstrapInterval(differences, { seed, draws }),
    better: differences.filter((d) => d > 0).length,
    worse: differences.filter((d) => d < 0).length,
    equal: differences.filter((d) => d === 0).length,
  };
}

function randomisationPValue(differences: Float64Array, options: { readonly seed: number; readonly draws: number }): number {
  const moving = differences.filter((d) => d !== 0); // a zero stays zero under either sign
  const observed = Math.abs(sum(moving)) - SUM_TOLERANCE;
  const random = seededRandom(options.seed, 'randomisation-test');
  let asFar = 0;
  for (let draw = 0; draw < options.draws; draw += 1) {
    let total = 0;
    for (let i = 0; i < moving.length; i += 1) total += random.next() < 1 / 2 ? (moving[i] ?? 0) : -(moving[i] ?? 0);
    if (Math.abs(total) >= observed) asFar += 1;
  }
  return (1 + asFar) / (1 + options.draws);
}

function bootstrapInterval(differences: Float64Array, options: { readonly seed: number; readonly draws: number }): { low: number; high: number } {
  const count = differences.length;
  if (count === 0) return { low: 0, high: 0 };
  const random = seededRandom(options.seed, 'bootstrap');
  const means = new Float64Array(options.draws);
  for (let draw = 0; draw < options.draws; draw += 1) {
    let total = 0;
    for (let i = 0; i < count; i += 1) total += differences[random.integer(count)] ?? 0;
    means[draw] = total / count;
  }
  means.sort();
  const at = (share: number): number => means[Math.min(options.draws - 1, Math.floor(share * options.draws))] ?? 0;
  return { low: at(INTERVAL_TAIL), high: at(1 - INTERVAL_TAIL) };
}

function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += values[i] ?? 0;
  return total;
}
