/** What stands in a model folder? A manifest with a hash of every file, the tokenizer, the token table, the whitening, the word translations. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TranslationTableData } from '../alignment/translation-table.ts';
import { readJson, writeFolderAtomic } from '../base/atomic-files.ts';
import { EnvironmentError, InputError, toIsoglossError } from '../base/errors.ts';
import { sha256 } from '../base/hashing.ts';

export const MODEL_FORMAT = 'isogloss-model';
export const MODEL_FORMAT_VERSION = 1;
export const MANIFEST_FILE = 'model.json';

const FILES = { tokenizer: 'tokenizer.json', table: 'token-table.f16', weights: 'token-weights.f32', whitening: 'whitening.f32', translations: 'translations' } as const;

const languageSchema = z.object({ tag: z.string(), pairs: z.int().min(0), sentences: z.int().min(0) });

const manifestSchema = z.object({
  format: z.literal(MODEL_FORMAT),
  version: z.int(),
  encoder: z.object({ kind: z.literal('static'), width: z.int().positive(), vocabularySize: z.int().positive() }),
  /** The language that all parallel corpora share (English unless the corpora say otherwise). */
  pivot: z.string(),
  languages: z.array(languageSchema),
  translations: z.array(z.object({ source: z.string(), target: z.string(), name: z.string().regex(/^translations\.[\w-]+$/) })),
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
};

/** Writes a model folder atomically. @returns the manifest. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeModelFolder(folder: string, model: StaticModel, extraFiles: Readonly<Record<string, string>> = {}): Promise<ModelManifest> {
  const contents = new Map<string, Uint8Array>([
    [FILES.tokenizer, Buffer.from(JSON.stringify(model.tokenizer))],
    [FILES.table, bytesOf(Float16Array.from(model.table))],
    [FILES.weights, bytesOf(model.weights)],
    [FILES.whitening, bytesOf(Float32Array.from([...model.mean, ...model.scale]))],
  ]);
  const translations = model.translations.map((table) => ({ source: table.sourceLanguage, target: table.targetLanguage, name: `${FILES.translations}.${table.sourceLanguage}-${table.targetLanguage}` }));
  model.translations.forEach((table, i) => {
    const { name } = translations[i] ?? { name: '' };
    contents.set(`${name}.json`, Buffer.from(JSON.stringify({ sources: table.sources, targets: table.targets })));
    contents.set(`${name}.bin`, packTranslation(table));
  });
  for (const [name, text] of Object.entries(extraFiles)) contents.set(name, Buffer.from(text));
  const manifest: ModelManifest = {
    format: MODEL_FORMAT,
    version: MODEL_FORMAT_VERSION,
    encoder: { kind: 'static', width: model.width, vocabularySize: model.weights.length },
    pivot: model.pivot,
    languages: [...model.languages],
    translations,
    files: Object.fromEntries([...contents].map(([name, bytes]) => [name, sha256(bytes)])),
    training: model.training,
    createdAt: new Date().toISOString(),
  };
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
  if (typeof version === 'number' && version > MODEL_FORMAT_VERSION) {
    throw new InputError('model.newer-version', `${path}: this model has format version ${version}; this Isogloss reads up to ${MODEL_FORMAT_VERSION}. Install a newer Isogloss; the model is untouched.`, { data: { path } });
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw new InputError('model.not-a-model', `${path}: expected the manifest of an Isogloss model, found something else (${z.prettifyError(parsed.error).split('\n')[0] ?? ''}).`, { data: { path } });
  return parsed.data;
}

/** Reads a whole model, checking each file's hash. @throws as `readManifest`; EnvironmentError 'model.damaged' naming the file. */
export async function readModelFolder(folder: string): Promise<{ manifest: ModelManifest; model: StaticModel }> {
  const manifest = await readManifest(folder);
  const read = async (name: string): Promise<Buffer> => {
    const path = join(folder, name);
    const bytes = await readFile(path).catch((thrown: unknown) => {
      throw toIsoglossError(thrown);
    });
    if (manifest.files[name] !== sha256(bytes)) throw new EnvironmentError('model.damaged', `${path}: the file is not what was written (its SHA-256 differs). Copy the model again or train it once more.`, { data: { path } });
    return bytes;
  };
  const { width, vocabularySize } = manifest.encoder;
  const table = new Float32Array(new Float16Array(alignedBuffer(await read(FILES.table))));
  const weights = new Float32Array(alignedBuffer(await read(FILES.weights)));
  const whitening = new Float32Array(alignedBuffer(await read(FILES.whitening)));
  const tokenizer = JSON.parse((await read(FILES.tokenizer)).toString('utf8')) as object;
  if (table.length !== width * vocabularySize || weights.length !== vocabularySize || whitening.length !== 2 * width) {
    throw new InputError('model.shape-mismatch', `${folder}: the manifest says ${vocabularySize} tokens of width ${width}, the token table holds ${table.length} numbers.`, { data: { path: folder } });
  }
  const translations: TranslationTableData[] = [];
  for (const { source, target, name } of manifest.translations) {
    const words = z.object({ sources: z.array(z.string()), targets: z.array(z.string()) }).parse(JSON.parse((await read(`${name}.json`)).toString('utf8')));
    translations.push({ sourceLanguage: source, targetLanguage: target, ...words, ...unpackTranslation(await read(`${name}.bin`), words.sources.length) });
  }
  return {
    manifest,
    model: { width, pivot: manifest.pivot, languages: manifest.languages, tokenizer, table, weights, mean: whitening.slice(0, width), scale: whitening.slice(width), translations, training: manifest.training },
  };
}

function packTranslation(table: TranslationTableData): Uint8Array {
  return Buffer.concat([bytesOf(table.offsets), bytesOf(table.targetIds), bytesOf(table.probabilities)]);
}

function unpackTranslation(bytes: Buffer, rows: number): Pick<TranslationTableData, 'offsets' | 'targetIds' | 'probabilities'> {
  const words = new Uint32Array(alignedBuffer(bytes));
  const offsets = words.slice(0, rows + 1);
  const entries = offsets[rows] ?? 0;
  const probabilities = new Float32Array(words.slice(rows + 1 + entries).buffer);
  return { offsets, targetIds: words.slice(rows + 1, rows + 1 + entries), probabilities };
}

function bytesOf(array: Float16Array | Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** A copy whose start is aligned, as typed arrays demand. */
function alignedBuffer(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
