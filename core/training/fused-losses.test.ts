import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { chanceWeights } from '../encoding/chance-weights.ts';
import { transformerParameters, type TransformerShape } from '../modules/index.ts';
import { ADAMW_DEFAULTS } from '../optimizers/adamw.ts';
import { fusedLosses } from './fused-losses.ts';
import { openLossSessions } from './loss-sessions.ts';
import type { VectorPart } from './trainable-encoder.ts';
import { createTransformerTrainable, type TransformerTrainable } from './transformer/transformer-trainable.ts';

const SHAPE: TransformerShape = { vocabularySize: 50, width: 16, layers: 1, heads: 2, feedForwardWidth: 24, positions: 16, positionOffset: 2, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 1 };
const SETTINGS = { retrieval: { weight: 0.7, temperature: 0.3 }, semantic: { weight: 1.5, temperature: 0.2 }, language: { weight: 0, temperature: 1 } };

function texts(count: number, seed: number): Uint32Array[] {
  const random = seededRandom(seed, 'fused losses');
  return Array.from({ length: count }, () => Uint32Array.from([0, ...Array.from({ length: 1 + random.integer(8) }, () => 4 + random.integer(45)), 2]));
}

function encoder(): Promise<TransformerTrainable> {
  const parameters = transformerParameters(SHAPE);
  return createTransformerTrainable({
    shape: SHAPE, pooling: { layers: 1, mode: 'mean', dense: null, normalise: false }, lowRank: null, dropout: { hidden: 0.2, attention: 0.2 },
    encoders: { document: { start: () => Promise.resolve(chanceWeights(parameters, 1)), trained: new Set(parameters.map(({ name }) => name)) }, query: null },
    tokens: () => new Uint32Array(0), optimizer: { ...ADAMW_DEFAULTS, clipping: 1e6, sliceTokens: 10_000 }, guesses: false, decays: () => false, seed: 5, threads: 1, device: 'cpu',
  });
}

describe('a loss in one graph with its encoder', () => {
  it.each(['retrieval', 'retrieval with hard negatives', 'semantic'])('has the loss and the gradients of the way by the vectors, dropout on: %s', async (name) => {
    await using sessions = openLossSessions({ settings: SETTINGS, width: SHAPE.width, threads: 1, device: 'cpu' });
    const fused = fusedLosses(SETTINGS);
    const [questions, passages] = name === 'retrieval' ? [5, 5] : [4, 7];
    const leaveOut = new Uint8Array(questions * passages);
    leaveOut[1] = 1;
    const part: VectorPart =
      name === 'semantic'
        ? { kind: 'vectors', name: 'semantic', texts: texts(12, 1), queries: 0, evaluate: (vectors) => sessions.semantic(vectors), fused: fused.semantic(6) }
        : { kind: 'vectors', name: 'retrieval', texts: texts(questions + passages, 2), queries: questions, evaluate: (vectors) => sessions.retrieval(vectors, leaveOut), fused: fused.retrieval(questions, passages, leaveOut) };
    const momentsOf = async (parts: readonly VectorPart[]): Promise<{ loss: number; moments: number[] }> => {
      await using one = await encoder();
      const { losses } = await one.step({ parts, step: 3, learningRate: 0 });
      return { loss: losses[part.name] ?? Number.NaN, moments: [...one.arrays].flatMap(([key, array]) => (key.endsWith('.means') ? [...array] : [])) };
    };
    let asked = 0;
    const counted: VectorPart = { ...part, evaluate: (vectors) => { asked += 1; return part.evaluate(vectors); } };
    const inOne = await momentsOf([counted]);
    expect(asked).toBe(0); // one graph, no vectors in between
    const byVectors = await momentsOf([{ ...counted, fused: undefined }]);
    expect(asked).toBe(1);
    expect(inOne.loss).toBeCloseTo(byVectors.loss, 5);
    const largest = Math.max(...byVectors.moments.map(Math.abs));
    expect(largest).toBeGreaterThan(1e-4);
    inOne.moments.forEach((value, i) => { expect(Math.abs(value - (byVectors.moments[i] ?? Number.NaN))).toBeLessThan(1e-5 * largest + 1e-8); });
  });
});
