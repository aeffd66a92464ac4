/** What would an experiment take, row by row, without running it: memory, time, and what has to be brought? */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../core/base/errors.ts';
import { recipeOf, type Experiment, type ExperimentRow } from '../../core/evaluation/experiments/experiment-file.ts';
import { tasksOfRow, type RowOf } from '../../core/evaluation/experiments/rows.ts';
import { transformerParameters, type TransformerShape } from '../../core/modules/transformer-shape.ts';
import { clweSettingsSchema, languagesOf } from '../../core/evaluation/baselines/clwe.ts';
import { clweCost } from '../../core/evaluation/baselines/plan-clwe.ts';
import { parseSettings } from '../../core/evaluation/baselines/settings.ts';
import { stepOperations } from '../../core/training/backbone-inspection/step-cost.ts';
import { parsePhraseRecipe } from '../../core/training/phrases/phrase-recipe.ts';
import { isFromScratch, isStatic, recipeSchemaFor, type Recipe, type TransformerRecipe } from '../../core/training/recipe-schema.ts';
import { estimateMemory } from '../../core/training/transformer/memory-plan.ts';
import { knownShape } from './known-backbones.ts';
import { findNeeds, type Needs } from './needs.ts';
import { rowNamed } from './system.ts';
import { rootBefore, unitsOf } from './units.ts';

/** null: nothing is trained or known of it beforehand. */
export type RowPlan = {
  readonly row: string;
  readonly label: string;
  readonly parameters: number | null;
  readonly memoryBytes: number | null;
  readonly steps: number | null;
  /** How often it is trained: once a seed, and once for each variant. */
  readonly trainings: number;
  /** Floating-point operations of all trainings; of encoding the documents of its tasks, where their number is said. */
  readonly trainingOperations: number;
  readonly encodingOperations: number;
  readonly hours: number;
  readonly graphicsCardHours: number;
};

export type ExperimentPlan = Needs & { readonly experiment: string; readonly rows: readonly RowPlan[]; readonly hours: number; readonly graphicsCardHours: number; readonly memoryBytes: number; readonly operationsPerSecond: number };

/** Tokens of texts that nobody has counted: questions, passages of 100 words, sentences of Wikipedia. */
const TOKENS = { query: 16, passage: 140, sentence: 36 };
/** Of the rate of bare products that training reaches (core/training/backbone-inspection). */
const EFFICIENCY = 0.45;
/** A graphics card of the papers' time in half precision, as training uses it: a third of a V100's 112 TFLOP/s. */
const GRAPHICS_CARD_RATE = 37e12;
/** Static encoders: numbers of token vectors a second and core, and seconds before the first step (default-retriever.md; checked 2026-11-20: 25 CPU-seconds, as planned). */
const STATIC_NUMBERS_PER_SECOND = 2e8;
const STATIC_PREPARATION_SECONDS = 20;
const STATIC_BYTES_PER_NUMBER = 16;
const BASE_BYTES = 600 * 2 ** 20;
/** A passage of 100 words and its terms, in memory. */
const INDEXED_BYTES = 2000;
const FORWARD_SHARE = 1 / 3; // of a training step
const SECONDS_PER_HOUR = 3600;
const FLOAT_BYTES = 4;

/** @param operationsPerSecond of bare matrix products on this machine (measureProductRate). @throws InputError for a recipe that is invalid whatever files there are. */
export async function planExperiment(experiment: Experiment, { operationsPerSecond }: { readonly operationsPerSecond: number }): Promise<ExperimentPlan> {
  const needs = await findNeeds(experiment);
  const rows: RowPlan[] = [];
  for (const row of experiment.rows) if (row.kind !== 'reported') rows.push(await planRow(experiment, row, operationsPerSecond));
  const sum = (value: (row: RowPlan) => number): number => rows.reduce((total, row) => total + value(row), 0);
  return { experiment: experiment.name, ...needs, rows, hours: sum(({ hours }) => hours), graphicsCardHours: sum((row) => row.graphicsCardHours), memoryBytes: Math.max(0, ...rows.map(({ memoryBytes }) => memoryBytes ?? 0)), operationsPerSecond };
}

