/** What can be said about shapes: equality, size, broadcasting, axes? */
import { addDimensions, multiplyDimensions, type Dimension } from './dimension.ts';
import { ShapeError } from './shape-error.ts';

/** Sizes of the axes, outermost first; `[]` is a scalar. Letters are listed in the house style: B, N, L, H, V, K, R. */
export type Shape = readonly Dimension[];

/** A shape without symbols. */
export type StaticShape = readonly number[];

/** Whether no dimension is symbolic. */
export function isStatic(shape: Shape): shape is StaticShape {
  return shape.every((dimension) => typeof dimension === 'number');
}

/** Whether both have the same rank and dimensions; symbols are equal when they are written the same. */
export function shapesEqual(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dimension, i) => dimension === b[i]);
}

/** The number of elements of a static shape; 1 for a scalar. */
export function elementCount(shape: StaticShape): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

/** The number of elements as a dimension, or null when it is a product of symbols. */
export function symbolicElementCount(shape: Shape): Dimension | null {
  return shape.reduce<Dimension | null>((product, dimension) => (product === null ? null : multiplyDimensions(product, dimension)), 1);
}

/** "[2, N, 3]". */
export function formatShape(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

/**
 * The shape of two tensors stretched over each other (NumPy and ONNX rule: align at the right, 1 stretches).
 * A symbol next to a number > 1 gives the number; two different symbols are refused, because nobody could check them.
 * @throws ShapeError 'tensor.broadcast'
 */
export function broadcastShapes(a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  const result: Dimension[] = [];
  for (let i = 0; i < rank; i += 1) {
    const left = a[a.length - rank + i] ?? 1;
    const right = b[b.length - rank + i] ?? 1;
    if (left === right || right === 1) result.push(left);
    else if (left === 1) result.push(right);
    else if (typeof left === 'string' && typeof right === 'number') result.push(right);
    else if (typeof left === 'number' && typeof right === 'string') result.push(left);
    else throw new ShapeError('tensor.broadcast', `Shapes ${formatShape(a)} and ${formatShape(b)} cannot be stretched over each other: axis ${i} is ${left} against ${right}.`);
  }
  return result;
}

/** An axis counted from the front: -1 is the last of `rank`. @throws ShapeError 'tensor.axis' when out of range. */
export function normaliseAxis(axis: number, rank: number): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(axis) || positive < 0 || positive >= rank) throw new ShapeError('tensor.axis', `Axis ${axis} is outside a tensor of rank ${rank}.`);
  return positive;
}

/** Axes counted from the front, in increasing order. @throws ShapeError when one is out of range or named twice. */
export function normaliseAxes(axes: readonly number[], rank: number): readonly number[] {
  const result = axes.map((axis) => normaliseAxis(axis, rank)).sort((a, b) => a - b);
  if (new Set(result).size !== result.length) throw new ShapeError('tensor.axis', `Axes [${axes.join(', ')}] name one axis twice.`);
  return result;
}

/** The axes along which a tensor of shape `from` was stretched to reach `to`; counted in `to`. */
export function stretchedAxes(from: Shape, to: Shape): readonly number[] {
  const offset = to.length - from.length;
  const axes: number[] = [];
  to.forEach((dimension, i) => {
    const own = i < offset ? 1 : from[i - offset];
    if (i < offset || (own === 1 && dimension !== 1)) axes.push(i);
    else if (own !== dimension) throw new ShapeError('tensor.broadcast', `Shape ${formatShape(from)} does not stretch to ${formatShape(to)} (axis ${i}).`);
  });
  return axes;
}

/** The sum of dimensions. */
export function sumDimensions(dimensions: readonly Dimension[]): Dimension {
  return dimensions.reduce<Dimension>((sum, dimension) => addDimensions(sum, dimension), 0);
}

/** The steps, in elements, from one index to the next along each axis of a row-major tensor. */
export function stridesOf(shape: StaticShape): readonly number[] {
  const strides: number[] = new Array<number>(shape.length).fill(1);
  for (let i = shape.length - 2; i >= 0; i -= 1) strides[i] = (strides[i + 1] ?? 1) * (shape[i + 1] ?? 1);
  return strides;
}
