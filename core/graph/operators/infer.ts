/** Which shape rules do several operators share? */
import type { Dimension } from '../../tensor/dimension.ts';
import { isFloatDType, type DType } from '../../tensor/dtype.ts';
import { broadcastShapes, formatShape, isStatic, normaliseAxes, type Shape } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import type { Value, ValueType } from '../value.ts';

/** @throws ShapeError 'graph.dtype-mismatch' unless all values have one element type; returns it. */
export function sameDType(...values: readonly Value[]): DType {
  const dtype = values[0]?.dtype ?? 'float32';
  const other = values.find((value) => value.dtype !== dtype);
  if (other !== undefined) throw new ShapeError('graph.dtype-mismatch', `Expected one element type, found ${values.map((value) => `${value.name}: ${value.dtype}`).join(', ')}.`);
  return dtype;
}

/** @throws ShapeError unless the value has one of the element types. */
export function needDType(value: Value, allowed: readonly DType[]): DType {
  if (!allowed.includes(value.dtype)) throw new ShapeError('graph.dtype-mismatch', `Expected "${value.name}" to be ${allowed.join(' or ')}, found ${value.dtype}.`);
  return value.dtype;
}

/** @throws ShapeError unless the value is a float. */
export function needFloat(value: Value): DType {
  if (!isFloatDType(value.dtype)) throw new ShapeError('graph.dtype-mismatch', `Expected "${value.name}" to be a float, found ${value.dtype}.`);
  return value.dtype;
}

/** @throws ShapeError unless the value has the rank. */
export function needRank(value: Value, rank: number): Shape {
  if (value.shape.length !== rank) throw new ShapeError('graph.rank', `Expected "${value.name}" of rank ${rank}, found ${formatShape(value.shape)}.`);
  return value.shape;
}

/** The integers of an axes, sizes or repeats input. @throws ShapeError 'graph.unknown-content' when not known while building. */
export function knownIntegers(value: Value): readonly number[] {
  const content = value.content;
  if (content === null || !isStatic(content)) throw new ShapeError('graph.unknown-content', `Expected "${value.name}" to hold numbers known while building, found ${content === null ? 'a computed value' : formatShape(content)}.`);
  return content;
}

/** The elements of a shape-like input, symbols allowed. @throws ShapeError when not known while building. */
export function knownDimensions(value: Value): readonly Dimension[] {
  if (value.content === null) throw new ShapeError('graph.unknown-content', `Expected "${value.name}" to hold sizes known while building, found a computed value.`);
  return value.content;
}

/** One output of the stretched shape and common element type. */
export function broadcastOutput(a: Value, b: Value): ValueType {
  return { dtype: sameDType(a, b), shape: broadcastShapes(a.shape, b.shape) };
}

/** The axes of a reduction: all when the input is absent or empty. */
export function reducedAxes(data: Value, axes: Value | null): readonly number[] {
  const named = axes === null ? [] : knownIntegers(axes);
  return named.length === 0 ? data.shape.map((_, i) => i) : normaliseAxes(named, data.shape.length);
}

/** The shape after a reduction. */
export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): Shape {
  return keepDims ? shape.map((dimension, i) => (axes.includes(i) ? 1 : dimension)) : shape.filter((_, i) => !axes.includes(i));
}

const MOST_KNOWN_ELEMENTS = 256; // content is for shapes and axes, not for data

/** Content worth carrying: short vectors and scalars only. */
export function shortContent(shape: Shape, content: () => readonly Dimension[] | null): readonly Dimension[] | null {
  if (shape.length > 1 || (shape.length === 1 && !(typeof shape[0] === 'number' && shape[0] <= MOST_KNOWN_ELEMENTS))) return null;
  return content();
}
