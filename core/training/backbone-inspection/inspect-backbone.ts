/** What is in a folder that somebody brings: can it be trained here, what is missing, and what would it cost? */
import { InputError, toIsoglossError } from '../../base/errors.ts';
import type { BackboneFamily, OnnxBackbone, Pooling, Prefixes } from '../../encoding/backbone.ts';
import { openOnnxFolder } from '../../encoding/backbones/import-onnx.ts';
import { isOnnxFolder } from '../../encoding/backbones/open-backbone.ts';
import { planBackbone, type BackbonePlan } from '../../encoding/backbones/plan-backbone.ts';
import { maskedLanguageModelParameters, transformerParameters } from '../../modules/transformer-shape.ts';
import { defaultThreads } from '../../runtime/threads.ts';
import { estimateMemory, machineMemoryBytes } from '../transformer/memory-plan.ts';
import { measureProductRate } from './measure-speed.ts';
import { STEP_EFFICIENCY, stepOperations } from './step-cost.ts';
import { trimmingOf, type Trimming } from './trimming.ts';

/** How the model would be trained; what is left out is the papers' way (Hu et al. 2023): 48 questions and passages, everything trained. */
export type InspectionSetup = {
  readonly pairsPerStep?: number;
  readonly queryTokens?: number;
  readonly documentTokens?: number;
  /** 2: an encoder of its own for queries. */
  readonly encoders?: 1 | 2;
  /** The token table is not trained. */
  readonly freezesEmbeddings?: boolean;
};

export type InspectionOptions = {
  readonly setup?: InspectionSetup;
  readonly threads?: number;
  /** Memory that training may take; default: that of this machine. */
  readonly memoryBytes?: number;
  readonly signal?: AbortSignal;
  /** Operations per second of matrix products; measured when left out. */
  readonly productRate?: number;
  /** Texts that a smaller vocabulary would have to cut as before; left out, or null: it is not counted what one would save. */
  readonly texts?: () => Promise<Iterable<string> | null>;
};

export type InspectionProblem = {
  readonly code: string;
  readonly message: string;
  /** Names of files or tensors that are missing. */
  readonly missing: readonly string[];
};

/** The readable facts of a model that can be used. */
export type BackboneFacts = {
  readonly kind: 'transformer' | 'onnx';
  readonly family: BackboneFamily | null;
  readonly parameters: number;
  readonly layers: number | null;
  readonly width: number;
  readonly heads: number | null;
  readonly feedForward: number | null;
  readonly pieces: number;
  readonly maxTokens: number;
  readonly pooling: { readonly mode: Pooling['mode']; readonly dense: boolean; readonly normalise: boolean };
  readonly prefixes: Prefixes;
  /** null: the folder does not say under which licence it may be used. */
  readonly licence: string | null;
  /** Codes or names of languages as its card says them. */
  readonly languages: readonly string[];
  readonly hasMaskedLanguageHead: boolean;
};

export type BackboneCost = {
  readonly memoryBytes: number;
  readonly availableBytes: number;
  /** Seconds of 1,000 training steps; null for ONNX models, whose products are not known beforehand. */
  readonly secondsPer1000Steps: number | null;
  /** What the estimate stands on. */
  readonly pairsPerStep: number;
  readonly queryTokens: number;
  readonly documentTokens: number;
  readonly gigaflopsMeasured: number | null;
};

export type BackboneInspection =
  | { readonly status: 'usable'; readonly folder: string; readonly facts: BackboneFacts; readonly cost: BackboneCost; readonly trimming: Trimming | null; readonly advice: readonly string[] }
  /** `facts` and `cost` where they could be found all the same: a model that only does not fit has both. */
  | { readonly status: 'refused'; readonly folder: string; readonly problems: readonly InspectionProblem[]; readonly facts: BackboneFacts | null; readonly cost: BackboneCost | null };

