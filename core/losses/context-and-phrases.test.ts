/** Are the losses of Wu et al. 2022, Zheng et al. 2022 and Reimers and Gurevych 2020 right? Against loops over the equations in PyTorch float64, and what the papers say of them. */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/context-and-phrases.json' with { type: 'json' };
import { evaluateLoss } from '../../test/reference/evaluate-loss.ts';
import { describeCases, type CaseBuilds } from '../../test/reference/run-cases.ts';
import type { Value } from '../graph/builder.ts';
import { contextPredictionLoss, distillationLoss, phraseContrastLoss } from './index.ts';

const temperature = 0.25; // as in the script

type Inputs = { readonly [name: string]: Value };
const need = (inputs: Inputs, name: string): Value => {
  const value = inputs[name];
  if (value === undefined) throw new Error(`The case has no input ${name}.`);
  return value;
};
const contextOf = (inputs: Inputs) => ({ centres: need(inputs, 'centres'), contexts: need(inputs, 'contexts'), bank: inputs['bank'] ?? null, leaveOut: inputs['leaveOut'] ?? null, temperature });
const phrasesOf = (inputs: Inputs) => ({
  sources: need(inputs, 'sources'),
  targets: need(inputs, 'targets'),
  slowSources: need(inputs, 'slowSources'),
  slowTargets: need(inputs, 'slowTargets'),
  sourceQueue: inputs['sourceQueue'] ?? null,
  targetQueue: inputs['targetQueue'] ?? null,
  temperature,
});

const builds: CaseBuilds = {
  context: (g, inputs) => contextPredictionLoss(g, contextOf(inputs)),
  'context with bank': (g, inputs) => contextPredictionLoss(g, contextOf(inputs)),
  'context by language': (g, inputs) => contextPredictionLoss(g, contextOf(inputs)),
  phrases: (g, inputs) => phraseContrastLoss(g, phrasesOf(inputs)),
  'phrases with queues': (g, inputs) => phraseContrastLoss(g, phrasesOf(inputs)),
  distillation: (g, inputs) => distillationLoss(g, { teacher: need(inputs, 'teacher'), sources: need(inputs, 'sources'), targets: need(inputs, 'targets') }),
};

describe('losses of contexts, phrases and teachers', () => {
  describeCases({ file: referenceJson, builds });
});

const EAST = [1, 0, 0];
const NORTH = [0, 1, 0];
const UP = [0, 0, 1];

describe('contextPredictionLoss', () => {
  it('equals ln(1 + 2 exp(−1/τ)) for two orthogonal pairs of equal vectors and one orthogonal row in the bank', () => {
    const { loss } = evaluateLoss({ centres: [EAST, NORTH], contexts: [EAST, NORTH], bank: [UP] }, (g, rows) => contextPredictionLoss(g, { ...rows, temperature: 0.5 }));
    expect(loss).toBeCloseTo(Math.log(1 + 2 * Math.exp(-2)), 12);
  });

  it('does not see a row of another language: it is as if the row were not there', () => {
    const centres = [[1, 2, 0.3], [0.2, -1, 1]];
    const contexts = [[1, 1, 1], [0.5, -1, 0]];
    const alone = evaluateLoss({ centres, contexts, bank: [EAST] }, (g, rows) => contextPredictionLoss(g, { ...rows, temperature: 0.3 }));
    const masked = evaluateLoss({ centres, contexts, bank: [EAST, UP], leaveOut: [[false, false, false, true], [false, false, false, true]] }, (g, rows) => contextPredictionLoss(g, { ...rows, temperature: 0.3 }));
    expect(masked.loss).toBeCloseTo(alone.loss, 12);
    for (const element of masked.gradients['bank']?.[1] ?? [Number.NaN]) expect(element).toBe(0);
    expect(evaluateLoss({ centres, contexts, bank: [EAST, UP] }, (g, rows) => contextPredictionLoss(g, { ...rows, temperature: 0.3 })).loss).not.toBeCloseTo(alone.loss, 3);
  });
});

describe('phraseContrastLoss', () => {
  it('equals 2 ln(1 + exp(−1/T)) for two orthogonal pairs, and grows with a queue', () => {
    const rows = { sources: [EAST, NORTH], targets: [EAST, NORTH], slowSources: [EAST, NORTH], slowTargets: [EAST, NORTH] };
    const { loss } = evaluateLoss(rows, (g, values) => phraseContrastLoss(g, { ...values, temperature: 0.5 }));
    expect(loss).toBeCloseTo(2 * Math.log(1 + Math.exp(-2)), 12);
    const queued = evaluateLoss({ ...rows, sourceQueue: [UP] }, (g, values) => phraseContrastLoss(g, { ...values, temperature: 0.5 }));
    expect(queued.loss).toBeCloseTo(Math.log(1 + Math.exp(-2)) + Math.log(1 + 2 * Math.exp(-2)), 12);
  });

  it('has each phrase chosen among the vectors of the slow encoder, not among those of the trained one', () => {
    const rows = { sources: [EAST, NORTH], targets: [UP, EAST], slowSources: [NORTH, UP], slowTargets: [EAST, NORTH] };
    const { loss } = evaluateLoss(rows, (g, values) => phraseContrastLoss(g, { ...values, temperature: 1 }));
    const first = Math.log(1 + Math.exp(-1)); // sources against slowTargets: both right at cosine 1, the other at 0
    const second = (Math.log(1 + Math.E) + Math.log(2)) / 2; // UP against [NORTH, UP]: right at 0, wrong at 1; EAST: both at 0
    expect(loss).toBeCloseTo(first + second, 12);
  });
});

describe('distillationLoss', () => {
  it('is 0 when the student says of both what the teacher says, and counts each element once', () => {
    const teacher = [[1, 2], [3, 4]];
    const value = (sources: number[][], targets: number[][]) => evaluateLoss({ teacher, sources, targets }, (g, rows) => distillationLoss(g, rows)).loss;
    expect(value(teacher, teacher)).toBe(0);
    expect(value(teacher, [[1, 2], [3, 6]])).toBeCloseTo(4 / 4, 12);
  });
});
