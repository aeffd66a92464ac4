/** How does every token look at the other tokens of its own sequence, and at no others, in a packed batch? */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import type { AttentionParameters } from './attention.ts';
import { linear } from './linear.ts';
import type { PackedLayout } from './packed-layout.ts';

/** Added to the similarity of what fills a gap: exp of it is 0 in float32 and float64 alike. */
const GAP_SCORE = -1e9;

export type PackedAttentionArguments = {
  readonly layout: PackedLayout;
  readonly heads: number;
  readonly parameters: AttentionParameters;
  /** Applied to the probabilities of each group; identity when nothing is left out. */
  readonly drop: (probabilities: Value, group: number) => Value;
};

/**
 * softmax(Q Kᵀ / √D) V per head and sequence, heads joined, one more affine map; maps work on packed tokens, the products on groups of
 * sequences of like length.
 *
 * @param x  float [T, H].
 * @returns float [T, H].
 * @see Vaswani et al. 2017, arXiv:1706.03762, eq. 1.
 */
export function packedAttention(g: GraphBuilder, x: Value, options: PackedAttentionArguments): Value {
  const { layout, parameters } = options;
  const queries = layout.toHeads(linear(g, x, parameters.query)); // [b, heads, L, D] each
  return linear(g, layout.fromHeads(contexts(g, { x, queries, ...options })), parameters.output);
}

/**
 * The same for the first token of each sequence only: what those rows need, and no more.
 *
 * @param x      float [T, H];  @param first  float [B, H], the rows of the first tokens.
 * @returns float [B, H], in packed order.
 */
export function firstTokenAttention(g: GraphBuilder, { x, first, ...options }: PackedAttentionArguments & { readonly x: Value; readonly first: Value }): Value {
  const { layout, parameters } = options;
  const queries = layout.rowsToHeads(linear(g, first, parameters.query)); // [b, heads, 1, D] each
  return linear(g, layout.rowsFromHeads(contexts(g, { x, queries, ...options })), parameters.output);
}

/** Per group softmax(Q Kᵀ / √D) V, of the queries' shape. */
function contexts(g: GraphBuilder, { x, queries, layout, heads, parameters, drop }: PackedAttentionArguments & { readonly x: Value; readonly queries: readonly Value[] }): readonly Value[] {
  const keys = layout.toHeads(linear(g, x, parameters.key));
  const values = layout.toHeads(linear(g, x, parameters.value));
  const size = Number(x.shape[1] ?? 0) / heads; // D
  return queries.map((query, i) => {
    const [key, value, mask = null] = [keys[i] ?? query, values[i] ?? query, layout.masks[i]];
    const products = g.mul(g.matMul(query, g.transpose(key, [0, 1, 3, 2])), 1 / Math.sqrt(size)); // [b, heads, L or 1, L]
    const scores = mask === null ? products : g.add(products, g.where(mask, g.scalar(0, x.dtype), g.scalar(GAP_SCORE, x.dtype)));
    return g.matMul(drop(g.softmax(scores, { axis: -1 }), i), value); // [b, heads, L or 1, D]
  });
}
