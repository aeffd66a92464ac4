/** What is a gradient rule? */
import type { GraphBuilder } from '../graph/builder.ts';
import type { AttributesOf, InputsOf, OpType } from '../graph/operators.ts';
import type { Value } from '../graph/value.ts';

/** What a rule is given: one node of a graph and the gradients of its outputs. */
export type RuleContext<Op extends OpType> = {
  readonly g: GraphBuilder;
  readonly inputs: InputsOf<Op>;
  readonly attributes: AttributesOf<Op>;
  readonly outputs: readonly [Value, ...Value[]];
  /** The gradient of the first output: same shape and type as the output. Zeros when only other outputs are read. */
  readonly outputGrads: readonly [Value, ...(Value | null)[]];
  /** Which inputs lead to a wanted value; a rule may skip the others. */
  readonly needed: readonly boolean[];
};

/**
 * The gradients of a node's inputs, null where none flows. Broadcast axes are summed by `backward`, never here: a gradient
 * may have the shape of the output where the input was stretched.
 */
export type GradientRule<Op extends OpType> = (context: RuleContext<Op>) => readonly (Value | null)[];

/** One entry per operator, so adding an operator without deciding its gradient does not compile. */
export type GradientTable<Op extends OpType = OpType> = { readonly [O in Op]: GradientRule<O> | 'none' | 'unsupported' };
