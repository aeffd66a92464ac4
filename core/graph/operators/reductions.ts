/** Which operators reduce or normalise along axes? */
import { normaliseAxis } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { int, float, one, operator, two, type Arity, type Binary, type Unary } from '../operator.ts';
import type { Value } from '../value.ts';
import { knownIntegers, needFloat, reducedAxes, reducedShape, sameDType, shortContent } from './infer.ts';
import { multiplyDimensions, type Dimension } from '../../tensor/dimension.ts';

type ReduceInputs = readonly [Value, (Value | null)?];
const reduceInputs: Arity<ReduceInputs> = { least: 1, most: 2 };
type ReduceAttributes = { readonly keepdims: number; readonly noop_with_empty_axes: number };

/** y = reduction of x along `axes` (second input; absent or empty = all axes). */
const reduction = (opset: number) =>
  operator({
    inputs: reduceInputs,
    attributes: { keepdims: int(1), noop_with_empty_axes: int(0) },
    opset,
    infer: ({ inputs: [x, axes], attributes: { keepdims, noop_with_empty_axes: noop } }: { inputs: ReduceInputs; attributes: ReduceAttributes }) => {
      if (noop !== 0) throw new ShapeError('graph.unsupported', 'noop_with_empty_axes is not supported.');
      const shape = reducedShape(x.shape, reducedAxes(x, axes ?? null), keepdims !== 0);
      return [{ dtype: x.dtype, shape }];
    },
  });

/** y = f(x) along one axis, same shape. */
const alongAxis = (opset: number) =>
  operator({
    inputs: one,
    attributes: { axis: int(-1) },
    opset,
    infer: ({ inputs: [x], attributes: { axis } }: { inputs: Unary; attributes: { readonly axis: number } }) => {
      normaliseAxis(axis, x.shape.length);
      return [{ dtype: needFloat(x), shape: x.shape }];
    },
  });

type NormInputs = readonly [Value, Value, (Value | null)?];
const normInputs: Arity<NormInputs> = { least: 2, most: 3 };
const LAYER_NORM_EPSILON = 1e-5; // ONNX's default

export const reductions = {
  ReduceSum: reduction(13),
  ReduceMean: reduction(18),
  ReduceMax: reduction(18),
  ReduceMin: reduction(18),
  ReduceSumSquare: reduction(18),
  ReduceL2: reduction(18),
  ReduceLogSumExp: reduction(18),
  /** Product; only sizes are multiplied here, so known content is carried through. */
  ReduceProd: operator({
    inputs: reduceInputs,
    attributes: { keepdims: int(1), noop_with_empty_axes: int(0) },
    opset: 18,
    infer: ({ inputs: [x, axes], attributes: { keepdims } }: { inputs: ReduceInputs; attributes: ReduceAttributes }) => {
      const shape = reducedShape(x.shape, reducedAxes(x, axes ?? null), keepdims !== 0);
      const content = shortContent(shape, () => {
        if (x.content === null || x.shape.length > 1) return null;
        const product = x.content.reduce<Dimension | null>((p, d) => (p === null ? null : multiplyDimensions(p, d)), 1);
        return product === null ? null : [product];
      });
      return [{ dtype: x.dtype, shape, content }];
    },
  }),
  /** Running sums along one axis (second input, a known number); `exclusive` leaves the element itself out, `reverse` starts at the end. */
  CumSum: operator({
    inputs: two,
    attributes: { exclusive: int(0), reverse: int(0) },
    opset: 14,
    infer: ({ inputs: [x, axis] }: { inputs: Binary }) => {
      normaliseAxis(knownIntegers(axis)[0] ?? 0, x.shape.length);
      return [{ dtype: x.dtype, shape: x.shape }];
    },
  }),
  Softmax: alongAxis(13),
  LogSoftmax: alongAxis(13),
  /** y = (x − mean) / √(variance + ε) · scale + bias over the axes from `axis` on; also the mean and 1/√(variance + ε). */
  LayerNormalization: operator({
    inputs: normInputs,
    attributes: { axis: int(-1), epsilon: float(LAYER_NORM_EPSILON) },
    opset: 17,
    requiredOutputs: 1,
    infer: ({ inputs: [x, scale, bias], attributes: { axis } }: { inputs: NormInputs; attributes: { readonly axis: number; readonly epsilon: number } }) => {
      const first = normaliseAxis(axis, x.shape.length);
      const normalised = x.shape.slice(first);
      for (const parameter of [scale, bias]) {
        if (parameter === null || parameter === undefined) continue;
        sameDType(x, parameter);
        if (parameter.shape.length !== normalised.length || parameter.shape.some((d, i) => d !== normalised[i])) throw new ShapeError('graph.shape-mismatch', `LayerNormalization: "${parameter.name}" should have shape [${normalised.join(', ')}], found [${parameter.shape.join(', ')}].`);
      }
      const statistics = x.shape.map((dimension, i) => (i < first ? dimension : 1));
      return [{ dtype: needFloat(x), shape: x.shape }, { dtype: x.dtype, shape: statistics }, { dtype: x.dtype, shape: statistics }];
    },
  }),
};
