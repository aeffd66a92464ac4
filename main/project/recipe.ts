/** Which recipe does a project mean? The same JSON that the command line takes, so that anything made here can be repeated there. */
import { join, resolve } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import type { CorpusFormat, Preset } from '../contract/index.ts';
import { settingProblems, type SettingProblem } from '../contract/recipe-checks.ts';
import { presetValues, type BroughtShape } from '../contract/recipe-presets.ts';
import { effectiveValues, needsMet, recipeValue, settingOf, type EncoderKind, type SettingValues } from '../contract/recipe-settings.ts';
import { coreFormat } from './inspection.ts';
import type { CorpusEntry, ProjectFile } from './project-file.ts';

/** A recipe as JSON; core/training/recipe.ts checks it and fills in defaults. */
export type RecipeJson = Readonly<Record<string, unknown>>;

/**
 * The recipe of a project. @param judged  the file of judged questions (judged-questions.ts), or null; used beside question data only:
 * without any, a recipe starts from the shipped English, which judgements of a few questions would put out of use.
 * @throws InputError 'corpus.language-unsaid' when a corpus does not say its languages, 'settings.PROBLEM' when its settings cannot go together.
 */
export function recipeOf(options: { readonly folder: string; readonly file: ProjectFile; readonly preset: Preset; readonly judged?: string | null }): RecipeJson {
  const { folder, file, preset, judged = null } = options;
  const { encoder: kind, backbone, changed } = file.settings;
  const [problem] = problemsOf(file, preset);
  if (problem !== undefined) throw new InputError(`settings.${problem.code}`, `${problem.message} Change it under "Train".`, { data: { ...problem.data } });
  const said = nested(kind, valuesInUse(kind, { ...presetOf(file, preset), ...changed[kind] }));
  const { retrieval = [], ...corpora } = corporaOf(folder, file);
  const questions = retrieval.length === 0 ? {} : { retrieval: [...retrieval, ...(judged === null ? [] : [{ pairs: judged }])] };
  return { ...said, encoder: { kind, ...(kind === 'backbone' ? { path: backbone?.folder ?? '' } : {}), ...objectOf(said['encoder']) }, ...questions, ...corpora };
}

/** The corpora of a project, as every recipe of it names them. @throws InputError 'corpus.language-unsaid'. */
export function corporaOf(folder: string, file: ProjectFile): { readonly retrieval?: readonly RecipeJson[]; readonly parallel: readonly RecipeJson[]; readonly monolingual: readonly RecipeJson[] } {
  const questions = file.corpora.filter(({ role }) => role === 'questions');
  return {
    ...(questions.length === 0 ? {} : { retrieval: questions.map((corpus) => retrievalSource(folder, corpus)) }),
    parallel: file.corpora.filter(({ role }) => role === 'pairs').map((corpus) => parallelSource(folder, corpus)),
    monolingual: file.corpora.filter(({ role }) => role === 'texts').map((corpus) => monolingualSource(folder, corpus)),
  };
}

/** What keeps these settings from being trained with these texts. */
export function problemsOf(file: ProjectFile, preset: Preset): readonly SettingProblem[] {
  const { encoder: kind, changed } = file.settings;
  const records = (role: CorpusEntry['role']): number => file.corpora.filter((corpus) => corpus.role === role).reduce((sum, { counts }) => sum + counts.records, 0);
  return settingProblems({ kind, values: effectiveValues(kind, { preset: presetOf(file, preset), changed: changed[kind] }), brought: broughtOf(file), texts: { questions: records('questions'), pairs: records('pairs'), sentences: records('texts') } });
}

/** What a preset says for this project's encoder. */
export function presetOf(file: ProjectFile, preset: Preset): SettingValues {
  return presetValues({ kind: file.settings.encoder, preset, brought: broughtOf(file) });
}

function broughtOf({ settings: { backbone } }: ProjectFile): BroughtShape | null {
  return backbone === null ? null : { layers: backbone.facts.layers };
}

/** Values that mean something: what hangs on a setting without a value is left out; minutes, where said, take the place of steps. */
function valuesInUse(kind: EncoderKind, said: SettingValues): SettingValues {
  const values = effectiveValues(kind, { preset: {}, changed: said });
  const hasMinutes = (values.get('budget/minutes') ?? null) !== null;
  return Object.fromEntries(Object.entries(said).filter(([key]) => needsMet(key, values) && !(hasMinutes && key === 'budget/steps')));
}

/** {"a/b": 1} -> {"a": {"b": 1}}. */
function nested(kind: EncoderKind, values: SettingValues): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    const path = key.split('/');
    const last = path.pop() ?? key;
    let at = root;
    for (const step of path) {
      const next = { ...objectOf(at[step]) };
      at[step] = next;
      at = next;
    }
    const setting = settingOf(kind, key);
    if (setting !== null) at[last] = recipeValue(setting, value);
  }
  return root;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
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
