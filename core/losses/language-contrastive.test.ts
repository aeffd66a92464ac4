import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGraphBuilder } from '../graph/builder.ts';
import { evaluateLoss } from '../../test/reference/evaluate-loss.ts';
import { languageContrastiveLoss } from './language-contrastive.ts';

type Rows = readonly (readonly number[])[];
const lossOf = (sources: Rows, targets: Rows, others: Rows, temperature = 1) => evaluateLoss({ sources, targets, others }, (g, inputs) => languageContrastiveLoss(g, { ...inputs, temperature }));

/** The smallest value for P pairs and Q other sentences. */
const smallest = (pairs: number, others: number): number => (2 * Math.LN2 * pairs) / (2 * pairs + others);

describe('languageContrastiveLoss', () => {
  it('equals (ln(1 + e^d) + ln(1 + e^−d)) / 3 for one pair seen from one sentence at cosines that differ by d', () => {
    // N = 3, N(N − 2) = 3; the sentence is east, the pair is east and north, so d = (1 − 0)/τ.
    for (const temperature of [1, 0.5]) {
      const d = 1 / temperature;
      expect(lossOf([[1, 0]], [[0, 1]], [[1, 0]], temperature).loss).toBeCloseTo((Math.log(1 + Math.exp(d)) + Math.log(1 + Math.exp(-d))) / 3, 12);
    }
  });

  it('is smallest, 2 ln 2 · P/N, when every sentence sees both sides of every pair alike', () => {
    const { loss, gradients } = lossOf([[1, 0, 1], [0, 1, 1]], [[2, 0, 2], [0, 3, 3]], [[1, 2, 3], [0, 1, 0]]);
    expect(loss).toBeCloseTo(smallest(2, 2), 12);
    for (const rows of Object.values(gradients)) for (const element of rows.flat()) expect(element).toBeCloseTo(0, 12);
  });

  it('is also smallest for a pair that differs only where no other sentence looks', () => {
    expect(lossOf([[1, 0, 1]], [[1, 0, -1]], [[1, 2, 0], [0, 1, 0]]).loss).toBeCloseTo(smallest(1, 2), 12);
  });

  it('is above its smallest value for pairs that look different from somewhere', () => {
    const vector = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 3, maxLength: 3 }).filter((row) => Math.hypot(...row) > 0.1);
    const rows = (count: number) => fc.array(vector, { minLength: count, maxLength: count });
    let strictly = 0;
    fc.assert(
      fc.property(rows(2), rows(2), rows(2), (sources, targets, others) => {
        const { loss } = lossOf(sources, targets, others);
        if (loss > smallest(2, 2) + 1e-9) strictly += 1;
        return loss >= smallest(2, 2) - 1e-12;
      }),
      { numRuns: 50, seed: 1 },
    );
    expect(strictly).toBeGreaterThan(25);
  });

  it('does not change when the sides of a pair are exchanged', () => {
    const [a, b, x, y] = [[1, 2, 0.3], [0.2, -1, 1], [1, 1, 1], [0.5, -1, 0]];
    const others = [[3, 0.1, -1]];
    expect(lossOf([x, b], [a, y], others).loss).toBeCloseTo(lossOf([a, b], [x, y], others).loss, 12);
  });

  it('refuses a batch without a sentence outside the pair', () => {
    const g = createGraphBuilder();
    expect(() => languageContrastiveLoss(g, { sources: g.input('s', 'float32', [1, 4]), targets: g.input('t', 'float32', [1, 4]), temperature: 1 })).toThrow(/at least 3/);
  });
});
