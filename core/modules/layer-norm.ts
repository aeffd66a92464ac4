/** How is a vector brought to mean 0 and variance 1, then scaled and shifted? */
import { expectPositive, type GraphBuilder, type Value } from '../graph/builder.ts';

export type LayerNormParameters = { readonly scale: Value; readonly bias: Value };

/** PyTorch's default; BERT uses 1e-12, XLM-R 1e-5. */
export const LAYER_NORM_EPSILON = 1e-5;

/**
 * y = (x − mean) / √(variance + ε) · scale + bias over the last axis.
 *
 * @param x  float [..., H];  scale, bias  float [H].
 * @see Ba et al. 2016, arXiv:1607.06450, eq. 4.
 */
export function layerNorm(g: GraphBuilder, x: Value, { scale, bias, epsilon = LAYER_NORM_EPSILON }: LayerNormParameters & { readonly epsilon?: number }): Value {
  expectPositive('epsilon', epsilon);
  return g.layerNormalization(x, { scale, bias, epsilon });
}
