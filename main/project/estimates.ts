/** How long will a training take here, how much memory and disk? From sizes and what is known of this machine, before anything is read. */
import { STEP_EFFICIENCY } from '../../core/training/backbone-inspection/step-cost.ts';
import { estimateMemory } from '../../core/training/transformer/memory-plan.ts';
import { transformerParameters, type TransformerShape } from '../../core/modules/transformer-shape.ts';
import type { ChosenBackbone, Preset, TrainingSettings } from '../contract/index.ts';
import { PRESET_NAMES } from '../contract/recipe-presets.ts';
import { effectiveValues, type SettingValue } from '../contract/recipe-settings.ts';
import type { ProjectFile } from './project-file.ts';
import { presetOf } from './recipe.ts';

/** A usual two-core laptop (test/bench, "training"): seconds per step of 384 + 512 texts and per unit of width; reading and vocabulary; memory. */
const SECONDS_PER_STEP_PER_WIDTH = 0.33 / 1024;
const USUAL_BATCHES = 384 + 512;
const STARTING_SECONDS = 10;
const SECONDS_PER_THOUSAND_RECORDS = 0.5;
const BASE_MEMORY_MB = 450;
const MEMORY_MB_PER_WIDTH = 0.5;
const USUAL_PIECES = 24_000;
const FLOAT_BYTES = 4;
const BYTES_PER_MB = 1e6;
/** float32 weights and two moments, two checkpoints, and the model. */
const DISK_COPIES = 8;

/** Operations per second of bare matrix products on a usual two-core laptop, where nothing was measured. */
const USUAL_RATE = 50e9;
const PASSES = 3;
const OPERATIONS_PER_MULTIPLICATION = 2;
/** Usual lengths in tokens: a question, a passage, a sentence. */
const QUESTION_TOKENS = 24;
const PASSAGE_TOKENS = 160;
const SENTENCE_TOKENS = 32;
/** Rows of the position tables of BERT's and XLM-R's kin; they weigh little. */
const POSITIONS = 514;

const SECONDS_A_MINUTE = 60;
/** Settings under which a measurement was made are the present ones when they are reckoned to take as long. */
const SAME_MINUTES = 1e-6;

export type Estimate = {
  readonly preset: Preset;
  readonly steps: number;
  readonly estimatedMinutes: number | null;
  readonly estimatedMemoryMB: number;
  readonly diskMB: number;
  readonly basis: 'trial' | 'last-run' | 'rate' | 'usual';
};

type Values = ReadonlyMap<string, SettingValue | null>;
type Texts = { readonly questions: number; readonly pairs: number; readonly sentences: number };

/** What each preset would cost with the settings as they are. What was measured here tells how much this machine differs from a usual one. */
export function estimatePresets(file: ProjectFile): readonly Estimate[] {
  const measured = file.measured?.encoder === file.settings.encoder ? file.measured : null;
  const reference = measured === null ? null : (measured.reckonedMinutes ?? reckonedMinutes(file, measured.preset));
  return PRESET_NAMES.map((preset) => {
    const { minutes, memoryMB, diskMB, steps, basis } = reckon(file, preset);
    if (measured === null || reference === null || minutes === null) return { preset, steps, estimatedMinutes: minutes, estimatedMemoryMB: memoryMB, diskMB, basis };
    const isTheSame = measured.preset === preset && Math.abs(reference - minutes) <= SAME_MINUTES * minutes;
    return { preset, steps: isTheSame ? measured.steps : steps, estimatedMinutes: (measured.minutes * minutes) / reference, estimatedMemoryMB: isTheSame ? Math.round(measured.memoryMB) : memoryMB, diskMB, basis: measured.basis };
  });
}

/** The minutes that a preset would take on a usual machine; null where nobody knows. */
export function reckonedMinutes(file: ProjectFile, preset: string): number | null {
  const known = PRESET_NAMES.find((name) => name === preset);
  return known === undefined ? null : reckon(file, known).minutes;
}

/** The threads a job takes: what the user says, else the given number. */
export function threadsOf(settings: TrainingSettings, usual: number): number {
  return settings.threads ?? usual;
}

type Reckoned = { readonly minutes: number | null; readonly memoryMB: number; readonly diskMB: number; readonly steps: number; readonly basis: 'rate' | 'usual' };

