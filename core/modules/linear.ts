/** What is an affine map of the last axis? */
import { expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { lowRankTerm, type LowRank } from './low-rank.ts';
import { symbolicElementCount } from '../tensor/shape.ts';
import { ShapeError } from '../tensor/shape-error.ts';

/** Weight [Out, In] (PyTorch's order, so that foreign weights fit) and bias [Out]; `lowRank` is added to the weight. */
export type LinearParameters = { readonly weight: Value; readonly bias: Value; readonly lowRank?: LowRank | null };

/**
 * y = x Wᵀ + b over the last axis, as one matrix product over all rows.
 *
 * @param x       float [..., In], rank 2 or more.
 * @param weight  float [Out, In];  @param bias  float [Out].
 * @returns float [..., Out].
 */
export function linear(g: GraphBuilder, x: Value, { weight, bias, lowRank = null }: LinearParameters): Value {
  expectShapes([[weight, 'Out In'], [bias, 'Out']]);
  expectSameFloat([x, weight, bias]);
  const rows = symbolicElementCount(x.shape.slice(0, -1));
  const [out = 0, width = 0] = weight.shape;
  if (rows === null || x.shape.length < 2 || x.shape.at(-1) !== width) throw new ShapeError('graph.shape-mismatch', `linear: expected [..., ${width}], found [${x.shape.join(', ')}].`);
  const flat = g.reshape(x, [rows, width]); // [rows, In]
  const plain = g.gemm(flat, weight, { transB: true, bias }); // [rows, Out]
  return g.reshape(lowRank === null ? plain : g.add(plain, lowRankTerm(g, flat, lowRank)), [...x.shape.slice(0, -1), out]); // [..., Out]
}
