/** Which numbers does the ONNX file format use? From onnx/onnx.proto (field numbers, IR version, element types). */
import type { AttributeKind } from '../operator.ts';
import type { DType } from '../../tensor/dtype.ts';

/** The IR version that goes with operator set 20. */
export const IR_VERSION = 9;
/** What Isogloss reads: older files lack the input forms it knows, newer ones may mean something else. */
export const OLDEST_READ_OPSET = 13;
export const NEWEST_READ_OPSET = 22;

export const MODEL = { irVersion: 1, producerName: 2, graph: 7, opsetImport: 8 } as const;
export const OPSET_ID = { domain: 1, version: 2 } as const;
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12, sparseInitializer: 15 } as const;
export const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const;
export const ATTRIBUTE = { name: 1, f: 2, i: 3, s: 4, t: 5, ints: 8, type: 20 } as const;
export const TENSOR = { dims: 1, dataType: 2, floatData: 4, int32Data: 5, int64Data: 7, name: 8, rawData: 9, doubleData: 10, externalData: 13, dataLocation: 14 } as const;
export const STRING_ENTRY = { key: 1, value: 2 } as const;
/** TensorProto.DataLocation: the bytes lie in another file. */
export const EXTERNAL_LOCATION = 1;
export const VALUE_INFO = { name: 1, type: 2 } as const;
export const TYPE = { tensorType: 1 } as const;
export const TENSOR_TYPE = { elementType: 1, shape: 2 } as const;
export const SHAPE = { dim: 1 } as const;
export const DIM = { value: 1, param: 2 } as const;

/** TensorProto.DataType of each element type. */
export const dtypeNumbers: { readonly [D in DType]: number } = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float64: 11 };

/** The element type of a TensorProto.DataType number, or null when Isogloss does not know it. */
export function dtypeOfNumber(number: number): DType | null {
  for (const [dtype, own] of Object.entries(dtypeNumbers)) if (own === number) return dtype as DType; // boundary: the keys of dtypeNumbers are DTypes
  return null;
}

/** AttributeProto.AttributeType of each kind of attribute. */
export const attributeTypeNumbers: { readonly [Kind in AttributeKind]: number } = { float: 1, int: 2, string: 3, tensor: 4, ints: 7, dtype: 2 };
