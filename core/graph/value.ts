/** What is a value: the edge of a graph, known by its element type, shape and sometimes its content? */
import type { Dimension } from '../tensor/dimension.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';

/** What shape inference says about one output. */
export type ValueType = {
  readonly dtype: DType;
  readonly shape: Shape;
  /** The elements of a small integer scalar or vector, where they are known while building (sizes may be symbols). */
  readonly content?: readonly Dimension[] | null;
};

/** An edge of a graph. Two values are the same exactly when they are the same object. */
export type Value = {
  readonly id: number;
  /** Unique in its graph. */
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly content: readonly Dimension[] | null;
};
