/** What stands in a model folder? A manifest with a hash of every file, the tokenizer, the token table, the whitening, the word translations. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TranslationTableData } from '../alignment/translation-table.ts';
import { readJson, writeFolderAtomic } from '../base/atomic-files.ts';
import { EnvironmentError, InputError, toIsoglossError } from '../base/errors.ts';
import { sha256 } from '../base/hashing.ts';
import { calibrationFactsSchema } from './calibrated/calibration-files.ts';
import { phraseReadingFiles, phraseReadingSchema, readPhraseReading, type PhraseReading } from './phrase-reading.ts';
import { alignedBuffer, bytesOf, readTranslations, translationEntrySchema, translationFiles } from './translation-files.ts';

export const MODEL_FORMAT = 'isogloss-model';
/** Static models are written as version 1, so that older programs read them; models around a backbone as version 2; those that were trained on phrases as version 3; word vectors as version 4. */
export const MODEL_FORMAT_VERSION = 1;
export const BACKBONE_FORMAT_VERSION = 2;
export const PHRASE_FORMAT_VERSION = 3;
export const WORDS_FORMAT_VERSION = 4;
/** Calibrated models, of whatever kind: an older program would read their vectors as they were before. */
export const CALIBRATED_FORMAT_VERSION = 5;
export const MANIFEST_FILE = 'model.json';

const FILES = { tokenizer: 'tokenizer.json', table: 'token-table.f16', weights: 'token-weights.f32', whitening: 'whitening.f32' } as const;

const languageSchema = z.object({ tag: z.string(), pairs: z.int().min(0), sentences: z.int().min(0) });

const staticSchema = z.object({ kind: z.literal('static'), width: z.int().positive(), vocabularySize: z.int().positive() });

const backboneSchema = z.object({
  kind: z.enum(['transformer', 'onnx']),
  width: z.int().positive(),
  vocabularySize: z.int().positive(),
  /** Numbers that were trained, of both encoders. */
  parameters: z.int().positive(),
  maxTokens: z.int().positive(),
  /** Folders inside the model folder; `query` is null when both texts go through one encoder. */
  document: z.literal('backbone'),
  query: z.literal('query-backbone').nullable(),
});

/** Word vectors of several languages (words/words-model-folder.ts); `vocabularySize`: words of all of them. */
const wordsSchema = z.object({ kind: z.literal('words'), width: z.int().positive(), vocabularySize: z.int().positive() });

/** A file inside the model's folder, however the manifest came to be: its name is joined to paths that are read and written. */
const FILE_INSIDE = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

const manifestSchema = z.object({
  format: z.literal(MODEL_FORMAT),
  version: z.int(),
  encoder: z.discriminatedUnion('kind', [staticSchema, backboneSchema, wordsSchema]),
  /** The language that all parallel corpora share (English unless the corpora say otherwise). */
  pivot: z.string(),
  languages: z.array(languageSchema),
  translations: z.array(translationEntrySchema),
  /** How phrases are read, where the model was trained on them. */
  phrases: phraseReadingSchema.optional(),
  /** How vectors are shifted, scaled and rotated by language, where the model was calibrated. */
  calibration: calibrationFactsSchema.optional(),
  files: z.record(z.string(), z.string()),
  training: z.record(z.string(), z.json()),
  createdAt: z.string(),
});

/** The readable part of a model: kind, languages with their amounts of data, settings of the training, hashes. */
export type ModelManifest = z.infer<typeof manifestSchema>;
export type ModelLanguage = z.infer<typeof languageSchema>;

/** Everything a static model is made of. */
export type StaticModel = {
  readonly width: number;
  readonly pivot: string;
  readonly languages: readonly ModelLanguage[];
  /** tokenizer.json as an object. */
  readonly tokenizer: object;
  /** float32 [V, H]: token rows without their weights. */
  readonly table: Float32Array;
  /** float32 [V]: w_t > 0. */
  readonly weights: Float32Array;
  /** float32 [H] each, in the basis of the table. */
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  readonly translations: readonly TranslationTableData[];
  /** Recipe, seed, versions, data hashes, losses: whatever the training wants to remember. */
  readonly training: ModelManifest['training'];
  /** Left out: phrases are read as any model reads them. */
  readonly phrases?: PhraseReading | undefined;
};

