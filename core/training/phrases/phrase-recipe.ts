/** What does the training of phrases need to be told? One JSON file; a preset fills in what is left out. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../base/atomic-files.ts';
import { InputError } from '../../base/errors.ts';
import { corpusMappingSchema } from '../../corpus/corpus-options.ts';
import { FORMAT_NAMES } from '../../corpus/formats.ts';
import { HEAD_PLACEMENTS } from '../../modules/index.ts';
import { monolingualSource } from '../corpus-sources.ts';
import { freezeSchema, loraSchema } from '../recipe-schema.ts';

const path = z.string().min(1, 'a path');
const tag = z.string().regex(/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/, 'a language tag such as "sw" or "x-kisukuma"');

/** Phrase pairs of two languages: a list (TSV, CSV) or a dictionary (LIFT, Toolbox), with files of example sentences or without. */
const listedPairs = z.strictObject({
  pairs: path,
  source: tag,
  target: tag,
  /** `phrase<TAB>number<TAB>sentence<TAB>sentence ...`; left out: the dictionary's own examples, and what is found in `texts`. */
  sourceSentences: path.optional(),
  targetSentences: path.optional(),
  format: z.enum(FORMAT_NAMES).optional(),
  encoding: z.string().min(1).max(40).optional(),
  mapping: corpusMappingSchema.optional(),
});
/** A part of WikiXPR, English and `language`, as its authors lay it out. */
const wikiXprPairs = z.strictObject({ folder: path, language: tag, split: z.enum(['train', 'dev', 'test']).optional() });
const pairsSource = z.union([listedPairs, wikiXprPairs], { error: 'either {"pairs", "source", "target"} or {"folder", "language"} (WikiXPR)' });
export type PhrasePairsSource = z.infer<typeof pairsSource>;

const start = z.union(
  [
    z.strictObject({ model: path }),
    z.strictObject({ backbone: path }),
    z.strictObject({
      transformer: z.strictObject({
        layers: z.int().min(1).max(48).default(2),
        width: z.int().min(16).max(2048).default(128),
        heads: z.int().min(1).max(64).default(4),
        feedForward: z.int().min(16).max(8192).default(512),
        positions: z.int().min(8).max(4096).default(128),
        vocabularySize: z.int().min(500).max(200_000).default(8000),
      }),
    }),
  ],
  { error: 'one of {"model": FOLDER}, {"backbone": FOLDER} and {"transformer": {...}}' },
);

const MOST_STEPS = 10_000_000;

const recipeSchema = z.strictObject({
  /** What is trained further: a model of Isogloss, a backbone from elsewhere, or a transformer that nobody has trained. */
  start,
  preset: z.enum(['usual', 'paper', 'xpr']).default('usual'),
  training: z.array(pairsSource).min(1),
  /** Phrases to measure on while training; left out: a tenth of each training list. */
  heldBack: z.array(pairsSource).min(1).optional(),
  /** Running text in which sentences are looked for that show the phrases in use. */
  texts: z.array(monolingualSource).default([]),
  sentences: z.strictObject({
    /** Of each phrase in a step, drawn by chance; 0: the phrase alone. */
    training: z.int().min(0).max(1024),
    /** Of each phrase when it is measured or searched, the first ones; 0: the phrase alone. */
    evaluation: z.int().min(0).max(1024),
    maxTokens: z.int().min(8).max(4096),
  }),
  /** Whose states; left out: the layer that the model pools. */
  layer: z.int().min(0).max(1000).optional(),
  isLowerCased: z.boolean(),
  hasMarks: z.boolean(),
  /** `hidden`: times the width. */
  head: z.strictObject({ placement: z.enum(HEAD_PLACEMENTS), hidden: z.number().positive().max(16) }),
  temperature: z.number().positive().max(100),
  /** μ of θm ← μ θm + (1 − μ) θ, after each step; null: no momentum encoder, gradients go through both sides. */
  momentum: z.number().min(0).max(1).nullable(),
  /** Vectors of the momentum encoder from earlier batches that serve as further negatives, on each side; 0: XPCO. */
  queue: z.int().min(0).max(1_000_000),
  freeze: freezeSchema,
  /** Thin matrices beside the weights are trained instead of them, and merged into them at the end. */
  lora: loraSchema.optional(),
  dropout: z.number().min(0).max(0.9),
  optimizer: z.strictObject({
    /** Left out: by what is trained (static 0.001, from scratch 0.0005, a trained transformer 0.00002). */
    learningRate: z.number().positive().max(1).optional(),
    batch: z.int().min(2).max(8192),
    accumulation: z.int().min(1).max(1024),
    beta1: z.number().min(0).max(0.9999),
    beta2: z.number().min(0).max(0.99999),
    weightDecay: z.number().min(0).max(1),
    clipping: z.number().positive().max(1_000_000),
    schedule: z.enum(['linear', 'cosine']),
    warmUp: z.number().min(0).max(1),
    sliceTokens: z.int().min(8).max(1_048_576),
  }),
  budget: z.union([z.strictObject({ epochs: z.number().positive().max(100_000) }), z.strictObject({ steps: z.int().min(1).max(MOST_STEPS) }), z.strictObject({ minutes: z.number().positive().max(10_000) })], { error: 'one of {"epochs": N}, {"steps": N} and {"minutes": N}' }),
  /** By accuracy on held-back phrases. */
  earlyStopping: z.strictObject({ patience: z.int().min(1).max(1000).default(4) }).optional(),
  seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(1),
});

/** A recipe with every default filled in and every path absolute. */
export type PhraseRecipe = z.infer<typeof recipeSchema>;

type Defaults = { readonly [Key in string]: string | number | boolean | null | Defaults };

