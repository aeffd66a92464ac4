/** Are the encoder modules right? Against PyTorch's own layers in float64. */
import { describe } from 'vitest';
import referenceJson from '../../test/reference/modules.json' with { type: 'json' };
import { describeCases, type CaseBuilds } from '../../test/reference/run-cases.ts';
import type { Value } from '../graph/builder.ts';
import { clsPooling, l2Normalise, layerNorm, linear, meanPooling, projectionHead, staticEmbeddings, sumStaticEmbeddings, transformerBlock } from './index.ts';

type Inputs = { readonly [name: string]: Value };
const need = (inputs: Inputs, name: string): Value => {
  const value = inputs[name];
  if (value === undefined) throw new Error(`The case has no input ${name}.`);
  return value;
};
const linearOf = (inputs: Inputs, name: string) => ({ weight: need(inputs, `${name}.weight`), bias: need(inputs, `${name}.bias`) });
const normOf = (inputs: Inputs, name: string) => ({ scale: need(inputs, `${name}.scale`), bias: need(inputs, `${name}.bias`) });
const bagOf = (inputs: Inputs) => ({ rows: need(inputs, 'rows'), logWeights: need(inputs, 'logWeights'), tokens: need(inputs, 'tokens'), texts: need(inputs, 'texts'), textCount: 3 });

const builds: CaseBuilds = {
  l2Normalise: (g, inputs) => l2Normalise(g, need(inputs, 'x')),
  linear: (g, inputs) => linear(g, need(inputs, 'x'), { weight: need(inputs, 'weight'), bias: need(inputs, 'bias') }),
  'linear tokens': (g, inputs) => linear(g, need(inputs, 'x'), { weight: need(inputs, 'weight'), bias: need(inputs, 'bias') }),
  layerNorm: (g, inputs) => layerNorm(g, need(inputs, 'x'), { scale: need(inputs, 'scale'), bias: need(inputs, 'bias') }),
  meanPooling: (g, inputs) => meanPooling(g, { states: need(inputs, 'x'), mask: need(inputs, 'mask') }),
  clsPooling: (g, inputs) => clsPooling(g, need(inputs, 'x')),
  projectionHead: (g, inputs) => projectionHead(g, need(inputs, 'x'), { first: { weight: need(inputs, 'w1'), bias: need(inputs, 'b1') }, second: { weight: need(inputs, 'w2'), bias: need(inputs, 'b2') } }),
  sumStaticEmbeddings: (g, inputs) => sumStaticEmbeddings(g, bagOf(inputs)),
  staticEmbeddings: (g, inputs) => staticEmbeddings(g, bagOf(inputs)),
  transformerBlock: (g, inputs) =>
    transformerBlock(g, need(inputs, 'x'), {
      mask: need(inputs, 'mask'),
      heads: 2,
      parameters: {
        query: linearOf(inputs, 'query'),
        key: linearOf(inputs, 'key'),
        value: linearOf(inputs, 'value'),
        output: linearOf(inputs, 'output'),
        attentionNorm: normOf(inputs, 'attentionNorm'),
        up: linearOf(inputs, 'up'),
        down: linearOf(inputs, 'down'),
        outputNorm: normOf(inputs, 'outputNorm'),
      },
    }),
};

describe('modules', () => {
  // A zero row stands on the kink of the normalisation.
  describeCases({ file: referenceJson, builds, kinked: new Set(['staticEmbeddings']) });
});
