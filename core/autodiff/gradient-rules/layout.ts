/** Which gradients have operators that move, pick, join or make elements? */
import type { GraphBuilder, Value } from '../../graph/builder.ts';
import type { layout } from '../../graph/operators/layout.ts';
import { addDimensions, type Dimension } from '../../tensor/dimension.ts';
import { normaliseAxis } from '../../tensor/shape.ts';
import { GradientError } from '../gradient-error.ts';
import type { GradientTable } from '../rule.ts';

/** The order of axes that undoes `perm`. */
function inverseOf(perm: readonly number[]): readonly number[] {
  return perm.map((_, axis) => perm.indexOf(axis));
}

/** The order of axes with the run of `count` axes from `from` moved to the front. */
function toFront(rank: number, from: number, count: number): readonly number[] {
  const axes = Array.from({ length: rank }, (_, i) => i);
  return [...axes.splice(from, count), ...axes];
}

/** dy back in the places of x that were gathered along `axis`; a place gathered twice receives both. */
function scatteredBack(g: GraphBuilder, { x, indices, axis, dy }: { readonly x: Value; readonly indices: Value; readonly axis: number; readonly dy: Value }): Value {
  const order = toFront(x.shape.length, axis, 1);
  const front = g.transpose(g.zerosLike(x), order); // [gathered axis, others]
  const updates = g.transpose(dy, toFront(dy.shape.length, axis, indices.shape.length)); // [indices, others]
  const places = g.unsqueeze(g.cast(indices, 'int64'), [-1]); // [indices, 1]
  return g.transpose(g.scatterNd(front, places, updates, 'add'), inverseOf(order));
}

export const layoutRules: GradientTable<keyof typeof layout> = {
  Constant: 'none', // no inputs
  Shape: 'none', // sizes
  ConstantOfShape: 'none',
  Range: 'none',
  /** y = x with axes in another order.  dx = dy with the order undone. */
  Transpose: ({ g, attributes: { perm }, outputGrads: [dy] }) => [g.transpose(dy, inverseOf(perm))],
  /** Same elements in another shape.  dx = dy in x's shape. */
  Reshape: ({ g, inputs: [x], outputGrads: [dy] }) => [g.reshape(dy, x.shape), null],
  /** y = x stretched.  dx = dy; `backward` sums the stretched axes. */
  Expand: ({ outputGrads: [dy] }) => [dy, null],
  Unsqueeze: ({ g, inputs: [x], outputGrads: [dy] }) => [g.reshape(dy, x.shape), null],
  Squeeze: ({ g, inputs: [x], outputGrads: [dy] }) => [g.reshape(dy, x.shape), null],
  /** y = parts joined.  Each part takes its own stretch of dy. */
  Concat: ({ g, inputs, attributes: { axis }, outputs: [y], outputGrads: [dy], needed }) => {
    const along = normaliseAxis(axis, y.shape.length);
    let start: Dimension = 0;
    return inputs.map((part, i) => {
      const end = addDimensions(start, part.shape[along] ?? 0);
      const gradient = needed[i] === true ? g.slice(dy, { axis: along, start, end }) : null;
      start = end;
      return gradient;
    });
  },
  /** y₁, y₂, ... = parts of x.  dx = the gradients of the parts joined, zeros for parts that lead nowhere. */
  Split: ({ g, attributes: { axis }, outputs, outputGrads }) => [g.concat(outputs.map((part, i) => outputGrads[i] ?? g.zerosLike(part)), { axis }), null],
  /** y = a stretch of x (steps of 1 or more).  dx = dy in its place, zeros elsewhere. */
  Slice: ({ g, inputs: [x, starts, , axes, steps], outputs: [y], outputGrads: [dy] }) => {
    const from = starts.content;
    const along = axes === null || axes === undefined ? (from ?? []).map((_, i) => i) : (axes.content ?? []).map((axis) => normaliseAxis(Number(axis), x.shape.length));
    const step = steps === null || steps === undefined ? along.map(() => 1) : (steps.content ?? []).map(Number);
    let gradient = dy;
    along.forEach((axis, i) => {
      const size = x.shape[axis] ?? 0;
      const rawStart = from?.[i] ?? 0;
      const start = typeof rawStart === 'number' && rawStart < 0 ? addDimensions(size, rawStart) : rawStart;
      gradient = placedAlong(g, gradient, { axis, size, start, step: step[i] ?? 1, length: y.shape[axis] ?? 0 });
    });
    return [gradient, ...(axes === undefined ? [null, null] : [null, null, null, null])];
  },
  /** y = x[indices] on `axis`.  dx = dy added up at the gathered places; rows that were only moved are moved back. */
  Gather: ({ g, inputs: [x, indices], attributes: { axis }, outputs: [y], outputGrads: [dy] }) => {
    const inverse = g.inverseOf(y);
    if (inverse !== null) return [g.rearrange(dy, { places: inverse, inverse: indices }), null];
    return [scatteredBack(g, { x, indices, axis: normaliseAxis(axis, x.shape.length), dy }), null];
  },
  /** dx = dy added up at the gathered places. */
  GatherElements: ({ g, inputs: [x, indices], attributes: { axis }, outputGrads: [dy] }) => [g.scatterElements(g.zerosLike(x), indices, dy, { axis, reduction: 'add' }), null],
  /** dx = dy added up at the gathered coordinates. */
  GatherND: ({ g, inputs: [x, indices], outputGrads: [dy] }) => [g.scatterNd(g.zerosLike(x), indices, dy, 'add'), null],
  /** y = x with updates added (or written: coordinates must then differ).  dx = dy (zero where written), du = dy at the coordinates. */
  ScatterND: ({ g, inputs: [, indices, updates], attributes: { reduction }, outputGrads: [dy] }) => [
    reduction === 'add' ? dy : g.scatterNd(dy, indices, g.zerosLike(updates)),
    null,
    g.gatherNd(dy, indices),
  ],
  /** As ScatterND, along one axis. */
  ScatterElements: ({ g, inputs: [, indices, updates], attributes: { axis, reduction }, outputGrads: [dy] }) => [
    reduction === 'add' ? dy : g.scatterElements(dy, indices, g.zerosLike(updates), { axis }),
    null,
    g.gatherElements(dy, indices, { axis }),
  ],
};

type Place = { readonly axis: number; readonly size: Dimension; readonly start: Dimension; readonly step: number; readonly length: Dimension };

/** dy along one axis of a larger zero tensor. */
function placedAlong(g: GraphBuilder, dy: Value, { axis, size, start, step, length }: Place): Value {
  if (step !== 1) {
    const places = g.add(g.mul(g.range(length), step), knownStart(start)); // [length]
    const zeros = g.filled(dy.shape.map((d, i) => (i === axis ? size : d)), 0, dy.dtype);
    return scatteredBack(g, { x: zeros, indices: places, axis, dy });
  }
  const zeros = (count: Dimension): readonly Value[] => (count === 0 ? [] : [g.filled(dy.shape.map((d, i) => (i === axis ? count : d)), 0, dy.dtype)]);
  const after = addDimensions(addDimensions(size, start, -1), length, -1);
  return g.concat([...zeros(start), dy, ...zeros(after)], { axis });
}

function knownStart(start: Dimension): number {
  if (typeof start === 'number') return start;
  throw new GradientError('graph.no-gradient', 'Slice with a step other than 1 needs a start that is a number.');
}
