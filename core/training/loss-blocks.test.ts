/** Do losses in blocks equal losses in one piece? */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createSession } from '../runtime/session.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { contrastBlockGraph, contrastInBlocks, MOST_SIMILARITIES_AT_ONCE } from './loss-blocks.ts';
import { openLossSessions, type LossSettings } from './loss-sessions.ts';

const WIDTH = 4;
const settings: LossSettings = { retrieval: { weight: 1, temperature: 0.1, symmetric: true }, semantic: { weight: 0.5, temperature: 0.2 }, language: { weight: 1, temperature: 1 } };

function vectors(count: number, purpose: string): Float32Array {
  const random = seededRandom(3, purpose);
  return Float32Array.from({ length: count * WIDTH }, () => random.normal());
}

/** log Σ exp of a row without what it leaves out, minus its positive: written out. */
function plainMean(rows: Float32Array, candidates: Float32Array, temperature: number, options: { readonly positiveOf: (row: number) => number; readonly isOut: (row: number, candidate: number) => boolean }): number {
  const unit = (all: Float32Array, i: number): readonly number[] => {
    const own = Array.from(all.subarray(i * WIDTH, (i + 1) * WIDTH));
    return own.map((x) => x / Math.hypot(...own));
  };
  const [count, others] = [rows.length / WIDTH, candidates.length / WIDTH];
  const right = Array.from({ length: others }, (_, j) => unit(candidates, j));
  let sum = 0;
  for (let row = 0; row < count; row += 1) {
    const left = unit(rows, row);
    const scores = right.map((other) => other.reduce((dot, x, k) => dot + x * (left[k] ?? 0), 0) / temperature);
    sum += Math.log(scores.reduce((total, score, j) => (options.isOut(row, j) ? total : total + Math.exp(score)), 0)) - (scores[options.positiveOf(row)] ?? 0);
  }
  return sum / count;
}

describe('a loss in blocks', () => {
  it('is the mean over all rows, with the gradients of difference quotients', async () => {
    const [rows, candidates] = [vectors(5, 'rows'), vectors(7, 'candidates')];
    const task = { positiveOf: (row: number) => row + 1, isOut: (row: number, candidate: number) => candidate === 0 && row > 2 };
    await using session = await createSession(encodeModel(contrastBlockGraph(WIDTH, 0.5)), { threads: 1 });
    const found = await contrastInBlocks({ session, width: WIDTH, rows, candidates, positiveOf: task.positiveOf, leaveOut: (row, marks) => { if (row > 2) marks[0] = 1; } });
    expect(found.loss).toBeCloseTo(plainMean(rows, candidates, 0.5, task), 5);
    const step = 1e-2;
    const moved = (by: number): number => plainMean(rows, candidates.map((x, i) => (i === 6 ? x + by : x)), 0.5, task);
    expect(found.candidateGradients[6]).toBeCloseTo((moved(step) - moved(-step)) / (2 * step), 3);
  });
  it('takes over where similarities are many, and gives what they are', async () => {
    const count = 1025; // (2 · 1025)² is just beyond the limit
    expect((2 * count) ** 2).toBeGreaterThan(MOST_SIMILARITIES_AT_ONCE);
    await using losses = openLossSessions({ settings, width: WIDTH, threads: 1, device: 'cpu' });
    const pooled = vectors(2 * count, 'sentences');
    const { loss, gradient } = await losses.semantic(pooled);
    expect(loss).toBeCloseTo(plainMean(pooled, pooled, 0.2, { positiveOf: (row) => (row + count) % (2 * count), isOut: (row, other) => row === other }), 3);
    expect(gradient.length).toBe(pooled.length);
    expect(gradient.some((number) => number !== 0)).toBe(true);
  });
  it('of questions in both directions is the symmetric retrieval loss', async () => {
    const count = 2049;
    await using losses = openLossSessions({ settings, width: WIDTH, threads: 1, device: 'cpu' });
    const pooled = vectors(2 * count, 'questions');
    const [queries, documents] = [pooled.subarray(0, count * WIDTH), pooled.subarray(count * WIDTH)];
    const plain = { positiveOf: (row: number) => row, isOut: () => false };
    const { loss, gradient } = await losses.retrieval(pooled, new Uint8Array(count * count));
    expect(loss).toBeCloseTo((plainMean(queries, documents, 0.1, plain) + plainMean(documents, queries, 0.1, plain)) / 2, 3);
    expect(gradient.every(Number.isFinite)).toBe(true);
  });
});
