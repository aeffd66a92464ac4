/** Which operators move, pick, join or make elements without arithmetic? */
import { addDimensions, divideDimensions, type Dimension } from '../../tensor/dimension.ts';
import type { DType } from '../../tensor/dtype.ts';
import { broadcastShapes, elementCount, formatShape, isStatic, normaliseAxes, normaliseAxis, symbolicElementCount, sumDimensions, type Shape } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { numbersOf, type Tensor } from '../../tensor/tensor.ts';
import { int, ints, one, operator, tensor, text, three, two, type Arity, type Binary, type Ternary, type Unary } from '../operator.ts';
import type { Value } from '../value.ts';
import { knownDimensions, knownIntegers, needDType, sameDType, shortContent } from './infer.ts';

const INDICES: readonly DType[] = ['int64', 'int32'];
/** What ONNX writes for "to the end" in Slice; any larger number means the same. */
export const SLICE_END = Number.MAX_SAFE_INTEGER;

type SqueezeInputs = readonly [Value, (Value | null)?];
const squeezeInputs: Arity<SqueezeInputs> = { least: 1, most: 2 };
type SliceInputs = readonly [Value, Value, Value, (Value | null)?, (Value | null)?];
const sliceInputs: Arity<SliceInputs> = { least: 3, most: 5 };
const anyNumber: Arity<readonly Value[]> = { least: 1, most: Number.POSITIVE_INFINITY };
const none: Arity<readonly []> = { least: 0, most: 0 };
type AxisAttribute = { readonly axis: number };

/** The size of one sliced axis. */
function slicedDimension(size: Dimension, start: Dimension, end: Dimension, step: number): Dimension {
  if (typeof size === 'number' && typeof start === 'number' && typeof end === 'number') {
    const low = step > 0 ? 0 : -1;
    const high = step > 0 ? size : size - 1;
    const from = Math.min(Math.max(start < 0 ? start + size : start, step > 0 ? 0 : -1), high);
    const to = Math.min(Math.max(end < 0 ? end + size : end, low), step > 0 ? size : size - 1);
    return Math.max(0, Math.ceil((to - from) / step));
  }
  if (step !== 1) throw new ShapeError('graph.unsupported', 'Slice along an axis of unknown size needs step 1.');
  const from = typeof start === 'number' && start < 0 ? addDimensions(size, start) : start;
  const last = typeof end === 'number' && end >= SLICE_END ? size : typeof end === 'number' && end < 0 ? addDimensions(size, end) : end;
  return addDimensions(last, from, -1); // in range: ONNX Runtime clips, the checker trusts
}

function reshaped(data: Value, wanted: readonly Dimension[], allowZero: boolean): Shape {
  const shape = wanted.map((dimension, i) => (dimension === 0 && !allowZero ? (data.shape[i] ?? 0) : dimension));
  const free = shape.indexOf(-1);
  if (free >= 0) {
    const rest = shape.filter((_, i) => i !== free);
    const own = data.shape.slice();
    const remaining: Dimension[] = [];
    for (const dimension of rest) {
      const position = own.indexOf(dimension);
      if (position >= 0) own.splice(position, 1);
      else remaining.push(dimension);
    }
    shape[free] = divided(own, remaining, data.shape, shape);
  } else if (isStatic(shape) && isStatic(data.shape) && elementCount(shape) !== elementCount(data.shape)) {
    throw new ShapeError('graph.shape-mismatch', `Reshape: ${formatShape(data.shape)} has ${elementCount(data.shape)} elements, ${formatShape(shape)} has ${elementCount(shape)}.`);
  }
  return shape;
}

function divided(numerator: Shape, denominator: Shape, from: Shape, to: Shape): Dimension {
  const count = symbolicElementCount(numerator);
  const divisor = symbolicElementCount(denominator);
  const quotient = count === null || divisor === null ? null : divideDimensions(count, divisor);
  if (quotient === null) throw new ShapeError('graph.shape-mismatch', `Reshape: ${formatShape(from)} does not divide into ${formatShape(to)}.`);
  return quotient;
}

