/** Which recipe does a project mean? The same JSON that the command line takes, so that anything made here can be repeated there. */
import { join, resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import type { CorpusFormat, Preset } from '../contract/index.ts';
import { coreFormat } from './inspection.ts';
import { PRESETS } from './presets.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';

/** A recipe as JSON; core/training/recipe.ts checks it and fills in defaults. */
export type RecipeJson = Readonly<Record<string, unknown>>;

/**
 * The recipe of a project. @param judged  the file of judged questions (judged-questions.ts), or null; used beside question data only:
 * without any, a recipe starts from the shipped English, which judgements of a few questions would put out of use.
 * @throws InputError 'corpus.language-unsaid' when a corpus does not say its languages.
 */
export function recipeOf(options: { readonly folder: string; readonly file: ProjectFile; readonly preset: Preset; readonly judged?: string | null }): RecipeJson {
  const { folder, file, preset, judged = null } = options;
  const { width, steps } = PRESETS[preset];
  const { settings } = file;
  const questions = file.corpora.filter(({ role }) => role === 'questions');
  return {
    encoder: { kind: 'static', width },
    ...(questions.length === 0 ? {} : { retrieval: [...questions.map((corpus) => retrievalSource(folder, corpus)), ...(judged === null ? [] : [{ pairs: judged }])] }),
    parallel: file.corpora.filter(({ role }) => role === 'pairs').map((corpus) => parallelSource(folder, corpus)),
    monolingual: file.corpora.filter(({ role }) => role === 'texts').map((corpus) => monolingualSource(folder, corpus)),
    losses: {
      ...(settings.temperature === null ? {} : { retrieval: { temperature: settings.temperature } }),
      ...(settings.semanticWeight === null ? {} : { semantic: { weight: settings.semanticWeight } }),
      ...(settings.languageWeight === null ? {} : { language: { weight: settings.languageWeight } }),
    },
    budget: { steps },
    seed: settings.seed,
  };
}

/** The files of a corpus, absolute. */
export function absolutePaths(folder: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => resolve(folder, path));
}

function retrievalSource(folder: string, corpus: CorpusEntry): RecipeJson {
  const [path = ''] = absolutePaths(folder, corpus.paths);
  return { ...(corpus.format === 'beir-folder' ? { folder: path } : { pairs: path }), ...saidOf(corpus) };
}

function parallelSource(folder: string, corpus: CorpusEntry): RecipeJson {
  const [path = '', second] = absolutePaths(folder, corpus.paths);
  if (corpus.languages.kind !== 'two' || corpus.languages.source === null || corpus.languages.target === null) throw unsaid(corpus);
  const { source, target } = corpus.languages;
  return { ...(second === undefined ? { path, source, target } : { sourcePath: path, targetPath: second, source, target }), ...saidOf(corpus) };
}

function monolingualSource(folder: string, corpus: CorpusEntry): RecipeJson {
  const [path = ''] = absolutePaths(folder, corpus.paths);
  if (corpus.languages.kind !== 'one' || corpus.languages.language === null) throw unsaid(corpus);
  return { path, language: corpus.languages.language, ...saidOf(corpus) };
}

/** Formats that the files show by themselves; recipes stay short. */
const PLAIN_FORMATS: ReadonlySet<CorpusFormat> = new Set(['beir-folder', 'jsonl-pairs', 'tsv', 'moses', 'tmx', 'sentences']);

/** What was settled about a corpus besides its files and languages. */
function saidOf({ format, encoding, mapping, terms, licence }: CorpusEntry): RecipeJson {
  const known = terms ?? (licence === null ? null : { source: null, licence, consent: null, access: null });
  return {
    ...(PLAIN_FORMATS.has(format) ? {} : { format: coreFormat(format) }),
    ...(encoding === undefined || encoding === null ? {} : { encoding }),
    ...(mapping === undefined ? {} : { mapping }),
    ...(known === null ? {} : { terms: known }),
  };
}

function unsaid(corpus: CorpusEntry): InputError {
  const name = corpus.paths.map((path) => path.split(/[\\/]/).at(-1)).join(' + ');
  return new InputError('corpus.language-unsaid', `${name}: expected to know which language this is, found nothing said. Choose it on the card under "Texts".`, { data: { corpusId: corpus.id } });
}

/** Where things lie in a project folder. */
export function projectPaths(folder: string): { readonly incoming: string; readonly models: string; readonly training: string; readonly checkpoints: string; readonly recipe: string } {
  return {
    incoming: join(folder, 'incoming'),
    models: join(folder, 'models'),
    training: join(folder, 'models', 'training'),
    checkpoints: join(folder, 'models', 'training.training'), // where core/training keeps them; named here so that the program need not load it
    recipe: join(folder, 'models', 'recipe.json'),
  };
}
