/** How do the vectors of a phrase's tokens, in all sentences that show it, become the vector by which it is compared? */
import { expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import type { Dimension } from '../tensor/dimension.ts';
import type { LinearParameters } from './linear.ts';
import { projectionHead } from './projection-head.ts';

/** 'phrase': on the mean over sentences (the paper); 'token': on every token, before any mean (the authors' code); 'none': no head. */
export const HEAD_PLACEMENTS = ['phrase', 'token', 'none'] as const;
export type HeadPlacement = (typeof HEAD_PLACEMENTS)[number];

export type PhraseRepresentationArguments = {
  readonly tokens: Value;
  readonly phraseOf: Value;
  readonly weights: Value;
  readonly phrases: Dimension;
  readonly head: { readonly first: LinearParameters; readonly second: LinearParameters } | null;
  readonly placement: HeadPlacement;
};

/**
 * With w_t = 1 / (m (e − s + 1)) for each token of a phrase that has m sentences and stands at s .. e in this one:
 *
 *   none:    u_p = Σ_t∈p w_t h_t             phrase:  head(Σ_t∈p w_t h_t)             token:  Σ_t∈p w_t head(h_t)
 *
 * @param tokens    float [S, H]: the tokens of all phrases.
 * @param phraseOf  int32 [S]: which phrase a token belongs to.  @param weights  float [S].
 * @param phrases   N, how many phrases: a number or a symbol that another input has.
 * @returns float [N, P], P = H without a head; of any length.
 * @see Zheng et al. 2022, eq. 1 and 2, and section 3.2 for the head.
 */
export function phraseRepresentation(g: GraphBuilder, { tokens, phraseOf, weights, phrases, head, placement }: PhraseRepresentationArguments): Value {
  expectShapes([[tokens, 'S H'], [phraseOf, 'S'], [weights, 'S']]);
  expectSameFloat([tokens, weights]);
  const mapped = head === null || placement !== 'token' ? tokens : projectionHead(g, tokens, head); // [S, H] or [S, P]
  const weighted = g.mul(mapped, g.unsqueeze(weights, [1]));
  const means = g.scatterNd(g.filled([phrases, mapped.shape[1] ?? 0], 0, tokens.dtype), g.unsqueeze(g.cast(phraseOf, 'int64'), [1]), weighted, 'add'); // [N, H] or [N, P]
  return head === null || placement !== 'phrase' ? means : projectionHead(g, means, head); // [N, P]
}
