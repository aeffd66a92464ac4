/** What is this index, and which model made it? index.json, the first thing written and the first thing read. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../base/atomic-files.ts';
import { InputError, toIsoglossError } from '../../base/errors.ts';
import { matchingRulesSchema } from '../matching-rules.ts';

const FORMAT = 'isogloss-index';
/** 1: chunks of 1,000 characters, float16 vectors, two LanceDB tables, journal. 2: places as JSON, segments, tokens for vectors, seal. */
const VERSION = 2;
const MANIFEST_NAME = 'index.json';
const JOURNAL_NAME = 'journal.jsonl';

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  modelId: z.string(),
  /** Where the model was; null when the maker did not say. */
  modelFolder: z.string().nullable(),
  width: z.int().positive(),
  documentsFolder: z.string(),
  /** Where the tables lie: an address without credentials; left out: in the index folder. */
  location: z.string().optional(),
  /** Spellings that count as one; left out: none. */
  rules: matchingRulesSchema.optional(),
  createdAt: z.string(),
  /** When the last run came to its end; null while the first has not. */
  finishedAt: z.string().nullable(),
  counts: z.object({ files: z.int().min(0), chunks: z.int().min(0), vectors: z.int().min(0) }),
});

export type IndexManifest = z.infer<typeof manifestSchema>;

export const journalPath = (indexFolder: string): string => join(indexFolder, JOURNAL_NAME);

/** A manifest of a new index. */
export function newManifest(facts: Pick<IndexManifest, 'modelId' | 'modelFolder' | 'width' | 'documentsFolder'>): IndexManifest {
  return { format: FORMAT, version: VERSION, ...facts, createdAt: new Date().toISOString(), finishedAt: null, counts: { files: 0, chunks: 0, vectors: 0 } };
}

/** Whether an older version of the program wrote the index: it is made anew from the documents. */
export const isOlder = ({ version }: Pick<IndexManifest, 'version'>): boolean => version < VERSION;

/** @throws InputError 'index.older-version' for an index that must be made anew before it can be searched. */
export function expectPresentVersion(indexFolder: string, manifest: IndexManifest): void {
  if (!isOlder(manifest)) return;
  throw new InputError('index.older-version', `${indexFolder}: this index was made by an older Isogloss (version ${manifest.version}, expected ${VERSION}). Index your documents again; nothing of them is lost.`, { data: { path: indexFolder } });
}

/** Writes index.json atomically. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeManifest(indexFolder: string, manifest: IndexManifest): Promise<void> {
  await writeJsonAtomic(join(indexFolder, MANIFEST_NAME), manifest);
}

/**
 * Reads index.json.
 * @throws InputError 'index.missing', 'index.not-an-index', 'index.newer-version'.
 */
export async function readIndexManifest(indexFolder: string): Promise<IndexManifest> {
  const path = join(indexFolder, MANIFEST_NAME);
  let value: unknown;
  try {
    value = await readJson(path);
  } catch (cause) {
    if (cause instanceof InputError && cause.code === 'file.missing') {
      throw new InputError('index.missing', `${indexFolder}: expected an index folder (with ${MANIFEST_NAME}), found none. Index your documents first, or choose another folder.`, { cause, data: { path: indexFolder } });
    }
    if (cause instanceof InputError && cause.code === 'file.not-json') throw notAnIndex(path, cause.message, cause);
    throw cause;
  }
  const version = z.object({ format: z.literal(FORMAT), version: z.int() }).safeParse(value);
  if (version.success && version.data.version > VERSION) {
    throw new InputError('index.newer-version', `${path}: expected an index of version ${VERSION} or older, found version ${version.data.version}. Install a newer Isogloss, or index the documents into another folder.`, { data: { path } });
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) throw notAnIndex(path, z.prettifyError(parsed.error).split('\n')[0] ?? '', parsed.error);
  return parsed.data;
}

/** The manifest if there is one; null for a folder that is empty or not there. @throws InputError 'index.not-an-index' for a folder that holds something else. */
export async function findManifest(indexFolder: string): Promise<IndexManifest | null> {
  let names: string[];
  try {
    names = await readdir(indexFolder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if ((thrown as NodeJS.ErrnoException).code === 'ENOTDIR') throw new InputError('index.not-a-folder', `${indexFolder}: expected a folder for the index, found a file. Choose another place.`, { cause: thrown, data: { path: indexFolder } });
    throw toIsoglossError(thrown);
  }
  if (names.includes(MANIFEST_NAME)) return readIndexManifest(indexFolder);
  const foreign = names.filter((name) => !name.endsWith('.tmp'));
  if (foreign.length === 0) return null;
  throw new InputError('index.not-an-index', `${indexFolder}: expected an empty folder or an index (with ${MANIFEST_NAME}), found ${foreign.slice(0, 3).join(', ')}. Nothing was changed; choose another folder.`, { data: { path: indexFolder } });
}

/** @throws InputError 'index.other-model' naming both models, when the index was made by another. */
export function expectModel(indexFolder: string, manifest: IndexManifest, encoder: { readonly modelId: string; readonly width: number }): void {
  if (manifest.modelId === encoder.modelId && manifest.width === encoder.width) return;
  throw new InputError(
    'index.other-model',
    `${indexFolder}: this index was made by model ${manifest.modelId}${manifest.modelFolder === null ? '' : ` (${manifest.modelFolder})`}, expected model ${encoder.modelId}. Vectors of two models cannot be compared: index the documents again with this model, or search with the other one.`,
    { data: { path: indexFolder, indexModel: manifest.modelId, model: encoder.modelId } },
  );
}

function notAnIndex(path: string, reason: string, cause: unknown): InputError {
  return new InputError('index.not-an-index', `${path}: expected the description of an Isogloss index, found something else (${reason}). Index the documents into another folder, or remove this one.`, { cause, data: { path } });
}
