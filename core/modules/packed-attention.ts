/** How does every token look at the other tokens of its own sequence, and at no others, in a packed batch? */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import type { AttentionParameters } from './attention.ts';
import { linear, type LinearParameters } from './linear.ts';
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
 * The same for the first token of each sequence only, without keys or values of the others. With one query per sequence the products can be
 * taken in the other order, qᵀ (X W_kᵀ)ᵀ = (qᵀ W_k) Xᵀ and p (X W_vᵀ) = (p X) W_vᵀ, so no token but the first meets a matrix of weights; the
 * keys' bias adds the same to all scores of a query and falls away. Values and gradients are those of the whole layer.
 *
 * @param x      float [T, H];  @param first  float [B, H], the rows of the first tokens.
 * @returns float [B, H], in packed order.
 */
export function firstTokenAttention(g: GraphBuilder, { x, first, layout, heads, parameters, drop }: PackedAttentionArguments & { readonly x: Value; readonly first: Value }): Value {
  const width = Number(x.shape[1] ?? 0);
  const size = width / heads; // D
  const B = layout.sequences;
  const perHead = (part: LinearParameters): Value => g.reshape(effectiveWeight(g, part), [heads, size, width]); // [heads, D, H]
  const queries = g.transpose(g.reshape(linear(g, first, parameters.query), [B, heads, size]), [1, 0, 2]); // [heads, B, D]
  const throughKeys = g.transpose(g.matMul(g.mul(queries, 1 / Math.sqrt(size)), perHead(parameters.key)), [1, 0, 2]); // [B, heads, H]
  const asked = layout.toGroups(throughKeys); // [b, heads, H] each
  const mixed = layout.toSequences(x).map((states, i) => { // [b, L, H]
    const products = g.matMul(asked[i] ?? throughKeys, g.transpose(states, [0, 2, 1])); // [b, heads, L]
    const mask = layout.masks[i] ?? null;
    const scores = mask === null ? products : g.add(products, g.squeeze(gapScores(g, mask, x), [2])); // [b, heads, L]
    const probabilities = g.squeeze(drop(g.unsqueeze(g.softmax(scores, { axis: -1 }), [2]), i), [2]);
    return { states: g.matMul(probabilities, states), sums: g.reduceSum(probabilities, { axis: 2, keepDims: true }) }; // [b, heads, H], [b, heads, 1]
  });
  const states = g.transpose(layout.fromGroups(mixed.map((part) => part.states)), [1, 0, 2]); // [heads, B, H]
  const values = g.transpose(g.matMul(states, g.transpose(perHead(parameters.value), [0, 2, 1])), [1, 0, 2]); // [B, heads, D]
  const biased = g.add(values, g.mul(layout.fromGroups(mixed.map((part) => part.sums)), g.reshape(parameters.value.bias, [1, heads, size]))); // dropout changes the sums
  return linear(g, g.reshape(biased, [B, width]), parameters.output);
}

/** Per group softmax(Q Kᵀ / √D) V, of the queries' shape. */
function contexts(g: GraphBuilder, { x, queries, layout, heads, parameters, drop }: PackedAttentionArguments & { readonly x: Value; readonly queries: readonly Value[] }): readonly Value[] {
  const keys = layout.toHeads(linear(g, x, parameters.key));
  const values = layout.toHeads(linear(g, x, parameters.value));
  const size = Number(x.shape[1] ?? 0) / heads; // D
  return queries.map((query, i) => {
    const [key, value, mask = null] = [keys[i] ?? query, values[i] ?? query, layout.masks[i]];
    const products = g.mul(g.matMul(query, g.transpose(key, [0, 1, 3, 2])), 1 / Math.sqrt(size)); // [b, heads, L, L]
    const scores = mask === null ? products : g.add(products, gapScores(g, mask, x));
    return g.matMul(drop(g.softmax(scores, { axis: -1 }), i), value); // [b, heads, L, D]
  });
}

/** 0 at real tokens, GAP_SCORE elsewhere. */
function gapScores(g: GraphBuilder, mask: Value, { dtype }: Value): Value {
  return g.where(mask, g.scalar(0, dtype), g.scalar(GAP_SCORE, dtype));
}

/** W, with the product of its thin matrices added where it has them. */
function effectiveWeight(g: GraphBuilder, { weight, lowRank = null }: LinearParameters): Value {
  return lowRank === null ? weight : g.gemm(lowRank.up, lowRank.down, { alpha: lowRank.scale, bias: weight });
}
