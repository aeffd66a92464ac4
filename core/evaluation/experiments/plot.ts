/** How is a curve of an experiment drawn? As an SVG with one line a series and a bar for each interval. */
import type { Experiment } from './experiment-file.ts';
import type { ExperimentResults } from './results.ts';

type Point = { readonly x: number; readonly mean: number; readonly low: number; readonly high: number };

const WIDTH = 640;
const HEIGHT = 400;
const MARGIN = { left: 64, right: 150, top: 24, bottom: 52 };
const TICKS = 5;
/** Told apart also without colour vision (Okabe and Ito), and each series has its own dash. */
const STROKES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '4 2', '1 2'];

/** The plot of the rows that have a place on the horizontal axis, averaged over tasks; null when the experiment has none. */
export function experimentPlot(experiment: Experiment, { cells }: ExperimentResults): string | null {
  const { plot, rows, tasks } = experiment;
  if (plot === undefined) return null;
  const series = new Map<string, Point[]>();
  for (const row of rows) {
    const own = cells.filter((cell) => cell.row === row.name);
    if (row.x === undefined || own.length < tasks.length) continue;
    const average = (value: (cell: (typeof own)[number]) => number): number => own.reduce((sum, cell) => sum + value(cell), 0) / own.length;
    const points = series.get(row.series ?? '') ?? [];
    points.push({ x: row.x, mean: average(({ mean }) => mean), low: average(({ interval }) => interval.low), high: average(({ interval }) => interval.high) });
    series.set(row.series ?? '', points);
  }
  if (series.size === 0) return null;
  const all = [...series.values()].flat();
  const across = scale(all.map(({ x }) => x), { from: MARGIN.left, to: WIDTH - MARGIN.right, logarithmic: plot.logarithmic });
  const up = scale(all.flatMap(({ low, high }) => [low, high]), { from: HEIGHT - MARGIN.bottom, to: MARGIN.top, logarithmic: false });
  const lines = [...series].map(([name, points], i) => curve({ name, points: points.toSorted((a, b) => a.x - b.x), across, up, i }));
  const bottom = HEIGHT - MARGIN.bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(experiment.title)}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...up.ticks.map((tick) => `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${up.at(tick)}" y2="${up.at(tick)}" stroke="#e3e3e3"/><text x="${MARGIN.left - 8}" y="${up.at(tick) + 4}" text-anchor="end">${tick.toFixed(2)}</text>`),
    ...[...new Set(all.map(({ x }) => x))].map((x) => `<line x1="${across.at(x)}" x2="${across.at(x)}" y1="${bottom}" y2="${bottom + 5}" stroke="#333333"/><text x="${across.at(x)}" y="${bottom + 20}" text-anchor="middle">${x.toLocaleString('en')}</text>`),
    `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${bottom}" y2="${bottom}" stroke="#333333"/>`,
    `<text x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(plot.x)}</text>`,
    `<text x="16" y="${(MARGIN.top + bottom) / 2}" text-anchor="middle" transform="rotate(-90 16 ${(MARGIN.top + bottom) / 2})">${escaped(plot.y)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

type Scale = { readonly at: (value: number) => number; readonly ticks: readonly number[] };

function scale(values: readonly number[], { from, to, logarithmic }: { readonly from: number; readonly to: number; readonly logarithmic: boolean }): Scale {
  const turn = (value: number): number => (logarithmic ? Math.log(Math.max(value, Number.MIN_VALUE)) : value);
  const least = Math.min(...values.map(turn));
  const most = Math.max(...values.map(turn));
  const padding = (most - least || 1) * 0.05;
  const at = (value: number): number => Math.round((from + ((turn(value) - least + padding) / (most - least + 2 * padding || 1)) * (to - from)) * 10) / 10;
  const lowest = Math.min(...values);
  const step = (Math.max(...values) - lowest) / (TICKS - 1);
  return { at, ticks: step === 0 ? [lowest] : Array.from({ length: TICKS }, (_, i) => lowest + i * step) };
}

function curve({ name, points, across, up, i }: { readonly name: string; readonly points: readonly Point[]; readonly across: Scale; readonly up: Scale; readonly i: number }): string {
  const stroke = STROKES[i % STROKES.length] ?? '#333333';
  const dash = DASHES[i % DASHES.length] ?? '';
  const line = `<polyline fill="none" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dash}" points="${points.map(({ x, mean }) => `${across.at(x)},${up.at(mean)}`).join(' ')}"/>`;
  const marks = points.map(({ x, mean, low, high }) => `<line x1="${across.at(x)}" x2="${across.at(x)}" y1="${up.at(low)}" y2="${up.at(high)}" stroke="${stroke}"/><circle cx="${across.at(x)}" cy="${up.at(mean)}" r="3.5" fill="${stroke}"/>`);
  const y = MARGIN.top + 14 + i * 20;
  const x = WIDTH - MARGIN.right + 14;
  const legend = name === '' ? '' : `<line x1="${x}" x2="${x + 24}" y1="${y}" y2="${y}" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dash}"/><text x="${x + 30}" y="${y + 4}">${escaped(name)}</text>`;
  return [line, ...marks, legend].join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