async function planRow(experiment: Experiment, row: ExperimentRow, operationsPerSecond: number): Promise<RowPlan> {
  const label = row.label ?? row.name;
  const seeds = unitsOf(experiment).filter(({ rows }) => rows.includes(row)).length;
  const shape = await shapeOf(experiment, row);
  const documents = documentsOf(experiment, row, (a, b) => a + b);
  const encodingOperations = shape === null ? 0 : FORWARD_SHARE * seeds * documents * stepOperations(shape, { texts: 1, tokens: TOKENS.passage });
  const inTime = (operations: number) => ({ hours: operations / (operationsPerSecond * EFFICIENCY) / SECONDS_PER_HOUR, graphicsCardHours: operations / GRAPHICS_CARD_RATE / SECONDS_PER_HOUR });
  if (row.kind === 'phrases') return { row: row.name, label, encodingOperations, ...planPhrases(experiment, row, { shape, seeds, inTime: (operations) => inTime(operations + encodingOperations) }) };
  if (row.kind === 'clwe') {
    const settings = parseSettings(clweSettingsSchema, row.settings, `row "${row.name}": settings`);
    const { memoryBytes, operations } = clweCost(settings, languagesOf(settings).length);
    return { row: row.name, label, parameters: null, memoryBytes: BASE_BYTES + memoryBytes, steps: null, trainings: 0, trainingOperations: 0, encodingOperations: 0, ...inTime(seeds * operations) };
  }
  if (row.kind !== 'recipe') return { row: row.name, label, parameters: shape === null ? null : countOf(shape), memoryBytes: shape === null ? (row.kind === 'bm25' ? BASE_BYTES + INDEXED_BYTES * documentsOf(experiment, row, Math.max) : null) : BASE_BYTES + FLOAT_BYTES * countOf(shape), steps: null, trainings: 0, trainingOperations: 0, encodingOperations, ...inTime(encodingOperations) };
  const recipe = recipeFor(experiment, row);
  const trainings = seeds + (row.variants === undefined ? 0 : row.variants.length - 1);
  const steps = 'steps' in recipe.budget ? recipe.budget.steps : null;
  if (isStatic(recipe)) {
    const numbers = recipe.encoder.width * recipe.encoder.vocabularySize;
    const seconds = trainings * (STATIC_PREPARATION_SECONDS + ((steps ?? 0) * tokensOfStep(recipe) * recipe.encoder.width) / STATIC_NUMBERS_PER_SECOND);
    return { row: row.name, label, parameters: numbers, memoryBytes: BASE_BYTES + STATIC_BYTES_PER_NUMBER * numbers, steps, trainings, trainingOperations: 0, encodingOperations: 0, hours: seconds / SECONDS_PER_HOUR, graphicsCardHours: seconds / SECONDS_PER_HOUR };
  }
  if (shape === null) throw new InputError('experiment.unknown-backbone', `"${row.name}": expected a backbone that is there, or one that "needs" says the family of, found neither.`);
  const trainingOperations = trainings * (steps ?? 0) * operationsOfStep(recipe, shape);
  return { row: row.name, label, parameters: countOf(shape), memoryBytes: memoryOf(recipe, shape), steps, trainings, trainingOperations, encodingOperations, ...inTime(trainingOperations + encodingOperations) };
}

/** A step reads its sentences forward with both encoders, once more on the way back; texts of unknown length count as sentences of Wikipedia. */
function planPhrases(experiment: Experiment, row: RowOf<'phrases'>, { shape, seeds, inTime }: { readonly shape: TransformerShape | null; readonly seeds: number; readonly inTime: (operations: number) => { readonly hours: number; readonly graphicsCardHours: number } }): Omit<RowPlan, 'row' | 'label' | 'encodingOperations'> {
  const { seeds: [seed = 0] } = experiment;
  const recipe = parsePhraseRecipe({ ...row.settings, start: { model: row.of ?? row.backbone ?? '' }, seed }, { file: `row "${row.name}"`, folder: '' });
  const steps = 'steps' in recipe.budget ? recipe.budget.steps : null;
  if (shape === null) {
    const seconds = seeds * STATIC_PREPARATION_SECONDS;
    const numbers = staticNumbersBehind(experiment, row);
    return { parameters: numbers, memoryBytes: BASE_BYTES + STATIC_BYTES_PER_NUMBER * numbers, steps, trainings: seeds, trainingOperations: 0, hours: seconds / SECONDS_PER_HOUR, graphicsCardHours: seconds / SECONDS_PER_HOUR };
  }
  const { optimizer, sentences, momentum } = recipe;
  const tokens = Math.min(TOKENS.sentence, sentences.maxTokens);
  const passes = 1 + FORWARD_SHARE * (momentum === null ? 1 : 2); // gradients are made slice by slice, after a pass that only looks
  const ofStep = passes * stepOperations(shape, { texts: 2 * optimizer.batch * optimizer.accumulation * Math.max(1, sentences.training), tokens });
  const trainingOperations = seeds * (steps ?? 0) * ofStep;
  const copy = momentum === null ? 0 : FLOAT_BYTES * countOf(shape);
  const sizes = new Map(transformerParameters(shape).map(({ name, shape: of }) => [name, of.reduce((product, size) => product * size, 1)]));
  const memoryBytes = copy + estimateMemory({ shape, sizes, trained: new Set(sizes.keys()), encoders: 1, sliceTokens: optimizer.sliceTokens, longestText: sentences.maxTokens }).bytes;
  return { parameters: countOf(shape), memoryBytes, steps, trainings: seeds, trainingOperations, ...inTime(trainingOperations) };
}

