/** Between which shares does the truth lie, given so many successes among so many questions? */

/** z of a 95 per cent interval. */
const Z = 1.959964;

/**
 * Wilson's score interval for a share p of n:
 *   centre = (p + z^2/2n) / (1 + z^2/n),  half = z / (1 + z^2/n) * sqrt(p(1-p)/n + z^2/4n^2)
 * @returns low and high between 0 and 1; 0 and 1 when n is 0.
 * @see Wilson 1927, Journal of the American Statistical Association 22.
 */
export function wilsonInterval(share: number, n: number): { readonly low: number; readonly high: number } {
  if (n <= 0) return { low: 0, high: 1 };
  const z2n = (Z * Z) / n;
  const centre = (share + z2n / 2) / (1 + z2n);
  const half = (Z / (1 + z2n)) * Math.sqrt((share * (1 - share)) / n + z2n / (4 * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
