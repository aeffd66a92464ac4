/** How does a loss stand in one graph with its encoder? The same losses as in loss-sessions.ts, on rows of the encoder's vectors that are named by their places. */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import { jointLoss } from '../losses/joint.ts';
import { retrievalLoss, symmetricRetrievalLoss } from '../losses/retrieval.ts';
import { semanticContrastiveLoss } from '../losses/semantic-contrastive.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import type { LossSettings } from './loss-sessions.ts';
import type { FusedPart } from './trainable-encoder.ts';

export type FusedLosses = {
  /** Texts: B questions, then N >= B passages; leaveOut bool [B * N]. */
  readonly retrieval: (questions: number, passages: number, leaveOut: Uint8Array) => FusedPart;
  /** Texts: P sources, then their translations. */
  readonly semantic: (pairs: number) => FusedPart;
};

/** Batch sizes are symbols, so one graph serves all batches of a loss. */
export function fusedLosses({ retrieval, semantic }: LossSettings): FusedLosses {
  const row = (g: GraphBuilder, vectors: Value, places: Value | undefined): Value => (places === undefined ? vectors : g.gather(vectors, places));
  const ofQuestions = retrieval.symmetric === false ? retrievalLoss : symmetricRetrievalLoss;
  const retrievalOf = (documents: string): FusedPart['loss'] => ({
    name: `retrieval ${documents}`,
    inputs: { queryPlaces: { shape: ['Q'], dtype: 'int32' }, documentPlaces: { shape: [documents], dtype: 'int32' }, leaveOut: { shape: ['Q', documents], dtype: 'bool' } },
    build: (g, vectors, { queryPlaces, documentPlaces, leaveOut }) =>
      jointLoss(g, [{ loss: ofQuestions(g, { queries: row(g, vectors, queryPlaces), documents: row(g, vectors, documentPlaces), leaveOut: leaveOut ?? null, temperature: retrieval.temperature }), weight: retrieval.weight }]),
  });
  const [alone, withNegatives] = [retrievalOf('Q'), retrievalOf('D')];
  const pairs: FusedPart['loss'] = {
    name: 'semantic',
    inputs: { sourcePlaces: { shape: ['P'], dtype: 'int32' }, targetPlaces: { shape: ['P'], dtype: 'int32' } },
    build: (g, vectors, { sourcePlaces, targetPlaces }) => jointLoss(g, [{ loss: semanticContrastiveLoss(g, { sources: row(g, vectors, sourcePlaces), targets: row(g, vectors, targetPlaces), temperature: semantic.temperature }), weight: semantic.weight }]),
  };
  return {
    retrieval: (questions, passages, leaveOut) => ({
      loss: questions === passages ? alone : withNegatives,
      feeds: { queryPlaces: placesFrom(0, questions), documentPlaces: placesFrom(questions, passages), leaveOut: tensorOf('bool', [questions, passages], leaveOut) },
      weight: retrieval.weight,
    }),
    semantic: (count) => ({ loss: pairs, feeds: { sourcePlaces: placesFrom(0, count), targetPlaces: placesFrom(count, count) }, weight: semantic.weight }),
  };
}

function placesFrom(first: number, count: number): Tensor {
  return tensorOf('int32', [count], Int32Array.from({ length: count }, (_, i) => first + i));
}
