/** How do the vectors of tokens become one vector of a text? */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';

/**
 * The mean of the vectors of real tokens:  y = Σ_l m_l x_l / max(Σ_l m_l, 1).
 *
 * @param states  float [B, L, H];  @param mask  bool [B, L], true for real tokens.
 * @returns float [B, H]; zeros for a text without tokens.
 */
export function meanPooling(g: GraphBuilder, { states, mask }: { readonly states: Value; readonly mask: Value }): Value {
  expectShapes([[states, 'B L H'], [mask, 'B L']]);
  const weights = g.cast(mask, states.dtype); // [B, L]
  const sum = g.reduceSum(g.mul(states, g.unsqueeze(weights, [2])), { axis: 1 }); // [B, H]
  const count = g.max(g.reduceSum(weights, { axis: 1, keepDims: true }), 1); // [B, 1]
  return g.div(sum, count);
}

/** The vector of the first token.  states: float [B, L, H], L ≥ 1; returns float [B, H]. */
export function clsPooling(g: GraphBuilder, states: Value): Value {
  expectShapes([[states, 'B L H']]);
  return g.squeeze(g.slice(states, { axis: 1, start: 0, end: 1 }), [1]);
}
