/** How well does a sentence pick a neighbour from its own document, and the neighbour the sentence? */
import { expectPositive, expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { exclusion, meanCrossEntropy, pairSimilarities, temperedSimilarities } from './contrast.ts';

export type ContextPredictionArguments = {
  readonly centres: Value;
  readonly contexts: Value;
  /** Vectors of earlier batches; no gradient is asked for them. Absent: negatives come from the batch alone. */
  readonly bank?: Value | null;
  /** Bool [N, N + M]: true leaves out a sentence of another language or of the same window; never true at (i, i). */
  readonly leaveOut?: Value | null;
  readonly temperature: number;
  /** 'cosine' (when left out), or the inner product of the vectors as they are, with which training fails (Table 5 of the paper). */
  readonly similarity?: 'cosine' | 'dot';
};

/**
 * Contrastive context prediction: centre c picks its context out of all contexts of the batch and the memory bank, and the
 * other way round.
 *
 *   loss = 1/(2N) Σ_c [ l(z_c → z'_c) + l(z'_c → z_c) ],
 *   l(z_c → z'_c) = −log( exp(sim(z_c, z'_c)/τ) / ( Σ_j exp(sim(z_c, z'_j)/τ) + Σ_m exp(sim(z_c, b_m)/τ) ) ),
 *   j over the batch, m over the bank, both without what `leaveOut` names
 *
 * @param centres      float [N, H]: projected centre sentences; any length > 0 per row, the cosine is taken here.
 * @param contexts     float [N, H]: row i stands within the window of centre i.
 * @param bank         float [M, H] or absent; of the same language as the batch, else `leaveOut` must say which rows are not.
 * @param leaveOut     bool [N, N + M] (batch, then bank) or absent; for the mirrored direction its first N columns are turned.
 * @param temperature  τ > 0.
 * @returns float [], nats. Exchanging centres and contexts, with the batch part of `leaveOut` turned, changes nothing.
 * @throws ShapeError when shapes or element types differ.
 * @see Wu et al. 2022, section 3.1 and Algorithm 1 (each context of a batch gives one centre and one target, so m(c, i) = 1 for c = i alone).
 */
export function contextPredictionLoss(g: GraphBuilder, { centres, contexts, bank = null, leaveOut = null, temperature, similarity = 'cosine' }: ContextPredictionArguments): Value {
  expectShapes([[centres, 'N H'], [contexts, 'N H'], ...(bank === null ? [] : [[bank, 'M H'] as const])]);
  expectSameFloat(bank === null ? [centres, contexts] : [centres, contexts, bank]);
  expectPositive('temperature', temperature);
  const compared = (rows: Value): Value => (similarity === 'cosine' ? g.l2Normalise(rows) : rows);
  const [left, right] = [compared(centres), compared(contexts)]; // [N, H]
  const withBank = (rows: Value): Value => (bank === null ? rows : g.concat([rows, compared(bank)], { axis: 0 })); // [N + M, H]
  const positives = pairSimilarities(g, { left, right, temperature }); // [N]
  const picks = (rows: Value, others: Value, without: Value | null): Value => {
    const candidates = withBank(others);
    if (without !== null) expectShapes([[rows, 'N H'], [candidates, 'C H'], [without, 'N C']]);
    const excluded = without === null ? null : exclusion(g, without, rows); // [N, N + M]
    return meanCrossEntropy(g, { logits: temperedSimilarities(g, { rows, candidates, temperature, excluded }), axis: 1, positives });
  };
  return g.mul(g.add(picks(left, right, leaveOut), picks(right, left, leaveOut === null ? null : turned(g, leaveOut))), 1 / 2);
}

/** Who is left out seen from the contexts: the batch part transposed, the bank part as it is. */
function turned(g: GraphBuilder, leaveOut: Value): Value {
  const [batch = 0, all = 0] = leaveOut.shape;
  const own = g.transpose(g.slice(leaveOut, { axis: 1, start: 0, end: batch }), [1, 0]); // [N, N]
  return all === batch ? own : g.concat([own, g.slice(leaveOut, { axis: 1, start: batch, end: all })], { axis: 1 });
}
