/** What does a training run need to be told? One JSON file; every key but the corpora has a default. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { InputError } from '../base/errors.ts';
import { printable, readText } from '../base/text-files.ts';
import { jsonErrorOffset, jsonPlaces, lineAt } from './json-places.ts';
import { STARTER_TEACHER } from './teacher.ts';
import { isBackbone, isStatic, recipeSchemaFor, type Recipe } from './recipe-schema.ts';

/** Far above what a recipe needs; a file above it is something else. */
const MOST_RECIPE_BYTES = 2 ** 24;

/** A token row, its gradient and two moments, 4 bytes each; the kernels' memory holds less than 4 GiB. */
const TABLE_BYTES_PER_NUMBER = 16;
const MOST_TABLE_BYTES = 3.5 * 2 ** 30;

/** One mistake in a recipe: where, what was expected, what was found. */
export type RecipeProblem = { readonly line: number; readonly key: string; readonly message: string };

/**
 * Reads and checks a recipe file: JSON, keys, types, ranges, and that every file named in it exists.
 * @returns the recipe with defaults and absolute paths.
 * @throws InputError 'recipe.invalid' naming ALL mistakes, each with its line, key, what was expected and found; 'file.missing';
 *   'recipe.empty-file', 'recipe.binary-file' and what else `readText` throws for a file that is no text.
 */
export async function readRecipe(recipePath: string): Promise<Recipe> {
  const { text, isDamaged } = await readText(recipePath, new AbortController().signal, { area: 'recipe', limitBytes: MOST_RECIPE_BYTES });
  if (isDamaged) {
    const message = `${recipePath}: line ${lineAt(text, text.indexOf('\uFFFD'))}: expected text in UTF-8, found bytes that are not. Save the file again as UTF-8.`;
    throw new InputError('recipe.invalid', message, { data: { path: recipePath, problems: [] } });
  }
  return parseRecipe({ text, recipePath, folder: dirname(resolve(recipePath)) });
}

/** As `readRecipe`, from a text; `folder` is what its relative paths start from. */
export async function parseRecipe(options: { readonly text: string; readonly recipePath: string; readonly folder: string }): Promise<Recipe> {
  const { recipePath, folder } = options;
  const text = options.text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const offset = jsonErrorOffset(text) ?? 0;
    throw new InputError('recipe.invalid', `${recipePath}: line ${lineAt(text, offset)}: expected JSON, found text that does not parse (${printable((cause as Error).message)}).`, { cause, data: { path: recipePath, problems: [] } });
  }
  const places = jsonPlaces(text);
  const lineOf = (key: string): number => {
    for (let at = key; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
      const offset = places.get(at);
      if (offset !== undefined) return lineAt(text, offset);
      if (at === '') return 1;
    }
  };
  const parsed = recipeSchemaFor(value).safeParse(value);
  const problems: RecipeProblem[] = [];
  if (!parsed.success) for (const issue of parsed.error.issues) problems.push(...toProblems(issue, value, lineOf));
  problems.push(...(await missingFiles(value, folder, lineOf)));
  if (parsed.success) problems.push(...senselessSettings(parsed.data, lineOf));
  if (problems.length > 0 || !parsed.success) {
    problems.sort((a, b) => a.line - b.line);
    const lines = problems.map((problem) => `${recipePath}: line ${problem.line}: ${problem.key === '' ? '' : `"${problem.key}": `}${problem.message}`);
    throw new InputError('recipe.invalid', `${lines.join('\n')}\nNothing was started. Mend ${problems.length === 1 ? 'this' : `these ${problems.length} places`} and run it again.`, { data: { path: recipePath, problems: lines } });
  }
  return withAbsolutePaths(parsed.data, folder);
}

