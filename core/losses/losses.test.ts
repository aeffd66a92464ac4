/** Are the losses those of the paper? Against loops over the printed equations in PyTorch float64. */
import { describe } from 'vitest';
import referenceJson from '../../test/reference/losses.json' with { type: 'json' };
import { describeCases, type CaseBuilds } from '../../test/reference/run-cases.ts';
import type { Value } from '../graph/builder.ts';
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
