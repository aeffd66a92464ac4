/** What stands in the folder of a model of word vectors? A manifest, the words of each language, their rows. */
import { z } from 'zod';
import { InputError } from '../../base/errors.ts';
import { readChecked, readManifest, WORDS_FORMAT_VERSION, writeModelFiles, type ModelLanguage, type ModelManifest } from '../model-folder.ts';
import { alignedBuffer, bytesOf } from '../translation-files.ts';
import type { WordVectors } from './word-vectors.ts';

/** Word vectors of several languages in one space, each row of length 1. */
export type WordsModel = {
  readonly width: number;
  readonly pivot: string;
  readonly languages: readonly ModelLanguage[];
  /** By language tag, the pivot's first. */
  readonly vocabularies: ReadonlyMap<string, WordVectors>;
  readonly training: ModelManifest['training'];
};

const FILES = { words: 'words.json', vectors: 'word-vectors.f16' } as const;
const wordsSchema = z.array(z.object({ language: z.string(), words: z.array(z.string()) }));

/** Writes such a folder atomically. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeWordsModelFolder(folder: string, model: WordsModel): Promise<ModelManifest> {
  const listed = [...model.vocabularies].map(([language, { words }]) => ({ language, words }));
  const rows = [...model.vocabularies.values()].map(({ vectors }) => bytesOf(Float16Array.from(vectors)));
  const contents = new Map<string, Uint8Array>([[FILES.words, Buffer.from(JSON.stringify(listed))], [FILES.vectors, Buffer.concat(rows)]]);
  return writeModelFiles(folder, contents, {
    version: WORDS_FORMAT_VERSION,
    encoder: { kind: 'words', width: model.width, vocabularySize: listed.reduce((sum, { words }) => sum + words.length, 0) },
    pivot: model.pivot,
    languages: [...model.languages],
    translations: [],
    training: model.training,
  });
}

/** Reads such a folder, checking the hash of each file. @throws as `readManifest` and `readChecked`; InputError 'model.other-kind', 'model.shape-mismatch'. */
export async function readWordsModelFolder(folder: string): Promise<{ readonly manifest: ModelManifest; readonly model: WordsModel }> {
  const manifest = await readManifest(folder);
  const { encoder, pivot, languages, training } = manifest;
  if (encoder.kind !== 'words') throw new InputError('model.other-kind', `${folder}: expected a model of word vectors, found one of kind ${encoder.kind}.`, { data: { path: folder } });
  const { width } = encoder;
  const listed = wordsSchema.safeParse(JSON.parse((await readChecked(folder, manifest, FILES.words)).toString('utf8')));
  const rows = new Float32Array(new Float16Array(alignedBuffer(await readChecked(folder, manifest, FILES.vectors))));
  const count = listed.success ? listed.data.reduce((sum, { words }) => sum + words.length, 0) : -1;
  if (!listed.success || rows.length !== count * width) throw new InputError('model.shape-mismatch', `${folder}: the manifest says ${encoder.vocabularySize} words of width ${width}, the files hold ${count} words and ${rows.length} numbers.`, { data: { path: folder } });
  const vocabularies = new Map<string, WordVectors>();
  let start = 0;
  for (const { language, words } of listed.data) {
    vocabularies.set(language, { words, vectors: rows.subarray(start, start + words.length * width), width });
    start += words.length * width;
  }
  return { manifest, model: { width, pivot, languages, vocabularies, training } };
}
