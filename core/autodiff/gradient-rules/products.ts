/** Which gradients have the matrix products? */
import { symbolicElementCount } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import type { products } from '../../graph/operators/products.ts';
import type { GraphBuilder, Value } from '../../graph/builder.ts';
import type { GradientTable } from '../rule.ts';

/** Swaps the last two axes. */
function swapped(g: GraphBuilder, x: Value): Value {
  const rank = x.shape.length;
  return g.transpose(x, [...Array.from({ length: rank - 2 }, (_, i) => i), rank - 1, rank - 2]);
}

/** All axes but the last made one. */
function flattened(g: GraphBuilder, x: Value): Value {
  const rows = symbolicElementCount(x.shape.slice(0, -1));
  if (rows === null) throw new ShapeError('graph.unknown-content', `The rows of [${x.shape.join(', ')}] have no expression as one size.`);
  return g.reshape(x, [rows, x.shape.at(-1) ?? 1]);
}

export const productRules: GradientTable<keyof typeof products> = {
  /** y = a b.  da = dy bᵀ, db = aᵀ dy; when b is a matrix, db is one product over all rows of a. */
  MatMul: ({ g, inputs: [a, b], outputGrads: [dy], needed: [needsA, needsB] }) => {
    const da = needsA === true ? g.matMul(dy, swapped(g, b)) : null;
    if (needsB !== true) return [da, null];
    if (b.shape.length > 2) return [da, g.matMul(swapped(g, a), dy)];
    return [da, g.gemm(flattened(g, a), flattened(g, dy), { transA: true })];
  },
  /**
   * y = α a' b' + β c.  da = α dy b'ᵀ (transposed back when a was), db = α a'ᵀ dy, dc = β dy.
   * For y = α a aᵀ the two are one product: da = α (dy + dyᵀ) a.
   */
  Gemm: ({ g, inputs: [a, b, c], attributes: { alpha, beta, transA, transB }, outputGrads: [dy], needed: [needsA, needsB] }) => {
    const dc = c === null || c === undefined ? null : g.mul(dy, beta);
    if (a === b && transA !== transB) {
      const symmetric = g.add(dy, g.transpose(dy, [1, 0]));
      return [transB === 0 ? g.gemm(a, symmetric, { alpha }) : g.gemm(symmetric, a, { alpha }), null, dc];
    }
    const hasA = transA !== 0;
    const hasB = transB !== 0;
    const da = needsA !== true ? null : hasA ? g.gemm(b, dy, { alpha, transA: hasB, transB: true }) : g.gemm(dy, b, { alpha, transB: !hasB });
    const db = needsB !== true ? null : hasB ? g.gemm(dy, a, { alpha, transA: true, transB: hasA }) : g.gemm(a, dy, { alpha, transA: !hasA });
    return [da, db, dc];
  },
};
