import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { principalAxes, whiteningScale } from './soft-whitening.ts';

/** Correlated vectors: a random mixture of independent directions with spreads 1, 2, 3 ... */
function correlated(count: number, width: number): Float32Array {
  const random = seededRandom(2, 'whitening test');
  const mixture = Array.from({ length: width * width }, () => random.normal());
  const vectors = new Float32Array(count * width);
  for (let n = 0; n < count; n += 1) {
    const parts = Array.from({ length: width }, (_, k) => (k + 1) * random.normal());
    for (let i = 0; i < width; i += 1) vectors[n * width + i] = 0.5 * i + parts.reduce((sum, part, k) => sum + part * (mixture[k * width + i] ?? 0), 0);
  }
  return vectors;
}

/** (x - mean) in the basis of the axes, times the scale: what a search vector is before its length is made 1. */
function transform(vectors: Float32Array, width: number, power: number): number[][] {
  const { mean, axes, variances } = principalAxes(vectors, width);
  const scale = whiteningScale(variances, power);
  return Array.from({ length: vectors.length / width }, (_, n) =>
    Array.from({ length: width }, (__, k) => {
      let sum = 0;
      for (let i = 0; i < width; i += 1) sum += ((vectors[n * width + i] ?? 0) - (mean[i] ?? 0)) * (axes[k * width + i] ?? 0);
      return sum * (scale[k] ?? 0);
    }),
  );
}

const covariance = (rows: readonly (readonly number[])[], a: number, b: number): number => rows.reduce((sum, row) => sum + (row[a] ?? 0) * (row[b] ?? 0), 0) / rows.length;

describe('principal axes', () => {
  const width = 6;
  const vectors = correlated(501, width); // not a multiple of the block of eight
  const { mean, axes, variances } = principalAxes(vectors, width);

  it('are orthonormal', () => {
    for (let a = 0; a < width; a += 1) {
      for (let b = 0; b < width; b += 1) {
        let product = 0;
        for (let i = 0; i < width; i += 1) product += (axes[a * width + i] ?? 0) * (axes[b * width + i] ?? 0);
        expect(product).toBeCloseTo(a === b ? 1 : 0, 5);
      }
    }
  });

  it('have the mean of the vectors, and variances from large to small that sum to the whole variance', () => {
    let whole = 0;
    for (let i = 0; i < width; i += 1) {
      const column = vectors.filter((_, at) => at % width === i);
      const average = column.reduce((a, b) => a + b, 0) / column.length;
      expect(mean[i]).toBeCloseTo(average, 4);
      whole += column.reduce((a, b) => a + (b - average) ** 2, 0) / column.length;
    }
    expect(variances.reduce((a, b) => a + b, 0) / whole).toBeCloseTo(1, 5);
    expect([...variances]).toEqual([...variances].sort((a, b) => b - a));
  });

  it('have the values worked out by hand for four points on a line', () => {
    const line = Float32Array.of(3, 4, -3, -4, 6, 8, -6, -8); // along (3, 4) / 5, lengths 5, 5, 10, 10
    const found = principalAxes(line, 2);
    expect(found.axes[0]).toBeCloseTo(0.6, 6);
    expect(found.axes[1]).toBeCloseTo(0.8, 6);
    expect(found.variances[0]).toBeCloseTo((25 + 25 + 100 + 100) / 4, 4);
    expect(found.variances[1]).toBeCloseTo(0, 4);
  });

  it('have a sign that is decided: their largest part is positive', () => {
    for (let k = 0; k < width; k += 1) {
      const row = [...axes.subarray(k * width, (k + 1) * width)];
      expect(row.reduce((largest, value) => (Math.abs(value) > Math.abs(largest) ? value : largest), 0)).toBeGreaterThan(0);
    }
  });
});

describe('soft whitening', () => {
  it('with power .5 makes the covariance of the vectors the identity', () => {
    const rows = transform(correlated(400, 5), 5, 0.5);
    for (let a = 0; a < 5; a += 1) for (let b = 0; b < 5; b += 1) expect(covariance(rows, a, b)).toBeCloseTo(a === b ? 1 : 0, 3);
  });

  it('with power 0 leaves the variances, and in between takes a power of them', () => {
    const { variances } = principalAxes(correlated(400, 5), 5);
    for (const power of [0, 0.25, 0.45]) {
      const rows = transform(correlated(400, 5), 5, power);
      for (let k = 0; k < 5; k += 1) expect(covariance(rows, k, k) / (variances[k] ?? 0) ** (1 - 2 * power)).toBeCloseTo(1, 3);
    }
  });

  it('does not blow up directions without variance', () => {
    const scale = whiteningScale(Float32Array.of(4, 1, 0), 0.5);
    expect(scale[0]).toBeCloseTo(0.5, 6);
    expect(scale[1]).toBeCloseTo(1, 6);
    expect(scale[2]).toBeCloseTo(1 / Math.sqrt(4e-4), 3);
    expect([...whiteningScale(Float32Array.of(0, 0), 0.5)]).toEqual([1, 1]);
  });
});
