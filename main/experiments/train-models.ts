/** How does a recipe row get its model? Trained once a seed, from another row's model where it says so; of variants the best on development data. */
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InvariantError } from '../../core/base/errors.ts';
import { openEncoder } from '../../core/encoding/open-encoder.ts';
import { recipeOf, type Experiment } from '../../core/evaluation/experiments/experiment-file.ts';
import { tasksOfRow, type RowOf } from '../../core/evaluation/experiments/rows.ts';
import { metricOf } from '../../core/evaluation/experiments/tasks.ts';
import { ratioOf } from '../../core/metrics/ratio-differences.ts';
import type { TrainingEvent } from '../../core/training/events.ts';
import { parseRecipe } from '../../core/training/recipe.ts';
import { runTraining } from '../../core/training/run-training.ts';
import { oneEncoder } from './system.ts';
import { measureTask } from './tasks/measure-task.ts';
import { modelKey, rootBefore } from './units.ts';

export type ModelOptions = {
  readonly experiment: Experiment;
  readonly outputFolder: string;
  readonly starterFolder: string;
  readonly threads: number;
  readonly device: 'cpu' | 'webgpu' | 'auto';
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly reportTraining: (event: TrainingEvent) => void;
};

const keySchema = z.object({ key: z.string() });
const choiceSchema = z.object({ key: z.string(), chosen: z.int().min(0), scores: z.array(z.number()) });

/** Where a transformer stands inside the folder of a model. */
const BACKBONE_INSIDE = 'backbone';

export function modelPath(options: Pick<ModelOptions, 'outputFolder'>, row: string, seed: number): string {
  return join(options.outputFolder, 'runs', `${row}.${seed}.model`);
}

/** The folder of the trained model; trained now if it is not there. @throws what training throws; InputError for an invalid recipe. */
export async function ensureModel(options: ModelOptions, row: RowOf<'recipe'>, seed: number): Promise<string> {
  const { experiment } = options;
  const folder = modelPath(options, row.name, seed);
  const mark = `${folder}.key.json`;
  const key = modelKey(experiment, row, seed);
  if ((await isFolder(folder)) && (await keyIn(mark)) === key) return folder;
  const before = rootBefore(experiment, row);
  if (before !== null && before.kind !== 'recipe') throw new InvariantError('experiment.no-model', `Row "${row.name}" begins from "${before.name}", which is not trained.`);
  const start = before === null ? null : await ensureModel(options, before, seed);
  const variant = row.variants === undefined ? undefined : await chooseVariant(options, row);
  if (variant === undefined || seed !== experiment.seeds[0] || !(await isFolder(variantPath(folder, variant)))) await train(options, { row, seed, folder, start, variant });
  else {
    await rm(folder, { recursive: true, force: true });
    await rename(variantPath(folder, variant), folder);
  }
  await writeJsonAtomic(mark, { key });
  return folder;
}

/** In words, what development data chose for a row; null where there was no choice, or none yet. */
export async function choiceOf(options: Pick<ModelOptions, 'outputFolder' | 'experiment'>, row: RowOf<'recipe'>): Promise<string | null> {
  const found = choiceSchema.safeParse(await readJson(choicePath(options, row)).catch(() => null));
  if (!found.success) return null;
  const tasks = options.experiment.development.map(({ name, label }) => label ?? name).join(', ');
  return row.variants?.map((change, i) => `${JSON.stringify(change)} ${found.data.scores[i]?.toFixed(3) ?? ''}${i === found.data.chosen ? ' (chosen)' : ''}`).join('; ').concat(` on ${tasks}`) ?? null;
}

