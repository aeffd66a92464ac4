/** How are several losses one? */
import { ShapeError } from '../tensor/shape-error.ts';
import type { GraphBuilder, Value } from '../graph/builder.ts';

/**
 * Weighted sum of losses:  L = Σ weight · loss, for instance L_IR + w_s L_semaCL + w_l L_langCL.
 *
 * @param terms  at least one float [] with its weight (any finite number; a term of weight 0 is left out).
 * @returns float [], nats.
 * @throws ShapeError when there is no term, a loss is not a scalar or a weight is not finite.
 * @see Hu et al. 2023, eq. 4.
 */
export function jointLoss(g: GraphBuilder, terms: readonly { readonly loss: Value; readonly weight: number }[]): Value {
  const weighted = terms.map(({ loss, weight }) => {
    if (loss.shape.length !== 0) throw new ShapeError('graph.not-scalar', `jointLoss: "${loss.name}" should have shape [], found [${loss.shape.join(', ')}].`);
    if (!Number.isFinite(weight)) throw new ShapeError('graph.bad-weight', `jointLoss: a weight should be finite, found ${weight}.`);
    return weight === 0 ? null : g.mul(loss, weight);
  }).filter((term) => term !== null);
  const [first] = terms;
  if (first === undefined) throw new ShapeError('graph.input-count', 'jointLoss needs at least one term.');
  return weighted.reduce<Value | null>((sum, term) => (sum === null ? term : g.add(sum, term)), null) ?? g.scalar(0, first.loss.dtype);
}
