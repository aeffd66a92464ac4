import { describe, expect, it } from 'vitest';
import { createGraphBuilder } from '../graph/builder.ts';
import { evaluateLoss } from '../../test/reference/evaluate-loss.ts';
import { retrievalLoss, symmetricRetrievalLoss } from './retrieval.ts';

const EAST = [1, 0];
const NORTH = [0, 1];

describe('retrievalLoss', () => {
  it('equals ln(1 + exp(−1/τ)) for two orthogonal questions with their own vectors as documents', () => {
    for (const temperature of [1, 0.25]) {
      const { loss } = evaluateLoss({ queries: [EAST, NORTH], documents: [EAST, NORTH] }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature }));
      expect(loss).toBeCloseTo(Math.log(1 + Math.exp(-1 / temperature)), 12);
    }
  });

  it('equals ln N when all documents are equal, and then has no gradient for the documents to agree on', () => {
    const same = [0.6, -0.8];
    const { loss, gradients } = evaluateLoss({ queries: [EAST, NORTH, [2, 1]], documents: [same, same, same, same] }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature: 0.05 }));
    expect(loss).toBeCloseTo(Math.log(4), 12);
    for (const row of gradients['queries'] ?? []) for (const element of row) expect(element).toBeCloseTo(0, 12);
  });

  it('does not change with the lengths of the vectors', () => {
    const build = (documents: number[][]) => evaluateLoss({ queries: [[3, 1], [0.5, -2]], documents }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature: 0.1 })).loss;
    expect(build([[10, 20], [-5, 0]])).toBeCloseTo(build([[1, 2], [-0.01, 0]]), 10);
  });

  it('leaves a negative out exactly as if it were not in the batch', () => {
    const queries = [EAST];
    const kept = evaluateLoss({ queries, documents: [[1, 1], [0, 2]] }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature: 0.1 }));
    const leftOut = evaluateLoss({ queries, documents: [[1, 1], [5, 1], [0, 2]], leaveOut: [[false, true, false]] }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature: 0.1 }));
    expect(leftOut.loss).toBeCloseTo(kept.loss, 12);
    expect(leftOut.gradients['documents']?.[1]).toEqual([0, 0]);
  });

  it('is finite for similarities and temperatures that would overflow float32 without care', () => {
    const { loss, gradients } = evaluateLoss({ queries: [EAST, NORTH], documents: [NORTH, EAST] }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature: 0.001 }));
    expect(loss).toBeCloseTo(1000, 6);
    expect((gradients['queries'] ?? []).flat().every(Number.isFinite)).toBe(true);
  });

  it('refuses fewer documents than queries, other widths, and a temperature of 0', () => {
    const g = createGraphBuilder();
    const queries = g.input('queries', 'float32', [3, 4]);
    expect(() => retrievalLoss(g, { queries, documents: g.input('few', 'float32', [2, 4]), temperature: 1 })).toThrow(/B <= N/);
    expect(() => retrievalLoss(g, { queries, documents: g.input('wide', 'float32', [3, 5]), temperature: 1 })).toThrow(/H = 4/);
    expect(() => retrievalLoss(g, { queries, documents: g.input('documents', 'float32', [3, 4]), temperature: 0 })).toThrow(/temperature/);
  });
});

describe('symmetricRetrievalLoss', () => {
  it('does not change when queries and documents change places', () => {
    const [a, b] = [[[1, 2], [0.5, -1], [3, 0.1]], [[2, 2], [0.1, -1], [1, -0.3]]];
    const loss = (queries: number[][], documents: number[][]) => evaluateLoss({ queries, documents }, (g, inputs) => symmetricRetrievalLoss(g, { ...inputs, temperature: 0.1 })).loss;
    expect(loss(a, b)).toBeCloseTo(loss(b, a), 12);
    const oneWay = (queries: number[][], documents: number[][]) => evaluateLoss({ queries, documents }, (g, inputs) => retrievalLoss(g, { ...inputs, temperature: 0.1 })).loss;
    expect(loss(a, b)).toBeCloseTo((oneWay(a, b) + oneWay(b, a)) / 2, 12);
    expect(oneWay(a, b)).not.toBeCloseTo(oneWay(b, a), 3);
  });
});
