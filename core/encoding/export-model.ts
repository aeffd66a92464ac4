/** How does a trained model of any kind go out to other programs? Each kind in the layouts that can say it. */
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFolderAtomic } from '../base/atomic-files.ts';
import { InputError } from '../base/errors.ts';
import { licenceStrictness } from '../corpus/terms.ts';
import type { Backbone, OnnxBackbone } from './backbone.ts';
import { readBackboneModelFolder } from './backbone-model-folder.ts';
import { writeOnnx } from './backbones/own-folder.ts';
import { UNKNOWN_LICENCE } from './backbones/sentence-transformers.ts';
import { writeBackboneFolder } from './backbones/write-backbone.ts';
import { readManifest, readModelFolder } from './model-folder.ts';
import { readModelTerms } from './model-terms.ts';
import { writeStaticFolder } from './static-exchange.ts';

export type ExportFormat = 'safetensors' | 'onnx';

export type ExportModelOptions = {
  readonly modelFolder: string;
  /** Must not exist, or be empty: nothing is overwritten. */
  readonly out: string;
  /** 'safetensors': the Hugging Face and sentence-transformers layout; 'onnx': onnx/model.onnx. */
  readonly formats: readonly ExportFormat[];
  readonly dtype?: 'F32' | 'F16';
  /** As the person says it; null: that of the corpora and of the model it came from. */
  readonly licence: string | null;
  /** The person says that it may be passed on although nobody knows the licence. */
  readonly allowsUnknownLicence: boolean;
  readonly title?: string;
  readonly notes?: readonly string[];
  readonly signal: AbortSignal;
};

/** These layouts know nothing of languages. */
const UNCALIBRATED = 'In Isogloss this model was calibrated by language (shifted, scaled or turned); these layouts know no languages, so the vectors here are those from before.';

/** Which layouts a model can be written in. One that came as ONNX goes out as ONNX alone; word vectors in none. */
export async function exportFormatsOf(modelFolder: string): Promise<readonly ExportFormat[]> {
  const { encoder } = await readManifest(modelFolder);
  return encoder.kind === 'words' ? [] : encoder.kind === 'onnx' ? ['onnx'] : ['safetensors', 'onnx'];
}

/**
 * The licence under which a model goes out when nobody says another: the strictest of its texts' and of the model that it came from; null
 * where one of them is unknown.
 */
export async function licenceOf(modelFolder: string, origins: readonly (string | null)[] = []): Promise<string | null> {
  const terms = await readModelTerms(modelFolder);
  const licences = [...(terms === null ? [] : [terms.licence]), ...origins];
  const strictest = licences.toSorted((a, b) => licenceStrictness(b) - licenceStrictness(a))[0] ?? null;
  return strictest === UNKNOWN_LICENCE || licences.includes(null) ? null : strictest;
}

/**
 * Writes a model for other programs. @returns the folders written: one, or two for a model with an encoder of its own for queries.
 * @throws InputError 'share.exists': nothing is ever written over; 'backbone.unknown-licence', 'backbone.unsupported' for a layout that cannot say this model; EnvironmentError of the disk.
 */
export async function exportModel(options: ExportModelOptions): Promise<readonly string[]> {
  const { modelFolder, out, formats, allowsUnknownLicence, title, signal } = options;
  signal.throwIfAborted();
  await expectFree(out);
  const manifest = await readManifest(modelFolder);
  const notes = [...(options.notes ?? []), ...(manifest.calibration === undefined ? [] : [UNCALIBRATED])];
  if (manifest.encoder.kind === 'words') throw new InputError('backbone.unsupported', `${modelFolder}: this model is made of word vectors, which no exchange layout of encoders can say.`);
  if (manifest.encoder.kind === 'static') {
    const licence = options.licence ?? (await licenceOf(modelFolder));
    if (licence === null && !allowsUnknownLicence) throw unknownLicence('The licence of the texts that this model learned from is not known.');
    const { model } = await readModelFolder(modelFolder);
    signal.throwIfAborted();
    await writeStaticFolder(out, model, { formats, ...(licence === null ? {} : { licence }), ...(title === undefined ? {} : { title }), notes });
    return [out];
  }
  const { model } = await readBackboneModelFolder(modelFolder);
  const parts: readonly (readonly [string, Backbone])[] = model.queryBackbone === null ? [[out, model.backbone]] : [[join(out, 'document'), model.backbone], [join(out, 'query'), model.queryBackbone]];
  const origins = parts.flatMap(([, backbone]) => (backbone.kind === 'onnx' ? [backbone.licence] : backbone.origin === null ? [] : [backbone.origin.licence]));
  const licence = options.licence ?? (await licenceOf(modelFolder, origins));
  if (licence === null && !allowsUnknownLicence) throw unknownLicence('The licence of the model that this one came from, or of the texts that it learned from, is not known.');
  const languages = manifest.languages.map(({ tag }) => tag);
  for (const [folder, backbone] of parts) {
    signal.throwIfAborted();
    if (backbone.kind === 'onnx') await writeOnnxBackbone(folder, backbone, formats);
    else await writeBackboneFolder(folder, backbone, { formats, dtype: options.dtype ?? 'F32', languages, ...(licence === null ? {} : { licence }), ...(title === undefined ? {} : { title }) });
  }
  if (notes.length > 0) for (const [folder] of parts) await appendFile(join(folder, 'README.md'), `\n${notes.join('\n\n')}\n`);
  return parts.map(([folder]) => folder);
}

/** A folder without anything in it is free too. */
async function expectFree(out: string): Promise<void> {
  const names = await readdir(out).catch((thrown: unknown) => (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT' ? [] : [out]));
  if (names.length > 0) throw new InputError('share.exists', `${out}: expected a name that is free, found something. Nothing was overwritten; choose another name.`, { data: { path: out } });
}

async function writeOnnxBackbone(folder: string, backbone: OnnxBackbone, formats: readonly ExportFormat[]): Promise<void> {
  if (formats.includes('safetensors')) throw new InputError('backbone.unsupported', 'This model came from an ONNX file, which names no layers that the Hugging Face layout could hold. Choose ONNX.');
  await writeFolderAtomic(folder, async (temporary) => {
    await mkdir(join(temporary, 'onnx'));
    for (const [name, bytes] of backbone.tokenizer.files) await writeFile(join(temporary, name), bytes);
    await writeOnnx(join(temporary, 'onnx', 'model.onnx'), backbone);
  });
}

function unknownLicence(sentence: string): InputError {
  return new InputError('backbone.unknown-licence', `${sentence} Say it with --licence (for instance mit), or confirm with --licence-unknown that you may pass it on.`);
}
