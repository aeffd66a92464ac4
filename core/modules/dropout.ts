/** How are elements left out at random while training, so that the same step can be calculated twice? The mask is fed, not drawn. */
import { expectPositive, type GraphBuilder, type Value } from '../graph/builder.ts';
import { ShapeError } from '../tensor/shape-error.ts';

/** The name of the input that holds the mask of a place ("layer.0.output"). */
export const dropoutInputName = (place: string): string => `dropout.${place}`;

/**
 * y = keep ? x / (1 − rate) : 0, with `keep` a new bool input of x's shape; dropout-masks.ts fills it.
 *
 * @param x     float, any shape.
 * @param rate  in (0, 1): the part of elements left out.
 * @see Srivastava et al. 2014; scaled while training, so that nothing is scaled in use.
 */
export function dropout(g: GraphBuilder, x: Value, { place, rate }: { readonly place: string; readonly rate: number }): Value {
  expectPositive('rate', rate);
  if (rate >= 1) throw new ShapeError('transformer.dropout', `A dropout rate should be below 1, found ${rate}.`);
  const keep = g.input(dropoutInputName(place), 'bool', x.shape);
  return g.where(keep, g.mul(x, 1 / (1 - rate)), 0);
}
