/** Which gradients have reductions and normalisations? */
import { GradientError } from '../gradient-error.ts';
import type { GraphBuilder, Value } from '../../graph/builder.ts';
import { reducedAxes } from '../../graph/operators/infer.ts';
import type { reductions } from '../../graph/operators/reductions.ts';
import { normaliseAxis } from '../../tensor/shape.ts';
import type { GradientTable } from '../rule.ts';

/** A reduced value with its lost axes back as size 1. */
function unreduced(g: GraphBuilder, value: Value, { x, axes }: { readonly x: Value; readonly axes: readonly number[] }): Value {
  return g.reshape(value, x.shape.map((dimension, i) => (axes.includes(i) ? 1 : dimension)));
}

/** What every reduction rule needs: the axes, the output and its gradient as [..., 1, ...]. */
function reduction(g: GraphBuilder, { x, axes, y, dy }: { readonly x: Value; readonly axes: Value | null | undefined; readonly y: Value; readonly dy: Value }) {
  const reduced = { x, axes: reducedAxes(x, axes ?? null) };
  return { axes: reduced.axes, yKept: unreduced(g, y, reduced), dyKept: unreduced(g, dy, reduced) };
}

/** dx = dy shared equally by the elements that reach the largest (or smallest) value. */
function extreme(g: GraphBuilder, parts: { readonly x: Value; readonly axes: Value | null | undefined; readonly y: Value; readonly dy: Value }): readonly Value[] {
  const { axes, yKept, dyKept } = reduction(g, parts);
  const reached = g.cast(g.equal(parts.x, yKept), parts.x.dtype); // [..., K, ...]
  const count = g.reduceSum(reached, { axis: axes, keepDims: true }); // [..., 1, ...]
  return [g.mul(reached, g.div(dyKept, count))];
}

export const reductionRules: GradientTable<keyof typeof reductions> = {
  /** y = Σ x.  dx = dy, stretched. */
  ReduceSum: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => [g.expand(reduction(g, { x, axes, y, dy }).dyKept, x.shape)],
  /** y = Σ x / K.  dx = dy / K, stretched. */
  ReduceMean: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => {
    const { axes: reduced, dyKept } = reduction(g, { x, axes, y, dy });
    const size = g.sizeAlong(x, reduced);
    return [g.expand(typeof size === 'number' ? g.mul(dyKept, 1 / size) : g.div(dyKept, size), x.shape)];
  },
  /** y = max x.  dx = dy / (number of largest) where x = y. */
  ReduceMax: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => extreme(g, { x, axes, y, dy }),
  /** y = min x.  As ReduceMax. */
  ReduceMin: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => extreme(g, { x, axes, y, dy }),
  /** y = Σ x².  dx = 2 dy x. */
  ReduceSumSquare: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => [g.mul(x, g.mul(reduction(g, { x, axes, y, dy }).dyKept, 2))],
  /** y = √Σ x².  dx = dy x / y; 0 for a zero vector. */
  ReduceL2: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => {
    const { yKept, dyKept } = reduction(g, { x, axes, y, dy });
    const isZero = g.equal(yKept, 0);
    return [g.mul(x, g.where(isZero, 0, g.div(dyKept, g.where(isZero, 1, yKept))))];
  },
  /** y = ln Σ exp(x).  dx = dy exp(x − y). */
  ReduceLogSumExp: ({ g, inputs: [x, axes], outputs: [y], outputGrads: [dy] }) => {
    const { yKept, dyKept } = reduction(g, { x, axes, y, dy });
    return [g.mul(g.exp(g.sub(x, yKept)), dyKept)];
  },
  ReduceProd: 'unsupported', // used for sizes only
  /** y = running sums.  dx = running sums of dy from the other end. */
  CumSum: ({ g, inputs: [, axis], attributes: { exclusive, reverse }, outputGrads: [dy] }) => [g.emitOne('CumSum', [dy, axis], { exclusive, reverse: 1 - reverse }), null],
  /** y = softmax(x) on `axis`.  dx = y ⊙ (dy − Σ dy ⊙ y). */
  Softmax: ({ g, attributes: { axis }, outputs: [y], outputGrads: [dy] }) => [g.mul(y, g.sub(dy, g.reduceSum(g.mul(dy, y), { axis, keepDims: true })))],
  /** y = log softmax(x) on `axis`.  dx = dy − exp(y) ⊙ Σ dy. */
  LogSoftmax: ({ g, attributes: { axis }, outputs: [y], outputGrads: [dy] }) => [g.sub(dy, g.mul(g.exp(y), g.reduceSum(dy, { axis, keepDims: true })))],
  /**
   * n = (x − mean) r, r = 1/√(variance + ε), y = n s + b.
   * ds = dy n, db = dy, dx = r (e − mean(e) − n mean(e n)), e = dy s; means over the normalised axes.
   */
  LayerNormalization: ({ g, inputs: [x, scale, bias], attributes: { axis }, outputs, outputGrads: [dy, dMean, dDeviation], needed: [needsX, needsScale] }) => {
    const [, mean, inverse] = outputs;
    if (mean === undefined || inverse === undefined || (dMean ?? null) !== null || (dDeviation ?? null) !== null) {
      throw new GradientError('graph.no-gradient', 'LayerNormalization has a gradient for its first output only; compute mean and deviation separately.');
    }
    const first = normaliseAxis(axis, x.shape.length);
    const axes = x.shape.map((_, i) => i).slice(first);
    const normalised = g.mul(g.sub(x, mean), inverse);
    const db = bias === null || bias === undefined ? null : dy;
    const ds = needsScale === true ? g.mul(dy, normalised) : null;
    if (needsX !== true) return [null, ds, db];
    const e = g.mul(dy, scale);
    const along = g.mul(normalised, g.reduceMean(g.mul(e, normalised), { axis: axes, keepDims: true }));
    const centred = g.sub(g.sub(e, g.reduceMean(e, { axis: axes, keepDims: true })), along);
    return [g.mul(centred, inverse), ds, db];
  },
};
