/** What is the vector of a text when every token has one fixed vector? */
import type { Dimension } from '../tensor/dimension.ts';
import { expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';

export type StaticEmbeddingsArguments = {
  readonly rows: Value;
  readonly logWeights: Value;
  readonly tokens: Value;
  readonly texts: Value;
  readonly textCount: Dimension;
};

/**
 * Weighted bags of token vectors, packed without padding:  y_b = Σ over tokens t of text b of exp(w_t) v_t.
 * The large table stays outside the graph: only the rows of the batch's distinct tokens come in, and their gradient goes out.
 *
 * @param rows        float [U, H], the vectors of the distinct tokens of the batch.
 * @param logWeights  float [U], w: the logarithm of each token's weight.
 * @param tokens      int64 [T], for every token of the batch its position in `rows`.
 * @param texts       int64 [T], for every token the text it belongs to, 0 ≤ b < textCount.
 * @param textCount   B.
 * @returns float [B, H], not normalised; zeros for a text without tokens.
 */
export function sumStaticEmbeddings(g: GraphBuilder, { rows, logWeights, tokens, texts, textCount }: StaticEmbeddingsArguments): Value {
  expectShapes([[rows, 'U H'], [logWeights, 'U'], [tokens, 'T'], [texts, 'T']]);
  expectSameFloat([rows, logWeights]);
  const weighted = g.mul(rows, g.unsqueeze(g.exp(logWeights), [1])); // [U, H]
  const packed = g.gather(weighted, tokens); // [T, H]
  const empty = g.filled([textCount, rows.shape[1] ?? 0], 0, rows.dtype); // [B, H]
  return g.scatterNd(empty, g.unsqueeze(texts, [1]), packed, 'add'); // [B, H]
}

/** `sumStaticEmbeddings`, each row brought to length 1: float [B, H]. */
export function staticEmbeddings(g: GraphBuilder, inputs: StaticEmbeddingsArguments): Value {
  return g.l2Normalise(sumStaticEmbeddings(g, inputs));
}
