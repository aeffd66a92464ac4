/** Is the map of vectors their principal plane, and does one map continue the one before? */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { principalPlane, turnedTowards } from './principal-plane.ts';

const WIDTH = 24;
/** n points of a plane in H dimensions, 3 wide and 1 high, plus a little of everything else. */
function flatCloud(n: number, noise: number): Float32Array {
  const random = seededRandom(7, 'flat cloud');
  const axis = (k: number): number[] => Array.from({ length: WIDTH }, (_, h) => (h % 2 === k ? 1 : 0) / Math.sqrt(WIDTH / 2));
  const [first, second] = [axis(0), axis(1)];
  return Float32Array.from(Array.from({ length: n }, () => {
    const [a, b] = [3 * random.normal(), random.normal()];
    return first.map((value, h) => 5 + a * value + b * (second[h] ?? 0) + noise * random.normal());
  }).flat());
}
const distance = (points: Float64Array, i: number, j: number): number => Math.hypot((points[2 * i] ?? 0) - (points[2 * j] ?? 0), (points[2 * i + 1] ?? 0) - (points[2 * j + 1] ?? 0));
const inSpace = (vectors: Float32Array, i: number, j: number): number => Math.sqrt(vectors.subarray(i * WIDTH, (i + 1) * WIDTH).reduce((sum, value, h) => sum + (value - (vectors[j * WIDTH + h] ?? 0)) ** 2, 0));
const turn = (points: Float64Array, angle: number, mirror: 1 | -1): Float64Array => points.map((_, i) => {
  const [x, y] = [points[i - (i % 2)] ?? 0, mirror * (points[i - (i % 2) + 1] ?? 0)];
  return i % 2 === 0 ? Math.cos(angle) * x - Math.sin(angle) * y : Math.sin(angle) * x + Math.cos(angle) * y;
});

describe('the principal plane', () => {
  it('of three points is worked by hand', () => {
    const { points, share } = principalPlane({ vectors: Float32Array.of(0, 0, 2, 0, 4, 0), width: 2 });
    expect([...points].map((value) => Math.abs(Math.round(value * 1e6) / 1e6))).toEqual([2, 0, 0, 0, 2, 0]);
    expect(share).toBeCloseTo(1, 12);
  });

  it('keeps all distances of points that lie in a plane', () => {
    const vectors = flatCloud(40, 0);
    const { points, share } = principalPlane({ vectors, width: WIDTH });
    expect(share).toBeCloseTo(1, 5);
    for (let i = 1; i < 40; i += 1) expect(distance(points, 0, i)).toBeCloseTo(inSpace(vectors, 0, i), 4);
  });

  it('has the widest direction first, a mean of 0, and says what it leaves out', () => {
    const { points, share } = principalPlane({ vectors: flatCloud(120, 0.3), width: WIDTH });
    const spread = (axis: 0 | 1): number => points.reduce((sum, value, i) => (i % 2 === axis ? sum + value ** 2 : sum), 0);
    expect(spread(0)).toBeGreaterThan(4 * spread(1));
    expect(points.reduce((sum, value, i) => (i % 2 === 0 ? sum + value : sum), 0)).toBeCloseTo(0, 6);
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.95);
  });

  it('of nothing, of one and of equal vectors is one point', () => {
    expect(principalPlane({ vectors: new Float32Array(0), width: 3 })).toEqual({ points: new Float64Array(0), share: 0 });
    expect(principalPlane({ vectors: Float32Array.of(1, 2, 3), width: 3 }).points).toEqual(new Float64Array(2));
    expect(principalPlane({ vectors: new Float32Array(9).fill(1), width: 3 })).toEqual({ points: new Float64Array(6), share: 0 });
    expect(() => principalPlane({ vectors: new Float32Array(4), width: 3 })).toThrow(RangeError);
  });
});

describe('a map turned towards another', () => {
  const { points } = principalPlane({ vectors: flatCloud(30, 0.1), width: WIDTH });

  it.each([[0.4, 1], [-2.6, 1], [1.1, -1], [3, -1]] as const)('finds back a turn by %f (mirrored: %i)', (angle, mirror) => {
    const back = turnedTowards(turn(points, angle, mirror), points);
    back.forEach((value, i) => {
      expect(value).toBeCloseTo(points[i] ?? 0, 9);
    });
  });

  it('stretches nothing, and leaves a map of other points alone', () => {
    const half = points.map((value) => value / 2);
    const turned = turnedTowards(turn(half, 1, 1), points);
    expect(distance(turned, 0, 5)).toBeCloseTo(distance(points, 0, 5) / 2, 9);
    expect(turnedTowards(points, new Float64Array(4))).toBe(points);
  });
});
