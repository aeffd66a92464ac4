/** How are sums, means, largest elements and normalisations written? */
import type { Dimension } from '../../tensor/dimension.ts';
import { isStatic, elementCount, normaliseAxes, normaliseAxis, stretchedAxes, type Shape } from '../../tensor/shape.ts';
import { isFloatDType } from '../../tensor/dtype.ts';
import type { Value } from '../value.ts';
import type { arithmeticMethods } from './arithmetic.ts';
import { integers, sizesValue, type Emitter } from './emitter.ts';
import type { layoutMethods } from './layout.ts';

export type ReduceOptions = {
  /** One axis or several; all when left out. */
  readonly axis?: number | readonly number[];
  /** Keep reduced axes as size 1. */
  readonly keepDims?: boolean;
};

type ReduceOp = 'ReduceSum' | 'ReduceMean' | 'ReduceMax' | 'ReduceMin' | 'ReduceSumSquare' | 'ReduceL2' | 'ReduceProd';
type Methods = ReturnType<typeof arithmeticMethods> & ReturnType<typeof layoutMethods>;

/** Keeps 1/‖x‖ finite for a zero vector. Far below any embedding's length, and its square is a normal float32. */
const SMALLEST_LENGTH = 1e-12;

/** The methods of the builder that reduce along axes or normalise. */
export function reductionMethods(e: Emitter, g: Methods) {
  const axesOf = (x: Value, axis: ReduceOptions['axis']): readonly number[] => (axis === undefined ? x.shape.map((_, i) => i) : normaliseAxes(typeof axis === 'number' ? [axis] : axis, x.shape.length));

  const reduce = (op: ReduceOp, x: Value, { axis, keepDims = false }: ReduceOptions): Value => {
    const axes = axesOf(x, axis);
    if (axes.length === 0 && op !== 'ReduceSumSquare' && op !== 'ReduceL2') return x;
    return e.emitOne(op, [x, integers(e, axes)], { keepdims: keepDims ? 1 : 0, noop_with_empty_axes: 0 });
  };

  /** The number of elements along axes: a number when known, else a scalar value of x's element type. */
  const sizeAlong = (x: Value, axes: readonly number[]): Value | number => {
    const sizes: readonly Dimension[] = axes.map((axis) => x.shape[axis] ?? 1);
    if (isStatic(sizes)) return elementCount(sizes);
    const product = e.emitOne('ReduceProd', [sizesValue(e, sizes), integers(e, [0])], { keepdims: 0, noop_with_empty_axes: 0 });
    return g.cast(product, x.dtype);
  };

  const reduceMax = (x: Value, options: ReduceOptions = {}): Value => reduce('ReduceMax', x, options);
  const reduceSum = (x: Value, options: ReduceOptions = {}): Value => reduce('ReduceSum', x, options);

  return {
    sizeAlong,
    reduceSum,
    reduceMean: (x: Value, options: ReduceOptions = {}): Value => reduce('ReduceMean', x, options),
    reduceMax,
    reduceMin: (x: Value, options: ReduceOptions = {}): Value => reduce('ReduceMin', x, options),
    reduceSumSquare: (x: Value, options: ReduceOptions = {}): Value => reduce('ReduceSumSquare', x, options),
    reduceL2: (x: Value, options: ReduceOptions = {}): Value => reduce('ReduceL2', x, options),
    /**
     * log Σ exp(x) along axes, safe for large x: max + log Σ exp(x − max), the max held fixed for the gradient, so that
     * `backward` reuses the exponentials (one multiplication per element instead of another exponential).
     */
    reduceLogSumExp: (x: Value, { axis, keepDims = false }: ReduceOptions = {}): Value => {
      const axes = axesOf(x, axis);
      const largest = e.detach(reduceMax(x, { axis: axes, keepDims: true }));
      const sum = reduceSum(g.exp(g.sub(x, largest)), { axis: axes, keepDims: true });
      const result = g.add(g.log(sum), largest);
      return keepDims ? result : g.squeeze(result, axes);
    },
    /** Summed over the axes along which it was stretched from `shape`: the gradient's way back through broadcasting. */
    sumTo: (x: Value, shape: Shape): Value => {
      const axes = stretchedAxes(shape, x.shape);
      if (axes.length === 0) return x;
      if (x.shape.length === 2 && axes.length === 1 && axes[0] === 0 && isFloatDType(x.dtype)) {
        const ones = g.filled([1, x.shape[0] ?? 1], 1, x.dtype); // a product reads long columns twice as fast as ReduceSum (measured)
        return g.reshape(e.emitOne('Gemm', [ones, x], { alpha: 1, beta: 1, transA: 0, transB: 0 }), shape);
      }
      const summed = x.shape.length === shape.length ? reduceSum(x, { axis: axes, keepDims: true }) : reduceSum(x, { axis: axes });
      return g.reshape(summed, shape);
    },
    softmax: (x: Value, { axis }: { readonly axis: number }): Value => e.emitOne('Softmax', [x], { axis: normaliseAxis(axis, x.shape.length) }),
    logSoftmax: (x: Value, { axis }: { readonly axis: number }): Value => e.emitOne('LogSoftmax', [x], { axis: normaliseAxis(axis, x.shape.length) }),
    /** x / max(‖x‖, 1e-12) along one axis; a zero vector stays zero and its gradient is finite. */
    l2Normalise: (x: Value, { axis = -1 }: { readonly axis?: number } = {}): Value => {
      const squares = reduce('ReduceSumSquare', x, { axis, keepDims: true });
      return g.mul(x, g.reciprocal(g.sqrt(g.clip(squares, { low: SMALLEST_LENGTH ** 2 }))));
    },
    /** Normalised to mean 0 and variance 1 over the axes from `axis` on, then scaled and shifted. */
    layerNormalization: (x: Value, { scale, bias, axis = -1, epsilon }: { readonly scale: Value; readonly bias: Value; readonly axis?: number; readonly epsilon: number }): Value =>
      e.emitOne('LayerNormalization', [x, scale, bias], { axis: normaliseAxis(axis, x.shape.length), epsilon }),
  };
}
