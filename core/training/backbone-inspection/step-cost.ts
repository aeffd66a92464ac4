/** How many multiplications does a training step of a transformer take? */
import { transformerParameters, type TransformerShape } from '../../modules/transformer-shape.ts';

/** Forward one, backward two (by inputs and by weights). */
const PASSES = 3;
const OPERATIONS_PER_MULTIPLICATION = 2;
/** Of the rate of bare products that forward and backward reach together with what stands between them: measured, README. */
export const STEP_EFFICIENCY = 0.45;

/**
 * Floating-point operations of one step over `texts` texts of `tokens` tokens each, packed:
 *
 *   3 · 2 · texts · tokens · (weights of all matrices of the layers + layers · 2 · tokens · H)
 *
 * The second term are the products of attention (scores and context). Look-ups, norms and AdamW are left out: they are no matrix products.
 */
export function stepOperations(shape: TransformerShape, { texts, tokens }: { readonly texts: number; readonly tokens: number }): number {
  const matrices = transformerParameters(shape).filter(({ kind }) => kind === 'weight').reduce((sum, { shape: [out = 0, into = 0] }) => sum + out * into, 0);
  return PASSES * OPERATIONS_PER_MULTIPLICATION * texts * tokens * (matrices + shape.layers * 2 * tokens * shape.width);
}