/** Every variant is trained with the first seed and measured on the development tasks; the best mean is taken, of equal ones the first. */
async function chooseVariant(options: ModelOptions, row: RowOf<'recipe'>): Promise<number> {
  const { experiment, threads, signal, say } = options;
  const [seed = 0] = experiment.seeds;
  const key = modelKey(experiment, row, seed);
  const known = choiceSchema.safeParse(await readJson(choicePath(options, row)).catch(() => null));
  if (known.success && known.data.key === key) return known.data.chosen;
  const before = rootBefore(experiment, row);
  const start = before?.kind === 'recipe' ? await ensureModel(options, before, seed) : null;
  const scores: number[] = [];
  for (const variant of (row.variants ?? []).keys()) {
    say(`${row.name}: trying ${JSON.stringify(row.variants?.[variant])} on development data`);
    const folder = variantPath(modelPath(options, row.name, seed), variant);
    await train(options, { row, seed, folder, start, variant });
    const system = oneEncoder(await openEncoder(folder, { threads }), row.method);
    const tasks = experiment.development.filter(({ kind }) => tasksOfRow[row.kind].includes(kind));
    let sum = 0;
    for (const task of tasks) {
      const found = (await measureTask(task, system, { threads, signal })).values.get(metricOf(task));
      sum += found === undefined ? 0 : ratioOf({ numerators: found.items, denominators: found.weights });
    }
    scores.push(sum / tasks.length);
  }
  const chosen = scores.indexOf(Math.max(...scores));
  await writeJsonAtomic(choicePath(options, row), { key, chosen, scores });
  for (const variant of scores.keys()) if (variant !== chosen) await rm(variantPath(modelPath(options, row.name, seed), variant), { recursive: true, force: true });
  return chosen;
}

async function train(options: ModelOptions, { row, seed, folder, start, variant }: { readonly row: RowOf<'recipe'>; readonly seed: number; readonly folder: string; readonly start: string | null; readonly variant: number | undefined }): Promise<void> {
  const { experiment, outputFolder, starterFolder, threads, device, signal, reportTraining } = options;
  const recipeText = JSON.stringify(startingFrom(recipeOf(experiment, { row, seed, ...(variant === undefined ? {} : { variant }) }), start), null, 2);
  const recipePath = `${folder.replace(/\.model$/, '')}.recipe.json`;
  await writeFile(recipePath, recipeText);
  const recipe = await parseRecipe({ text: recipeText, recipePath, folder: outputFolder });
  await runTraining({ recipe, outputFolder: folder, starterFolder, threads, device, resume: true, isWatched: false, learnsTranslations: needsTranslations(experiment), signal, report: reportTraining });
}

/** Whether any row is searched by translated words, or any task adds them. */
function needsTranslations({ rows, tasks, development }: Experiment): boolean {
  return rows.some((row) => 'method' in row && row.method !== 'dense') || [...tasks, ...development].some((task) => task.kind === 'bitext' && task.lexicalWeight > 0);
}

/** What a transformer from scratch is asked for, and one that is there already has. */
const SIZES: ReadonlySet<string> = new Set(['layers', 'width', 'heads', 'feedForward', 'positions', 'vocabularySize']);

/** A recipe whose encoder is the transformer that another row trained. */
function startingFrom(recipe: Readonly<Record<string, unknown>>, start: string | null): Record<string, unknown> {
  if (start === null) return recipe;
  const { encoder } = recipe;
  const said = typeof encoder === 'object' && encoder !== null ? Object.entries(encoder).filter(([key]) => !SIZES.has(key)) : [];
  return { ...recipe, encoder: { ...Object.fromEntries(said), kind: 'backbone', path: join(start, BACKBONE_INSIDE) } };
}

function choicePath({ outputFolder }: Pick<ModelOptions, 'outputFolder'>, { name }: RowOf<'recipe'>): string {
  return join(outputFolder, 'runs', `${name}.choice.json`);
}

function variantPath(folder: string, variant: number): string {
  return folder.replace(/\.model$/, `.variant-${variant}.model`);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

async function keyIn(path: string): Promise<string | null> {
  const found = keySchema.safeParse(await readJson(path).catch(() => null)); // missing or damaged: trained again
  return found.success ? found.data.key : null;
}
