/** What do the reference kernels calculate on? Float64 numbers with a shape, walked in row-major order. */
import type { DType } from '../../tensor/dtype.ts';
import { broadcastShapes, elementCount, isStatic, stridesOf, type StaticShape } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import type { AttributesOf, OpType } from '../operators.ts';

/** A tensor of any element type, held as float64; bools are 0 and 1. */
export type Numbers = { readonly dtype: DType; readonly shape: StaticShape; readonly data: Float64Array };

/** One operator, calculated. Inputs are null where absent. */
export type Kernel<Op extends OpType> = (call: { readonly inputs: readonly (Numbers | null)[]; readonly attributes: AttributesOf<Op> }) => readonly Numbers[];

export type KernelTable<Op extends OpType> = { readonly [O in Op]: Kernel<O> };

/** The input at a position. @throws ShapeError when it is absent. */
export function need(inputs: readonly (Numbers | null)[], position: number): Numbers {
  const found = inputs[position];
  if (found === null || found === undefined) throw new ShapeError('graph.input-count', `Input ${position} is missing.`);
  return found;
}

/** Numbers made element by element. */
export function generate(dtype: DType, shape: StaticShape, element: (index: number) => number): Numbers {
  const data = new Float64Array(elementCount(shape));
  for (let i = 0; i < data.length; i += 1) data[i] = element(i);
  return { dtype, shape, data };
}

/** Every multi-index of a shape, in row-major order; the array handed out is reused. */
export function* indicesOf(shape: StaticShape): Generator<readonly number[]> {
  const index = new Array<number>(shape.length).fill(0);
  for (let count = elementCount(shape); count > 0; count -= 1) {
    yield index;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const next = (index[axis] ?? 0) + 1;
      if (next < (shape[axis] ?? 0)) {
        index[axis] = next;
        break;
      }
      index[axis] = 0;
    }
  }
}

/** Where a multi-index stands in the data. */
export function offsetOf(index: readonly number[], strides: readonly number[]): number {
  return index.reduce((sum, position, axis) => sum + position * (strides[axis] ?? 0), 0);
}

/** Strides that repeat a tensor over a larger shape: 0 along stretched axes. */
export function stretchedStrides(from: StaticShape, to: StaticShape): readonly number[] {
  const own = stridesOf(from);
  const offset = to.length - from.length;
  return to.map((_, axis) => (axis < offset || from[axis - offset] === 1 ? 0 : (own[axis - offset] ?? 0)));
}

/** The common shape of tensors stretched over each other. */
export function commonShape(...shapes: readonly StaticShape[]): StaticShape {
  const shape = shapes.reduce((a, b) => broadcast(a, b), []);
  return shape;
}

function broadcast(a: StaticShape, b: StaticShape): StaticShape {
  const shape = broadcastShapes(a, b);
  if (!isStatic(shape)) throw new ShapeError('graph.unknown-content', 'A shape is still symbolic.');
  return shape;
}

/** f over tensors stretched over each other. */
export function zip(dtype: DType, tensors: readonly Numbers[], f: (...elements: number[]) => number): Numbers {
  const shape = commonShape(...tensors.map((tensor) => tensor.shape));
  const strides = tensors.map((tensor) => stretchedStrides(tensor.shape, shape));
  const data = new Float64Array(elementCount(shape));
  let position = 0;
  for (const index of indicesOf(shape)) {
    data[position] = f(...tensors.map((tensor, i) => tensor.data[offsetOf(index, strides[i] ?? [])] ?? Number.NaN));
    position += 1;
  }
  return { dtype, shape, data };
}

/** The same numbers with each index of the result read from a place in the source. */
export function pick(source: Numbers, shape: StaticShape, place: (index: readonly number[]) => number): Numbers {
  const data = new Float64Array(elementCount(shape));
  let position = 0;
  for (const index of indicesOf(shape)) {
    data[position] = source.data[place(index)] ?? Number.NaN;
    position += 1;
  }
  return { dtype: source.dtype, shape, data };
}

/** Whole numbers of an axes or sizes input. */
export function wholeNumbers(input: Numbers | null | undefined): readonly number[] {
  return input === null || input === undefined ? [] : [...input.data];
}
