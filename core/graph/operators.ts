/** Which operators does Isogloss know? The one table: everything else about operators is total over its keys. */
import type { Operator } from './operator.ts';
import { elementwise } from './operators/elementwise.ts';
import { layout } from './operators/layout.ts';
import { products } from './operators/products.ts';
import { reductions } from './operators/reductions.ts';
import type { Value } from './value.ts';

/** Inputs, attributes, operator-set version, purity and shape inference of each operator. */
export const operators = { ...elementwise, ...reductions, ...products, ...layout };

/** The name of a known operator, as ONNX writes it. */
export type OpType = keyof typeof operators;

type Parts<Row> = Row extends Operator<infer Inputs, infer Attributes> ? { readonly inputs: Inputs; readonly attributes: Attributes } : never;

/** The inputs of an operator; null where an optional one is absent. */
export type InputsOf<Op extends OpType> = Parts<(typeof operators)[Op]>['inputs'];

/** The attributes of an operator; every one is present in a node. */
export type AttributesOf<Op extends OpType> = Parts<(typeof operators)[Op]>['attributes'];

/** The same table, typed so that a row can be looked up by an operator that is not known while compiling. */
export const operatorTable: { readonly [Op in OpType]: Operator<InputsOf<Op>, AttributesOf<Op>> } = operators;

/** Whether the name is a known operator. */
export function isOpType(name: string): name is OpType {
  return Object.hasOwn(operators, name);
}

/** A node: one application of an operator. */
export type NodeOf<Op extends OpType> = {
  readonly op: Op;
  readonly name: string;
  readonly inputs: InputsOf<Op> & readonly (Value | null | undefined)[];
  readonly attributes: AttributesOf<Op>;
  readonly outputs: readonly Value[];
};

/** A node of any operator, told apart by `op`. */
export type Node = { [Op in OpType]: NodeOf<Op> }[OpType];

/** The inputs of a node that are present. */
export function presentInputs(node: Node): readonly Value[] {
  return (node.inputs as readonly (Value | null | undefined)[]).filter((value) => value !== null && value !== undefined); // boundary: a union of tuples read as what they have in common
}
