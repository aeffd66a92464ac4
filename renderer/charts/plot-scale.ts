/** Where on a plot does a value stand, and which round numbers mark its axis? */

export type PlotScale = { readonly at: (value: number) => number; readonly ticks: readonly number[] };

const MOST_TICKS = 6;
const ROUND_STEPS = [1, 2, 2.5, 5, 10] as const;

/**
 * A linear scale from the least to the most of `values` (with a twentieth of room at both ends) onto `from`..`to`, and round ticks inside.
 * @returns for equal values the middle, and that value as the only tick.
 */
export function linearScale(values: readonly number[], { from, to }: { readonly from: number; readonly to: number }): PlotScale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!(most > least)) return { at: () => (from + to) / 2, ticks: values.length === 0 ? [] : [least] };
  const room = (most - least) / 20;
  const [low, high] = [least - room, most + room];
  return { at: (value) => from + ((value - low) / (high - low)) * (to - from), ticks: roundTicks(low, high) };
}

/** The same for amounts that grow by factors; 0 stands a little before the least other one. Ticks are the values themselves. */
export function logarithmicScale(values: readonly number[], range: { readonly from: number; readonly to: number }): PlotScale {
  const positive = values.filter((value) => value > 0);
  const zero = Math.log(positive.length === 0 ? 1 : Math.min(...positive)) - 1;
  const turn = (value: number): number => (value > 0 ? Math.log(value) : zero);
  const { at } = linearScale(values.map(turn), range);
  return { at: (value) => at(turn(value)), ticks: [...new Set(values)].sort((a, b) => a - b) };
}

function roundTicks(low: number, high: number): readonly number[] {
  const raw = (high - low) / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (ROUND_STEPS.find((one) => one * power >= raw) ?? 10) * power;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) ticks.push(k * step + 0); // no minus before a 0
  return ticks;
}