const common: Defaults = {
  isLowerCased: false, hasMarks: false, temperature: 0.06, momentum: 0.999, queue: 0, dropout: 0.1,
  optimizer: { accumulation: 1, beta1: 0.9, beta2: 0.999, weightDecay: 0, clipping: 1, schedule: 'linear', warmUp: 0.01, sliceTokens: 4096 },
};

/** As the paper says, section 5.2; it prints neither temperature nor momentum (those are the released command's), nor a longest sentence. */
const paper: Defaults = {
  sentences: { training: 4, evaluation: 32, maxTokens: 128 },
  head: { placement: 'phrase', hidden: 4 },
  optimizer: { learningRate: 2e-5, batch: 256, clipping: 1_000_000 },
  budget: { epochs: 100 },
};

/** As the authors' public code does beyond it (cwszz/XPR: train.sh, utilsWord/args.py, DictMatching/moco.py). */
const xpr: Defaults = {
  sentences: { training: 4, evaluation: 32, maxTokens: 80 },
  isLowerCased: true,
  hasMarks: true,
  head: { placement: 'token', hidden: 4 },
  optimizer: { learningRate: 2e-5, batch: 32, accumulation: 4, weightDecay: 1e-4 },
  budget: { epochs: 100 },
};

/** For a user's dictionary of hundreds to thousands of pairs on a laptop. */
const usual: Defaults = {
  sentences: { training: 4, evaluation: 32, maxTokens: 80 },
  head: { placement: 'none', hidden: 4 },
  momentum: 0.9,
  optimizer: { batch: 64, warmUp: 0.05 },
  budget: { epochs: 30 },
};

export const PHRASE_PRESETS: { readonly [Preset in PhraseRecipe['preset']]: Defaults } = { usual, paper, xpr };

/** Reads and checks a recipe file. @throws InputError 'phrases.recipe' naming every mistake; what `readJson` throws. */
export async function readPhraseRecipe(file: string): Promise<PhraseRecipe> {
  return parsePhraseRecipe(await readJson(file), { file, folder: dirname(resolve(file)) });
}

/** As `readPhraseRecipe`, from a value. @param folder  what its relative paths start from. @param file  how it is named in messages. */
export function parsePhraseRecipe(value: unknown, { file, folder }: { readonly file: string; readonly folder: string }): PhraseRecipe {
  const asked = z.object({ preset: z.enum(['usual', 'paper', 'xpr']).default('usual') }).safeParse(value);
  const filled = asked.success && isPlain(value) ? merged(merged(common, PHRASE_PRESETS[asked.data.preset]), value) : value;
  const parsed = recipeSchema.safeParse(filled);
  const problems = parsed.success ? contradictions(parsed.data) : parsed.error.issues.map((issue) => `"${issue.path.map(String).join('/')}": expected ${issue.message}`);
  if (!parsed.success || problems.length > 0) throw new InputError('phrases.recipe', `${problems.map((line) => `${file}: ${line}`).join('\n')}\nNothing was started.`, { data: { path: file } });
  return withPlaces(parsed.data, (written) => resolve(folder, written));
}

function contradictions({ momentum, queue, start: from, training, heldBack = [] }: PhraseRecipe): string[] {
  const problems: string[] = [];
  if (queue > 0 && momentum === null) problems.push('"queue": expected 0 without a momentum encoder ("momentum": null), whose vectors it holds');
  if ('transformer' in from && from.transformer.width % from.transformer.heads !== 0) problems.push(`"start/transformer/heads": expected a number that divides the width ${from.transformer.width}, found ${from.transformer.heads}`);
  for (const [where, list] of [['training', training], ['heldBack', heldBack]] as const) {
    list.forEach((entry, i) => {
      if ('pairs' in entry && entry.source === entry.target) problems.push(`"${where}/${i}/target": expected two different languages, found "${entry.source}" twice`);
    });
  }
  return problems;
}

function withPlaces(recipe: PhraseRecipe, place: (written: string) => string): PhraseRecipe {
  const placed = (entry: PhrasePairsSource): PhrasePairsSource =>
    'folder' in entry
      ? { ...entry, folder: place(entry.folder) }
      : { ...entry, pairs: place(entry.pairs), ...(entry.sourceSentences === undefined ? {} : { sourceSentences: place(entry.sourceSentences) }), ...(entry.targetSentences === undefined ? {} : { targetSentences: place(entry.targetSentences) }) };
  const { start: from } = recipe;
  return {
    ...recipe,
    start: 'model' in from ? { model: place(from.model) } : 'backbone' in from ? { backbone: place(from.backbone) } : from,
    training: recipe.training.map(placed),
    ...(recipe.heldBack === undefined ? {} : { heldBack: recipe.heldBack.map(placed) }),
    texts: recipe.texts.map((entry) => ({ ...entry, path: place(entry.path) })),
  };
}

/** Objects joined key by key, what stands in `over` first; lists and all else replaced. A budget is one choice, not two joined. */
function merged(under: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = key !== 'budget' && isPlain(before) && isPlain(value) ? merged(before, value) : value;
  }
  return result;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The files and folders that a recipe names, each once: what a checkpoint belongs to. */
export function phraseRecipeFiles({ start: from, training, heldBack = [], texts }: PhraseRecipe): readonly string[] {
  const files = [...training, ...heldBack].flatMap((entry) => ('folder' in entry ? [entry.folder] : [entry.pairs, entry.sourceSentences, entry.targetSentences]));
  return [...new Set([...('model' in from ? [from.model] : 'backbone' in from ? [from.backbone] : []), ...files, ...texts.map((entry) => entry.path)])].filter((file) => file !== undefined);
}
