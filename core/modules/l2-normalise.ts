/** How do vectors get length 1, so that a dot product is a cosine? */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';

/**
 * y = x / max(‖x‖, 1e-12) for every row.
 *
 * @param x  float [B, H].
 * @returns float [B, H], rows of length 1; a zero row stays zero, with a finite gradient.
 */
export function l2Normalise(g: GraphBuilder, x: Value): Value {
  expectShapes([[x, 'B H']]);
  return g.l2Normalise(x, { axis: 1 });
}
