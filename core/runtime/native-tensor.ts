/** How does a tensor of ONNX Runtime become one of ours, and the other way round? */
import { InvariantError } from '../base/errors.ts';
import type { DType, TypedArrayOf } from '../tensor/dtype.ts';
import { formatShape } from '../tensor/shape.ts';
import { tensorOf, type Tensor, type TensorOf } from '../tensor/tensor.ts';
import type { OnnxTensor } from './onnx-runtime.ts';

/** Which check proves that ONNX Runtime's array is the one of the element type. */
const arrayChecks: { readonly [D in DType]: (data: unknown) => data is TypedArrayOf[D] } = {
  float32: (data): data is Float32Array => data instanceof Float32Array,
  float64: (data): data is Float64Array => data instanceof Float64Array,
  int64: (data): data is BigInt64Array => data instanceof BigInt64Array,
  int32: (data): data is Int32Array => data instanceof Int32Array,
  bool: (data): data is Uint8Array => data instanceof Uint8Array,
  uint8: (data): data is Uint8Array => data instanceof Uint8Array,
};

/** The element type of a native tensor. @throws InvariantError 'runtime.dtype' for one that Isogloss does not use. */
export function dtypeOf(name: string, value: Pick<OnnxTensor, 'type'>): DType {
  if (Object.hasOwn(arrayChecks, value.type)) return value.type as DType; // boundary: the table has a row for every DType and no other
  throw new InvariantError('runtime.dtype', `The output "${name}" has element type ${value.type}, which Isogloss does not use.`);
}

/** An output in ordinary memory as a tensor over the same array. */
export function fromNative(name: string, value: OnnxTensor): Tensor {
  switch (dtypeOf(name, value)) {
    case 'float32':
      return checked('float32', name, value);
    case 'float64':
      return checked('float64', name, value);
    case 'int64':
      return checked('int64', name, value);
    case 'int32':
      return checked('int32', name, value);
    case 'bool':
      return checked('bool', name, value);
    case 'uint8':
      return checked('uint8', name, value);
  }
}

function checked<D extends DType>(dtype: D, name: string, value: OnnxTensor): TensorOf<D> {
  const data: unknown = value.data;
  if (!arrayChecks[dtype](data)) throw new InvariantError('runtime.dtype', `The output "${name}" should be held in a ${dtype} array.`);
  return tensorOf(dtype, value.dims, data);
}

/** "name float32 [2, 3], ..." */
export function describeFeeds(feeds: Readonly<Record<string, { readonly dtype: DType; readonly shape: readonly number[] }>>): string {
  return Object.entries(feeds).map(([name, tensor]) => `${name} ${tensor.dtype} ${formatShape(tensor.shape)}`).join(', ');
}
