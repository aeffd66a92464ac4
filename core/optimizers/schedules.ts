/** How large is the learning rate at this step? Pure functions of the step, so that a resumed run needs no state. */

export type Schedule = {
  /** The largest learning rate, reached at the end of the warm-up. */
  readonly peak: number;
  /** All steps of the run, >= 1. */
  readonly steps: number;
  /** Part of the steps in which the rate rises from peak / warm-up steps to peak, in [0, 1]. */
  readonly warmUpFraction: number;
  /** The rate of the last step as a part of the peak, in [0, 1]. */
  readonly floorFraction: number;
};

/** Warm-up, then a straight line down: peak * (1 - (1 - floorFraction) * p), p = 0 after the warm-up, 1 at the last step. */
export function linearLearningRate(step: number, schedule: Schedule): number {
  return decayed(step, schedule, (progress) => 1 - progress);
}

/** Warm-up, then half a cosine: peak * (floorFraction + (1 - floorFraction) * (1 + cos(pi * p)) / 2). @see Loshchilov and Hutter 2017, arXiv:1608.03983, eq. 5. */
export function cosineLearningRate(step: number, schedule: Schedule): number {
  return decayed(step, schedule, (progress) => (1 + Math.cos(Math.PI * progress)) / 2);
}

/** `step` counts from 0; steps beyond the last one keep its rate. */
function decayed(step: number, schedule: Schedule, shape: (progress: number) => number): number {
  const { peak, steps, warmUpFraction, floorFraction } = schedule;
  const warmUpSteps = Math.ceil(steps * warmUpFraction);
  if (step < warmUpSteps) return (peak * (step + 1)) / warmUpSteps;
  const lastAfterWarmUp = steps - 1 - warmUpSteps;
  const progress = lastAfterWarmUp <= 0 ? 0 : Math.min(1, (step - warmUpSteps) / lastAfterWarmUp);
  return peak * (floorFraction + (1 - floorFraction) * shape(progress));
}
