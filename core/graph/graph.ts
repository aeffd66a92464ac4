/** What is a finished graph? Inputs, initializers, nodes in an order that can be run, and named outputs. */
import type { Tensor } from '../tensor/tensor.ts';
import type { Node } from './operators.ts';
import type { Value } from './value.ts';

/** The operator-set version Isogloss writes; ONNX Runtime 1.30 takes it, and Gelu is an operator from here on. */
export const OPSET = 20;

export type GraphOutput = { readonly name: string; readonly value: Value };

/** A graph that can be checked, printed, written, evaluated and run. Never changed after it is built. */
export type Graph = {
  readonly name: string;
  readonly opset: number;
  readonly inputs: readonly Value[];
  /** Weights that a read file carries. Training graphs have none: their parameters are inputs. */
  readonly initializers: ReadonlyMap<Value, Tensor>;
  /** Every node stands after the nodes it reads from. */
  readonly nodes: readonly Node[];
  readonly outputs: readonly GraphOutput[];
};