/** The numbers of the static table that a row begins from. */
function staticNumbersBehind(experiment: Experiment, row: RowOf<'phrases'>): number {
  const before = rootBefore(experiment, row);
  const recipe = before?.kind === 'recipe' ? recipeFor(experiment, before) : null;
  return recipe !== null && isStatic(recipe) ? recipe.encoder.width * recipe.encoder.vocabularySize : 0;
}

/** The recipe of a row with its defaults; files are not looked for. */
function recipeFor(experiment: Experiment, row: RowOf<'recipe'>): Recipe {
  const written = recipeOf(experiment, { row, seed: experiment.seeds[0] ?? 0, ...(row.variants === undefined ? {} : { variant: 0 }) });
  const { encoder } = written;
  const value = row.startFrom === undefined ? written : { ...written, encoder: { ...(typeof encoder === 'object' && encoder !== null && 'encoders' in encoder ? { encoders: encoder.encoders } : {}), kind: 'backbone', path: row.startFrom } };
  const parsed = recipeSchemaFor(value).safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InputError('experiment.invalid-recipe', `"${row.name}": ${parsed.error.issues.map(({ path, message }) => `"${path.map(String).join('/')}": ${message}`).join('; ')}`);
}

/** The transformer that a row trains or uses; null for one that is none. */
async function shapeOf(experiment: Experiment, row: ExperimentRow): Promise<TransformerShape | null> {
  if (row.kind === 'recipe') {
    const before = rootBefore(experiment, row);
    if (before !== null) return shapeOf(experiment, before);
    const recipe = recipeFor(experiment, row);
    if (isStatic(recipe)) return null;
    if (!isFromScratch(recipe)) return shapeInFolder(experiment, recipe.encoder.path);
    const { vocabularySize, width, layers, heads, feedForward, positions } = recipe.encoder;
    return { vocabularySize, width, layers, heads, feedForwardWidth: feedForward, positions, positionOffset: 0, tokenTypes: 0, activation: 'gelu', layerNormEpsilon: 1e-12, padTokenId: 0 };
  }
  if (row.kind === 'backbone') return shapeInFolder(experiment, row.path);
  if (row.kind === 'clse' && typeof row.settings['backbone'] === 'string') return shapeInFolder(experiment, row.settings['backbone']);
  if (row.kind === 'phrases' && row.backbone !== undefined) return shapeInFolder(experiment, row.backbone);
  return 'of' in row && row.of !== undefined ? shapeOf(experiment, rowNamed(experiment, row.of)) : null;
}

const configSchema = z.object({ vocab_size: z.int(), hidden_size: z.int(), num_hidden_layers: z.int(), num_attention_heads: z.int(), intermediate_size: z.int() });

async function shapeInFolder({ needs }: Experiment, folder: string): Promise<TransformerShape | null> {
  const text = await readFile(join(folder, 'config.json'), 'utf8').catch(() => null); // not there: the family is known all the same
  const family = needs.find(({ path }) => path === folder)?.backbone;
  const known = family === undefined ? null : knownShape(family);
  const found = text === null ? null : configSchema.safeParse(JSON.parse(text));
  if (found?.success !== true) return known;
  const { vocab_size, hidden_size, num_hidden_layers, num_attention_heads, intermediate_size } = found.data;
  return { ...(known ?? knownShape('xlm-r-base')), vocabularySize: vocab_size, width: hidden_size, layers: num_hidden_layers, heads: num_attention_heads, feedForwardWidth: intermediate_size };
}

