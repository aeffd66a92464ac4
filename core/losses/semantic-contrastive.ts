/** How well does each sentence of a parallel pair pick its translation out of the whole batch? */
import { expectPositive, expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { exclusion, meanCrossEntropy, pairSimilarities, temperedSimilarities } from './contrast.ts';

/**
 * Semantic contrastive loss L_semaCL: every sentence against all 2N − 1 others of the batch, in both directions.
 *
 *   loss = −(1/2N) Σ over pairs (i,j) [ log( exp(sᵢⱼ) / Σ_{k≠i} exp(sᵢₖ) ) + log( exp(sⱼᵢ) / Σ_{k≠j} exp(sⱼₖ) ) ],
 *   sᵢⱼ = cos(zᵢ, zⱼ) / τ,  k over all 2N sentences, those of the same language included
 *
 * @param sources      float [N, H], any length > 0 per row: the cosine is taken here.
 * @param targets      float [N, H]; row i is the translation of source i. Language pairs may be mixed in one batch.
 * @param temperature  τ > 0. The paper does not print its value; 0.05 to 0.1 is right from scratch.
 * @returns float [], nats, averaged over the 2N sentences.
 * @throws ShapeError when shapes or element types differ.
 * @see Hu et al. 2023, eq. 2; Chen et al. 2020 (SimCLR).
 */
export function semanticContrastiveLoss(g: GraphBuilder, { sources, targets, temperature }: { readonly sources: Value; readonly targets: Value; readonly temperature: number }): Value {
  expectShapes([[sources, 'N H'], [targets, 'N H']]);
  expectSameFloat([sources, targets]);
  expectPositive('temperature', temperature);
  const left = g.l2Normalise(sources); // [N, H]
  const right = g.l2Normalise(targets); // [N, H]
  const sentences = g.concat([left, right], { axis: 0 }); // [2N, H]
  const position = g.range(sentences.shape[0] ?? 0); // [2N]
  const itself = g.equal(g.unsqueeze(position, [1]), g.unsqueeze(position, [0])); // [2N, 2N]
  const logits = temperedSimilarities(g, { rows: sentences, candidates: sentences, temperature, excluded: exclusion(g, itself, sentences) }); // [2N, 2N]
  // Both directions of a pair have the same positive, so their mean over 2N sentences is the mean over N pairs.
  return meanCrossEntropy(g, { logits, axis: 1, positives: pairSimilarities(g, { left, right, temperature }) });
}
