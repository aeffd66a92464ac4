/** What is an experiment? A file: rows that differ in named settings, seeds, tasks, and the relations that a paper claims. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../base/atomic-files.ts';
import { InputError } from '../../base/errors.ts';

const name = z.string().regex(/^[\w.+-]{1,60}$/, 'a name of letters, digits, "_", ".", "+", "-"');
const path = z.string().min(1, 'a path');
const tag = z.string().min(1, 'a language tag');

const retrievalTask = z.strictObject({
  name,
  kind: z.literal('retrieval'),
  /** A folder with queries, collection and qrels (BEIR). */
  data: path,
  distractors: path.optional(),
  queryLanguage: tag,
  documentLanguage: tag,
  metric: z.enum(['MRR@100', 'MRR@10', 'R@1', 'R@10', 'R@100', 'nDCG@10']).default('MRR@100'),
});
const pairsTask = z.strictObject({ name, kind: z.literal('pairs'), source: path, target: path });
const task = z.discriminatedUnion('kind', [retrievalTask, pairsTask]);

const row = z.strictObject({
  name,
  /** As the paper's table calls it. */
  label: z.string().optional(),
  /** What this row changes in the base recipe, merged key by key; absent for a row that trains nothing. */
  train: z.record(z.string(), z.json()).optional(),
  /** How its retrieval tasks are searched; "untrained" is the model of the row before training. */
  method: z.enum(['dense', 'hybrid', 'translated', 'bm25', 'bm25-char', 'untrained']).default('dense'),
  /** Uses the model of another row instead of training one. */
  modelOf: name.optional(),
  /** Place on the horizontal axis of the plot, and the curve it belongs to. */
  x: z.number().optional(),
  series: z.string().optional(),
});

const claim = z.strictObject({
  text: z.string().min(1),
  better: name,
  than: name,
  /** All tasks when left out: the mean over them is compared. */
  tasks: z.array(name).min(1).optional(),
});

const experimentSchema = z.strictObject({
  name,
  title: z.string(),
  /** Paper and table or figure. */
  source: z.string(),
  /** Backbone, data and size, in words. */
  about: z.string(),
  scale: z.enum(['small', 'full']),
  base: z.record(z.string(), z.json()).default({}),
  rows: z.array(row).min(1),
  /** The row that others are compared with; the first when left out. */
  reference: name.optional(),
  seeds: z.array(z.int().min(0)).min(1),
  tasks: z.array(task).min(1),
  claims: z.array(claim).default([]),
  plot: z.strictObject({ x: z.string(), y: z.string(), logarithmic: z.boolean().default(false) }).optional(),
});

/** An experiment with every default filled in; `{data}` replaced and paths absolute. */
export type Experiment = Omit<z.infer<typeof experimentSchema>, 'reference'> & { readonly reference: string };
export type ExperimentRow = Experiment['rows'][number];
export type ExperimentTask = Experiment['tasks'][number];

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
  const experiment = parsed.data;
  return {
    ...experiment,
    reference: experiment.reference ?? experiment.rows[0]?.name ?? '',
    base: withPlaces(experiment.base, place),
    rows: experiment.rows.map((entry) => (entry.train === undefined ? entry : { ...entry, train: withPlaces(entry.train, place) })),
    tasks: experiment.tasks.map((entry): ExperimentTask => {
      if (entry.kind === 'pairs') return { ...entry, source: place(entry.source), target: place(entry.target) };
      return { ...entry, data: place(entry.data), ...(entry.distractors === undefined ? {} : { distractors: place(entry.distractors) }) };
    }),
  };
}

/** The recipe of a row and a seed: base, then what the row changes (objects merged, everything else replaced), then the seed. */
export function recipeOf(experiment: Experiment, { row: entry, seed }: { readonly row: ExperimentRow; readonly seed: number }): Record<string, unknown> {
  return { ...merged(experiment.base, entry.train ?? {}), seed };
}

/** The row whose model a row uses: itself, or the one it names. */
export function modelRowOf(experiment: Experiment, { modelOf, name: own }: ExperimentRow): ExperimentRow | null {
  const owner = experiment.rows.find((entry) => entry.name === (modelOf ?? own));
  return owner?.train === undefined ? null : owner;
}

type Json = z.infer<ReturnType<typeof z.json>>;

const PATH_KEYS = new Set(['path', 'sourcePath', 'targetPath', 'pairs', 'folder', 'model']);

/** Strings under keys that name files, with their places resolved. */
function withPlaces(value: Record<string, Json>, place: (written: string) => string): Record<string, Json> {
  const visit = (at: Json, key: string): Json => {
    if (typeof at === 'string') return PATH_KEYS.has(key) ? place(at) : at;
    if (Array.isArray(at)) return at.map((item) => visit(item, key));
    if (at === null || typeof at !== 'object') return at;
    return withPlaces(at, place);
  };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, key)]));
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

function contradictions({ rows, tasks, claims, reference, plot }: z.infer<typeof experimentSchema>): string[] {
  const problems: string[] = [];
  const rowNames = rows.map((entry) => entry.name);
  const taskNames = tasks.map((entry) => entry.name);
  for (const [what, names] of [['rows', rowNames], ['tasks', taskNames]] as const) {
    const twice = names.filter((entry, i) => names.indexOf(entry) !== i);
    if (twice.length > 0) problems.push(`"${what}": expected each name once, found "${twice.join('", "')}" again`);
  }
  const known = (where: string, wanted: string, names: readonly string[]): void => {
    if (!names.includes(wanted)) problems.push(`"${where}": expected one of ${names.join(', ')}, found "${wanted}"`);
  };
  if (reference !== undefined) known('reference', reference, rowNames);
  claims.forEach((entry, i) => {
    known(`claims/${i}/better`, entry.better, rowNames);
    known(`claims/${i}/than`, entry.than, rowNames);
    for (const one of entry.tasks ?? []) known(`claims/${i}/tasks`, one, taskNames);
  });
  rows.forEach((entry, i) => {
    if (entry.modelOf !== undefined) known(`rows/${i}/modelOf`, entry.modelOf, rows.filter(({ train }) => train !== undefined).map((other) => other.name));
    if (entry.train !== undefined && entry.modelOf !== undefined) problems.push(`"rows/${i}": expected "train" or "modelOf", found both`);
    const needsModel = !entry.method.startsWith('bm25');
    if (needsModel && entry.train === undefined && entry.modelOf === undefined) problems.push(`"rows/${i}": method "${entry.method}" needs a model: expected "train" or "modelOf", found neither`);
    if (!needsModel && tasks.some(({ kind }) => kind === 'pairs')) problems.push(`"rows/${i}": method "${entry.method}" has no vectors, but the experiment has a task of kind "pairs"`);
    if (plot !== undefined && entry.series !== undefined && entry.x === undefined) problems.push(`"rows/${i}": expected "x", its place in the plot, found nothing`);
  });
  return problems;
}

function invalid(file: string, problems: readonly string[]): InputError {
  return new InputError('experiment.invalid', `${problems.map((line) => `${file}: ${line}`).join('\n')}\nNothing was started.`, { data: { path: file } });
}