const DEFAULTS = { pairsPerStep: 48, queryTokens: 24, documentTokens: 160, encoders: 1, freezesEmbeddings: false } as const;
const BYTES_PER_MB = 2 ** 20;
const FLOAT_BYTES = 4;
const ARRAYS_OF_TRAINED = 4;
const MUCH_VOCABULARY_SHARE = 0.5;
/** Tokens that are in the encoder at once when a batch is taken in slices. */
const SLICE_TOKENS = 2048;

/**
 * Looks at a folder from elsewhere. Everything that is wrong with a model is in the answer, not thrown.
 * @throws the signal's reason; EnvironmentError for a disk that fails.
 */
export async function inspectBackbone(folder: string, options: InspectionOptions = {}): Promise<BackboneInspection> {
  try {
    return (await isOnnxFolder(folder)) ? await inspectOnnx(folder, options) : await inspectTransformer(folder, options);
  } catch (thrown) {
    options.signal?.throwIfAborted();
    const error = toIsoglossError(thrown);
    if (!(error instanceof InputError)) throw error;
    return { status: 'refused', folder, problems: problemsOf([error]), facts: null, cost: null };
  }
}

async function inspectTransformer(folder: string, options: InspectionOptions): Promise<BackboneInspection> {
  const { plan, problems } = await planBackbone(folder);
  if (plan === null) return { status: 'refused', folder, problems: problemsOf(problems), facts: null, cost: null };
  for (const source of [...plan.sources.values(), ...plan.kept.values()]) {
    options.signal?.throwIfAborted();
    await plan.weights.scan(source);
  }
  const facts = factsOf(plan);
  const texts = (await options.texts?.()) ?? null;
  const trimming = texts === null ? null : trimmingOf(plan, texts, (shape) => memoryOf({ ...plan, shape }, options).memoryBytes);
  const known = memoryOf(plan, options);
  const fits = Math.min(known.memoryBytes, trimming?.memoryBytes ?? Infinity) <= known.availableBytes; // trimmed, it may fit after all
  if (!fits) return { status: 'refused', folder, problems: [tooLittle(known)], facts, cost: known };
  const rate = options.productRate ?? (await measureProductRate({ threads: options.threads ?? defaultThreads() }));
  const { pairsPerStep, queryTokens, documentTokens } = known;
  const operations = stepOperations(plan.shape, { texts: pairsPerStep, tokens: queryTokens }) + stepOperations(plan.shape, { texts: pairsPerStep, tokens: documentTokens });
  const cost = { ...known, secondsPer1000Steps: (1000 * operations) / (rate * STEP_EFFICIENCY), gigaflopsMeasured: rate / 1e9 };
  return { status: 'usable', folder, facts, cost, trimming, advice: [...(known.memoryBytes > known.availableBytes ? ['backbone.must-trim'] : []), ...adviceOf(facts, plan)] };
}

async function inspectOnnx(folder: string, options: InspectionOptions): Promise<BackboneInspection> {
  const backbone = await openOnnxFolder(folder);
  const facts = onnxFacts(backbone);
  const { pairsPerStep, queryTokens, documentTokens } = tokensOf(options.setup, backbone.maxTokens);
  const cost: BackboneCost = { memoryBytes: FLOAT_BYTES * ARRAYS_OF_TRAINED * facts.parameters, availableBytes: options.memoryBytes ?? machineMemoryBytes(), secondsPer1000Steps: null, pairsPerStep, queryTokens, documentTokens, gigaflopsMeasured: null };
  if (cost.memoryBytes > cost.availableBytes) return { status: 'refused', folder, problems: [tooLittle(cost)], facts, cost };
  return { status: 'usable', folder, facts, cost, trimming: null, advice: facts.licence === null ? ['backbone.unknown-licence'] : [] };
}

function problemsOf(errors: readonly InputError[]): readonly InspectionProblem[] {
  return errors.map(({ code, message, data }) => {
    const { missing } = data;
    return { code, message, missing: Array.isArray(missing) ? missing.map(String) : [] };
  });
}

