import { describe, expect, it } from 'vitest';
import { seededPermutation, seededRandom } from './random.ts';

const draw = (count: number, ...key: Parameters<typeof seededRandom>): number[] => {
  const random = seededRandom(...key);
  return Array.from({ length: count }, () => random.next());
};

describe('seededRandom', () => {
  it('repeats itself for equal seed, purpose and position, and for nothing else', () => {
    const first = draw(50, 7, 'crop', 3);
    expect(draw(50, 7, 'crop', 3)).toEqual(first);
    for (const other of [draw(50, 8, 'crop', 3), draw(50, 7, 'crop ', 3), draw(50, 7, 'crop', 4), draw(50, 7 + 2 ** 32, 'crop', 3)]) expect(other).not.toEqual(first);
  });

  it('gives the numbers it has always given, so that old runs can be repeated', () => {
    expect(draw(3, 1, 'crop', 0)).toEqual([0.3101925575174391,0.07221011794172227,0.9882442078087479]);
  });

  it('is uniform in [0, 1): 100 bins of 100,000 draws, chi-squared within five deviations', () => {
    const bins = new Float64Array(100);
    for (const value of draw(100_000, 11, 'uniform')) {
      expect(value >= 0 && value < 1).toBe(true);
      bins[Math.floor(value * 100)] = (bins[Math.floor(value * 100)] ?? 0) + 1;
    }
    const chiSquared = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(Math.abs(chiSquared - 99)).toBeLessThan(5 * Math.sqrt(2 * 99));
  });

  it('is uniform over neighbouring positions and purposes too: the first draw of each', () => {
    for (const first of [(i: number) => seededRandom(1, 'crop', i).next(), (i: number) => seededRandom(i, 'crop').next(), (i: number) => seededRandom(1, `purpose ${i}`).next()]) {
      const values = Array.from({ length: 20_000 }, (_, i) => first(i));
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const together = values.reduce((sum, value, i) => sum + (value - 0.5) * ((values[i + 1] ?? 0.5) - 0.5), 0) / values.length;
      expect(Math.abs(mean - 0.5)).toBeLessThan(5 / Math.sqrt(12 * values.length));
      expect(Math.abs(together) * 12).toBeLessThan(5 / Math.sqrt(values.length));
    }
  });

  it('has purposes that know nothing of each other: correlation within five deviations of 0', () => {
    const [left, right] = [draw(20_000, 5, 'crop', 1), draw(20_000, 5, 'dropout', 1)];
    const correlation = left.reduce((sum, value, i) => sum + (value - 0.5) * ((right[i] ?? 0) - 0.5), 0) / left.length / (1 / 12);
    expect(Math.abs(correlation)).toBeLessThan(5 / Math.sqrt(left.length));
  });

  it('gives integers below a bound, each as often', () => {
    const random = seededRandom(3, 'integers');
    const counts = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 70_000; i += 1) {
      const value = random.integer(7);
      counts[value] = (counts[value] ?? 0) + 1;
    }
    expect(counts).toHaveLength(7);
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(5 * Math.sqrt(10_000));
    expect(random.integer(1)).toBe(0);
  });

  it('gives standard normal numbers: mean 0, variance 1, kurtosis 3', () => {
    const random = seededRandom(3, 'normal');
    const values = Array.from({ length: 100_000 }, () => random.normal());
    const moment = (power: number): number => values.reduce((sum, value) => sum + value ** power, 0) / values.length;
    expect(moment(1)).toBeCloseTo(0, 1);
    expect(moment(2)).toBeCloseTo(1, 1);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.2);
    expect(values.every(Number.isFinite)).toBe(true);
  });
});

describe('seededPermutation', () => {
  it('holds each number once', () => {
    for (const length of [0, 1, 2, 3, 1000]) {
      const order = seededPermutation(length, { seed: 4, purpose: 'order' });
      expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length }, (_, i) => i));
    }
  });

  it('depends on seed, purpose and position only, and is not the identity', () => {
    const order = (seed: number, purpose: string, position: number): number[] => [...seededPermutation(50, { seed, purpose, position })];
    expect(order(1, 'a', 0)).toEqual(order(1, 'a', 0));
    expect(order(1, 'a', 0)).not.toEqual(Array.from({ length: 50 }, (_, i) => i));
    for (const other of [order(2, 'a', 0), order(1, 'b', 0), order(1, 'a', 1)]) expect(other).not.toEqual(order(1, 'a', 0));
  });

  it('gives all six orders of three, each as often', () => {
    const counts = new Map<string, number>();
    for (let position = 0; position < 12_000; position += 1) {
      const key = seededPermutation(3, { seed: 1, purpose: 'three', position }).join('');
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 2000)).toBeLessThan(5 * Math.sqrt(2000));
  });
});
