/** Is the projection head of Wu et al. 2022 right, and does its evaluation mode leak nothing? */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/batch-normalisation.json' with { type: 'json' };
import { describeCases, type CaseBuilds } from '../../test/reference/run-cases.ts';
import { createGraphBuilder, type Value } from '../graph/builder.ts';
import { evaluateGraph } from '../graph/evaluate.ts';
import { batchMoments, batchNormalisation, contextProjectionHead } from './batch-normalisation.ts';

type Inputs = { readonly [name: string]: Value };
const need = (inputs: Inputs, name: string): Value => {
  const value = inputs[name];
  if (value === undefined) throw new Error(`The case has no input ${name}.`);
  return value;
};
const headOf = (inputs: Inputs) => ({
  first: { weight: need(inputs, 'w1'), bias: need(inputs, 'b1') },
  norm: { scale: need(inputs, 'scale'), bias: need(inputs, 'bias') },
  second: { weight: need(inputs, 'w2'), bias: need(inputs, 'b2') },
});

const builds: CaseBuilds = {
  'head in training': (g, inputs) => contextProjectionHead(g, need(inputs, 'x'), { ...headOf(inputs), running: null }).y,
  'head in evaluation': (g, inputs) => contextProjectionHead(g, need(inputs, 'x'), { ...headOf(inputs), running: { mean: need(inputs, 'mean'), variance: need(inputs, 'variance') } }).y,
};

describe('the projection head of contrastive context prediction', () => {
  describeCases({ file: referenceJson, builds });
});

const normalised = (rows: readonly (readonly number[])[], running: { readonly mean: readonly number[]; readonly variance: readonly number[] } | null): Float64Array => {
  const g = createGraphBuilder('norm');
  const [count, width] = [rows.length, rows[0]?.length ?? 0];
  const x = g.input('x', 'float64', [count, width]);
  const column = (name: string): Value => g.input(name, 'float64', [width]);
  const [scale, bias] = [column('scale'), column('bias')];
  const moments = running === null ? batchMoments(g, x) : { mean: column('mean'), variance: column('variance') };
  const y = batchNormalisation(g, x, { scale, bias, moments });
  const feed = (data: readonly number[]) => ({ shape: [width], data });
  const feeds = { x: { shape: [count, width], data: rows.flat() }, scale: feed(new Array<number>(width).fill(1)), bias: feed(new Array<number>(width).fill(0)), ...(running === null ? {} : { mean: feed(running.mean), variance: feed(running.variance) }) };
  return Float64Array.from(evaluateGraph(g.build({ y }), feeds)['y']?.data ?? []);
};

describe('batchNormalisation', () => {
  const rows = [[1, 20], [3, 40], [8, 0]];

  it('in training mode gives every column mean 0 and variance 1', () => {
    const found = normalised(rows, null);
    for (const column of [0, 1]) {
      const values = [0, 1, 2].map((row) => found[2 * row + column] ?? Number.NaN);
      const mean = values.reduce((sum, value) => sum + value, 0) / 3;
      expect(mean).toBeCloseTo(0, 10);
      expect(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3).toBeCloseTo(1, 4);
    }
  });

  it('in evaluation mode leaks nothing: one row is the same whatever stands beside it; in training mode it is not', () => {
    const running = { mean: [2, 10], variance: [4, 100] };
    const other = [[1, 20], [-7, 3], [5, 5]];
    expect([...normalised(other, running)].slice(0, 2)).toEqual([...normalised(rows, running)].slice(0, 2));
    expect(normalised(rows, running)[0]).toBeCloseTo((1 - 2) / 2, 4);
    expect(normalised(other, null)[0]).not.toBeCloseTo(normalised(rows, null)[0] ?? Number.NaN, 3);
  });
});
