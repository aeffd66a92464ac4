/** How long is the gradient of all parameters together, and by what is it shortened? */
import { InvariantError } from '../base/errors.ts';
import type { Kernels } from './kernels.ts';

/** Keeps the quotient finite for a zero gradient; the value of torch.nn.utils.clip_grad_norm_. */
const NORM_EPSILON = 1e-6;

/** sqrt of the sum of all squares over several float32 arrays, accumulated in float64; NaN or infinite when an element is. */
export function globalNorm(kernels: Pick<Kernels, 'dot'>, gradients: readonly Float32Array[]): number {
  return Math.sqrt(gradients.reduce((sum, gradient) => sum + kernels.dot(gradient, gradient), 0));
}

/**
 * The factor that shortens a gradient to at most `maximum`: min(1, maximum / (norm + 1e-6)). It goes into the step as
 * `gradientScale`, so no pass over the gradients is spent on it.
 * @throws InvariantError 'clipping.not-finite' for a norm that is not a finite number: such a step must be skipped before.
 * @see Pascanu et al. 2013, arXiv:1211.5063, algorithm 1.
 */
export function clippingScale(options: { readonly norm: number; readonly maximum: number }): number {
  if (!Number.isFinite(options.norm)) throw new InvariantError('clipping.not-finite', `The gradient norm is ${options.norm}; this step should have been skipped.`);
  return Math.min(1, options.maximum / (options.norm + NORM_EPSILON));
}
