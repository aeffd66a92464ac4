/** What is the derivative of log gamma? Needed by variational estimates of probabilities from counts. */

const ASYMPTOTIC_FROM = 7;

/** psi(x) for x > 0: recurrence up to 7, then the asymptotic series (Abramowitz & Stegun 6.3.18). Error < 1e-10. */
export function digamma(x: number): number {
  let shifted = x;
  let sum = 0;
  for (; shifted < ASYMPTOTIC_FROM; shifted += 1) sum -= 1 / shifted;
  const square = 1 / (shifted * shifted);
  return sum + Math.log(shifted) - 0.5 / shifted - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))));
}
