/** Could the difference of two ratios of sums (a mean, or F1) be chance? A paired test over items, over one task or the mean of several. */
import { seededRandom } from '../base/random.ts';

/** value = sum of numerators / sum of denominators; denominators left out are all 1, the value then is the mean. */
export type Ratio = { readonly numerators: ArrayLike<number>; readonly denominators?: ArrayLike<number> | undefined };

const DEFAULT_DRAWS = 10_000;
const TOLERANCE = 1e-12; // sums of the same numbers in another order must count as equal

/** Sum of numerators by sum of denominators; 0 of nothing. */
export function ratioOf({ numerators, denominators }: Ratio): number {
  let above = 0;
  let below = denominators === undefined ? numerators.length : 0;
  for (let i = 0; i < numerators.length; i += 1) {
    above += numerators[i] ?? 0;
    if (denominators !== undefined) below += denominators[i] ?? 0;
  }
  return below === 0 ? 0 : above / below;
}

/**
 * Two-sided paired randomisation test: under "no difference" each item of A may as well be that of B, so items are swapped by fair coins.
 *
 *   D = mean over tasks t of ( ratio(b_t) − ratio(a_t) )
 *   p = (1 + #{draws: |D of swapped items| >= |D|}) / (1 + draws)
 *
 * With denominators of 1 and one task this is the sign test of `comparePaired`.
 * @param a, @param b  the same tasks in the same order, each with the same items in the same order.
 * @throws RangeError when tasks or items differ in number.
 * @see Smucker, Allan and Carterette 2007; Phipson and Smyth 2010 (the +1).
 */
export function ratioDifferenceTest({ a, b, seed, draws = DEFAULT_DRAWS }: { readonly a: readonly Ratio[]; readonly b: readonly Ratio[]; readonly seed: number; readonly draws?: number }): { readonly difference: number; readonly pValue: number } {
  const tasks = a.map((one, t) => prepared(one, b[t]));
  if (a.length !== b.length) throw new RangeError(`Expected the same tasks, found ${a.length} and ${b.length}.`);
  const difference = meanOf(tasks.map(({ own, other }) => other.above / (other.below || 1) - own.above / (own.below || 1)));
  const observed = Math.abs(difference) - TOLERANCE;
  const random = seededRandom(seed, 'ratio-difference');
  let asFar = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    let total = 0;
    for (const { own, other, above, below } of tasks) {
      let movedAbove = 0;
      let movedBelow = 0;
      for (let i = 0; i < above.length; i += 1) {
        if (random.next() < 1 / 2) continue;
        movedAbove += above[i] ?? 0;
        movedBelow += below[i] ?? 0;
      }
      total += (other.above - movedAbove) / (other.below - movedBelow || 1) - (own.above + movedAbove) / (own.below + movedBelow || 1);
    }
    if (Math.abs(total / tasks.length) >= observed) asFar += 1;
  }
  return { difference, pValue: (1 + asFar) / (1 + draws) };
}

/** Sums of both sides, and what each item that differs moves from B to A when it is swapped. */
function prepared(own: Ratio, other: Ratio | undefined) {
  const count = own.numerators.length;
  if (other?.numerators.length !== count) throw new RangeError(`Expected values of the same items, found ${count} and ${other?.numerators.length ?? 0}.`);
  const below = (ratio: Ratio, i: number): number => (ratio.denominators === undefined ? 1 : (ratio.denominators[i] ?? 0));
  const moves: { above: number; below: number }[] = [];
  const sums = { own: { above: 0, below: 0 }, other: { above: 0, below: 0 } };
  for (let i = 0; i < count; i += 1) {
    const [x, y] = [own.numerators[i] ?? 0, other.numerators[i] ?? 0];
    const [u, v] = [below(own, i), below(other, i)];
    sums.own.above += x;
    sums.own.below += u;
    sums.other.above += y;
    sums.other.below += v;
    if (x !== y || u !== v) moves.push({ above: y - x, below: v - u });
  }
  return { ...sums, above: Float64Array.from(moves, (move) => move.above), below: Float64Array.from(moves, (move) => move.below) };
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
