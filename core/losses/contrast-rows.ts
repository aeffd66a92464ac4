/** How much of a contrastive loss comes from some of its rows? With it a loss over thousands of texts is calculated block by block, in little memory. */
import { expectPositive, expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { exclusion, pairSimilarities, temperedSimilarities } from './contrast.ts';

export type ContrastRowsArguments = {
  readonly rows: Value;
  readonly candidates: Value;
  readonly positives: Value;
  readonly leaveOut: Value;
  readonly temperature: number;
};

/**
 * Σ over rows r of ( log Σ_j exp(s_rj) − s_{r,p(r)} ),  s_rj = cos(rows[r], candidates[j]) / τ, the candidates left out not in the sum over j.
 * Divided by the number of all rows it is the retrieval loss (rows: queries, candidates: documents) or the semantic contrastive loss
 * (rows and candidates: all sentences, each leaving itself out) when it is added up over all blocks of rows.
 *
 * @param rows       float [R, H];  @param candidates  float [N, H].
 * @param positives  int64 [R], the right candidate of each row;  @param leaveOut  bool [R, N], never true at a positive.
 * @returns float [], nats.
 */
export function contrastRowsLoss(g: GraphBuilder, { rows, candidates, positives, leaveOut, temperature }: ContrastRowsArguments): Value {
  expectShapes([[rows, 'R H'], [candidates, 'N H'], [positives, 'R'], [leaveOut, 'R N']]);
  expectSameFloat([rows, candidates]);
  expectPositive('temperature', temperature);
  const left = g.l2Normalise(rows); // [R, H]
  const all = g.l2Normalise(candidates); // [N, H]
  const logits = temperedSimilarities(g, { rows: left, candidates: all, temperature, excluded: exclusion(g, leaveOut, rows) }); // [R, N]
  const right = pairSimilarities(g, { left, right: g.gather(all, positives), temperature }); // [R]
  return g.reduceSum(g.sub(g.reduceLogSumExp(logits, { axis: 1 }), right));
}
