/** What do contrastive losses share? The cross-entropy of picking the right candidate from a row of similarities. */
import type { GraphBuilder, Value } from '../graph/builder.ts';

/**
 * Similarities of every row with every candidate, over the temperature: [B, N] = rows candidatesᵀ / τ + excluded.
 *
 * @param excluded  [B, N], 0 to keep and −∞ to leave a candidate out; null keeps all.
 */
export function temperedSimilarities(g: GraphBuilder, { rows, candidates, temperature, excluded }: { readonly rows: Value; readonly candidates: Value; readonly temperature: number; readonly excluded: Value | null }): Value {
  return g.gemm(rows, candidates, { transB: true, alpha: 1 / temperature, bias: excluded });
}

/** mean over rows of (log Σ exp(logits) along `axis` − positive): nats. `positives` are the logits of the right candidates, or any reduction with the same mean. */
export function meanCrossEntropy(g: GraphBuilder, { logits, axis, positives }: { readonly logits: Value; readonly axis: number; readonly positives: Value }): Value {
  return g.sub(g.reduceMean(g.reduceLogSumExp(logits, { axis })), g.reduceMean(positives));
}

/** Row-wise similarities of two [B, H] over the temperature: [B]. */
export function pairSimilarities(g: GraphBuilder, { left, right, temperature }: { readonly left: Value; readonly right: Value; readonly temperature: number }): Value {
  return g.mul(g.reduceSum(g.mul(left, right), { axis: 1 }), 1 / temperature); // [B]
}

/** A bool mask of candidates to leave out as numbers to add: −∞ where true, 0 elsewhere. */
export function exclusion(g: GraphBuilder, leaveOut: Value, like: Value): Value {
  return g.where(leaveOut, g.scalar(Number.NEGATIVE_INFINITY, like.dtype), g.scalar(0, like.dtype));
}
