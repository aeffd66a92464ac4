/** How good is a set of found things against the set of right ones? Precision, recall, F1, the best threshold, and how sure they are. */
import { seededRandom } from '../base/random.ts';

export type FoundSetScores = { /** Right among the found; 0 when nothing is found. */ readonly precision: number; /** Found among the right. */ readonly recall: number; readonly F1: number };

/** Something found with its score, and whether it is right. */
export type Found = { readonly score: number; readonly isRight: boolean };

/** F1 = 2 right / (found + gold): the harmonic mean of precision and recall; all 0 when there is nothing. */
export function foundSetScores({ right, found, gold }: { readonly right: number; readonly found: number; readonly gold: number }): FoundSetScores {
  const share = (of: number): number => (of === 0 ? 0 : right / of);
  return { precision: share(found), recall: share(gold), F1: found + gold === 0 ? 0 : (2 * right) / (found + gold) };
}

/**
 * The threshold with the largest F1: what scores at least so much counts as found. It lies midway between the last score that
 * counts and the next one below; of equal F1 the higher threshold. Things of one score come in or stay out together.
 * Infinity when nothing is right.
 * @see Zweigenbaum et al. 2018 (BUCC): found on a training split, used on the test split.
 */
export function bestThreshold(found: readonly Found[], gold: number): FoundSetScores & { readonly threshold: number } {
  const sorted = [...found].sort((a, b) => b.score - a.score);
  let best = { threshold: Infinity, ...foundSetScores({ right: 0, found: 0, gold }) };
  let right = 0;
  sorted.forEach(({ score, isRight }, i) => {
    if (isRight) right += 1;
    const next = sorted[i + 1]?.score ?? score;
    if (i + 1 < sorted.length && next === score) return;
    const scores = foundSetScores({ right, found: i + 1, gold });
    if (scores.F1 > best.F1) best = { threshold: (score + next) / 2, ...scores };
  });
  return best;
}

/** What one unit (a source sentence) adds to the sums. */
export type FoundUnit = { readonly right: number; readonly found: number; readonly gold: number };

const DEFAULT_DRAWS = 2_000;
const INTERVAL_TAIL = 0.025; // 95 % interval

/** The middle 95 % of F1 when units are drawn again with replacement (percentile bootstrap); depends on the units and the seed alone. */
export function bootstrapF1(units: readonly FoundUnit[], { seed, draws = DEFAULT_DRAWS }: { readonly seed: number; readonly draws?: number }): { readonly low: number; readonly high: number } {
  const telling = units.filter(({ found, gold }) => found + gold > 0); // the others add nothing, however often they are drawn
  const random = seededRandom(seed, 'bootstrap-f1');
  const values = new Float64Array(draws);
  const isTelling = units.length === 0 ? 0 : telling.length / units.length;
  for (let draw = 0; draw < draws; draw += 1) {
    let [right, found, gold] = [0, 0, 0];
    for (let i = 0; i < units.length; i += 1) {
      if (random.next() >= isTelling) continue; // a unit that adds nothing was drawn
      const unit = telling[random.integer(telling.length)];
      right += unit?.right ?? 0;
      found += unit?.found ?? 0;
      gold += unit?.gold ?? 0;
    }
    values[draw] = foundSetScores({ right, found, gold }).F1;
  }
  values.sort();
  const at = (share: number): number => values[Math.min(draws - 1, Math.floor(share * draws))] ?? 0;
  return { low: at(INTERVAL_TAIL), high: at(1 - INTERVAL_TAIL) };
}
