/** Which small network maps an embedding to the space in which it is compared? */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { linear, type LinearParameters } from './linear.ts';

/**
 * y = W₂ relu(W₁ x + b₁) + b₂, per token or per text, kept when the encoder is used.
 *
 * @param x  float [..., H];  first: [F, H], second: [P, F].
 * @returns float [..., P].
 * @see Zheng et al. 2022 (XPR): 768-3072-768, ReLU, no batch normalisation.
 */
export function projectionHead(g: GraphBuilder, x: Value, { first, second }: { readonly first: LinearParameters; readonly second: LinearParameters }): Value {
  expectShapes([[first.weight, 'F H'], [second.weight, 'P F']]);
  return linear(g, g.relu(linear(g, x, first)), second);
}
