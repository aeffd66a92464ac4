/** How well does each query pick its own document out of the batch? */
import { expectPositive, expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { exclusion, meanCrossEntropy, pairSimilarities, temperedSimilarities } from './contrast.ts';

export type RetrievalLossArguments = {
  readonly queries: Value;
  readonly documents: Value;
  /** Bool [B, N]: true leaves a negative out, for instance a document that answers the query too. Never true at (i, i). */
  readonly leaveOut?: Value | null;
  readonly temperature: number;
};

/**
 * Retrieval loss L_IR with in-batch negatives; multipleNegativesRankingLoss in Sentence Transformers.
 *
 *   loss = −(1/B) Σᵢ log( exp(sᵢᵢ) / Σⱼ exp(sᵢⱼ) ),   sᵢⱼ = cos(queries[i], documents[j]) / τ
 *
 * @param queries      float [B, H], any length > 0 per row: the cosine is taken here.
 * @param documents    float [N, H], N ≥ B. Row i answers query i; the others are negatives (rows from B on: hard negatives).
 * @param leaveOut     bool [B, N] or absent.
 * @param temperature  τ > 0; the paper has 1 (a pretrained backbone), 0.05 is right from scratch.
 * @returns float [], nats, averaged over queries.
 * @throws ShapeError when ranks, widths or element types differ, or N < B.
 * @see Hu et al. 2023, eq. 1.
 */
export function retrievalLoss(g: GraphBuilder, { queries, documents, leaveOut = null, temperature }: RetrievalLossArguments): Value {
  return meanCrossEntropy(g, { ...scored(g, { queries, documents, leaveOut, temperature }), axis: 1 });
}

/**
 * Retrieval loss in both directions: the mean of `retrievalLoss` and its mirror, in which document i picks its query among
 * all queries. The mirror is taken over the first B documents, those that answer a query. Arguments as `retrievalLoss`;
 * `leaveOut` holds in both directions.
 *
 *   loss = ½ L_IR + ½ ( −(1/B) Σⱼ log( exp(sⱼⱼ) / Σᵢ exp(sᵢⱼ) ) )
 */
export function symmetricRetrievalLoss(g: GraphBuilder, { queries, documents, leaveOut = null, temperature }: RetrievalLossArguments): Value {
  const { logits, positives } = scored(g, { queries, documents, leaveOut, temperature });
  const answers = g.slice(logits, { axis: 1, start: 0, end: queries.shape[0] ?? 0 }); // [B, B]
  const forward = meanCrossEntropy(g, { logits, positives, axis: 1 });
  const mirrored = meanCrossEntropy(g, { logits: answers, positives, axis: 0 });
  return g.mul(g.add(forward, mirrored), 1 / 2);
}

function scored(g: GraphBuilder, { queries, documents, leaveOut, temperature }: Required<RetrievalLossArguments>): { readonly logits: Value; readonly positives: Value } {
  expectShapes([[queries, 'B H'], [documents, 'N H'], ...(leaveOut === null ? [] : [[leaveOut, 'B N'] as const])], 'B <= N');
  expectSameFloat([queries, documents]);
  expectPositive('temperature', temperature);
  const rows = g.l2Normalise(queries); // [B, H]
  const candidates = g.l2Normalise(documents); // [N, H]
  const excluded = leaveOut === null ? null : exclusion(g, leaveOut, queries); // [B, N]
  const answers = g.slice(candidates, { axis: 0, start: 0, end: queries.shape[0] ?? 0 }); // [B, H]
  return { logits: temperedSimilarities(g, { rows, candidates, temperature, excluded }), positives: pairSimilarities(g, { left: rows, right: answers, temperature }) };
}
