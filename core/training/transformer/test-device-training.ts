/**
 * A small training on a device in a process of its own, that tests can kill: `node test-device-training.ts FOLDER DEVICE STEPS`.
 * Saves its state after every step, goes on from a state it finds, and writes one line of JSON per step.
 */
import { seededRandom } from '../../base/random.ts';
import { chanceWeights } from '../../encoding/chance-weights.ts';
import { transformerParameters, type TransformerShape } from '../../modules/index.ts';
import { ADAMW_DEFAULTS } from '../../optimizers/adamw.ts';
import type { Device } from '../../runtime/device.ts';
import { coTrain } from '../co-training.ts';
import { readNewestCheckpoint, type CheckpointState } from '../checkpoint.ts';
import { noControl } from '../events.ts';
import { openLossSessions } from '../loss-sessions.ts';
import { NO_LOSSES, type VectorPart } from '../trainable-encoder.ts';
import { createTransformerTrainable } from './transformer-trainable.ts';

const SHAPE: TransformerShape = { vocabularySize: 60, width: 16, layers: 1, heads: 2, feedForwardWidth: 24, positions: 20, positionOffset: 2, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 1 };
const PAIRS = 6;
const LEARNING_RATE = 0.01;
const RUN_KEY = 'test';

/** Sentences of one length per step, so that few graphs are needed; a translation is its source with other words. */
function textsAt(step: number): readonly Uint32Array[] {
  const random = seededRandom(step, 'device training');
  const sources = Array.from({ length: PAIRS }, () => Array.from({ length: 6 }, () => 4 + random.integer(25)));
  return [...sources, ...sources.map((ids) => ids.map((id) => id + 28))].map((ids) => Uint32Array.from([0, ...ids, 2]));
}

async function main([folder = '', device = 'cpu', steps = '1']: readonly string[]): Promise<void> {
  const parameters = transformerParameters(SHAPE);
  await using encoder = await createTransformerTrainable({
    shape: SHAPE, pooling: { layers: 1, mode: 'mean', dense: null, normalise: false }, lowRank: null, dropout: { hidden: 0.1, attention: 0.1 },
    encoders: { document: { start: () => Promise.resolve(chanceWeights(parameters, 1)), trained: new Set(parameters.map(({ name }) => name)) }, query: null }, tokens: () => new Uint32Array(0),
    optimizer: { ...ADAMW_DEFAULTS, clipping: 1, sliceTokens: 10_000 }, guesses: false, decays: (name) => name.endsWith('.weight'), seed: 5, threads: 1, device: device as Device, // a test's own word
  });
  const setting = { weight: 1, temperature: 0.1 };
  await using sessions = openLossSessions({ settings: { retrieval: setting, semantic: setting, language: setting }, width: SHAPE.width, threads: 1, device: 'cpu' });
  const partsAt = (step: number): readonly VectorPart[] => [{ kind: 'vectors', name: 'semantic', texts: textsAt(step), queries: 0, evaluate: (vectors) => sessions.semantic(vectors) }];
  const start: CheckpointState = { version: 1, step: 0, steps: Number(steps), learningRateFactor: 1, rollbacks: 0, runKey: RUN_KEY, losses: NO_LOSSES };
  const found = await readNewestCheckpoint(folder, RUN_KEY, encoder.arrays);
  if (found !== null) await encoder.residence?.send();
  process.stdout.write(`${JSON.stringify({ from: found?.state.step ?? 0 })}\n`);
  await coTrain({
    encoder, partsAt, start: found?.state ?? start, learningRate: { peak: LEARNING_RATE }, checkpointFolder: folder, checkpointEveryMs: 0, signal: new AbortController().signal, control: noControl,
    report: () => undefined,
    lookAt: async (step) => {
      process.stdout.write(`${JSON.stringify({ step })}\n`);
      return Promise.resolve({ pairAccuracy: {}, retrievalMRR: null });
    },
  });
  const end = await readNewestCheckpoint(folder, RUN_KEY, encoder.arrays);
  process.stdout.write(`${JSON.stringify({ end: end?.state.step, loss: end?.state.losses.semantic, squares: [...encoder.values.values()].flatMap((array) => [...array]).reduce((sum, x) => sum + x * x, 0) })}\n`);
}

await main(process.argv.slice(2));
process.exit(0);
