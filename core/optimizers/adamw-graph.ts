/**
 * How does a device update its own parameters? AdamW, clipping and accumulation as graphs of plain operators, in the order of
 * the kernels (kernels-javascript.ts), so that a device follows the CPU to float32 rounding.
 */
import { createGraphBuilder, type GraphBuilder, type Value } from '../graph/builder.ts';
import type { Graph } from '../graph/graph.ts';
import type { AdamwSettings } from './adamw.ts';

/** Sizes of parameters are symbols: one graph serves every parameter of a rank. */
const SIZES = ['A', 'B', 'C', 'D'];

const sizesOf = (rank: number): readonly string[] => SIZES.slice(0, rank);

type Moments = { readonly values: Value; readonly means: Value; readonly variances: Value };
/** Stretched over the parameter: float [] for a whole one, [U, 1] for rows with clocks of their own. */
type StepScalars = { readonly gradientScale: Value; readonly decay: Value; readonly stepSize: Value; readonly inverseRoot: Value };

/**
 * The update of one parameter of the rank; inputs values, means, variances, gradients [A, B, ...] and float []
 * gradientScale, decay = 1 − learningRate · weightDecay, stepSize = learningRate / (1 − β₁ᵗ), inverseRoot = 1 / √(1 − β₂ᵗ).
 * Outputs newValues, newMeans, newVariances.
 * @see Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2; adamw.ts.
 */
export function adamwGraph(rank: number, settings: AdamwSettings): Graph {
  const g = createGraphBuilder(`adamw-${rank}`);
  const input = (name: string): Value => g.input(name, 'float32', sizesOf(rank));
  const scalar = (name: string): Value => g.input(name, 'float32', []);
  const before = { values: input('values'), means: input('means'), variances: input('variances') };
  const scalars = { gradientScale: scalar('gradientScale'), decay: scalar('decay'), stepSize: scalar('stepSize'), inverseRoot: scalar('inverseRoot') };
  const after = updated(g, { before, gradients: input('gradients'), scalars, settings });
  return g.build({ newValues: after.values, newMeans: after.means, newVariances: after.variances });
}

/**
 * The update of the rows of a table that were used; the others stay as they are (lazy AdamW: adamw.ts says why).
 * Inputs values, means, variances [V, H]; rows int64 [U], each once; gradients [U, H]; decays, stepSizes, inverseRoots [U] of each
 * row's own clock (1, 0, 1 for a row that keeps its values); gradientScale []. Outputs as `adamwGraph`.
 */
export function rowAdamwGraph(settings: AdamwSettings): Graph {
  const g = createGraphBuilder('adamw-rows');
  const table = (name: string): Value => g.input(name, 'float32', ['V', 'H']);
  const perRow = (name: string): Value => g.unsqueeze(g.input(name, 'float32', ['U']), [1]); // [U, 1]
  const tables = { values: table('values'), means: table('means'), variances: table('variances') };
  const rows = g.input('rows', 'int64', ['U']);
  const gradients = g.input('gradients', 'float32', ['U', 'H']);
  const gradientScale = g.input('gradientScale', 'float32', []);
  const scalars = { gradientScale, decay: perRow('decays'), stepSize: perRow('stepSizes'), inverseRoot: perRow('inverseRoots') };
  const before = { values: g.gather(tables.values, rows), means: g.gather(tables.means, rows), variances: g.gather(tables.variances, rows) }; // [U, H]
  const after = updated(g, { before, gradients, scalars, settings });
  const places = g.unsqueeze(rows, [1]); // [U, 1]
  return g.build({
    newValues: g.scatterNd(tables.values, places, after.values),
    newMeans: g.scatterNd(tables.means, places, after.means),
    newVariances: g.scatterNd(tables.variances, places, after.variances),
  });
}

function updated(g: GraphBuilder, { before, gradients, scalars, settings }: { readonly before: Moments; readonly gradients: Value; readonly scalars: StepScalars; readonly settings: AdamwSettings }): Moments {
  const gradient = g.mul(gradients, scalars.gradientScale);
  const means = g.add(before.means, g.mul(g.sub(gradient, before.means), 1 - settings.beta1));
  const variances = g.add(g.mul(before.variances, settings.beta2), g.mul(g.mul(gradient, 1 - settings.beta2), gradient));
  const denominator = g.add(g.mul(g.sqrt(variances), scalars.inverseRoot), settings.epsilon);
  const values = g.sub(g.mul(before.values, scalars.decay), g.mul(g.div(means, denominator), scalars.stepSize));
  return { values, means, variances };
}

/** sum = a + b for gradients of the rank: accumulation over slices of a batch and over losses. */
export function accumulationGraph(rank: number): Graph {
  const g = createGraphBuilder(`accumulation-${rank}`);
  return g.build({ sum: g.add(g.input('a', 'float32', sizesOf(rank)), g.input('b', 'float32', sizesOf(rank))) });
}

/** Gradients of rows placed among more rows: sum [U, H] = total [U, H] with part [P, H] added at places int64 [P]. */
export function rowAccumulationGraph(): Graph {
  const g = createGraphBuilder('row-accumulation');
  const total = g.input('total', 'float32', ['U', 'H']);
  const part = g.input('part', 'float32', ['P', 'H']);
  const places = g.input('places', 'int64', ['P']);
  return g.build({ sum: g.scatterNd(total, g.unsqueeze(places, [1]), part, 'add') });
}

/** Zeros [U, H], where rows of gradients are collected; U is the length of the input rows int64 [U]. */
export function zeroRowsGraph(width: number): Graph {
  const g = createGraphBuilder('zero-rows');
  const [count = 0] = g.input('rows', 'int64', ['U']).shape;
  return g.build({ zeros: g.filled([count, width], 0) });
}

/**
 * squares [] = Σ ‖gᵢ‖², of which the norm of all gradients is the root (clipping.ts).
 * @param shapes  the shape of each gradient by input name; sizes may be symbols.
 */
export function squaredNormGraph(shapes: ReadonlyMap<string, readonly (number | string)[]>): Graph {
  const g = createGraphBuilder('squared-norm');
  const squares = [...shapes].map(([name, shape]) => g.reduceSumSquare(g.input(name, 'float32', shape)));
  return g.build({ squares: squares.reduce((a, b) => g.add(a, b), g.scalar(0)) });
}
