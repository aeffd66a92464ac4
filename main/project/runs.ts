/** Which trainings has a project seen? One small file each, kept when the model itself is deleted: settings, texts, figures, every question with its ranks. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder, readJson, writeJsonAtomic } from '../../core/base/atomic-files.ts';
import { InputError, IsoglossError } from '../../core/base/errors.ts';
import { readManifest } from '../../core/encoding/model-folder.ts';
import { evaluationReportSchema, list, reportQuestionSchema, type EvaluationReport, type Run } from '../contract/index.ts';
import { withoutPlaces } from './data-sheet.ts';
import { readModelCard, readReport } from './models.ts';

const FOLDER = 'runs';
const QUESTIONS_FILE = 'report-questions.json'; // main/workers/write-report.ts; named here so that the program need not load it
const FORMAT = 'isogloss-run';
const RUNS_KEPT = 100;
/** Enough to know a question again, and to show it. */
const TEXT_CHARACTERS = 300;

const rank = z.number().int().positive().nullable();
const questionSetSchema = z.object({
  question: reportQuestionSchema,
  language: z.string(),
  queryLanguage: z.string(),
  documents: z.number(),
  queries: list(z.object({ text: z.string(), untrained: rank, bm25: rank, dense: rank, hybrid: rank })),
});
export type QuestionSet = z.infer<typeof questionSetSchema>;
const questionsSchema = z.object({ sets: list(questionSetSchema) });

const runFileSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  id: z.string(),
  at: z.number(),
  /** Relative to the project folder. */
  model: z.string(),
  preset: z.string(),
  keptEarly: z.boolean(),
  steps: z.number(),
  minutes: z.number(),
  languages: list(z.string()),
  /** Without the folders of this machine. */
  recipe: z.json(),
  corpora: list(z.object({ name: z.string(), records: z.number() })),
  report: evaluationReportSchema.nullable(),
  questions: list(questionSetSchema).nullable(),
});
export type RunFile = z.infer<typeof runFileSchema>;

export type KeepRunOptions = {
  readonly folder: string;
  /** Where the model is, relative to the project folder. */
  readonly model: string;
  readonly preset: string;
  readonly keptEarly: boolean;
  readonly corpora: RunFile['corpora'];
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** Remembers a finished training, from what its model folder holds. @throws EnvironmentError of the disk. */
export async function keepRun({ folder, model, preset, keptEarly, corpora, at }: KeepRunOptions): Promise<void> {
  const modelFolder = join(folder, model);
  const manifest = await readManifest(modelFolder);
  const card = await readModelCard(modelFolder);
  const questions = questionsSchema.safeParse(await readJson(join(modelFolder, QUESTIONS_FILE)).catch(noneOfInput));
  const id = `run-${String(at)}`;
  const run: RunFile = {
    format: FORMAT,
    version: 1,
    id,
    at,
    model,
    preset,
    keptEarly,
    steps: card?.steps ?? 0,
    minutes: card?.minutes ?? 0,
    languages: manifest.languages.map(({ tag }) => tag),
    recipe: withoutPlaces(manifest.training['recipe'] ?? null),
    corpora,
    report: await readReport(modelFolder),
    questions: questions.success ? questions.data.sets.map((set) => ({ ...set, queries: set.queries.map((query) => ({ ...query, text: query.text.slice(0, TEXT_CHARACTERS).toWellFormed() })) })) : null,
  };
  await makeFolder(join(folder, FOLDER));
  await writeJsonAtomic(join(folder, FOLDER, `${id}.json`), run);
  for (const old of (await runNames(folder)).slice(RUNS_KEPT)) await rm(join(folder, FOLDER, old), { force: true });
}

/** Newest first; a file that is not readable is passed over. */
export async function listRuns(folder: string, presentModel: string | null): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const name of await runNames(folder)) {
    const run = await readRunFile(folder, name.replace(/\.json$/, '')).catch(noneOfInput);
    if (run !== null) runs.push(await viewRun(folder, run, presentModel));
  }
  return runs;
}

/** @throws InputError 'run.unknown'. */
export async function readRunFile(folder: string, id: string): Promise<RunFile> {
  const found = /^run-\d+$/.test(id) ? await readJson(join(folder, FOLDER, `${id}.json`)).catch(noneOfInput) : null;
  const parsed = runFileSchema.safeParse(found);
  if (!parsed.success) throw new InputError('run.unknown', 'This training is not in the history of the project any more. Choose another one.', { data: { id } });
  return parsed.data;
}

export async function viewRun(folder: string, run: RunFile, presentModel: string | null): Promise<Run> {
  const { id, at, preset, steps, minutes, keptEarly, languages, model, report, questions } = run;
  return {
    id,
    at,
    preset,
    steps,
    minutes,
    keptEarly,
    languages,
    isPresent: model === presentModel,
    hasModel: await stat(join(folder, model)).then((found) => found.isDirectory(), () => false),
    foundFirst: report === null ? null : meanFoundFirst(report),
    isComparable: questions !== null && questions.length > 0,
  };
}

function meanFoundFirst({ rows, pairs }: EvaluationReport): number | null {
  const shares = rows.length > 0 ? rows.map(({ methods }) => methods.hybrid['R@1']) : pairs.map(({ trained }) => trained);
  return shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

async function runNames(folder: string): Promise<readonly string[]> {
  const names = (await readdir(join(folder, FOLDER)).catch(() => [])).filter((name) => /^run-\d+\.json$/.test(name)); // none yet
  return names.sort((a, b) => Number(b.slice(4, -5)) - Number(a.slice(4, -5)));
}

/** Missing or damaged counts as none; anything else is a fault of the disk. */
function noneOfInput(thrown: unknown): null {
  if (thrown instanceof IsoglossError && thrown.family === 'input') return null;
  throw thrown;
}
