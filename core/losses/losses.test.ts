/** Are the losses those of the paper? Against loops over the printed equations in PyTorch float64. */
import { describe, expect, it } from 'vitest';
import referenceJson from '../../test/reference/losses.json' with { type: 'json' };
import { caseFeeds, caseGraph } from '../../test/reference/reference-cases.ts';
import { describeCases, expectCaseClose, runInOnnxRuntime, type CaseBuilds } from '../../test/reference/run-cases.ts';
import type { Value } from '../graph/builder.ts';
import { checkGraph } from '../graph/check.ts';
import { evaluateGraph } from '../graph/evaluate.ts';
import { jointLoss, languageContrastiveLoss, retrievalLoss, semanticContrastiveLoss, symmetricRetrievalLoss } from './index.ts';

const temperature = 0.25; // as in the script
const PAPER_TEMPERATURE = 1;

type Inputs = { readonly [name: string]: Value };
const need = (inputs: Inputs, name: string): Value => {
  const value = inputs[name];
  if (value === undefined) throw new Error(`The case has no input ${name}.`);
  return value;
};
const questions = (inputs: Inputs) => ({ queries: need(inputs, 'queries'), documents: need(inputs, 'documents'), leaveOut: inputs['leaveOut'] ?? null, temperature });
const pairs = (inputs: Inputs) => ({ sources: need(inputs, 'sources'), targets: need(inputs, 'targets'), others: inputs['others'] ?? null, temperature });

const builds: CaseBuilds = {
  retrieval: (g, inputs) => retrievalLoss(g, questions(inputs)),
  'retrieval paper': (g, inputs) => retrievalLoss(g, { ...questions(inputs), temperature: PAPER_TEMPERATURE }),
  'retrieval hard negatives': (g, inputs) => retrievalLoss(g, questions(inputs)),
  'retrieval left out': (g, inputs) => retrievalLoss(g, questions(inputs)),
  'retrieval symmetric': (g, inputs) => symmetricRetrievalLoss(g, questions(inputs)),
  'retrieval symmetric left out': (g, inputs) => symmetricRetrievalLoss(g, questions(inputs)),
  semantic: (g, inputs) => semanticContrastiveLoss(g, pairs(inputs)),
  language: (g, inputs) => languageContrastiveLoss(g, pairs(inputs)),
  'language pairs only': (g, inputs) => languageContrastiveLoss(g, pairs(inputs)),
  'language paper': (g, inputs) => languageContrastiveLoss(g, { ...pairs(inputs), temperature: PAPER_TEMPERATURE }),
  joint: (g, inputs) =>
    jointLoss(g, [
      { loss: semanticContrastiveLoss(g, pairs(inputs)), weight: 0.5 },
      { loss: languageContrastiveLoss(g, pairs(inputs)), weight: 2 },
    ]),
};

describe('losses', () => {
  describeCases({ file: referenceJson, builds });
});

describe('losses over a symbolic batch size', () => {
  it.each(Object.keys(builds))('%s is the same graph for every batch', async (name) => {
    const reference = referenceJson.cases[name as keyof typeof referenceJson.cases]; // boundary: the cases are those of the builds, tested above
    const build = builds[name];
    if (build === undefined) throw new Error(`No build for ${name}.`);
    const letters: { readonly [input: string]: readonly string[] } = { queries: ['B', 'H'], documents: [name.includes('left out') || name.includes('negatives') || name.includes('symmetric') ? 'N' : 'B', 'H'], leaveOut: ['B', 'N'], sources: ['P', 'H'], targets: ['P', 'H'], others: ['Q', 'H'] };
    const symbolic = (dtype: 'float32' | 'float64') => caseGraph({ reference, build, dtype, shapes: letters });
    checkGraph(symbolic('float64'));
    expect(symbolic('float64').inputs[0]?.shape.every((size) => typeof size === 'string')).toBe(true);
    expectCaseClose(evaluateGraph(symbolic('float64'), caseFeeds(reference)), { reference, name });
    expectCaseClose(await runInOnnxRuntime(symbolic('float32'), reference), { reference, name, tolerance: 2e-5 });
  });
});
