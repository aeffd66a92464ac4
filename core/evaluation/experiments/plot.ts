/** How is a curve of an experiment drawn? As an SVG with one line a series and a bar for each interval. */
import type { Experiment } from './experiment-file.ts';
import { labelOf } from './report.ts';
import type { ExperimentResults } from './results.ts';

type Point = { readonly x: number; readonly mean: number; readonly low: number; readonly high: number };

const WIDTH = 680;
const HEIGHT = 400;
const MARGIN = { left: 64, right: 190, top: 24, bottom: 52 };
const TICKS = 5;
/** Told apart also without colour vision (Okabe and Ito), and each series has its own dash. */
const STROKES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '4 2', '1 2'];

/**
 * The plot of the rows that have a place on the horizontal axis, averaged over tasks, the 95 % interval in shadow; the rows of `plot.lines` are
 * dashed horizontal lines. Null when the experiment has none.
 */
export function experimentPlot(experiment: Experiment, results: ExperimentResults): string | null {
  const { plot, rows } = experiment;
  if (plot === undefined) return null;
  const overTasks = (row: string) => results.averages.find((cell) => cell.row === row) ?? (experiment.averages.length === 0 ? results.cells.find((cell) => cell.row === row) : undefined);
  const series = new Map<string, Point[]>();
  for (const row of rows) {
    const cell = overTasks(row.name);
    if (row.x === undefined || cell === undefined) continue;
    const points = series.get(row.series ?? '') ?? [];
    points.push({ x: row.x, mean: cell.mean, low: cell.interval.low, high: cell.interval.high });
    series.set(row.series ?? '', points);
  }
  if (series.size === 0) return null;
  const levels = plot.lines.flatMap((row) => {
    const cell = overTasks(row);
    return cell === undefined ? [] : [{ name: labelOf(experiment, row), mean: cell.mean }];
  });
  const all = [...series.values()].flat();
  const across = scale(all.map(({ x }) => x), { from: MARGIN.left, to: WIDTH - MARGIN.right, logarithmic: plot.logarithmic });
  const up = scale([...all.flatMap(({ low, high }) => [low, high]), ...levels.map((level) => level.mean)], { from: HEIGHT - MARGIN.bottom, to: MARGIN.top, logarithmic: false });
  const lines = [...series].map(([name, points], i) => curve({ name, points: points.toSorted((a, b) => a.x - b.x), across, up, i }));
  const horizontals = levels.map((level, i) => horizontal({ ...level, up, i, below: series.size }));
  const bottom = HEIGHT - MARGIN.bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(experiment.title)}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...up.ticks.map((tick) => `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${up.at(tick)}" y2="${up.at(tick)}" stroke="#e3e3e3"/><text x="${MARGIN.left - 8}" y="${up.at(tick) + 4}" text-anchor="end">${tick.toFixed(2)}</text>`),
    ...[...new Set(all.map(({ x }) => x))].map((x) => `<line x1="${across.at(x)}" x2="${across.at(x)}" y1="${bottom}" y2="${bottom + 5}" stroke="#333333"/><text x="${across.at(x)}" y="${bottom + 20}" text-anchor="middle">${x.toLocaleString('en')}</text>`),
    `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${bottom}" y2="${bottom}" stroke="#333333"/>`,
    `<text x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(plot.x)}</text>`,
    `<text x="16" y="${(MARGIN.top + bottom) / 2}" text-anchor="middle" transform="rotate(-90 16 ${(MARGIN.top + bottom) / 2})">${escaped(plot.y)}</text>`,
    ...horizontals,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

type Scale = { readonly at: (value: number) => number; readonly ticks: readonly number[] };

function scale(values: readonly number[], { from, to, logarithmic }: { readonly from: number; readonly to: number; readonly logarithmic: boolean }): Scale {
  const hasZero = values.some((value) => value <= 0); // 0 has no logarithm, that of 1 more has
  const turn = (value: number): number => (!logarithmic ? value : hasZero ? Math.log1p(Math.max(0, value)) : Math.log(value));
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
  const edge = (side: readonly Point[], at: (point: Point) => number): string[] => side.map((point) => `${across.at(point.x)},${up.at(at(point))}`);
  const shadow = `<polygon fill="${stroke}" fill-opacity="0.15" points="${[...edge(points, ({ high }) => high), ...edge(points.toReversed(), ({ low }) => low)].join(' ')}"/>`;
  const line = `<polyline fill="none" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dash}" points="${edge(points, ({ mean }) => mean).join(' ')}"/>`;
  const marks = points.map(({ x, mean, low, high }) => `<line x1="${across.at(x)}" x2="${across.at(x)}" y1="${up.at(low)}" y2="${up.at(high)}" stroke="${stroke}"/><circle cx="${across.at(x)}" cy="${up.at(mean)}" r="3.5" fill="${stroke}"/>`);
  return [shadow, line, ...marks, name === '' ? '' : legend({ name, stroke, dash, i })].join('');
}

/** A level without a place on the horizontal axis: dashed, from side to side. */
function horizontal({ name, mean, up, i, below }: { readonly name: string; readonly mean: number; readonly up: Scale; readonly i: number; readonly below: number }): string {
  const stroke = '#555555';
  const dash = i === 0 ? '6 4' : '2 4';
  return `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${up.at(mean)}" y2="${up.at(mean)}" stroke="${stroke}" stroke-width="1.5" stroke-dasharray="${dash}"/>${legend({ name, stroke, dash, i: below + i })}`;
}

function legend({ name, stroke, dash, i }: { readonly name: string; readonly stroke: string; readonly dash: string; readonly i: number }): string {
  const y = MARGIN.top + 14 + i * 20;
  const x = WIDTH - MARGIN.right + 14;
  return `<line x1="${x}" x2="${x + 24}" y1="${y}" y2="${y}" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dash}"/><text x="${x + 30}" y="${y + 4}">${escaped(name)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
