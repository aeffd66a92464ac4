/** What must be said about an operator so that it can be built, checked, written, read and differentiated? */
import type { DType } from '../tensor/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Value, ValueType } from './value.ts';

/** The kinds of attribute, with what each holds. `dtype` is written as ONNX's number of the element type. */
export type AttributeKinds = {
  readonly int: number;
  readonly float: number;
  readonly ints: readonly number[];
  readonly string: string;
  readonly dtype: DType;
  readonly tensor: Tensor;
};

export type AttributeKind = keyof AttributeKinds;

/** One attribute: its kind and what stands when a file leaves it out (undefined: it may not be left out). */
export type AttributeSpec<T> = { readonly kind: AttributeKind; readonly fallback: T | undefined };

export const int = (fallback?: number): AttributeSpec<number> => ({ kind: 'int', fallback });
export const float = (fallback?: number): AttributeSpec<number> => ({ kind: 'float', fallback });
export const ints = (fallback?: readonly number[]): AttributeSpec<readonly number[]> => ({ kind: 'ints', fallback });
export const text = (fallback?: string): AttributeSpec<string> => ({ kind: 'string', fallback });
export const dtype = (): AttributeSpec<DType> => ({ kind: 'dtype', fallback: undefined });
export const tensor = (): AttributeSpec<Tensor> => ({ kind: 'tensor', fallback: undefined });

/** How many inputs, and (for the compiler only) which of them may be absent. */
export type Arity<Inputs extends readonly (Value | null | undefined)[]> = {
  readonly least: number;
  readonly most: number;
  readonly types?: Inputs;
};

export type Unary = readonly [Value];
export type Binary = readonly [Value, Value];
export type Ternary = readonly [Value, Value, Value];
export const one: Arity<Unary> = { least: 1, most: 1 };
export const two: Arity<Binary> = { least: 2, most: 2 };
export const three: Arity<Ternary> = { least: 3, most: 3 };

export type NoAttributes = Readonly<Record<never, never>>;

/** One row of the operator table. */
export type Operator<Inputs extends readonly (Value | null | undefined)[], Attributes> = {
  readonly inputs: Arity<Inputs>;
  readonly attributes: { readonly [Name in keyof Attributes]: AttributeSpec<Attributes[Name]> };
  /** The operator-set version whose meaning this row has. */
  readonly opset: number;
  /** Whether equal inputs give equal outputs, so that two equal nodes can be one. */
  readonly pure: boolean;
  /** How many outputs a written node must keep; the others may be left out when nothing reads them. Absent: all. */
  readonly requiredOutputs?: number;
  /** Element types and shapes of all outputs. @throws ShapeError */
  readonly infer: (node: { readonly inputs: Inputs; readonly attributes: Attributes }) => readonly ValueType[];
};

/** Writes a row down with its types inferred. */
export function operator<Inputs extends readonly (Value | null | undefined)[], Attributes = NoAttributes>(
  row: Omit<Operator<Inputs, Attributes>, 'pure'> & { readonly pure?: boolean },
): Operator<Inputs, Attributes> {
  return { pure: true, ...row };
}
