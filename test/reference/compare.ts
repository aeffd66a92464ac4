/** When are two results equal, and a gradient right? Used by tests only. */
import { expect } from 'vitest';
import { evaluateGraph, type Feed } from '../../core/graph/evaluate.ts';
import type { Graph } from '../../core/graph/graph.ts';
import { gradientName } from '../../core/autodiff/gradient-model.ts';
import type { PlainTensor } from './reference-cases.ts';

type Found = { readonly shape: readonly number[]; readonly data: ArrayLike<number> } | undefined;

const FLOAT64_TOLERANCE = 1e-11; // relative to the larger of 1 and the number

/** The same shape, and elements that differ by at most `tolerance` times max(1, |expected|). */
export function expectClose(found: Found, expected: PlainTensor, what: string, tolerance = FLOAT64_TOLERANCE): void {
  expect(found?.shape, `${what}: shape`).toEqual(expected.shape);
  const data = found?.data ?? [];
  expect(data.length, `${what}: length`).toBe(expected.data.length);
  const worst = expected.data.reduce((largest, number, i) => Math.max(largest, relativeError(data[i] ?? Number.NaN, number)), 0);
  expect(worst, `${what}: largest error`).toBeLessThanOrEqual(tolerance);
}

function relativeError(found: number, expected: number): number {
  if (Object.is(found, expected) || found === expected) return 0;
  const error = Math.abs(found - expected) / Math.max(1, Math.abs(expected));
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

const STEP = 1e-5; // balances truncation (step²) and rounding (1e-16 / step) in float64
const DIFFERENCE_TOLERANCE = 1e-7;

/** Each gradient output of the graph equals (loss(x + h) − loss(x − h)) / 2h for every element of its input. */
export function expectGradientsMatchDifferences(graph: Graph, { feeds, wrt }: { readonly feeds: { readonly [name: string]: Feed }; readonly wrt: readonly string[] }): void {
  const lossOnly: Graph = { ...graph, outputs: graph.outputs.filter(({ name }) => name === 'loss') };
  expect(lossOnly.outputs.length).toBe(1);
  const loss = (changed: { readonly [name: string]: Feed }): number => evaluateGraph(lossOnly, changed)['loss']?.data[0] ?? Number.NaN;
  const gradients = evaluateGraph(graph, feeds);
  for (const name of wrt) {
    const feed = feeds[name];
    if (feed === undefined) throw new Error(`No feed ${name}.`);
    const quotients = Array.from(feed.data, (element, i) => {
      const moved = (by: number): number => {
        const data = Float64Array.from(feed.data);
        data[i] = element + by;
        return loss({ ...feeds, [name]: { shape: feed.shape, data } });
      };
      return (moved(STEP) - moved(-STEP)) / (2 * STEP);
    });
    expectClose(gradients[gradientName(name)], { shape: feed.shape, data: quotients }, `difference quotient of ${name}`, DIFFERENCE_TOLERANCE);
  }
}
