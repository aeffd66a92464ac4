import { describe, expect, it } from 'vitest';
import { createGraphBuilder } from '../graph/builder.ts';
import { evaluateGraph } from '../graph/evaluate.ts';
import { staticEmbeddings, sumStaticEmbeddings } from './static-embeddings.ts';

const rows = { shape: [3, 2], data: [1, 0, 0, 1, 3, 4] };

function embed(tokens: readonly number[], texts: readonly number[], logWeights = [0, 0, 0]): { readonly sums: readonly number[]; readonly unit: readonly number[] } {
  const g = createGraphBuilder();
  const inputs = { rows: g.input('rows', 'float32', ['U', 2]), logWeights: g.input('logWeights', 'float32', ['U']), tokens: g.input('tokens', 'int64', ['T']), texts: g.input('texts', 'int64', ['T']), textCount: 2 };
  const found = evaluateGraph(g.build({ sums: sumStaticEmbeddings(g, inputs), unit: staticEmbeddings(g, inputs) }), { rows, logWeights: { shape: [3], data: logWeights }, tokens: { shape: [tokens.length], data: tokens }, texts: { shape: [texts.length], data: texts } });
  return { sums: [...(found['sums']?.data ?? [])], unit: [...(found['unit']?.data ?? [])] };
}

describe('staticEmbeddings', () => {
  it('adds the token vectors of each text, weighted by exp(w)', () => {
    const { sums } = embed([0, 1, 1, 2], [0, 0, 0, 1], [Math.log(2), 0, Math.log(0.5)]);
    [2, 2, 1.5, 2].forEach((element, i) => expect(sums[i]).toBeCloseTo(element, 12));
  });

  it('has rows of length 1, and a zero row for a text without tokens', () => {
    const { unit } = embed([2, 2], [1, 1]);
    [0, 0, 0.6, 0.8].forEach((element, i) => expect(unit[i]).toBeCloseTo(element, 12));
  });

  it('does not see the order of tokens, nor of texts among each other', () => {
    expect(embed([0, 2, 1], [1, 0, 1])).toEqual(embed([1, 0, 2], [1, 1, 0]));
  });
});
