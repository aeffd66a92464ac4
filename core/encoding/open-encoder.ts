/** Which encoder stands in a model folder? Static, around a backbone, or of word vectors, as its manifest says. */
import { sha256 } from '../base/hashing.ts';
import { createBackboneEncoder } from './backbone-encoder.ts';
import { readBackboneModelFolder } from './backbone-model-folder.ts';
import { createCalibratedEncoder } from './calibrated/calibrated-encoder.ts';
import { readCalibration } from './calibrated/calibration-files.ts';
import type { Encoder } from './encoder.ts';
import { readChecked, readManifest, readModelFolder } from './model-folder.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { createWordsEncoder } from './words/words-encoder.ts';
import { readWordsModelFolder } from './words/words-model-folder.ts';

/** Opens a model folder for encoding; a calibrated one gives calibrated vectors. @throws as `readModelFolder`, `readBackboneModelFolder` and `readWordsModelFolder`. */
export async function openEncoder(modelFolder: string, options: { readonly threads?: number } = {}): Promise<Encoder> {
  const manifest = await readManifest(modelFolder);
  const plain = await openUncalibratedEncoder(modelFolder, options);
  if (manifest.calibration === undefined) return plain;
  const calibration = await readCalibration(manifest.calibration, (name) => readChecked(modelFolder, manifest, name));
  return createCalibratedEncoder(plain, calibration, { modelId: sha256(JSON.stringify(manifest.files)), hasPhraseSpace: manifest.phrases !== undefined });
}

/** As `openEncoder`, with the vectors from before calibration. */
export async function openUncalibratedEncoder(modelFolder: string, options: { readonly threads?: number } = {}): Promise<Encoder> {
  const { encoder } = await readManifest(modelFolder);
  if (encoder.kind === 'static') {
    const { manifest, model } = await readModelFolder(modelFolder);
    return createStaticEncoder(model, sha256(JSON.stringify(manifest.files)));
  }
  if (encoder.kind === 'words') {
    const { manifest, model } = await readWordsModelFolder(modelFolder);
    return createWordsEncoder(model, sha256(JSON.stringify(manifest.files)));
  }
  const { manifest, model } = await readBackboneModelFolder(modelFolder);
  return createBackboneEncoder(model, { modelId: sha256(JSON.stringify(manifest.files)), ...options });
}
