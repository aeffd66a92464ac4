/** How well does a phrase pick its translation out of the batch, when the candidates come from a slower copy of the encoder? */
import { expectPositive, expectSameFloat, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { retrievalLoss } from './retrieval.ts';

export type PhraseContrastArguments = {
  readonly sources: Value;
  readonly targets: Value;
  /** The same phrases by the momentum encoder; no gradient is asked for them. */
  readonly slowSources: Value;
  readonly slowTargets: Value;
  /** Vectors of the momentum encoder from earlier batches (MoCo), one queue a side; absent for XPCO. */
  readonly sourceQueue?: Value | null;
  readonly targetQueue?: Value | null;
  readonly temperature: number;
};

/**
 * Cross-lingual phrase contrast L_XPCO; with queues its MoCo variant.
 *
 *   loss = L(P → Q) + L(Q → P),
 *   L(P → Q) = −(1/N) Σᵢ log( exp(cos(pᵢ, q*ᵢ)/T) / ( Σⱼ exp(cos(pᵢ, q*ⱼ)/T) + Σ_m exp(cos(pᵢ, queue_m)/T) ) )
 *
 * The paper sums over i; here it is the mean, as in the authors' code, so that a learning rate does not depend on the batch.
 *
 * @param sources, targets          float [N, H]: phrases by the encoder; row i of one translates row i of the other.
 * @param slowSources, slowTargets  float [N, H]: the same phrases by the momentum encoder (p*, q*).
 * @param sourceQueue, targetQueue  float [M, H], float [K, H] or absent.
 * @param temperature               T > 0; 0.06 in the authors' released command.
 * @returns float [], nats.
 * @throws ShapeError when shapes or element types differ.
 * @see Zheng et al. 2022, eq. 3 and 4; He et al. 2020 for the queue.
 */
export function phraseContrastLoss(g: GraphBuilder, { sources, targets, slowSources, slowTargets, sourceQueue = null, targetQueue = null, temperature }: PhraseContrastArguments): Value {
  expectShapes([[sources, 'N H'], [targets, 'N H'], [slowSources, 'N H'], [slowTargets, 'N H']]);
  expectSameFloat([sources, targets, slowSources, slowTargets]);
  expectPositive('temperature', temperature);
  const candidates = (rows: Value, queue: Value | null): Value => (queue === null ? rows : g.concat([rows, queue], { axis: 0 }));
  const forward = retrievalLoss(g, { queries: sources, documents: candidates(slowTargets, targetQueue), temperature });
  const backwards = retrievalLoss(g, { queries: targets, documents: candidates(slowSources, sourceQueue), temperature });
  return g.add(forward, backwards);
}
