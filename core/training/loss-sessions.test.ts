import { afterAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { openLossSessions } from './loss-sessions.ts';
import type { LossAndGradient } from './trainable-encoder.ts';

const WIDTH = 6;
const settings = { retrieval: { weight: 0.7, temperature: 0.2 }, semantic: { weight: 1.5, temperature: 0.3 }, language: { weight: 2, temperature: 0.5 } };
const sessions = openLossSessions({ settings, width: WIDTH, threads: 1, device: 'cpu' });
afterAll(() => sessions[Symbol.asyncDispose]());

function pooled(rows: number, seed = 1): Float32Array {
  const random = seededRandom(seed, 'loss sessions test');
  return Float32Array.from({ length: rows * WIDTH }, () => 3 * random.normal());
}

// The formulas of Hu et al. 2023 in float64, written from the paper and not from core/losses.
const rowOf = (vectors: ArrayLike<number>, i: number): number[] => Array.from({ length: WIDTH }, (_, k) => vectors[i * WIDTH + k] ?? 0);
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0);
const cosine = (vectors: ArrayLike<number>, i: number, j: number): number => dot(rowOf(vectors, i), rowOf(vectors, j)) / Math.sqrt(dot(rowOf(vectors, i), rowOf(vectors, i)) * dot(rowOf(vectors, j), rowOf(vectors, j)));
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Half questions to passages, half passages to questions; `leaveOut[i, j]` takes passage j out of question i's choices and the reverse. */
function retrievalReference(vectors: ArrayLike<number>, leaveOut: Uint8Array): number {
  const count = vectors.length / WIDTH / 2;
  const e = (i: number, j: number): number => (leaveOut[i * count + j] === 1 ? 0 : Math.exp(cosine(vectors, i, count + j) / settings.retrieval.temperature));
  const forward = range(count).map((i) => -Math.log(e(i, i) / sumOf(range(count).map((j) => e(i, j)))));
  const mirrored = range(count).map((j) => -Math.log(e(j, j) / sumOf(range(count).map((i) => e(i, j)))));
  return (sumOf(forward) + sumOf(mirrored)) / (2 * count);
}

function semanticReference(vectors: ArrayLike<number>): number {
  const count = vectors.length / WIDTH / 2;
  const e = (i: number, j: number): number => Math.exp(cosine(vectors, i, j) / settings.semantic.temperature);
  return sumOf(range(2 * count).map((i) => -Math.log(e(i, (i + count) % (2 * count)) / sumOf(range(2 * count).filter((k) => k !== i).map((k) => e(i, k)))))) / (2 * count);
}

function languageReference(vectors: ArrayLike<number>, pairs: number): number {
  const count = vectors.length / WIDTH;
  const e = (i: number, k: number): number => Math.exp(cosine(vectors, i, k) / settings.language.temperature);
  const terms = range(pairs).flatMap((i) => {
    const j = pairs + i;
    return range(count).filter((k) => k !== i && k !== j).map((k) => Math.log(e(i, k) / (e(i, k) + e(j, k))) + Math.log(e(j, k) / (e(i, k) + e(j, k))));
  });
  return -sumOf(terms) / (count * (count - 2));
}

/** The loss, and weight times its gradient by central differences in float64. */
function expectEqual(found: LossAndGradient, vectors: Float32Array, weight: number, loss: (vectors: ArrayLike<number>) => number): void {
  expect(found.loss).toBeCloseTo(loss(vectors), 5);
  expect(found.gradient).toHaveLength(vectors.length);
  const moved = Float64Array.from(vectors);
  const step = 1e-5;
  let largest = 0;
  moved.forEach((value, i) => {
    moved[i] = value + step;
    const above = loss(moved);
    moved[i] = value - step;
    const below = loss(moved);
    moved[i] = value;
    const expected = (weight * (above - below)) / (2 * step);
    largest = Math.max(largest, Math.abs(expected));
    expect(Math.abs((found.gradient[i] ?? Number.NaN) - expected)).toBeLessThan(1e-5);
  });
  expect(largest).toBeGreaterThan(1e-3); // not a comparison of zeros
}

