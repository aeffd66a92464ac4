/** How is each column of a batch brought to mean 0 and variance 1: by the batch's own numbers, or by those of earlier batches? */
import { expectPositive, expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { linear, type LinearParameters } from './linear.ts';

export type BatchNormParameters = { readonly scale: Value; readonly bias: Value };
/** Mean and biased variance of each column: float [H] each. */
export type BatchMoments = { readonly mean: Value; readonly variance: Value };

/** PyTorch's default. */
export const BATCH_NORM_EPSILON = 1e-5;

/** The moments of a batch, with gradient.  x: float [B, H];  variance = 1/B Σ (x − mean)². */
export function batchMoments(g: GraphBuilder, x: Value): BatchMoments {
  expectShapes([[x, 'B H']]);
  const mean = g.reduceMean(x, { axis: 0 }); // [H]
  const centred = g.sub(x, mean);
  return { mean, variance: g.reduceMean(g.mul(centred, centred), { axis: 0 }) };
}

/**
 * y = (x − mean) / √(variance + ε) · scale + bias, column by column.
 *
 * Training mode: `moments` of the batch itself (`batchMoments(g, x)`), through which the gradient flows.
 * Evaluation mode: `moments` that were fed (running mean and variance): then the output of one row does not depend on the others.
 *
 * @param x  float [B, H];  scale, bias, mean, variance  float [H].
 * @see Ioffe and Szegedy 2015, Algorithm 1 and 2.
 */
export function batchNormalisation(g: GraphBuilder, x: Value, { scale, bias, moments, epsilon = BATCH_NORM_EPSILON }: BatchNormParameters & { readonly moments: BatchMoments; readonly epsilon?: number }): Value {
  expectShapes([[x, 'B H'], [scale, 'H'], [bias, 'H'], [moments.mean, 'H'], [moments.variance, 'H']]);
  expectPositive('epsilon', epsilon);
  const perColumn = g.mul(scale, g.reciprocal(g.sqrt(g.add(moments.variance, epsilon)))); // [H]
  return g.add(g.mul(g.sub(x, moments.mean), perColumn), bias);
}

/**
 * The projection head of contrastive context prediction:  y = W₂ relu(batchNorm(W₁ x + b₁)) + b₂.
 *
 * @param x        float [B, H];  first: [F, H], second: [P, F];  norm and running moments: [F].
 * @param running  the running moments for evaluation mode, null for training mode.
 * @returns y float [B, P], and the moments used: in training mode they update the running ones (`m ← momentum m + (1 − momentum) batch`).
 * @see Wu et al. 2022, section 3.1: asymmetric batch normalisation gives one side of a pair the training mode, the other the evaluation
 *   mode, and exchanges them from step to step.
 */
export function contextProjectionHead(g: GraphBuilder, x: Value, { first, norm, second, running }: { readonly first: LinearParameters; readonly norm: BatchNormParameters; readonly second: LinearParameters; readonly running: BatchMoments | null }): { readonly y: Value; readonly moments: BatchMoments } {
  expectShapes([[x, 'B H'], [first.weight, 'F H'], [second.weight, 'P F']]);
  const inner = linear(g, x, first); // [B, F]
  const moments = running ?? batchMoments(g, inner);
  const y = linear(g, g.relu(batchNormalisation(g, inner, { ...norm, moments })), second);
  return { y, moments };
}
