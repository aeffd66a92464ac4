/** Gradients, for those who train. */
export { backward, vectorJacobianProduct, type SeededOutput } from './backward.ts';
export { GradientError } from './gradient-error.ts';
export { buildGradientModel, gradientName, type GradientModel, type InputSpec } from './gradient-model.ts';
export { gradientRules } from './gradient-rules.ts';
