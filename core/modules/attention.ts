/** How does every token look at every other token of its text? */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { ShapeError } from '../tensor/shape-error.ts';
import { linear, type LinearParameters } from './linear.ts';

export type AttentionParameters = { readonly query: LinearParameters; readonly key: LinearParameters; readonly value: LinearParameters; readonly output: LinearParameters };

/** Added to the similarity of padding: exp of it is 0, and a row of nothing but padding stays finite. */
const PADDING_SCORE = -1e9;

/**
 * Multi-head self-attention:  softmax(Q Kᵀ / √D + m) V per head, heads joined, one more affine map.
 *
 * @param x      float [B, L, H];  @param mask  bool [B, L], true for real tokens.
 * @param heads  number of heads; divides H, D = H / heads.
 * @returns float [B, L, H]; what stands at padding is meaningless.
 * @see Vaswani et al. 2017, arXiv:1706.03762, eq. 1.
 */
export function attention(g: GraphBuilder, x: Value, { mask, heads, parameters }: { readonly mask: Value; readonly heads: number; readonly parameters: AttentionParameters }): Value {
  const { B = 0, L = 0, H = 0 } = expectShapes([[x, 'B L H'], [mask, 'B L']]);
  if (typeof H !== 'number' || !Number.isInteger(H / heads)) throw new ShapeError('graph.shape-mismatch', `attention: ${heads} heads do not divide a width of ${H}.`);
  const size = H / heads; // D
  const split = (part: LinearParameters, order: readonly number[]): Value => g.transpose(g.reshape(linear(g, x, part), [B, L, heads, size]), order);
  const query = split(parameters.query, [0, 2, 1, 3]); // [B, heads, L, D]
  const key = split(parameters.key, [0, 2, 3, 1]); // [B, heads, D, L]
  const value = split(parameters.value, [0, 2, 1, 3]); // [B, heads, L, D]
  const padding = g.unsqueeze(g.where(mask, g.scalar(0, x.dtype), g.scalar(PADDING_SCORE, x.dtype)), [1, 2]); // [B, 1, 1, L]
  const scores = g.add(g.mul(g.matMul(query, key), 1 / Math.sqrt(size)), padding); // [B, heads, L, L]
  const context = g.matMul(g.softmax(scores, { axis: -1 }), value); // [B, heads, L, D]
  const joined = g.reshape(g.transpose(context, [0, 2, 1, 3]), [B, L, H]); // [B, L, H]
  return linear(g, joined, parameters.output);
}
