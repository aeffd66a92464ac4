/** What would the same encoder find had it learned nothing? Same vocabulary, rows of chance, all weights equal, no whitening. */
import { seededRandom } from '../base/random.ts';
import type { Encoder } from './encoder.ts';
import { readModelFolder } from './model-folder.ts';
import { createStaticEncoder } from './static-encoder.ts';

const UNTRAINED_SEED = 0;

/** The untrained twin of a model: rows ~ N(0, 1 / H), all weights 1, no translations. @throws as `readModelFolder`. */
export async function openUntrainedEncoder(modelFolder: string): Promise<Encoder> {
  const { model } = await readModelFolder(modelFolder);
  const random = seededRandom(UNTRAINED_SEED, 'untrained rows');
  const deviation = 1 / Math.sqrt(model.width);
  const table = Float32Array.from({ length: model.table.length }, () => deviation * random.normal());
  return createStaticEncoder(
    { ...model, table, weights: new Float32Array(model.weights.length).fill(1), mean: new Float32Array(model.width), scale: new Float32Array(model.width).fill(1), translations: [] },
    'untrained',
  );
}
