/** What would the same encoder find had it learned nothing? A static one with rows of chance; a backbone as it came, before training. */
import { seededRandom } from '../base/random.ts';
import { createBackboneEncoder } from './backbone-encoder.ts';
import type { Encoder } from './encoder.ts';
import { readManifest, readModelFolder } from './model-folder.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { openUntrainedModel } from './untrained-model.ts';
import { createWordsEncoder } from './words/words-encoder.ts';
import { readWordsModelFolder } from './words/words-model-folder.ts';

const UNTRAINED_SEED = 0;
const UNTRAINED_ID = 'untrained';

/**
 * The untrained twin of a model. Static: rows ~ N(0, 1 / H), all weights 1, no translations. Word vectors: rows of chance. Around a backbone: as `openUntrainedModel` says.
 * @throws as `readModelFolder` and `readBackboneModelFolder`.
 */
export async function openUntrainedEncoder(modelFolder: string): Promise<Encoder> {
  const { kind } = (await readManifest(modelFolder)).encoder;
  if (kind === 'words') {
    const { model: known } = await readWordsModelFolder(modelFolder);
    const chance = seededRandom(UNTRAINED_SEED, 'untrained words');
    const vocabularies = new Map([...known.vocabularies].map(([language, { words, width }]) => [language, { words, width, vectors: Float32Array.from({ length: words.length * width }, () => chance.normal()) }]));
    return createWordsEncoder({ ...known, vocabularies }, UNTRAINED_ID);
  }
  if (kind !== 'static') return createBackboneEncoder(await openUntrainedModel(modelFolder), { modelId: UNTRAINED_ID });
  const { model } = await readModelFolder(modelFolder);
  const random = seededRandom(UNTRAINED_SEED, 'untrained rows');
  const deviation = 1 / Math.sqrt(model.width);
  const table = Float32Array.from({ length: model.table.length }, () => deviation * random.normal());
  return createStaticEncoder(
    { ...model, table, weights: new Float32Array(model.weights.length).fill(1), mean: new Float32Array(model.width), scale: new Float32Array(model.width).fill(1), translations: [] },
    UNTRAINED_ID,
  );
}