/** What each value alone allows but the recipe as a whole does not. */
function senselessSettings(recipe: Recipe, lineOf: (key: string) => number): RecipeProblem[] {
  const problems: RecipeProblem[] = [];
  const { encoder, retrieval, parallel, losses } = recipe;
  const { contextPrediction } = losses;
  const guessesNeighbours = contextPrediction.weight + contextPrediction.pretrainingSteps > 0;
  const guesses = (!isStatic(recipe) && recipe.losses.maskedLanguage.weight + recipe.losses.maskedLanguage.pretrainingSteps > 0) || guessesNeighbours;
  if (guessesNeighbours && recipe.monolingual.length === 0 && !(contextPrediction.passages && retrieval !== undefined)) {
    problems.push({ line: lineOf('losses/contextPrediction'), key: 'losses/contextPrediction', message: 'expected running text under "monolingual" (a blank line ends a document), or passages under "retrieval", found neither: there are no neighbouring sentences' });
  }
  if (parallel.length === 0 && retrieval === undefined && !(guesses && recipe.monolingual.length > 0)) {
    problems.push({ line: 1, key: '', message: 'expected corpora under "parallel" or "retrieval", found none: there is nothing to train on' });
  } else if (!guesses && !(losses.retrieval.weight > 0 && retrieval !== undefined) && !((recipe.distillation !== undefined || losses.semantic.weight + losses.language.weight > 0) && parallel.length > 0)) {
    problems.push({ line: lineOf('losses'), key: 'losses', message: 'expected a loss with a weight above 0 and the corpora it needs ("retrieval" needs questions, "semantic", "language" and "distillation" need parallel texts), found none: there is nothing to train' });
  }
  parallel.forEach(({ source, target }, index) => {
    if (source === target) problems.push({ line: lineOf(`parallel/${index}/target`), key: `parallel/${index}/target`, message: `expected two different languages, found "${source}" twice` });
  });
  if (encoder.kind === 'static') {
    const bytes = encoder.width * encoder.vocabularySize * TABLE_BYTES_PER_NUMBER;
    if (bytes > MOST_TABLE_BYTES) {
      problems.push({ line: lineOf('encoder'), key: 'encoder', message: `expected width x vocabularySize of at most ${Math.floor(MOST_TABLE_BYTES / TABLE_BYTES_PER_NUMBER)}, found ${encoder.width} x ${encoder.vocabularySize} = ${encoder.width * encoder.vocabularySize}: the tables would not fit into memory` });
    }
  }
  if (encoder.kind === 'transformer') {
    if (encoder.width % encoder.heads !== 0) problems.push({ line: lineOf('encoder/heads'), key: 'encoder/heads', message: `expected a number that divides the width ${encoder.width}, found ${encoder.heads}` });
    if ((encoder.pooling.layer ?? 0) > encoder.layers) problems.push({ line: lineOf('encoder/pooling/layer'), key: 'encoder/pooling/layer', message: `expected at most the number of layers, ${encoder.layers}, found ${String(encoder.pooling.layer)}` });
  }
  problems.push(...senselessPretraining(recipe, lineOf));
  if (recipe.hardNegatives !== undefined && (retrieval === undefined || losses.retrieval.weight === 0)) {
    problems.push({ line: lineOf('hardNegatives'), key: 'hardNegatives', message: 'expected questions under "retrieval" and a retrieval loss, found none: there is no question to find hard negatives for' });
  }
  return problems;
}

function senselessPretraining({ losses, budget }: Recipe, lineOf: (key: string) => number): RecipeProblem[] {
  if (!('steps' in budget)) return [];
  const { steps } = budget;
  const guessing = { contextPrediction: losses.contextPrediction, ...('maskedLanguage' in losses ? { maskedLanguage: losses.maskedLanguage } : {}) };
  return Object.entries(guessing).flatMap(([name, { pretrainingSteps }]) => {
    const key = `losses/${name}/pretrainingSteps`;
    return pretrainingSteps <= steps ? [] : [{ line: lineOf(key), key, message: `expected at most the steps of the budget, ${steps}, found ${pretrainingSteps}` }];
  });
}

/** The recipe's files, each once: what is hashed for resuming and shown in a report. */
export function recipeFiles(recipe: Recipe): string[] {
  const files = new Set<string>();
  for (const source of recipe.retrieval ?? []) files.add('pairs' in source ? source.pairs : source.folder);
  for (const source of recipe.parallel) {
    if ('path' in source) files.add(source.path);
    else files.add(source.sourcePath).add(source.targetPath);
  }
  for (const source of recipe.monolingual) files.add(source.path);
  if (recipe.encoder.kind === 'backbone') files.add(recipe.encoder.path);
  if (recipe.distillation !== undefined && recipe.distillation.teacher !== STARTER_TEACHER) files.add(recipe.distillation.teacher);
  return [...files];
}

function withAbsolutePaths(recipe: Recipe, folder: string): Recipe {
  if (isBackbone(recipe)) return withAbsoluteCorpora({ ...recipe, encoder: { ...recipe.encoder, path: resolve(folder, recipe.encoder.path) } }, folder);
  return withAbsoluteCorpora(recipe, folder);
}

