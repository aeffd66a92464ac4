/** From which texts is a model calibrated? From the corpora of its own recipe, or from those that somebody names. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../base/errors.ts';
import { calibrateModel, type CalibrationReport, type PairTexts } from '../encoding/calibrated/calibrate-model.ts';
import type { CalibrationSteps } from '../encoding/calibration.ts';
import { readManifest } from '../encoding/model-folder.ts';
import { canonicaliseTag } from '../text/language.ts';
import { readCorpora, type Corpora } from './corpora.ts';
import { recipeSchemaFor, type Recipe } from './recipe-schema.ts';
import { HELD_OUT_FILE } from './run-training.ts';
import { textsByLanguage } from './vocabulary.ts';

/** What of a recipe calibration reads; `retrieval`: passages and questions are text of the pivot. */
export type CalibrationCorpora = Pick<Recipe, 'parallel' | 'monolingual' | 'retrieval'>;

/** What is said while texts are read, turned into vectors, and maps fitted and measured. */
export type CalibrationEvent =
  | { readonly kind: 'progress'; readonly phase: 'reading' | 'encoding' | 'finishing'; readonly done: number; readonly total: number | null; readonly unit: string; readonly leftMs: number | null }
  | { readonly kind: 'problem'; readonly code: string; readonly message: string; readonly path: string | null; readonly line: number | null };

export type CalibrateByCorporaOptions = {
  readonly modelFolder: string;
  readonly outputFolder: string;
  readonly steps: CalibrationSteps;
  /** null: those of the recipe that the model was trained by, which must still be where they were. */
  readonly corpora: CalibrationCorpora | null;
  readonly threads?: number;
  readonly signal: AbortSignal;
  readonly report: (event: CalibrationEvent) => void;
};

/**
 * Reads the corpora and calibrates. Pairs that training held back measure, where the model folder has them.
 * @throws InputError 'calibration.no-recipe' when the model does not say its corpora; as `readCorpora` and `calibrateModel`.
 */
export async function calibrateByCorpora(options: CalibrateByCorporaOptions): Promise<CalibrationReport> {
  const { modelFolder, outputFolder, steps, threads, signal, report } = options;
  const { pivot, training, files } = await readManifest(modelFolder);
  const recipe = named(options.corpora ?? corporaOf(training, modelFolder));
  let read = 0;
  const corpora = await readCorpora({
    recipe,
    signal,
    onProblem: ({ code, message, path, line }) => { report({ kind: 'problem', code, message, path, line }); },
    onFile: () => {
      report({ kind: 'progress', phase: 'reading', done: read, total: null, unit: 'files', leftMs: null });
      read += 1;
    },
  });
  return calibrateModel({
    modelFolder, outputFolder, steps, signal,
    ...(threads === undefined ? {} : { threads }),
    texts: byCanonicalTag(corpora, pivot),
    pairs: joinedPairs(corpora),
    heldOut: HELD_OUT_FILE in files ? heldOutSchema.parse(JSON.parse(await readFile(join(modelFolder, HELD_OUT_FILE), 'utf8'))).pairs.map(canonicalPairs) : [],
    report: ({ phase, done, total, unit }) => { report({ kind: 'progress', phase: phase === 'encoding' ? 'encoding' : 'finishing', done, total, unit, leftMs: null }); },
  });
}

/** The corpora of the recipe by which a model was trained. @throws InputError 'calibration.no-recipe'; as `readManifest`. */
export async function corporaOfModel(modelFolder: string): Promise<CalibrationCorpora> {
  return corporaOf((await readManifest(modelFolder)).training, modelFolder);
}

const heldOutSchema = z.object({ pairs: z.array(z.object({ source: z.string(), target: z.string(), pairs: z.array(z.object({ source: z.string(), target: z.string() })) })) });
const trainingSchema = z.object({ recipe: z.unknown() });

/** The corpora of the recipe that a manifest keeps. @throws InputError 'calibration.no-recipe'. */
function corporaOf(training: unknown, modelFolder: string): CalibrationCorpora {
  const kept = trainingSchema.safeParse(training);
  const parsed = kept.success ? recipeSchemaFor(kept.data.recipe).safeParse(kept.data.recipe) : null;
  if (parsed?.success !== true) throw new InputError('calibration.no-recipe', `${modelFolder}: expected a model that says from which corpora it was trained, found none. Name texts and pairs.`, { data: { path: modelFolder } });
  return parsed.data;
}

/** As `readCorpora` asks for them. */
function named({ parallel, monolingual, retrieval }: CalibrationCorpora): Parameters<typeof readCorpora>[0]['recipe'] {
  return { parallel, monolingual, ...(retrieval === undefined ? {} : { retrieval }) };
}

function byCanonicalTag(corpora: Corpora, pivot: string): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  for (const [tag, list] of textsByLanguage(corpora, pivot)) {
    const own = texts.get(canonicaliseTag(tag)) ?? [];
    for (const text of list) own.push(text);
    texts.set(canonicaliseTag(tag), own);
  }
  return texts;
}

/** The pairs of each language pair together. */
function joinedPairs({ parallel }: Corpora): readonly PairTexts[] {
  const joined = new Map<string, { source: string; target: string; pairs: { source: string; target: string }[] }>();
  for (const corpus of parallel.map(canonicalPairs)) {
    const key = `${corpus.source} ${corpus.target}`;
    const entry = joined.get(key) ?? { source: corpus.source, target: corpus.target, pairs: [] };
    for (const pair of corpus.pairs) entry.pairs.push(pair);
    joined.set(key, entry);
  }
  return [...joined.values()];
}

function canonicalPairs({ source, target, pairs }: PairTexts): PairTexts {
  return { source: canonicaliseTag(source), target: canonicaliseTag(target), pairs };
}
