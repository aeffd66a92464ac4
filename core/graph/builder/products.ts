/** How are matrices multiplied, with transposes folded in? */
import { ShapeError } from '../../tensor/shape-error.ts';
import type { Value } from '../value.ts';
import type { Emitter } from './emitter.ts';

export type GemmOptions = {
  readonly transA?: boolean;
  readonly transB?: boolean;
  /** Multiplies the product; free of cost, so a temperature belongs here. */
  readonly alpha?: number;
  /** Added to the product; stretches to [rows, columns]. */
  readonly bias?: Value | null;
};

/** The methods of the builder that multiply matrices. */
export function productMethods(e: Emitter) {
  /** The matrix that was transposed to make this one, if any. */
  const untransposed = (value: Value): Value | null => {
    const node = e.producerOf(value);
    return node?.op === 'Transpose' && value.shape.length === 2 ? node.inputs[0] : null;
  };

  const gemm = (a: Value, b: Value, { transA = false, transB = false, alpha = 1, bias = null }: GemmOptions = {}): Value => {
    const sourceA = untransposed(a);
    const sourceB = untransposed(b);
    const attributes = { alpha, beta: 1, transA: Number(transA !== (sourceA !== null)), transB: Number(transB !== (sourceB !== null)) };
    const [left, right] = [sourceA ?? a, sourceB ?? b];
    return e.emitOne('Gemm', bias === null ? [left, right] : [left, right, bias], attributes);
  };

  return {
    /** alpha a' b' + bias for rank 2, where ' transposes when asked. */
    gemm,
    /** a b over the last two axes; leading axes stretch. Rank 2 goes to Gemm, which folds transposes in. */
    matMul: (a: Value, b: Value): Value => {
      if (a.shape.length < 2 || b.shape.length < 2) throw new ShapeError('graph.rank', `matMul needs ranks of at least 2, found [${a.shape.join(', ')}] and [${b.shape.join(', ')}].`);
      return a.shape.length === 2 && b.shape.length === 2 ? gemm(a, b) : e.emitOne('MatMul', [a, b], {});
    },
  };
}