function tokensOf(setup: InspectionSetup | undefined, maxTokens: number): Pick<BackboneCost, 'pairsPerStep' | 'queryTokens' | 'documentTokens'> {
  const { pairsPerStep, queryTokens, documentTokens } = { ...DEFAULTS, ...setup };
  return { pairsPerStep, queryTokens: Math.min(maxTokens, queryTokens), documentTokens: Math.min(maxTokens, documentTokens) };
}

function memoryOf({ shape, hasHead, maxTokens }: Pick<BackbonePlan, 'shape' | 'hasHead' | 'maxTokens'>, { setup, memoryBytes }: InspectionOptions): BackboneCost {
  const { encoders, freezesEmbeddings } = { ...DEFAULTS, ...setup };
  const tokens = tokensOf(setup, maxTokens);
  const all = [...transformerParameters(shape), ...(hasHead ? maskedLanguageModelParameters(shape) : [])];
  const sizes = new Map(all.map(({ name, shape: sizesOf }) => [name, sizesOf.reduce((product, size) => product * size, 1)]));
  const trained = new Set(all.filter(({ name, kind }) => !name.startsWith('mlm.') && !(freezesEmbeddings && kind === 'embedding')).map(({ name }) => name));
  const sliceTokens = Math.min(SLICE_TOKENS, tokens.pairsPerStep * tokens.documentTokens);
  const { bytes } = estimateMemory({ shape, sizes, trained, encoders, sliceTokens, longestText: tokens.documentTokens });
  return { memoryBytes: bytes, availableBytes: memoryBytes ?? machineMemoryBytes(), secondsPer1000Steps: null, ...tokens, gigaflopsMeasured: null };
}

function tooLittle({ memoryBytes, availableBytes }: BackboneCost): InspectionProblem {
  const mb = (bytes: number): string => `${Math.ceil(bytes / BYTES_PER_MB).toLocaleString('en')} MB`;
  return { code: 'backbone.too-little-memory', message: `Training this model would take about ${mb(memoryBytes)} of memory; ${mb(availableBytes)} are there. A smaller vocabulary (only the pieces that your texts use), a token table that is not trained, or a smaller model take less.`, missing: [] };
}

function adviceOf(facts: BackboneFacts, { shape }: BackbonePlan): readonly string[] {
  const isVocabularyHeavy = shape.vocabularySize * shape.width > MUCH_VOCABULARY_SHARE * facts.parameters;
  return [...(facts.licence === null ? ['backbone.unknown-licence'] : []), ...(isVocabularyHeavy ? ['backbone.trim-vocabulary'] : [])];
}

function factsOf({ family, shape, tokenizer, maxTokens, pooling, prefixes, licence, languages, hasHead }: BackbonePlan): BackboneFacts {
  const parameters = transformerParameters(shape).reduce((sum, { shape: sizes }) => sum + sizes.reduce((product, size) => product * size, 1), 0);
  return { kind: 'transformer', family, parameters, layers: shape.layers, width: shape.width, heads: shape.heads, feedForward: shape.feedForwardWidth, pieces: tokenizer.vocabularySize, maxTokens, pooling: { mode: pooling.mode, dense: pooling.dense !== null, normalise: pooling.normalise }, prefixes, licence, languages, hasMaskedLanguageHead: hasHead };
}

function onnxFacts({ parameters, width, tokenizer, maxTokens, pooling, prefixes, licence }: OnnxBackbone): BackboneFacts {
  const count = [...parameters.values()].reduce((sum, { length }) => sum + length, 0);
  return { kind: 'onnx', family: null, parameters: count, layers: null, width, heads: null, feedForward: null, pieces: tokenizer.vocabularySize, maxTokens, pooling: { mode: pooling.mode, dense: pooling.dense !== null, normalise: pooling.normalise }, prefixes, licence, languages: [], hasMaskedLanguageHead: false };
}
