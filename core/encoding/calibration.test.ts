/** Does calibration find what was done to a space? Rotations, shifts and scales that the test made itself. */
import { QrDecomposition, Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { pairAccuracy } from '../metrics/pair-accuracy.ts';
import { calibrate, fitCalibration } from './calibration.ts';
import { cslsNeighbours, mutualPairs } from './mutual-neighbours.ts';
import { applyMap, orthogonalMap } from './orthogonal-map.ts';
import { learnMapWithoutPairs } from './self-learned-map.ts';

const WIDTH = 16;

/** Vectors with structure: a few clusters of unequal size and spread, so that a space has a shape to be recognised by. */
function cloud(count: number, seed: number): Float32Array {
  const random = seededRandom(seed, 'cloud');
  const centres = Array.from({ length: 8 }, () => Array.from({ length: WIDTH }, (_, i) => random.normal() / (1 + i / 4)));
  const rows = Float32Array.from({ length: count * WIDTH }, (_, i) => {
    const row = Math.floor(i / WIDTH);
    return (centres[Math.floor(Math.sqrt(row)) % 8]?.[i % WIDTH] ?? 0) + (0.5 * random.normal()) / (1 + (i % WIDTH) / 6);
  });
  return unit(rows);
}

function unit(rows: Float32Array): Float32Array {
  for (let start = 0; start < rows.length; start += WIDTH) {
    const row = rows.subarray(start, start + WIDTH);
    const length = Math.hypot(...row);
    for (let i = 0; i < WIDTH; i += 1) row[i] = (row[i] ?? 0) / length;
  }
  return rows;
}

function rotation(seed: number, share = 1): Float32Array {
  const random = seededRandom(seed, 'rotation');
  const { orthogonalMatrix } = new QrDecomposition(new Matrix(Array.from({ length: WIDTH }, (_, i) => Array.from({ length: WIDTH }, (_, j) => share * random.normal() + (i === j ? 4 * (1 - share) : 0)))));
  const signs = orthogonalMatrix.diagonal().map((value) => (value < 0 ? -1 : 1)); // decompositions differ by signs; with positive ones a small share is a small turn
  return Float32Array.from(orthogonalMatrix.mmul(Matrix.diagonal(signs)).to1DArray());
}

const product = (a: Float32Array, b: Float32Array): number[] => Array.from({ length: WIDTH * WIDTH }, (_, i) => Array.from({ length: WIDTH }, (_, k) => (a[k * WIDTH + Math.floor(i / WIDTH)] ?? 0) * (b[k * WIDTH + (i % WIDTH)] ?? 0)).reduce((x, y) => x + y, 0));

describe('orthogonalMap', () => {
  it('recovers a known rotation', async () => {
    const sources = cloud(60, 1);
    const known = rotation(2);
    const found = await orthogonalMap({ sources, targets: await applyMap(sources, known, WIDTH), width: WIDTH });
    for (const [i, value] of found.entries()) expect(value).toBeCloseTo(known[i] ?? Number.NaN, 4);
  });

  it('is orthogonal also when the pairs are not exact', async () => {
    const found = await orthogonalMap({ sources: cloud(40, 3), targets: cloud(40, 4), width: WIDTH });
    product(found, found).forEach((value, i) => {
      expect(value).toBeCloseTo(i % (WIDTH + 1) === 0 ? 1 : 0, 4);
    });
  });

  it('refuses fewer than two pairs', async () => {
    await expect(orthogonalMap({ sources: cloud(1, 1), targets: cloud(1, 2), width: WIDTH })).rejects.toMatchObject({ code: 'calibration.too-few-pairs' });
  });
});

describe('cslsNeighbours', () => {
  it('equals the formula worked out pair by pair', async () => {
    const [sources, targets, k] = [cloud(30, 5), cloud(23, 6), 3];
    const cosine = (i: number, j: number): number => Array.from({ length: WIDTH }, (_, h) => (sources[i * WIDTH + h] ?? 0) * (targets[j * WIDTH + h] ?? 0)).reduce((a, b) => a + b, 0);
    const top = (values: number[]): number => values.toSorted((a, b) => b - a).slice(0, k).reduce((a, b) => a + b, 0) / k;
    const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
    const ofSource = range(30).map((i) => top(range(23).map((j) => cosine(i, j))));
    const ofTarget = range(23).map((j) => top(range(30).map((i) => cosine(i, j))));
    const csls = (i: number, j: number): number => 2 * cosine(i, j) - (ofSource[i] ?? 0) - (ofTarget[j] ?? 0);
    const argMax = (values: number[]): number => values.indexOf(Math.max(...values));
    const found = await cslsNeighbours({ sources, targets, width: WIDTH, neighbours: k });
    expect([...found.targetOf]).toEqual(range(30).map((i) => argMax(range(23).map((j) => csls(i, j)))));
    expect([...found.sourceOf]).toEqual(range(23).map((j) => argMax(range(30).map((i) => csls(i, j)))));
    const mutual = mutualPairs(found);
    expect(mutual.length).toBeGreaterThan(3);
    for (const [source, target] of mutual) expect([found.targetOf[source], found.sourceOf[target]]).toEqual([target, source]);
  });

  it('answers -1 where the other side is empty', async () => {
    const found = await cslsNeighbours({ sources: cloud(2, 1), targets: new Float32Array(0), width: WIDTH });
    expect([...found.targetOf]).toEqual([-1, -1]);
  });
});

describe('learnMapWithoutPairs', () => {
  const sources = cloud(300, 7);

  it('finds a small rotation by mutual neighbours', async () => {
    const known = rotation(8, 0.1);
    const { map } = await learnMapWithoutPairs({ sources, targets: await applyMap(sources, known, WIDTH), width: WIDTH, start: 'as they are', seed: 1 });
    expect(pairAccuracy({ sources: await applyMap(sources, map, WIDTH), targets: await applyMap(sources, known, WIDTH), width: WIDTH }).accuracy).toBeGreaterThan(0.99);
  });

  it('finds any rotation from profiles alone, where neighbours say nothing at first', async () => {
    const known = rotation(9);
    const targets = await applyMap(sources, known, WIDTH);
    expect(pairAccuracy({ sources, targets, width: WIDTH }).accuracy).toBeLessThan(0.2);
    const { map } = await learnMapWithoutPairs({ sources, targets, width: WIDTH, start: 'profile', seed: 1 });
    expect(pairAccuracy({ sources: await applyMap(sources, map, WIDTH), targets, width: WIDTH }).accuracy).toBeGreaterThan(0.99);
  });

  it('stops when it is told to', async () => {
    await expect(learnMapWithoutPairs({ sources, targets: cloud(300, 10), width: WIDTH, start: 'profile', seed: 1, signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

describe('fitCalibration', () => {
  const english = cloud(200, 11);
  const fitted = async (foreign: Float32Array, steps: Parameters<typeof fitCalibration>[0]['steps']): Promise<number> => {
    const calibration = await fitCalibration({ width: WIDTH, pivot: 'en', texts: new Map([['en', english], ['xx', foreign]]), pairs: new Map([['xx', { foreign: foreign.slice(0, 60 * WIDTH), pivot: english.slice(0, 60 * WIDTH) }]]), steps, seed: 1 });
    return pairAccuracy({ sources: await calibrate(calibration, foreign, 'xx'), targets: await calibrate(calibration, english, 'en'), width: WIDTH }).accuracy;
  };

  it('undoes a shift and a scale', async () => {
    const foreign = english.map((value, i) => value * (1 + (i % WIDTH) / 4) + ((i % WIDTH) % 3));
    expect(await fitted(foreign, { shift: false, scale: false, rotate: 'none' })).toBeLessThan(0.5);
    expect(await fitted(foreign, { shift: true, scale: false, rotate: 'none' })).toBeGreaterThan(0.5);
    expect(await fitted(foreign, { shift: true, scale: true, rotate: 'none' })).toBe(1);
  });

  it('undoes a shift and a rotation, with pairs and without', async () => {
    const foreign = (await applyMap(english, rotation(12, 0.6), WIDTH)).map((value, i) => value + ((i % WIDTH) % 3));
    const shifted = await fitted(foreign, { shift: true, scale: false, rotate: 'none' });
    expect(shifted).toBeLessThan(0.9);
    expect(await fitted(foreign, { shift: true, scale: false, rotate: 'pairs' })).toBe(1);
    expect(await fitted(foreign, { shift: true, scale: false, rotate: 'unsupervised' })).toBe(1);
  });

  it('gives rows of length 1, each language mean 0 before that, and leaves an unknown language where it was', async () => {
    const calibration = await fitCalibration({ width: WIDTH, pivot: 'en', texts: new Map([['en', english]]), steps: { shift: true, scale: true, rotate: 'none' }, seed: 1 });
    const calibrated = await calibrate(calibration, english, 'en');
    for (let start = 0; start < calibrated.length; start += WIDTH) expect(Math.hypot(...calibrated.subarray(start, start + WIDTH))).toBeCloseTo(1, 5);
    const unknown = await calibrate(calibration, english, 'xx');
    for (const [i, value] of unknown.entries()) expect(value).toBeCloseTo(english[i] ?? Number.NaN, 5);
  });

  it('says which corpus is missing', async () => {
    const fit = (over: Partial<Parameters<typeof fitCalibration>[0]>) => fitCalibration({ width: WIDTH, pivot: 'en', texts: new Map([['en', english], ['xx', english]]), steps: { shift: true, scale: false, rotate: 'pairs' }, seed: 1, ...over });
    await expect(fit({})).rejects.toThrow(/"xx" from pairs needs a parallel corpus with "en"/);
    await expect(fit({ texts: new Map([['xx', english]]) })).rejects.toMatchObject({ code: 'calibration.no-text' });
    await expect(fit({ texts: new Map([['en', english], ['xx', new Float32Array(0)]]) })).rejects.toThrow(/"xx" has none/);
  });
});
