/** What is an experiment? A file: rows that differ in named settings, seeds, tasks, and the relations that a paper claims. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../base/atomic-files.ts';
import { InputError } from '../../base/errors.ts';
import { contradictions } from './contradictions.ts';
import { experimentSchema, type ExperimentAverage, type ExperimentDraft } from './experiment-schema.ts';
import { usedRow, type ExperimentRow, type RowOf } from './rows.ts';
import { withTaskPlaces } from './tasks.ts';

export type { ExperimentAverage, ExperimentClaim, ExperimentDraft, ExperimentNeed } from './experiment-schema.ts';
export type { ExperimentRow } from './rows.ts';
export type { ExperimentTask } from './tasks.ts';

/** An experiment with every default filled in; `{data}` replaced and paths absolute. */
export type Experiment = Omit<ExperimentDraft, 'reference' | 'averages'> & { readonly reference: string; readonly averages: readonly ExperimentAverage[] };

/**
 * Reads and checks an experiment. Paths are relative to the file; "{data}" at the beginning of one stands for `dataFolder`.
 * @throws InputError 'experiment.invalid' naming every mistake; 'experiment.needs-data' when "{data}" is used and no folder was given.
 */
export async function readExperiment(file: string, dataFolder: string | null): Promise<Experiment> {
  return parseExperiment(await readJson(file), { file, dataFolder });
}

/** As `readExperiment`, from a value. */
export function parseExperiment(value: unknown, { file, dataFolder }: { readonly file: string; readonly dataFolder: string | null }): Experiment {
  const parsed = experimentSchema.safeParse(value);
  if (!parsed.success) throw invalid(file, parsed.error.issues.map(({ path: at, message }) => `"${at.map(String).join('/')}": ${message}`));
  const problems = contradictions(parsed.data);
  if (problems.length > 0) throw invalid(file, problems);
  const place = (written: string): string => {
    if (!written.startsWith('{data}')) return resolve(dirname(file), written);
    if (dataFolder === null) throw new InputError('experiment.needs-data', `${file}: this experiment uses data that you bring ("${written}"). Name its folder with --data.`, { data: { path: file } });
    return resolve(dataFolder, `.${written.slice('{data}'.length)}`);
  };
  const { reference, averages, ...experiment } = parsed.data;
  return {
    ...experiment,
    reference: reference ?? experiment.rows.find(({ kind }) => kind !== 'reported')?.name ?? '',
    averages: averages ?? (experiment.tasks.length > 1 ? [{ label: 'average', tasks: experiment.tasks.map(({ name: task }) => task) }] : []),
    needs: experiment.needs.map((one) => ({ ...one, path: place(one.path) })),
    base: withPlaces(experiment.base, place),
    rows: experiment.rows.map((row) => withRowPlaces(row, place)),
    tasks: experiment.tasks.map((task) => withTaskPlaces(task, place)),
    development: experiment.development.map((task) => withTaskPlaces(task, place)),
  };
}

/** The recipe of a row and a seed: base, then what the row changes, then a variant of it (objects merged, everything else replaced), then the seed. */
export function recipeOf(experiment: Experiment, { row, seed, variant }: { readonly row: RowOf<'recipe'>; readonly seed: number; readonly variant?: number }): Record<string, unknown> {
  const change = variant === undefined ? undefined : row.variants?.[variant];
  return { ...merged(merged(experiment.base, row.train), change ?? {}), seed };
}

/** The row at whose model (trained or brought) the chain of a row begins; null for a row without a model. */
export function modelRowOf(experiment: Experiment, row: ExperimentRow): ExperimentRow | null {
  if (row.kind === 'bm25' || row.kind === 'reported') return null;
  const used = usedRow(row);
  if (row.kind === 'recipe' || row.kind === 'phrases' || used === null) return row;
  const owner = experiment.rows.find((other) => other.name === used);
  return owner === undefined ? null : modelRowOf(experiment, owner);
}

type Json = z.infer<ReturnType<typeof z.json>>;

const PATH_KEYS = new Set(['path', 'sourcePath', 'targetPath', 'pairs', 'folder', 'model', 'backbone', 'vectors']);

/** Strings under keys that name files, and all that begin with "{data}", with their places resolved. */
function withPlaces(value: Readonly<Record<string, Json>>, place: (written: string) => string): Record<string, Json> {
  const visit = (at: Json, key: string): Json => {
    if (typeof at === 'string') return PATH_KEYS.has(key) || at.startsWith('{data}') ? place(at) : at;
    if (Array.isArray(at)) return at.map((item) => visit(item, key));
    if (at === null || typeof at !== 'object') return at;
    return withPlaces(at, place);
  };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, key)]));
}

function withRowPlaces(row: ExperimentRow, place: (written: string) => string): ExperimentRow {
  switch (row.kind) {
    case 'recipe':
      return { ...row, train: withPlaces(row.train, place), ...(row.variants === undefined ? {} : { variants: row.variants.map((one) => withPlaces(one, place)) }) };
    case 'backbone':
      return { ...row, path: place(row.path) };
    case 'calibrated':
      return { ...row, texts: Object.fromEntries(Object.entries(row.texts).map(([language, paths]) => [language, paths.map(place)])), pairs: row.pairs.map((one) => withPlaces(one, place)) };
    case 'clwe':
    case 'clse':
      return { ...row, settings: withPlaces(row.settings, place) };
    case 'phrases':
      return { ...row, settings: withPlaces(row.settings, place), ...(row.backbone === undefined ? {} : { backbone: place(row.backbone) }) };
    default:
      return row;
  }
}

function merged(base: Readonly<Record<string, Json>>, change: Readonly<Record<string, Json>>): Record<string, Json> {
  const result = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key];
    result[key] = isPlain(before) && isPlain(value) ? merged(before, value) : value;
  }
  return result;
}

function isPlain(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(file: string, problems: readonly string[]): InputError {
  return new InputError('experiment.invalid', `${problems.map((line) => `${file}: ${line}`).join('\n')}\nNothing was started.`, { data: { path: file } });
}