function reckon(file: ProjectFile, preset: Preset): Reckoned {
  const { encoder: kind, changed, backbone } = file.settings;
  const values = effectiveValues(kind, { preset: presetOf(file, preset), changed: changed[kind] });
  const texts = textsOf(file);
  const starting = STARTING_SECONDS + ((texts.questions + texts.pairs + texts.sentences) / 1000) * SECONDS_PER_THOUSAND_RECORDS;
  const cost = kind === 'static' ? staticCost(values) : kind === 'transformer' ? transformerCost(values, { shape: shapeFromScratch(values), texts, rate: null }) : backboneCost(values, backbone, texts);
  const minutesSaid = numberIn(values, 'budget/minutes');
  const seconds = cost.secondsPerStep;
  const steps = minutesSaid !== 0 && seconds !== null ? Math.max(1, Math.floor((minutesSaid * SECONDS_A_MINUTE) / seconds)) : numberIn(values, 'budget/steps');
  const minutes = minutesSaid !== 0 ? minutesSaid + starting / SECONDS_A_MINUTE : seconds === null ? null : (starting + steps * seconds) / SECONDS_A_MINUTE;
  return { minutes, memoryMB: Math.round(cost.memoryMB), diskMB: Math.round(cost.diskMB), steps, basis: cost.basis };
}

type Cost = { readonly secondsPerStep: number | null; readonly memoryMB: number; readonly diskMB: number; readonly basis: 'rate' | 'usual' };

function staticCost(values: Values): Cost {
  const width = numberIn(values, 'encoder/width');
  const pieces = numberIn(values, 'encoder/vocabularySize');
  const batches = (numberIn(values, 'optimizer/retrievalBatch') + numberIn(values, 'optimizer/parallelBatch')) * Math.max(1, numberIn(values, 'optimizer/accumulation'));
  return {
    secondsPerStep: (width * SECONDS_PER_STEP_PER_WIDTH * batches) / USUAL_BATCHES,
    memoryMB: BASE_MEMORY_MB + (width * MEMORY_MB_PER_WIDTH * pieces) / USUAL_PIECES,
    diskMB: (width * pieces * FLOAT_BYTES * DISK_COPIES) / 2 / BYTES_PER_MB,
    basis: 'usual',
  };
}

function backboneCost(values: Values, backbone: ChosenBackbone | null, texts: Texts): Cost {
  if (backbone === null) return { secondsPerStep: null, memoryMB: 0, diskMB: 0, basis: 'usual' };
  const { facts, cost, trimming } = backbone;
  const { layers, heads, feedForward, width } = facts;
  if (layers === null || heads === null || feedForward === null) return { secondsPerStep: null, memoryMB: cost.memoryBytes / BYTES_PER_MB, diskMB: (facts.parameters * FLOAT_BYTES * DISK_COPIES) / BYTES_PER_MB, basis: 'usual' };
  const pieces = values.get('encoder/trimVocabulary') === true ? (trimming?.pieces ?? facts.pieces) : facts.pieces;
  const shape = shapeWith({ vocabularySize: pieces, layers, heads, width, feedForwardWidth: feedForward, positions: POSITIONS });
  return transformerCost(values, { shape, texts, rate: cost.gigaflopsMeasured === null ? null : cost.gigaflopsMeasured * 1e9 });
}

