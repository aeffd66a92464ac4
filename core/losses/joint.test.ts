import { describe, expect, it } from 'vitest';
import { createGraphBuilder } from '../graph/builder.ts';
import { evaluateLoss } from '../../test/reference/evaluate-loss.ts';
import { jointLoss } from './joint.ts';
import { languageContrastiveLoss } from './language-contrastive.ts';
import { semanticContrastiveLoss } from './semantic-contrastive.ts';

const inputs = { sources: [[1, 2, 0.3], [0.2, -1, 1]], targets: [[1, 1, 1], [0.5, -1, 0]] };
const temperature = 0.2;

describe('jointLoss', () => {
  it('has the weighted sum of the losses and of their gradients: computing them one after the other gives the same', () => {
    const semantic = evaluateLoss(inputs, (g, v) => semanticContrastiveLoss(g, { ...v, temperature }));
    const language = evaluateLoss(inputs, (g, v) => languageContrastiveLoss(g, { ...v, temperature }));
    const joint = evaluateLoss(inputs, (g, v) => jointLoss(g, [{ loss: semanticContrastiveLoss(g, { ...v, temperature }), weight: 2 }, { loss: languageContrastiveLoss(g, { ...v, temperature }), weight: 0.5 }]));
    expect(joint.loss).toBeCloseTo(2 * semantic.loss + 0.5 * language.loss, 12);
    const flat = (gradients: typeof joint.gradients) => [...(gradients['sources'] ?? []), ...(gradients['targets'] ?? [])].flat();
    const accumulated = flat(semantic.gradients).map((element, i) => 2 * element + 0.5 * (flat(language.gradients)[i] ?? Number.NaN));
    expect(accumulated.length).toBe(12);
    flat(joint.gradients).forEach((element, i) => expect(element).toBeCloseTo(accumulated[i] ?? Number.NaN, 12));
  });

  it('leaves a term of weight 0 out of the graph', () => {
    const g = createGraphBuilder();
    const [a, b] = [g.input('a', 'float32', []), g.input('b', 'float32', [])];
    expect(jointLoss(g, [{ loss: a, weight: 1 }, { loss: b, weight: 0 }])).toBe(a);
  });

  it('refuses no terms, vectors and weights that are not finite', () => {
    const g = createGraphBuilder();
    expect(() => jointLoss(g, [])).toThrow(/at least one/);
    expect(() => jointLoss(g, [{ loss: g.input('v', 'float32', [2]), weight: 1 }])).toThrow(/shape \[\]/);
    expect(() => jointLoss(g, [{ loss: g.scalar(1), weight: Number.NaN }])).toThrow(/finite/);
  });
});
