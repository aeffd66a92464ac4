/** Which element types exist, and which typed array holds each? */

/** Element types, by their ONNX names where JavaScript has no other. `bool` is held as 0 and 1 in bytes. */
export type DType = 'float32' | 'float64' | 'int64' | 'int32' | 'bool' | 'uint8';

/** The typed array that holds a tensor of each element type. */
export type TypedArrayOf = {
  readonly float32: Float32Array;
  readonly float64: Float64Array;
  readonly int64: BigInt64Array;
  readonly int32: Int32Array;
  readonly bool: Uint8Array;
  readonly uint8: Uint8Array;
};

type ArrayMaker = { readonly [D in DType]: { readonly bytes: number; readonly isFloat: boolean; readonly zeros: (length: number) => TypedArrayOf[D]; readonly view: (buffer: ArrayBufferLike, byteOffset: number, length: number) => TypedArrayOf[D] } };

/** One row per element type: width in bytes, whether gradients flow through it, how to make and view its array. */
export const dtypes: ArrayMaker = {
  float32: { bytes: 4, isFloat: true, zeros: (n) => new Float32Array(n), view: (b, o, n) => new Float32Array(b, o, n) },
  float64: { bytes: 8, isFloat: true, zeros: (n) => new Float64Array(n), view: (b, o, n) => new Float64Array(b, o, n) },
  int64: { bytes: 8, isFloat: false, zeros: (n) => new BigInt64Array(n), view: (b, o, n) => new BigInt64Array(b, o, n) },
  int32: { bytes: 4, isFloat: false, zeros: (n) => new Int32Array(n), view: (b, o, n) => new Int32Array(b, o, n) },
  bool: { bytes: 1, isFloat: false, zeros: (n) => new Uint8Array(n), view: (b, o, n) => new Uint8Array(b, o, n) },
  uint8: { bytes: 1, isFloat: false, zeros: (n) => new Uint8Array(n), view: (b, o, n) => new Uint8Array(b, o, n) },
};

/** Whether gradients flow through values of this element type. */
export function isFloatDType(dtype: DType): boolean {
  return dtypes[dtype].isFloat;
}
