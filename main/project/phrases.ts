/** Which of a project's corpora may be dictionaries, in which texts are sentences looked for, and where does the phrase model lie? */
import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { MANIFEST_FILE } from '../../core/encoding/model-folder.ts';
import { phraseModelSchema, type CorpusFormat, type PhraseModel } from '../contract/index.ts';
import type { PhraseTrainingTask } from '../workers/messages.ts';
import { modelFolderOf } from './models.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';
import { absolutePaths } from './recipe.ts';

/** Formats that can hold phrases with translations; the worker looks whether they do. */
const MAY_BE_DICTIONARIES: ReadonlySet<CorpusFormat> = new Set(['lift', 'sfm', 'tsv', 'csv']);

export type PhraseCorpus = PhraseTrainingTask['corpora'][number];
export type PhraseText = PhraseTrainingTask['texts'][number];

/** The corpora that may be dictionaries, with their languages where both are known. */
export function phraseCorpora(folder: string, file: ProjectFile): readonly PhraseCorpus[] {
  return file.corpora
    .filter(({ role, format }) => role === 'pairs' && MAY_BE_DICTIONARIES.has(format))
    .map(({ paths, format, languages, encoding = null, mapping = null }) => ({
      name: paths.map((path) => basename(path)).join(' + '),
      paths: [...absolutePaths(folder, paths)],
      format,
      languages: languages.kind === 'two' && languages.source !== null && languages.target !== null ? { source: languages.source, target: languages.target } : null,
      encoding,
      mapping,
    }));
}

/** Running text whose language is known, and each side of sentence pairs that stand in a file or a column of their own. */
export function phraseTexts(folder: string, file: ProjectFile): readonly PhraseText[] {
  return file.corpora.flatMap((corpus): readonly PhraseText[] => {
    const { role, format, languages, encoding = null, mapping = null } = corpus;
    const paths = [...absolutePaths(folder, corpus.paths)];
    if (role === 'texts' && languages.kind === 'one' && languages.language !== null) return [{ paths, format, language: languages.language, encoding, mapping }];
    if (role === 'pairs' && languages.kind === 'two') return sidesOf(corpus, paths);
    return [];
  });
}

/** Columns of a table from 1, files of a pair one by one; other formats are not taken apart. */
function sidesOf({ format, languages, encoding = null, mapping }: CorpusEntry, paths: string[]): readonly PhraseText[] {
  if (languages.kind !== 'two') return [];
  const tags = [languages.source, languages.target];
  return tags.flatMap((language, side): readonly PhraseText[] => {
    if (language === null) return [];
    if (format === 'moses') return [{ paths: paths.slice(side, side + 1), format: 'sentences', language, encoding, mapping: null }];
    if (format !== 'tsv' && format !== 'csv') return [];
    const column = (side === 0 ? mapping?.columns?.source : mapping?.columns?.target) ?? side + 1;
    return [{ paths, format, language, encoding, mapping: { columns: { text: column }, ...(mapping?.hasHeader === undefined ? {} : { hasHeader: mapping.hasHeader }) } }];
  });
}

/** Where the phrase model of a project lies, with its checkpoints, its recipe and what is known of it. */
export function phrasePaths(folder: string): { readonly folder: string; readonly model: string; readonly checkpoints: string; readonly recipe: string; readonly facts: string } {
  const place = join(folder, 'phrases');
  return { folder: place, model: join(place, 'model'), checkpoints: join(place, 'model.training'), recipe: join(place, 'recipe.json'), facts: join(place, 'facts.json') };
}

/** What is written beside the phrase model: `model` is the project's model that it was made of. */
export const phraseFactsSchema = phraseModelSchema.omit({ isStale: true }).extend({ model: z.string() });

/** The phrase model of a project, or null. */
export async function readPhraseModel(folder: string, file: ProjectFile): Promise<PhraseModel | null> {
  const { model, facts } = phrasePaths(folder);
  if (!(await isThere(join(model, MANIFEST_FILE)))) return null;
  try {
    const parsed = phraseFactsSchema.safeParse(await readJson(facts));
    if (!parsed.success) return null;
    const { model: madeOf, ...known } = parsed.data;
    return { ...known, isStale: madeOf !== file.model };
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null;
    throw thrown;
  }
}

/** The model that reads phrases: the one that was trained on them, else the project's own; null without either. */
export async function phraseModelFolder(folder: string, file: ProjectFile): Promise<string | null> {
  return (await readPhraseModel(folder, file)) === null ? modelFolderOf(folder, file) : phrasePaths(folder).model;
}

export async function forgetPhraseModel(folder: string): Promise<void> {
  await rm(phrasePaths(folder).folder, { recursive: true, force: true });
}

/** Whether an unfinished training on phrases left something to go on from. */
export async function hasPhraseCheckpoint(folder: string): Promise<boolean> {
  const { checkpoints, recipe } = phrasePaths(folder);
  return (await isThere(checkpoints)) && (await isThere(recipe));
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}