function documentsOf({ tasks }: Experiment, row: ExperimentRow, together: (a: number, b: number) => number): number {
  return tasks.filter(({ kind }) => tasksOfRow[row.kind].includes(kind)).reduce((sum, task) => together(sum, 'documents' in task ? (task.documents ?? 0) : 0), 0);
}

type StepTexts = readonly { readonly texts: number; readonly tokens: number }[];

/** The texts of a step, by loss, in all its batches; hidden tokens have one batch a step. */
function textsOfStep(recipe: Recipe): StepTexts {
  const { losses, optimizer, retrieval, parallel, monolingual, hardNegatives } = recipe;
  const { parallelBatch: masked, accumulation = 1 } = optimizer;
  const [retrievalBatch, parallelBatch, contextBatch] = [accumulation * optimizer.retrievalBatch, accumulation * optimizer.parallelBatch, accumulation * losses.contextPrediction.batch];
  const longest = isStatic(recipe) ? recipe.optimizer.passageTokens : isFromScratch(recipe) ? recipe.encoder.positions : recipe.encoder.maxTokens;
  const tokens = (count: number): number => Math.min(count, longest);
  const asks = losses.retrieval.weight > 0 && retrieval !== undefined;
  const guesses = !isStatic(recipe) && recipe.losses.maskedLanguage.weight + recipe.losses.maskedLanguage.pretrainingSteps > 0;
  return [
    ...(asks ? [{ texts: retrievalBatch, tokens: tokens(TOKENS.query) }, { texts: retrievalBatch * (1 + (hardNegatives?.count ?? 0)), tokens: tokens(TOKENS.passage) }] : []),
    ...(losses.semantic.weight > 0 && parallel.length > 0 ? [{ texts: 2 * parallelBatch, tokens: tokens(TOKENS.sentence) }] : []),
    ...(losses.language.weight > 0 && parallel.length > 0 ? [{ texts: (monolingual.length > 0 ? 2.5 : 2) * parallelBatch, tokens: tokens(TOKENS.sentence) }] : []),
    ...(guesses ? [{ texts: masked, tokens: tokens(TOKENS.sentence) }] : []),
    ...(recipe.distillation === undefined ? [] : [{ texts: (2 + FORWARD_SHARE) * parallelBatch, tokens: tokens(TOKENS.sentence) }]), // the teacher goes forward alone
    ...(losses.contextPrediction.weight + losses.contextPrediction.pretrainingSteps > 0 ? [{ texts: 2 * contextBatch, tokens: tokens(TOKENS.sentence) }] : []),
  ];
}

function tokensOfStep(recipe: Recipe): number {
  return textsOfStep(recipe).reduce((sum, { texts, tokens }) => sum + texts * tokens, 0);
}

function operationsOfStep(recipe: TransformerRecipe, shape: TransformerShape): number {
  return textsOfStep(recipe).reduce((sum, part) => sum + stepOperations(shape, part), 0);
}

function memoryOf(recipe: TransformerRecipe, shape: TransformerShape): number {
  const all = transformerParameters(shape);
  const freezes = !isFromScratch(recipe) && recipe.encoder.freeze.embeddings;
  const lowest = isFromScratch(recipe) ? 0 : recipe.encoder.freeze.lowerLayers;
  const sizes = new Map(all.map(({ name, shape: of }) => [name, of.reduce((product, size) => product * size, 1)]));
  const trained = new Set(all.filter(({ kind, layer }) => !(freezes && kind === 'embedding') && !(layer !== null && layer < lowest)).map(({ name }) => name));
  const longestText = Math.min(TOKENS.passage, isFromScratch(recipe) ? recipe.encoder.positions : recipe.encoder.maxTokens);
  return estimateMemory({ shape, sizes, trained, encoders: recipe.encoder.encoders === 'separate' ? 2 : 1, sliceTokens: recipe.optimizer.sliceTokens, longestText }).bytes;
}

function countOf(shape: TransformerShape): number {
  return transformerParameters(shape).reduce((sum, { shape: of }) => sum + of.reduce((product, size) => product * size, 1), 0);
}