export const layout = {
  Constant: operator({
    inputs: none,
    attributes: { value: tensor() },
    opset: 19,
    infer: ({ attributes: { value } }: { inputs: readonly []; attributes: { readonly value: Tensor } }) => {
      const isInteger = value.dtype === 'int64' || value.dtype === 'int32';
      return [{ dtype: value.dtype, shape: value.shape, content: isInteger ? shortContent(value.shape, () => [...numbersOf(value)]) : null }];
    },
  }),
  /** int64 vector of the sizes of x, from axis `start` to before axis `end`. */
  Shape: operator({
    inputs: one,
    attributes: { start: int(0), end: int(SLICE_END) },
    opset: 19,
    infer: ({ inputs: [x], attributes: { start, end } }: { inputs: Unary; attributes: { readonly start: number; readonly end: number } }) => {
      const content = x.shape.slice(start, end);
      return [{ dtype: 'int64', shape: [content.length], content }];
    },
  }),
  /** A tensor of the given shape filled with one number (the attribute, of shape [1]). */
  ConstantOfShape: operator({
    inputs: one,
    attributes: { value: tensor() },
    opset: 9,
    infer: ({ inputs: [size], attributes: { value } }: { inputs: Unary; attributes: { readonly value: Tensor } }) => {
      const shape = knownDimensions(size);
      const isInteger = value.dtype === 'int64' || value.dtype === 'int32';
      const [number = 0] = isInteger ? numbersOf(value) : [];
      return [{ dtype: value.dtype, shape, content: isInteger ? shortContent(shape, () => Array.from({ length: shape.length === 0 ? 1 : Number(shape[0]) }, () => number)) : null }];
    },
  }),
  /** start, start + delta, ... below limit; scalars known while building. */
  Range: operator({
    inputs: three,
    attributes: {},
    opset: 11,
    infer: ({ inputs: [start, limit, delta] }: { inputs: Ternary }) => {
      const [from = 0] = knownDimensions(start);
      const [to = 0] = knownDimensions(limit);
      const [step = 1] = knownIntegers(delta);
      const length = typeof from === 'number' && typeof to === 'number' ? Math.max(0, Math.ceil((to - from) / step)) : slicedDimension('unused', from, to, step);
      const content = typeof length === 'number' && typeof from === 'number' ? shortContent([length], () => Array.from({ length }, (_, i) => from + i * step)) : null;
      return [{ dtype: sameDType(start, limit, delta), shape: [length], content }];
    },
  }),
  Transpose: operator({
    inputs: one,
    attributes: { perm: ints() },
    opset: 13,
    infer: ({ inputs: [x], attributes: { perm } }: { inputs: Unary; attributes: { readonly perm: readonly number[] } }) => {
      const rank = x.shape.length;
      if (perm.length !== rank || new Set(perm).size !== rank || perm.some((axis) => axis < 0 || axis >= rank)) throw new ShapeError('graph.bad-attribute', `Transpose: [${perm.join(', ')}] is not an order of the axes of ${formatShape(x.shape)}.`);
      return [{ dtype: x.dtype, shape: perm.map((axis) => x.shape[axis] ?? 1) }];
    },
  }),
  /** Same elements, other shape: -1 is what remains, 0 keeps the size of that axis unless allowzero. */
  Reshape: operator({
    inputs: two,
    attributes: { allowzero: int(0) },
    opset: 19,
    infer: ({ inputs: [x, shape], attributes: { allowzero } }: { inputs: Binary; attributes: { readonly allowzero: number } }) => {
      const result = reshaped(x, knownDimensions(shape), allowzero !== 0);
      return [{ dtype: x.dtype, shape: result, content: shortContent(result, () => x.content) }];
    },
  }),
  Expand: operator({
    inputs: two,
    attributes: {},
    opset: 13,
    infer: ({ inputs: [x, shape] }: { inputs: Binary }) => [{ dtype: x.dtype, shape: broadcastShapes(x.shape, knownDimensions(shape)) }],
  }),
  Unsqueeze: operator({
    inputs: two,
    attributes: {},
    opset: 13,
    infer: ({ inputs: [x, axes] }: { inputs: Binary }) => {
      const positions = normaliseAxes(knownIntegers(axes), x.shape.length + knownIntegers(axes).length);
      const rest = [...x.shape];
      const shape = Array.from({ length: x.shape.length + positions.length }, (_, i) => (positions.includes(i) ? 1 : (rest.shift() ?? 1)));
      return [{ dtype: x.dtype, shape, content: shortContent(shape, () => x.content) }];
    },
  }),
  Squeeze: operator({
    inputs: squeezeInputs,
    attributes: {},
    opset: 13,
    infer: ({ inputs: [x, axes] }: { inputs: SqueezeInputs }) => {
      const positions = axes === null || axes === undefined ? x.shape.flatMap((dimension, i) => (dimension === 1 ? [i] : [])) : normaliseAxes(knownIntegers(axes), x.shape.length);
      if (positions.some((i) => x.shape[i] !== 1)) throw new ShapeError('graph.shape-mismatch', `Squeeze: axes [${positions.join(', ')}] of ${formatShape(x.shape)} are not all 1.`);
      return [{ dtype: x.dtype, shape: x.shape.filter((_, i) => !positions.includes(i)), content: x.content }];
    },
  }),
  Concat: operator({
    inputs: anyNumber,
    attributes: { axis: int() },
    opset: 13,
    infer: ({ inputs, attributes: { axis } }: { inputs: readonly Value[]; attributes: AxisAttribute }) => {
      const first = inputs[0]?.shape ?? [];
      const along = normaliseAxis(axis, first.length);
      for (const { shape } of inputs) {
        if (shape.length !== first.length || shape.some((dimension, i) => i !== along && dimension !== first[i])) throw new ShapeError('graph.shape-mismatch', `Concat along ${along}: shapes ${inputs.map((value) => formatShape(value.shape)).join(', ')} differ elsewhere.`);
      }
      const shape = first.map((dimension, i) => (i === along ? sumDimensions(inputs.map((value) => value.shape[along] ?? 0)) : dimension));
      const content = shortContent(shape, () => (inputs.every((value) => value.content !== null) ? inputs.flatMap((value) => value.content ?? []) : null));
      return [{ dtype: sameDType(...inputs), shape, content }];
    },
  }),
  /** Parts of the given sizes (second input) along one axis. */
  Split: operator({
    inputs: two,
    attributes: { axis: int(0) },
    opset: 18,
    infer: ({ inputs: [x, sizes], attributes: { axis } }: { inputs: Binary; attributes: AxisAttribute }) => {
      const along = normaliseAxis(axis, x.shape.length);
      const parts = knownDimensions(sizes);
      const total = sumDimensions(parts);
      if (typeof total === 'number' && typeof x.shape[along] === 'number' && total !== x.shape[along]) throw new ShapeError('graph.shape-mismatch', `Split: parts [${parts.join(', ')}] do not add up to axis ${along} of ${formatShape(x.shape)}.`);
      return parts.map((part) => ({ dtype: x.dtype, shape: x.shape.map((dimension, i) => (i === along ? part : dimension)) }));
    },
  }),
  /** x[starts:ends:steps] along `axes` (absent: the first axes in order). */
  Slice: operator({
    inputs: sliceInputs,
    attributes: {},
    opset: 13,
    infer: ({ inputs: [x, starts, ends, axes, steps] }: { inputs: SliceInputs }) => {
      const from = knownDimensions(starts);
      const to = knownDimensions(ends);
      const along = axes === null || axes === undefined ? from.map((_, i) => i) : knownIntegers(axes).map((axis) => normaliseAxis(axis, x.shape.length));
      const step = steps === null || steps === undefined ? from.map(() => 1) : knownIntegers(steps);
      if (to.length !== from.length || along.length !== from.length || step.length !== from.length || step.includes(0)) throw new ShapeError('graph.shape-mismatch', 'Slice: starts, ends, axes and steps should have one length, and no step may be 0.');
      const shape = [...x.shape];
      along.forEach((axis, i) => {
        shape[axis] = slicedDimension(shape[axis] ?? 0, from[i] ?? 0, to[i] ?? 0, step[i] ?? 1);
      });
      const content = shortContent(shape, () => {
        const [start, end] = [from[0], to[0]];
        return x.content !== null && x.shape.length === 1 && typeof start === 'number' && typeof end === 'number' && step[0] === 1 ? x.content.slice(start, Math.min(end, x.content.length)) : null;
      });
      return [{ dtype: x.dtype, shape, content }];
    },
  }),
  /** x indexed along one axis by whole numbers of any shape; negative numbers count from the end. */
  Gather: operator({
    inputs: two,
    attributes: { axis: int(0) },
    opset: 13,
    infer: ({ inputs: [x, indices], attributes: { axis } }: { inputs: Binary; attributes: AxisAttribute }) => {
      needDType(indices, INDICES);
      const along = normaliseAxis(axis, x.shape.length);
      const shape = [...x.shape.slice(0, along), ...indices.shape, ...x.shape.slice(along + 1)];
      const content = shortContent(shape, () => {
        if (x.content === null || x.shape.length !== 1 || indices.content === null || !isStatic(indices.content)) return null;
        const source = x.content;
        return indices.content.map((index) => source.at(index) ?? 0);
      });
      return [{ dtype: x.dtype, shape, content }];
    },
  }),
  /** y[..., i, ...] = x[..., indices[..., i, ...], ...]; x and indices of one rank. */
  GatherElements: operator({
    inputs: two,
    attributes: { axis: int(0) },
    opset: 13,
    infer: ({ inputs: [x, indices], attributes: { axis } }: { inputs: Binary; attributes: AxisAttribute }) => {
      needDType(indices, INDICES);
      normaliseAxis(axis, x.shape.length);
      if (indices.shape.length !== x.shape.length) throw new ShapeError('graph.rank', `GatherElements: ${formatShape(x.shape)} and ${formatShape(indices.shape)} should have one rank.`);
      return [{ dtype: x.dtype, shape: indices.shape }];
    },
  }),
  /** x indexed by the last axis of `indices`: one coordinate tuple each (batch_dims 0). */
  GatherND: operator({
    inputs: two,
    attributes: { batch_dims: int(0) },
    opset: 13,
    infer: ({ inputs: [x, indices], attributes: { batch_dims: batch } }: { inputs: Binary; attributes: { readonly batch_dims: number } }) => {
      if (batch !== 0) throw new ShapeError('graph.unsupported', 'GatherND: batch_dims should be 0.');
      return [{ dtype: x.dtype, shape: scatteredShape('GatherND', x, indices) }];
    },
  }),
  /** A copy of x with `updates` written, or added, at coordinates. */
  ScatterND: operator({
    inputs: three,
    attributes: { reduction: text('none') },
    opset: 18,
    infer: ({ inputs: [x, indices, updates], attributes: { reduction } }: { inputs: Ternary; attributes: { readonly reduction: string } }) => {
      needReduction('ScatterND', reduction);
      const expected = scatteredShape('ScatterND', x, indices);
      if (formatShape(expected) !== formatShape(updates.shape)) throw new ShapeError('graph.shape-mismatch', `ScatterND: updates should have shape ${formatShape(expected)}, found ${formatShape(updates.shape)}.`);
      return [{ dtype: sameDType(x, updates), shape: x.shape }];
    },
  }),
  /** A copy of x with `updates` written, or added, along one axis at `indices`. */
  ScatterElements: operator({
    inputs: three,
    attributes: { axis: int(0), reduction: text('none') },
    opset: 18,
    infer: ({ inputs: [x, indices, updates], attributes: { axis, reduction } }: { inputs: Ternary; attributes: { readonly axis: number; readonly reduction: string } }) => {
      needReduction('ScatterElements', reduction);
      needDType(indices, INDICES);
      normaliseAxis(axis, x.shape.length);
      if (formatShape(indices.shape) !== formatShape(updates.shape) || indices.shape.length !== x.shape.length) throw new ShapeError('graph.shape-mismatch', `ScatterElements: indices ${formatShape(indices.shape)} and updates ${formatShape(updates.shape)} should have one shape, of the rank of ${formatShape(x.shape)}.`);
      return [{ dtype: sameDType(x, updates), shape: x.shape }];
    },
  }),
};

function needReduction(what: string, reduction: string): void {
  if (reduction !== 'none' && reduction !== 'add') throw new ShapeError('graph.unsupported', `${what}: reduction should be "none" or "add", found "${reduction}".`);
}

function scatteredShape(what: string, x: Value, indices: Value): Shape {
  needDType(indices, ['int64']);
  const depth = indices.shape.at(-1);
  if (typeof depth !== 'number' || depth < 1 || depth > x.shape.length) throw new ShapeError('graph.shape-mismatch', `${what}: the last axis of ${formatShape(indices.shape)} should be 1 to ${x.shape.length}.`);
  return [...indices.shape.slice(0, -1), ...x.shape.slice(depth)];
}