describe('the loss models', () => {
  it('retrieval: loss and weighted gradient equal the formula', async () => {
    const vectors = pooled(2 * 5);
    const nothing = new Uint8Array(25);
    expectEqual(await sessions.retrieval(vectors, nothing), vectors, settings.retrieval.weight, (at) => retrievalReference(at, nothing));
  });

  it('retrieval: passages that answer a question too are left out of its choices', async () => {
    const vectors = pooled(2 * 4, 2);
    const leaveOut = Uint8Array.of(0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); // questions 0 and 1 share their passage
    const found = await sessions.retrieval(vectors, leaveOut);
    expectEqual(found, vectors, settings.retrieval.weight, (at) => retrievalReference(at, leaveOut));
    expect(found.loss).not.toBeCloseTo((await sessions.retrieval(vectors, new Uint8Array(16))).loss, 3);
  });

  it('retrieval: hard negatives are more passages to be confused with, for the questions only', async () => {
    const [questions, documents] = [3, 5];
    const vectors = pooled(questions + documents, 7);
    const leaveOut = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
    const reference = (at: ArrayLike<number>): number => {
      const e = (i: number, j: number): number => (leaveOut[i * documents + j] === 1 ? 0 : Math.exp(cosine(at, i, questions + j) / settings.retrieval.temperature));
      const forward = range(questions).map((i) => -Math.log(e(i, i) / sumOf(range(documents).map((j) => e(i, j)))));
      const mirrored = range(questions).map((j) => -Math.log(e(j, j) / sumOf(range(questions).map((i) => e(i, j)))));
      return (sumOf(forward) + sumOf(mirrored)) / (2 * questions);
    };
    expectEqual(await sessions.retrieval(vectors, leaveOut), vectors, settings.retrieval.weight, reference);
  });

  it('retrieval: the loss of the paper (eq. 1) looks from the questions only', async () => {
    await using oneWay = openLossSessions({ settings: { ...settings, retrieval: { ...settings.retrieval, symmetric: false } }, width: WIDTH, threads: 1, device: 'cpu' });
    const vectors = pooled(2 * 4, 8);
    const reference = (at: ArrayLike<number>): number => {
      const e = (i: number, j: number): number => Math.exp(cosine(at, i, 4 + j) / settings.retrieval.temperature);
      return sumOf(range(4).map((i) => -Math.log(e(i, i) / sumOf(range(4).map((j) => e(i, j)))))) / 4;
    };
    expectEqual(await oneWay.retrieval(vectors, new Uint8Array(16)), vectors, settings.retrieval.weight, reference);
  });

  it('semantic: loss and weighted gradient equal the formula, for batches of any size', async () => {
    for (const pairs of [1, 3, 6]) {
      const vectors = pooled(2 * pairs, 3 + pairs);
      if (pairs === 1) expect((await sessions.semantic(vectors)).loss).toBeCloseTo(0, 6); // nothing to be confused with
      else expectEqual(await sessions.semantic(vectors), vectors, settings.semantic.weight, semanticReference);
    }
  });

  it('language: loss and weighted gradient equal the formula, with and without sentences of no pair', async () => {
    for (const others of [0, 1, 4]) {
      const vectors = pooled(2 * 3 + others, 10 + others);
      expectEqual(await sessions.language(vectors, 3), vectors, settings.language.weight, (at) => languageReference(at, 3));
    }
  });

  it('give numbers, not NaN, for a text without tokens', async () => {
    const vectors = pooled(2 * 4, 20);
    vectors.fill(0, 0, WIDTH);
    for (const found of [await sessions.semantic(vectors), await sessions.retrieval(vectors, new Uint8Array(16)), await sessions.language(vectors, 4)]) {
      expect(found.loss).toBeGreaterThan(0);
      expect(found.gradient.every(Number.isFinite)).toBe(true);
    }
  });

  it('give the same bits again', async () => {
    const vectors = pooled(2 * 6, 30);
    expect(await sessions.semantic(vectors)).toEqual(await sessions.semantic(vectors));
  });
});
