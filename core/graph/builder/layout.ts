/** How are elements moved, picked and joined? */
import type { Dimension } from '../../tensor/dimension.ts';
import type { DType } from '../../tensor/dtype.ts';
import { normaliseAxes, normaliseAxis, shapesEqual, type Shape } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { tensorFrom } from '../../tensor/tensor.ts';
import type { Value } from '../value.ts';
import { integers, sizesValue, type Emitter } from './emitter.ts';

/** The methods of the builder that change where elements stand. */
export function layoutMethods(e: Emitter) {
  const reshape = (x: Value, shape: Shape): Value => {
    if (shapesEqual(x.shape, shape)) return x;
    const node = e.producerOf(x);
    const source = node?.op === 'Reshape' ? node.inputs[0] : x;
    if (shapesEqual(source.shape, shape)) return source;
    const free = shape.filter((size) => typeof size === 'string').length === 1; // one size that only the data knows
    const sizes = free ? shape.map((size) => (typeof size === 'string' ? -1 : size)) : shape;
    return e.emitOne('Reshape', [source, sizesValue(e, sizes)], { allowzero: shape.includes(0) ? 1 : 0 });
  };

  const transpose = (x: Value, perm: readonly number[]): Value => {
    const node = e.producerOf(x);
    const [source, order] = node?.op === 'Transpose' ? [node.inputs[0], perm.map((axis) => node.attributes.perm[axis] ?? 0)] : [x, perm];
    return order.length === x.shape.length && order.every((axis, i) => axis === i) ? source : e.emitOne('Transpose', [source], { perm: order });
  };

  /** A value of one number, of any shape. */
  const filled = (shape: Shape, value: number, dtype: DType = 'float32'): Value => {
    if (shape.length === 0) return e.constant(tensorFrom(dtype, [], [value]));
    return e.emitOne('ConstantOfShape', [sizesValue(e, shape)], { value: tensorFrom(dtype, [1], [value]) });
  };

  const slice = (x: Value, { axis, start, end }: { readonly axis: number; readonly start: Dimension; readonly end: Dimension }): Value => {
    const along = normaliseAxis(axis, x.shape.length);
    if (start === 0 && end === x.shape[along]) return x;
    return e.emitOne('Slice', [x, sizesValue(e, [start]), sizesValue(e, [end]), integers(e, [along])], {});
  };

  const unsqueeze = (x: Value, axes: readonly number[]): Value => {
    const positions = normaliseAxes(axes, x.shape.length + axes.length);
    const rest = [...x.shape];
    return reshape(x, Array.from({ length: x.shape.length + axes.length }, (_, i) => (positions.includes(i) ? 1 : (rest.shift() ?? 1))));
  };

  const squeeze = (x: Value, axes: readonly number[]): Value => {
    const positions = normaliseAxes(axes, x.shape.length);
    if (positions.some((i) => x.shape[i] !== 1)) throw new ShapeError('graph.shape-mismatch', `squeeze: axes [${axes.join(', ')}] of [${x.shape.join(', ')}] are not all 1.`);
    return reshape(x, x.shape.filter((_, i) => !positions.includes(i)));
  };

  const gather = (x: Value, indices: Value, { axis = 0 }: { readonly axis?: number } = {}): Value => e.emitOne('Gather', [x, indices], { axis: normaliseAxis(axis, x.shape.length) });

  const rearrange = (x: Value, { places, inverse }: { readonly places: Value; readonly inverse: Value }): Value => {
    const gathered = gather(x, places);
    e.setInverse(gathered, inverse);
    return gathered;
  };

  const range = (size: Dimension): Value => {
    const scalar = (value: number): Value => e.constant(tensorFrom('int64', [], [value]));
    const limit = typeof size === 'number' ? scalar(size) : e.emitOne('Squeeze', [sizesValue(e, [size]), integers(e, [0])], {});
    return e.emitOne('Range', [scalar(0), limit, scalar(1)], {});
  };

  return {
    /** The same elements in another shape. */
    reshape,
    /** Axes in another order. */
    transpose,
    filled,
    zerosLike: (x: Value): Value => filled(x.shape, 0, x.dtype),
    /** x[start:end] along one axis; sizes may be symbols. */
    slice,
    /** New axes of size 1 at these positions of the result. */
    unsqueeze,
    /** Without these axes of size 1. */
    squeeze,
    /** x[indices] along one axis. */
    gather,
    /**
     * Rows in other places: y = x[places], x [N, D], places [M]. Its gradient is gathered too, dx = dy[inverse], inverse [N], which is
     * right when places[inverse[n]] = n and dy is zero at every place that `inverse` does not name (copies that only fill gaps).
     */
    rearrange,
    gatherElements: (x: Value, indices: Value, { axis = 0 }: { readonly axis?: number } = {}): Value => e.emitOne('GatherElements', [x, indices], { axis }),
    gatherNd: (x: Value, indices: Value): Value => e.emitOne('GatherND', [x, indices], { batch_dims: 0 }),
    /** A copy of x with updates written or added at coordinates (last axis of `indices`). */
    scatterNd: (x: Value, indices: Value, updates: Value, reduction: 'none' | 'add' = 'none'): Value => e.emitOne('ScatterND', [x, indices, updates], { reduction }),
    scatterElements: (x: Value, indices: Value, updates: Value, { axis = 0, reduction = 'none' }: { readonly axis?: number; readonly reduction?: 'none' | 'add' } = {}): Value =>
      e.emitOne('ScatterElements', [x, indices, updates], { axis, reduction }),
    /** Joined along one axis. */
    concat: (parts: readonly Value[], { axis }: { readonly axis: number }): Value => {
      const [first] = parts;
      if (first === undefined) throw new ShapeError('graph.input-count', 'concat needs at least one value.');
      return parts.length === 1 ? first : e.emitOne('Concat', parts, { axis: normaliseAxis(axis, first.shape.length) });
    },
    /** Parts of the given sizes along one axis. */
    split: (x: Value, { axis, sizes }: { readonly axis: number; readonly sizes: readonly Dimension[] }): readonly Value[] => e.emit('Split', [x, sizesValue(e, sizes)], { axis: normaliseAxis(axis, x.shape.length) }),
    /** 0, 1, ... size - 1 as int64 [size]. */
    range,
    /** The main diagonal of [N, M]: [min(N, M)]; the smaller size must be first or known. */
    diagonal: (x: Value): Value => {
      const [rows = 0, columns = 0] = x.shape;
      if (x.shape.length !== 2) throw new ShapeError('graph.rank', `diagonal needs rank 2, found [${x.shape.join(', ')}].`);
      const length = typeof rows === 'number' && typeof columns === 'number' ? Math.min(rows, columns) : rows;
      const square = slice(x, { axis: 0, start: 0, end: length }); // [length, M]
      const positions = unsqueeze(range(length), [1]); // [length, 1]
      return squeeze(e.emitOne('GatherElements', [square, positions], { axis: 1 }), [1]); // [length]
    },
  };
}
