import { describe, expect, it } from 'vitest';
import { createGraphBuilder } from '../graph/builder.ts';
import { evaluateLoss } from '../../test/reference/evaluate-loss.ts';
import { semanticContrastiveLoss } from './semantic-contrastive.ts';

const EAST = [1, 0, 0];
const NORTH = [0, 1, 0];
type Rows = readonly (readonly number[])[];

const lossOf = (sources: Rows, targets: Rows, temperature = 0.1) => evaluateLoss({ sources, targets }, (g, inputs) => semanticContrastiveLoss(g, { ...inputs, temperature }));

describe('semanticContrastiveLoss', () => {
  it('equals ln(1 + 2 exp(−1/τ)) for two orthogonal pairs of equal vectors', () => {
    for (const temperature of [1, 0.5]) {
      // Each sentence sees its translation (cosine 1) and two others (cosine 0); itself it does not see.
      expect(lossOf([EAST, NORTH], [EAST, NORTH], temperature).loss).toBeCloseTo(Math.log(1 + 2 * Math.exp(-1 / temperature)), 12);
    }
  });

  it('equals ln(2N − 1) when all sentences are equal', () => {
    const same = [[1, 2, 3], [1, 2, 3], [1, 2, 3]];
    expect(lossOf(same, same).loss).toBeCloseTo(Math.log(5), 12);
  });

  it('is 0 for one pair, which has nothing to be confused with', () => {
    const { loss, gradients } = lossOf([EAST], [[1, 2, 3]]);
    expect(loss).toBeCloseTo(0, 12);
    for (const element of (gradients['sources'] ?? []).flat()) expect(element).toBeCloseTo(0, 12);
  });

  it('does not change when the sides of single pairs are exchanged, nor when the pairs are reordered', () => {
    const [a, b, c] = [[1, 2, 0.3], [0.2, -1, 1], [3, 0.1, -1]];
    const [x, y, z] = [[1, 1, 1], [0.5, -1, 0], [0.1, 0.2, -1]];
    const loss = lossOf([a, b, c], [x, y, z]).loss;
    expect(lossOf([x, b, c], [a, y, z]).loss).toBeCloseTo(loss, 12); // mixed language pairs: no side is special
    expect(lossOf([c, a, b], [z, x, y]).loss).toBeCloseTo(loss, 12);
    expect(lossOf([a, b, c], [y, x, z]).loss).not.toBeCloseTo(loss, 3);
  });

  it('pulls a pair together: a step against the gradient raises its cosine', () => {
    const sources = [EAST, NORTH];
    const targets = [[0.6, 0, 0.8], [0, 0.6, -0.8]];
    const { gradients } = lossOf(sources, targets);
    const moved = targets.map((row, i) => row.map((element, j) => element - 0.1 * (gradients['targets']?.[i]?.[j] ?? 0)));
    const cosine = (row: readonly number[] | undefined) => (row?.[0] ?? 0) / Math.hypot(...(row ?? []));
    expect(cosine(moved[0])).toBeGreaterThan(cosine(targets[0]));
  });

  it('refuses sides of different size', () => {
    const g = createGraphBuilder();
    expect(() => semanticContrastiveLoss(g, { sources: g.input('s', 'float32', [2, 4]), targets: g.input('t', 'float32', [3, 4]), temperature: 1 })).toThrow(/N = 2/);
  });
});