/** Writes a model folder atomically. @returns the manifest. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeModelFolder(folder: string, model: StaticModel, extraFiles: Readonly<Record<string, string>> = {}): Promise<ModelManifest> {
  const contents = new Map<string, Uint8Array>([
    [FILES.tokenizer, Buffer.from(JSON.stringify(model.tokenizer))],
    [FILES.table, bytesOf(Float16Array.from(model.table))],
    [FILES.weights, bytesOf(model.weights)],
    [FILES.whitening, bytesOf(Float32Array.from([...model.mean, ...model.scale]))],
  ]);
  const translations = translationFiles(model.translations);
  const phrases = model.phrases === undefined ? null : phraseReadingFiles(model.phrases);
  for (const [name, bytes] of [...translations.contents, ...(phrases?.contents ?? [])]) contents.set(name, bytes);
  for (const [name, text] of Object.entries(extraFiles)) contents.set(name, Buffer.from(text));
  return writeModelFiles(folder, contents, {
    version: phrases === null ? MODEL_FORMAT_VERSION : PHRASE_FORMAT_VERSION,
    encoder: { kind: 'static', width: model.width, vocabularySize: model.weights.length },
    pivot: model.pivot,
    languages: [...model.languages],
    translations: translations.entries,
    ...(phrases === null ? {} : { phrases: phrases.facts }),
    training: model.training,
  });
}

/** Writes the files of a model with the manifest that names them, atomically. @returns the manifest. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeModelFiles(folder: string, contents: ReadonlyMap<string, Uint8Array>, facts: Omit<ModelManifest, 'format' | 'files' | 'createdAt'>): Promise<ModelManifest> {
  const manifest: ModelManifest = { format: MODEL_FORMAT, ...facts, files: Object.fromEntries([...contents].map(([name, bytes]) => [name, sha256(bytes)])), createdAt: new Date().toISOString() };
  await writeFolderAtomic(folder, async (temporary) => {
    for (const [name, bytes] of contents) await writeFile(join(temporary, name), bytes);
    await writeFile(join(temporary, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  });
  return manifest;
}

/**
 * Reads and checks a model folder's manifest.
 * @throws InputError 'model.missing', 'model.not-a-model', 'model.newer-version'.
 */
export async function readManifest(folder: string): Promise<ModelManifest> {
  const path = join(folder, MANIFEST_FILE);
  let value: unknown;
  try {
    value = await readJson(path);
  } catch (cause) {
    if (cause instanceof InputError && cause.code === 'file.missing') throw new InputError('model.missing', `${folder}: expected a model folder (with ${MANIFEST_FILE}), found none. Train a model first, or choose its folder.`, { cause, data: { path: folder } });
    throw cause;
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > CALIBRATED_FORMAT_VERSION) {
    throw new InputError('model.newer-version', `${path}: this model has format version ${version}; this Isogloss reads up to ${CALIBRATED_FORMAT_VERSION}. Install a newer Isogloss; the model is untouched.`, { data: { path } });
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw new InputError('model.not-a-model', `${path}: expected the manifest of an Isogloss model, found something else (${z.prettifyError(parsed.error).split('\n')[0] ?? ''}).`, { data: { path } });
  const odd = Object.keys(parsed.data.files).find((name) => !FILE_INSIDE.test(name));
  if (odd !== undefined) throw new InputError('model.not-a-model', `${path}: the manifest names ${JSON.stringify(odd)}, which is no file inside the model's folder.`, { data: { path } });
  return parsed.data;
}

/** Reads a file of a model, checking its hash. @throws EnvironmentError 'model.damaged' naming it. */
export async function readChecked(folder: string, manifest: ModelManifest, name: string): Promise<Buffer> {
  const path = join(folder, name);
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw toIsoglossError(thrown);
  });
  if (manifest.files[name] !== sha256(bytes)) throw damaged(path);
  return bytes;
}

/** The error of a file whose bytes are not those that were written. */
export function damaged(path: string): EnvironmentError {
  return new EnvironmentError('model.damaged', `${path}: the file is not what was written (its SHA-256 differs). Copy the model again or train it once more.`, { data: { path } });
}

/** Reads a whole static model, checking each file's hash. @throws as `readManifest` and `readChecked`; InputError 'model.other-kind'. */
export async function readModelFolder(folder: string): Promise<{ manifest: ModelManifest; model: StaticModel }> {
  const manifest = await readManifest(folder);
  if (manifest.encoder.kind !== 'static') throw new InputError('model.other-kind', `${folder}: expected a static model, found one of kind ${manifest.encoder.kind}.`, { data: { path: folder } });
  const read = (name: string): Promise<Buffer> => readChecked(folder, manifest, name);
  const { width, vocabularySize } = manifest.encoder;
  const table = new Float32Array(new Float16Array(alignedBuffer(await read(FILES.table))));
  const weights = new Float32Array(alignedBuffer(await read(FILES.weights)));
  const whitening = new Float32Array(alignedBuffer(await read(FILES.whitening)));
  const tokenizer = JSON.parse((await read(FILES.tokenizer)).toString('utf8')) as object;
  if (table.length !== width * vocabularySize || weights.length !== vocabularySize || whitening.length !== 2 * width) {
    throw new InputError('model.shape-mismatch', `${folder}: the manifest says ${vocabularySize} tokens of width ${width}, the token table holds ${table.length} numbers.`, { data: { path: folder } });
  }
  const translations = await readTranslations(manifest.translations, read);
  const phrases = manifest.phrases === undefined ? undefined : await readPhraseReading(manifest.phrases, read);
  return {
    manifest,
    model: { phrases, width, pivot: manifest.pivot, languages: manifest.languages, tokenizer, table, weights, mean: whitening.slice(0, width), scale: whitening.slice(width), translations, training: manifest.training },
  };
}