function transformerCost(values: Values, { shape, texts, rate }: { readonly shape: TransformerShape | null; readonly texts: Texts; readonly rate: number | null }): Cost {
  if (shape === null) return { secondsPerStep: null, memoryMB: 0, diskMB: 0, basis: 'usual' };
  const parts = textsOfStep(values, texts);
  const frozen = Math.min(shape.layers, numberIn(values, 'encoder/freeze/lowerLayers'));
  const isThin = numberIn(values, 'encoder/lora/rank') > 0;
  // forward once in every layer; backward by inputs and by weights where something is trained (thin matrices: by inputs alone)
  const passes = shape.layers + (shape.layers - frozen) * (isThin ? 1 : PASSES - 1);
  const matrices = 4 * shape.width ** 2 + 2 * shape.width * shape.feedForwardWidth;
  const operations = parts.reduce((sum, { count, tokens }) => sum + OPERATIONS_PER_MULTIPLICATION * count * tokens * passes * (matrices + 2 * tokens * shape.width), 0);
  const accumulation = Math.max(1, numberIn(values, 'optimizer/accumulation'));
  const parameters = transformerParameters(shape);
  const sizes = new Map(parameters.map(({ name, shape: size }) => [name, size.reduce((product, length) => product * length, 1)]));
  const isFree = ({ layer }: { readonly layer: number | null }): boolean => (layer === null ? values.get('encoder/freeze/embeddings') !== true : layer >= frozen);
  const trained = new Set(isThin ? [] : parameters.filter(isFree).map(({ name }) => name));
  const longestText = Math.max(8, ...parts.map(({ tokens }) => tokens));
  const mostTokens = Math.max(longestText, ...parts.map(({ count, tokens }) => count * tokens));
  const encoders = values.get('encoder/encoders') === 'separate' ? 2 : 1;
  const memory = estimateMemory({ shape, sizes, trained, encoders, sliceTokens: Math.min(numberIn(values, 'optimizer/sliceTokens'), mostTokens), longestText });
  const bytes = encoders * [...sizes.values()].reduce((sum, size) => sum + size, 0) * FLOAT_BYTES;
  return { secondsPerStep: (accumulation * operations) / ((rate ?? USUAL_RATE) * STEP_EFFICIENCY), memoryMB: memory.bytes / BYTES_PER_MB, diskMB: (bytes * DISK_COPIES) / BYTES_PER_MB, basis: rate === null ? 'usual' : 'rate' };
}

/** Texts of one step with their usual lengths. */
function textsOfStep(values: Values, texts: Texts): readonly { readonly count: number; readonly tokens: number }[] {
  const most = numberIn(values, 'encoder/maxTokens') || numberIn(values, 'encoder/positions');
  const cut = (tokens: number): number => Math.min(most, tokens);
  const questions = texts.questions > 0 && numberIn(values, 'losses/retrieval/weight') > 0 ? numberIn(values, 'optimizer/retrievalBatch') : 0;
  const negatives = values.get('hardNegatives/source') === null ? 0 : numberIn(values, 'hardNegatives/count');
  const contrastive = numberIn(values, 'losses/semantic/weight') + numberIn(values, 'losses/language/weight');
  const pairs = texts.pairs > 0 && contrastive > 0 ? numberIn(values, 'optimizer/parallelBatch') : 0;
  const others = pairs > 0 && texts.sentences > 0 && numberIn(values, 'losses/language/weight') > 0 ? pairs : 0;
  const guessed = numberIn(values, 'losses/maskedLanguage/weight') > 0 ? numberIn(values, 'optimizer/parallelBatch') : 0;
  return [
    { count: questions, tokens: cut(QUESTION_TOKENS) },
    { count: questions * (1 + negatives), tokens: cut(PASSAGE_TOKENS) },
    { count: 2 * pairs + others + guessed, tokens: cut(SENTENCE_TOKENS) },
  ];
}

/** Null for sizes that are impossible; recipe-checks.ts says why. */
function shapeFromScratch(values: Values): TransformerShape | null {
  const [width, heads] = [numberIn(values, 'encoder/width'), numberIn(values, 'encoder/heads')];
  if (width % heads !== 0) return null;
  return shapeWith({ vocabularySize: numberIn(values, 'encoder/vocabularySize'), layers: numberIn(values, 'encoder/layers'), heads, width, feedForwardWidth: numberIn(values, 'encoder/feedForward'), positions: numberIn(values, 'encoder/positions') });
}

function shapeWith(sizes: Pick<TransformerShape, 'vocabularySize' | 'layers' | 'heads' | 'width' | 'feedForwardWidth' | 'positions'>): TransformerShape {
  return { ...sizes, positionOffset: 0, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 0 };
}

function textsOf(file: ProjectFile): Texts {
  const records = (role: string): number => file.corpora.filter((corpus) => corpus.role === role).reduce((sum, { counts }) => sum + counts.records, 0);
  return { questions: records('questions'), pairs: records('pairs'), sentences: records('texts') };
}

function numberIn(values: Values, key: string): number {
  const value = values.get(key);
  return typeof value === 'number' ? value : 0;
}