function withAbsoluteCorpora<R extends Recipe>(recipe: R, folder: string): R {
  return {
    ...recipe,
    ...(recipe.retrieval === undefined ? {} : { retrieval: recipe.retrieval.map((source) => ('pairs' in source ? { ...source, pairs: resolve(folder, source.pairs) } : { ...source, folder: resolve(folder, source.folder) })) }),
    parallel: recipe.parallel.map((source) =>
      'path' in source ? { ...source, path: resolve(folder, source.path) } : { ...source, sourcePath: resolve(folder, source.sourcePath), targetPath: resolve(folder, source.targetPath) },
    ),
    monolingual: recipe.monolingual.map((source) => ({ ...source, path: resolve(folder, source.path) })),
    ...(recipe.distillation === undefined || recipe.distillation.teacher === STARTER_TEACHER ? {} : { distillation: { ...recipe.distillation, teacher: resolve(folder, recipe.distillation.teacher) } }),
  };
}

function toProblems(issue: z.core.$ZodIssue, root: unknown, lineOf: (key: string) => number): RecipeProblem[] {
  const key = issue.path.map(String).join('/');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => {
      const full = key === '' ? name : `${key}/${name}`;
      return { line: lineOf(full), key: full, message: 'expected a known key, found one that Isogloss does not know' };
    });
  }
  const found = issue.path.reduce<unknown>((at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[String(step)] : undefined), root);
  const shown = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 80);
  return [{ line: lineOf(key), key, message: `expected ${expectation(issue)}, found ${shown}` }];
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : `a value of type ${issue.expected}`;
    case 'too_small':
      return `at least ${String(issue.minimum)}${issue.origin === 'array' ? ' entry' : ''}${issue.inclusive === false ? ' (not equal)' : ''}`;
    case 'too_big':
      return `at most ${String(issue.maximum)}`;
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    default:
      return issue.message;
  }
}

async function missingFiles(value: unknown, folder: string, lineOf: (key: string) => number): Promise<RecipeProblem[]> {
  const problems: RecipeProblem[] = [];
  if (typeof value !== 'object' || value === null) return problems;
  const backbone = z.object({ encoder: z.object({ kind: z.literal('backbone'), path: z.string().min(1) }) }).safeParse(value);
  if (backbone.success) {
    const problem = await fileProblem(resolve(folder, backbone.data.encoder.path), true);
    if (problem !== null) problems.push({ line: lineOf('encoder/path'), key: 'encoder/path', message: `${problem} (${backbone.data.encoder.path})` });
  }
  const distilled = z.object({ distillation: z.object({ teacher: z.string().min(1) }) }).safeParse(value);
  if (distilled.success && distilled.data.distillation.teacher !== STARTER_TEACHER) {
    const problem = await fileProblem(resolve(folder, distilled.data.distillation.teacher), true);
    if (problem !== null) problems.push({ line: lineOf('distillation/teacher'), key: 'distillation/teacher', message: `${problem} (${distilled.data.distillation.teacher})` });
  }
  for (const section of ['retrieval', 'parallel', 'monolingual'] as const) {
    const entries: unknown = (value as Record<string, unknown>)[section];
    if (!Array.isArray(entries)) continue;
    for (const [index, entry] of entries.entries()) {
      if (typeof entry !== 'object' || entry === null) continue;
      for (const name of ['path', 'sourcePath', 'targetPath', 'pairs', 'folder']) {
        const named: unknown = (entry as Record<string, unknown>)[name];
        if (typeof named !== 'string' || named === '') continue;
        const key = `${section}/${index}/${name}`;
        const isTranslation = 'format' in entry && entry.format === 'usfm'; // a Paratext project is a folder, one book is a file
        const problem = await fileProblem(resolve(folder, named), isTranslation ? 'any' : name === 'folder');
        if (problem !== null) problems.push({ line: lineOf(key), key, message: `${problem} (${named})` });
      }
    }
  }
  return problems;
}

async function fileProblem(file: string, folderExpected: boolean | 'any'): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return folderExpected === true ? 'expected a folder, found nothing there' : 'expected a file, found nothing there';
  if (folderExpected !== 'any' && folderExpected !== found.isDirectory()) return folderExpected ? 'expected a folder, found a file' : 'expected a file, found a folder';
  return null;
}
