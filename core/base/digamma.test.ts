import { describe, expect, it } from 'vitest';
import { digamma } from './digamma.ts';

describe('digamma', () => {
  it('has its known values', () => {
    expect(digamma(1)).toBeCloseTo(-0.5772156649015329, 10); // minus the Euler-Mascheroni constant
    expect(digamma(0.5)).toBeCloseTo(-1.9635100260214235, 10);
    expect(digamma(2)).toBeCloseTo(1 - 0.5772156649015329, 10);
    expect(digamma(7)).toBeCloseTo(1.8727843350984671, 10);
    expect(digamma(100)).toBeCloseTo(4.600161852738087, 10);
  });

  it('obeys psi(x + 1) = psi(x) + 1 / x, also for tiny x', () => {
    for (const x of [1e-6, 0.01, 0.3, 1.7, 6.5, 6.999, 7, 40, 1e6]) expect(digamma(x + 1) - digamma(x) - 1 / x).toBeCloseTo(0, 9);
  });
});
