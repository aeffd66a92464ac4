/** What stands in the folder of a model around a backbone? A manifest, the backbone's own folder, the word translations. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranslationTableData } from '../alignment/translation-table.ts';
import { writeFolderAtomic } from '../base/atomic-files.ts';
import { InputError } from '../base/errors.ts';
import { sha256OfFile } from '../base/hashing.ts';
import type { Backbone } from './backbone.ts';
import { fillBackboneFolder, openOwnBackbone } from './backbones/own-folder.ts';
import { phraseReadingFiles, readPhraseReading, type PhraseReading } from './phrase-reading.ts';
import { BACKBONE_FORMAT_VERSION, damaged, MANIFEST_FILE, MODEL_FORMAT, readChecked, PHRASE_FORMAT_VERSION, readManifest, type ModelLanguage, type ModelManifest } from './model-folder.ts';
import { readTranslations, translationFiles } from './translation-files.ts';

/** Everything a model around a backbone is made of. */
export type BackboneModel = {
  /** Of documents, and of queries too when `queryBackbone` is null. */
  readonly backbone: Backbone;
  /** An encoder of its own for queries (DPR), of the same kind and with vectors of the same width. */
  readonly queryBackbone: Backbone | null;
  readonly pivot: string;
  readonly languages: readonly ModelLanguage[];
  readonly translations: readonly TranslationTableData[];
  readonly training: ModelManifest['training'];
  /** Left out: phrases are read as any model reads them. */
  readonly phrases?: PhraseReading | undefined;
};

const DOCUMENT_FOLDER = 'backbone';
const QUERY_FOLDER = 'query-backbone';

/** Numbers in a text's vector. */
export function embeddingWidth(backbone: Backbone): number {
  return backbone.pooling.dense?.bias.length ?? (backbone.kind === 'transformer' ? backbone.shape.width : backbone.width);
}

/** Writes such a folder atomically. @returns the manifest, with the SHA-256 of every file. @throws EnvironmentError 'disk.full', 'disk.no-permission'. */
export async function writeBackboneModelFolder(folder: string, model: BackboneModel, extraFiles: Readonly<Record<string, string>> = {}): Promise<ModelManifest> {
  const { backbone, queryBackbone } = model;
  const translations = translationFiles(model.translations);
  const phrases = model.phrases === undefined ? null : phraseReadingFiles(model.phrases);
  const parameters = [backbone, queryBackbone].reduce((sum, one) => sum + [...(one?.parameters.values() ?? [])].reduce((own, values) => own + values.length, 0), 0);
  let written: ModelManifest | null = null;
  await writeFolderAtomic(folder, async (temporary) => {
    for (const [name, one] of [[DOCUMENT_FOLDER, backbone], [QUERY_FOLDER, queryBackbone]] as const) {
      if (one === null) continue;
      await mkdir(join(temporary, name));
      await fillBackboneFolder(join(temporary, name), one);
    }
    for (const [name, content] of [...translations.contents, ...(phrases?.contents ?? []), ...Object.entries(extraFiles)]) await writeFile(join(temporary, name), content);
    const files: Record<string, string> = {};
    for (const name of await filesBelow(temporary)) files[name] = await sha256OfFile(join(temporary, name));
    written = {
      format: MODEL_FORMAT,
      version: phrases === null ? BACKBONE_FORMAT_VERSION : PHRASE_FORMAT_VERSION,
      encoder: {
        kind: backbone.kind,
        width: embeddingWidth(backbone),
        vocabularySize: backbone.tokenizer.vocabularySize,
        parameters,
        maxTokens: backbone.maxTokens,
        document: DOCUMENT_FOLDER,
        query: queryBackbone === null ? null : QUERY_FOLDER,
      },
      pivot: model.pivot,
      languages: [...model.languages],
      translations: translations.entries,
      ...(phrases === null ? {} : { phrases: phrases.facts }),
      files,
      training: model.training,
      createdAt: new Date().toISOString(),
    };
    await writeFile(join(temporary, MANIFEST_FILE), `${JSON.stringify(written, null, 2)}\n`);
  });
  return written ?? readManifest(folder);
}

/**
 * Reads such a folder, checking the hash of every file before it is opened.
 * @throws as `readManifest`; InputError 'model.other-kind'; EnvironmentError 'model.damaged' naming the file.
 */
export async function readBackboneModelFolder(folder: string): Promise<{ readonly manifest: ModelManifest; readonly model: BackboneModel }> {
  const manifest = await readManifest(folder);
  const { encoder, pivot, languages, training } = manifest;
  if (encoder.kind === 'static' || encoder.kind === 'words') throw new InputError('model.other-kind', `${folder}: expected a model around a backbone, found one of kind ${encoder.kind}. Choose another model.`, { data: { path: folder } });
  for (const [name, hash] of Object.entries(manifest.files)) {
    if (!isPart(name, manifest) && (await isMissing(join(folder, name)))) continue; // held-back texts stay behind when a model is shared without them
    if ((await sha256OfFile(join(folder, name))) !== hash) throw damaged(join(folder, name));
  }
  const backbone = await openOwnBackbone(join(folder, encoder.document), encoder.kind);
  const queryBackbone = encoder.query === null ? null : await openOwnBackbone(join(folder, encoder.query), encoder.kind);
  const translations = await readTranslations(manifest.translations, (name) => readChecked(folder, manifest, name));
  const phrases = manifest.phrases === undefined ? undefined : await readPhraseReading(manifest.phrases, (name) => readChecked(folder, manifest, name));
  return { manifest, model: { backbone, queryBackbone, pivot, languages, translations, training, phrases } };
}

/** Whether the encoder is made of this file; others lie beside it. */
function isPart(name: string, { translations }: ModelManifest): boolean {
  return name.includes('/') || translations.some((table) => name.startsWith(`${table.name}.`));
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(() => false, () => true); // the answer itself, not a failure
}

/** Paths of all files, from the folder on, with "/" between, in alphabetical order. */
async function filesBelow(folder: string, prefix = ''): Promise<string[]> {
  const entries = (await readdir(join(folder, prefix), { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesBelow(folder, path)));
    else found.push(path);
  }
  return found;
}
