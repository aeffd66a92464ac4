/** What is a tensor outside a graph? An element type, a shape without symbols, and a typed array, row-major. */
import { dtypes, type DType, type TypedArrayOf } from './dtype.ts';
import { elementCount, formatShape, type StaticShape } from './shape.ts';
import { ShapeError } from './shape-error.ts';

/** A tensor of one element type. Never changed in place by `core`. */
export type TensorOf<D extends DType> = { readonly dtype: D; readonly shape: StaticShape; readonly data: TypedArrayOf[D] };

/** A tensor, told apart by `dtype`. */
export type Tensor = { [D in DType]: TensorOf<D> }[DType];

/** A tensor over the given typed array (not copied). @throws ShapeError when its length is not that of the shape. */
export function tensorOf<D extends DType>(dtype: D, shape: StaticShape, data: TypedArrayOf[D]): TensorOf<D> {
  if (data.length !== elementCount(shape)) throw new ShapeError('tensor.length', `A tensor of shape ${formatShape(shape)} needs ${elementCount(shape)} elements, found ${data.length}.`);
  return { dtype, shape, data };
}

/** The same numbers as a tensor of any element type; numbers are rounded as the typed array rounds them. */
export function tensorFrom(dtype: DType, shape: StaticShape, values: ArrayLike<number>): Tensor {
  switch (dtype) {
    case 'int64':
      return tensorOf(dtype, shape, BigInt64Array.from(Array.from(values, (value) => BigInt(Math.trunc(value)))));
    case 'float32':
      return tensorOf(dtype, shape, Float32Array.from(values));
    case 'float64':
      return tensorOf(dtype, shape, Float64Array.from(values));
    case 'int32':
      return tensorOf(dtype, shape, Int32Array.from(values));
    case 'bool':
      return tensorOf(dtype, shape, Uint8Array.from(values, (value) => (value === 0 ? 0 : 1)));
    case 'uint8':
      return tensorOf(dtype, shape, Uint8Array.from(values));
  }
}

/** The elements as ordinary numbers (int64 beyond 2^53 loses its last digits). */
export function numbersOf(tensor: Tensor): Float64Array {
  return tensor.dtype === 'int64' ? Float64Array.from(tensor.data, Number) : Float64Array.from(tensor.data);
}

/** A typed view of bytes in little-endian order; copies when the bytes are not aligned for the element type. */
export function tensorFromBytes(dtype: DType, shape: StaticShape, bytes: Uint8Array): Tensor {
  const length = elementCount(shape);
  const width = dtypes[dtype].bytes;
  if (bytes.byteLength !== length * width) throw new ShapeError('tensor.length', `A ${dtype} tensor of shape ${formatShape(shape)} needs ${length * width} bytes, found ${bytes.byteLength}.`);
  const aligned = bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes); // not slice(): a Node buffer's slice is a view
  return viewOf(dtype, shape, aligned, length);
}

function viewOf<D extends DType>(dtype: D, shape: StaticShape, bytes: Uint8Array, length: number): Tensor {
  const data = dtypes[dtype].view(bytes.buffer, bytes.byteOffset, length);
  return { dtype, shape, data } as Tensor; // boundary: dtypes[dtype] is the row of this very dtype
}

/** The bytes of a tensor, little-endian, sharing its memory. */
export function bytesOf(tensor: Tensor): Uint8Array {
  return new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
}
