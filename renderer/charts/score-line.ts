/** Where do the points of a history of scores stand? */
import type { JudgementScores } from '../../main/contract/index.ts';

/** The ways of searching, the best foot first. */
export const SCORE_METHODS = ['hybrid', 'dense', 'lexical'] as const satisfies readonly (keyof JudgementScores['scores'])[];

/** Points of a polyline, evenly apart from left to right; 0 at the bottom, 1 at the top. */
export function historyLine({ values, width, height }: { readonly values: readonly number[]; readonly width: number; readonly height: number }): string {
  const step = values.length < 2 ? 0 : width / (values.length - 1);
  return values.map((value, place) => `${(place * step).toFixed(1)},${((1 - Math.min(1, Math.max(0, value))) * height).toFixed(1)}`).join(' ');
}
