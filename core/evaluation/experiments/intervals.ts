/** How sure is a value, or a difference of two? Seeds and items are drawn again, the same ones for all tasks and rows of one size. */
import { seededRandom } from '../../base/random.ts';
import type { Measurement } from './measurement.ts';

export type Interval = { readonly low: number; readonly high: number };

/** Of one task: the measurements of a row by seed, and of the row it is compared with (null: the value itself). */
export type MeasuredTask = { readonly own: readonly Measurement[]; readonly other: readonly Measurement[] | null };

const DRAWS = 2_000;
const TAIL = 0.025;
const STATISTICS_SEED = 20_261_120;

export type Intervals = { readonly of: (tasks: readonly MeasuredTask[]) => Interval };

/**
 * The middle 95 % of bootstrap values: in each draw seeds and items are drawn with replacement (items once for all seeds, and for all tasks
 * with as many: translations of one test set stay together); a value is the sum of numerators by that of denominators, averaged over the
 * drawn seeds, then over tasks. A difference is taken seed by seed (the k-th with the k-th where seeds differ), on the same draws.
 */
export function createIntervals(): Intervals {
  const itemCounts = remembered(drawCounts);
  const seedPlaces = remembered(drawPlaces);
  return {
    of: (tasks) => {
      const values = new Float64Array(DRAWS);
      for (const { own, other } of tasks) {
        const bySeed = own.map((one, k) => {
          const counts = itemCounts(one.items.length);
          const mine = resampled(one, counts);
          const rival = other === null ? null : (other.find(({ seed }) => seed === one.seed) ?? other[k % other.length] ?? null);
          if (rival === null) return mine;
          const theirs = resampled(rival, itemCounts(rival.items.length));
          return mine.map((value, draw) => value - (theirs[draw] ?? 0));
        });
        const places = seedPlaces(bySeed.length);
        for (let draw = 0; draw < DRAWS; draw += 1) {
          let sum = 0;
          for (let s = 0; s < bySeed.length; s += 1) sum += bySeed[places[draw * bySeed.length + s] ?? 0]?.[draw] ?? 0;
          values[draw] = (values[draw] ?? 0) + sum / bySeed.length / tasks.length;
        }
      }
      values.sort();
      const at = (share: number): number => values[Math.min(DRAWS - 1, Math.floor(share * DRAWS))] ?? 0;
      return { low: at(TAIL), high: at(1 - TAIL) };
    },
  };
}

/** The value of a measurement in each draw. */
function resampled({ items, weights }: Measurement, counts: Uint8Array): Float64Array {
  const count = items.length;
  const above = Float64Array.from(items);
  const below = weights === undefined ? null : Float64Array.from(weights);
  return Float64Array.from({ length: DRAWS }, (_, draw) => {
    let numerator = 0;
    let denominator = below === null ? count : 0;
    for (let i = 0, at = draw * count; i < count; i += 1, at += 1) {
      const times = counts[at] ?? 0;
      numerator += times * (above[i] ?? 0);
      if (below !== null) denominator += times * (below[i] ?? 0);
    }
    return denominator === 0 ? 0 : numerator / denominator;
  });
}

/** uint8 [DRAWS, items]: how often each item was drawn. */
function drawCounts(items: number): Uint8Array {
  const random = seededRandom(STATISTICS_SEED, 'experiment items');
  const counts = new Uint8Array(DRAWS * items);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    for (let i = 0; i < items; i += 1) {
      const at = draw * items + random.integer(items);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return counts;
}

function drawPlaces(seeds: number): Int32Array {
  const random = seededRandom(STATISTICS_SEED, 'experiment seeds');
  return Int32Array.from({ length: DRAWS * seeds }, () => random.integer(seeds));
}

function remembered<T>(make: (size: number) => T): (size: number) => T {
  const known = new Map<number, T>();
  return (size) => {
    const found = known.get(size);
    if (found !== undefined) return found;
    const made = make(size);
    known.set(size, made);
    return made;
  };
}
