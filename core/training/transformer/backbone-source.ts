/** Where do the weights come from that training starts with, and what of them is trained? A folder from elsewhere, an ONNX graph, or chance. */
import { InputError } from '../../base/errors.ts';
import type { Backbone, BackboneTokenizer, OnnxBackbone, Prefixes, TransformerBackbone } from '../../encoding/backbone.ts';
import { graphParameters, graphPooling } from '../../encoding/backbone-encoder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { planBackbone } from '../../encoding/backbones/plan-backbone.ts';
import { trimVocabulary } from '../../encoding/backbones/trim-vocabulary.ts';
import { onnxParameters } from '../../encoding/onnx-vectors.ts';
import { DENSE, longestSequence, lowRankNames, mergeLowRank, type TransformerShape } from '../../modules/index.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import { SAID_NEGATIVES } from '../corpora.ts';
import type { ReportTraining } from '../events.ts';
import { reportVocabulary, type SplitCorpora } from '../prepare.ts';
import type { BackboneRecipe, FromScratchRecipe, LoraSettings, TransformerRecipe } from '../recipe-schema.ts';
import { textsByLanguage, vocabularyTexts } from '../vocabulary.ts';
import { scratchBackbone, scratchShape, SPECIAL_PIECES } from './from-scratch.ts';
import { estimateMemory, expectMemory } from './memory-plan.ts';
import { withNewPieces } from './new-pieces.ts';
import { planGraphParameters } from './onnx-parameters.ts';
import { choicesOf, planParameters, type ParameterPlan } from './trained-parameters.ts';
import type { TransformerTrainableOptions } from './transformer-trainable.ts';

export type BackboneSource = {
  /** `pieces`: ids below it may stand in a text. */
  readonly reading: { readonly tokenizer: BackboneTokenizer; readonly prefixes: Prefixes; readonly maxTokens: number; readonly pieces: number };
  readonly model: Pick<TransformerTrainableOptions, 'shape' | 'pooling' | 'lowRank' | 'dropout' | 'onnx'>;
  readonly plan: Pick<ParameterPlan, 'trained' | 'decays' | 'guesses'>;
  /** The weights where training starts: given once, then made or read again, so that they are not held twice. */
  readonly parameters: () => Promise<ReadonlyMap<string, Float32Array>>;
  /** A backbone of weights after training: thin matrices merged, the dense map back in the pooling. */
  readonly finished: (weights: ReadonlyMap<string, Float32Array>) => Backbone;
};

type Weights = ReadonlyMap<string, Float32Array>;

/**
 * Reads the backbone that a recipe names, its vocabulary trimmed to the corpora, and extended by them, if the recipe says so.
 * @throws as `openBackbone`, `planParameters`; EnvironmentError 'memory.too-little' before a weight is read; InputError 'recipe.pooling', 'recipe.onnx'.
 */
export async function openedBackbone(recipe: BackboneRecipe, split: SplitCorpora, { signal, report }: { readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<BackboneSource> {
  const { path, pooling, maxTokens, trimVocabulary: trims, newPieces } = recipe.encoder;
  const keepsVocabulary = !trims && newPieces === undefined;
  const { plan } = await planBackbone(path);
  if (plan !== null && keepsVocabulary) expectRoom(recipe, plan.shape, { pooledLayer: Math.min(plan.shape.layers, pooling.layer ?? plan.pooling.layer), longestText: Math.min(maxTokens, plan.maxTokens) });
  const read = async (): Promise<Backbone> => {
    const backbone = await openBackbone(path);
    if (keepsVocabulary || backbone.kind === 'onnx') return backbone;
    const kept = trims ? trimVocabulary(backbone, allTexts(split)) : null;
    if (kept !== null) report({ kind: 'message', code: 'training.trimmed', message: `The backbone keeps ${kept.report.piecesAfter.toLocaleString('en')} of its ${kept.report.piecesBefore.toLocaleString('en')} pieces: ${megabytes(kept.report.bytesAfter)} instead of ${megabytes(kept.report.bytesBefore)}.` });
    const smaller = kept?.backbone ?? backbone;
    return newPieces === undefined ? smaller : withNewPieces(smaller, { ...newPieces, split, signal, report });
  };
  const backbone = await read();
  if (backbone.kind === 'onnx') return onnxSource(recipe, backbone);
  const layer = pooling.layer ?? backbone.pooling.layer;
  if (layer > backbone.shape.layers) throw new InputError('recipe.pooling', `"encoder/pooling/layer": expected at most the layers of the backbone, ${backbone.shape.layers}, found ${layer}.`);
  const longest = Math.min(maxTokens, backbone.maxTokens, longestSequence(backbone.shape));
  const changed = { ...backbone, pooling: { ...backbone.pooling, mode: pooling.mode ?? backbone.pooling.mode, layer }, maxTokens: longest };
  if (!keepsVocabulary) expectRoom(recipe, changed.shape, { pooledLayer: layer, longestText: longest });
  return transformerSource(recipe, changed, async () => {
    const again = await read();
    return again.kind === 'onnx' ? onnxParameters(again) : graphParameters(again);
  });
}

/** Learns a vocabulary and draws weights. @throws as `trainUnigram`; EnvironmentError 'memory.too-little' before a weight is made. */
export async function madeFromScratch(recipe: FromScratchRecipe, split: SplitCorpora, { signal, report }: { readonly signal: AbortSignal; readonly report: ReportTraining }): Promise<BackboneSource> {
  const vocabulary = await trainUnigram({
    texts: vocabularyTexts(textsByLanguage(split.corpora, split.pivot)),
    vocabularySize: recipe.encoder.vocabularySize - SPECIAL_PIECES + 1, // its unknown piece is one of the special ones
    signal,
    report: ({ done, total, unit }) => { report({ kind: 'progress', phase: 'vocabulary', done, total, unit, leftMs: null }); },
  });
  reportVocabulary(split.corpora, report);
  const { encoder } = recipe;
  expectRoom(recipe, scratchShape(encoder, vocabulary.pieces.length + SPECIAL_PIECES - 1), { pooledLayer: encoder.pooling.layer ?? encoder.layers, longestText: encoder.positions });
  return transformerSource(recipe, scratchBackbone({ recipe, vocabulary }), () => Promise.resolve(scratchBackbone({ recipe, vocabulary }).parameters));
}

function transformerSource(recipe: TransformerRecipe, backbone: TransformerBackbone, again: () => Promise<Weights>): BackboneSource {
  const { kind, shape, tokenizer, pooling, prefixes, maxTokens, origin } = backbone;
  const facts = { kind, shape, tokenizer, pooling, prefixes, maxTokens, origin }; // not the weights: they would be held twice
  const { lora } = recipe.encoder.kind === 'backbone' ? recipe.encoder : { lora: undefined };
  const { dropout } = recipe.encoder;
  const first = graphParameters(backbone);
  const plan = planParameters({ choices: choicesOf(recipe), shape, pooledLayer: pooling.layer, known: new Set(first.keys()) });
  const start = givenOnce(first, again);
  return {
    reading: { tokenizer, prefixes, maxTokens, pieces: Math.min(tokenizer.vocabularySize, shape.vocabularySize) },
    model: { shape, pooling: graphPooling(pooling), lowRank: lora === undefined ? null : { rank: lora.rank, alpha: lora.alpha }, dropout: dropout === 0 ? null : { hidden: dropout, attention: dropout } },
    plan,
    parameters: async () => new Map([...(await start()), ...plan.additions()]),
    finished: (weights) => {
      const { parameters, dense } = separated(mergedWeights(weights, lora));
      return { ...facts, parameters, pooling: { ...pooling, dense: pooling.dense === null ? null : { ...pooling.dense, ...dense } } };
    },
  };
}

/** A foreign graph gives the states of its last layer, has its own vocabulary and no head: what asks for another is refused. */
function onnxSource(recipe: BackboneRecipe, backbone: OnnxBackbone): BackboneSource {
  const { encoder, losses } = recipe;
  const asked = [
    ...(encoder.pooling.layer === undefined ? [] : ['encoder/pooling/layer']),
    ...(encoder.trimVocabulary ? ['encoder/trimVocabulary'] : []),
    ...(encoder.newPieces === undefined ? [] : ['encoder/newPieces']),
    ...(losses.maskedLanguage.weight + losses.maskedLanguage.pretrainingSteps > 0 ? ['losses/maskedLanguage'] : []),
  ];
  if (asked.length > 0) throw new InputError('recipe.onnx', `${encoder.path}: an ONNX graph gives the states of its last layer and has its own vocabulary, so ${asked.map((key) => `"${key}"`).join(', ')} cannot be done with it. Take ${asked.length === 1 ? 'it' : 'them'} out of the recipe, or choose the Hugging Face folder of the same model.`, { data: { path: encoder.path } });
  const { graph, output, width, sha256, licence, tokenizer, prefixes } = backbone;
  const pooling = { ...backbone.pooling, mode: encoder.pooling.mode ?? backbone.pooling.mode };
  const maxTokens = Math.min(encoder.maxTokens, backbone.maxTokens);
  const { trained, decays, lowRank, additions } = planGraphParameters(backbone, { choices: choicesOf(recipe), path: encoder.path });
  const start = givenOnce(onnxParameters(backbone), async () => {
    const again = await openBackbone(encoder.path);
    return again.kind === 'onnx' ? onnxParameters(again) : graphParameters(again);
  });
  return {
    reading: { tokenizer, prefixes, maxTokens, pieces: tokenizer.vocabularySize },
    model: { shape: shapeOfOnnx(backbone), pooling: graphPooling(pooling), lowRank: null, dropout: null, onnx: { graph, output, pooling, width, lowRank, padId: tokenizer.ids.pad } },
    plan: { trained, decays, guesses: false },
    parameters: async () => new Map([...(await start()), ...additions()]),
    finished: (weights) => {
      const { parameters, dense } = separated(mergedWeights(weights, encoder.lora));
      return { kind: 'onnx', graph, parameters, output, width, sha256, licence, tokenizer, prefixes, maxTokens, pooling: { ...pooling, dense: pooling.dense === null ? null : { ...pooling.dense, ...dense } } };
    },
  };
}

/** What the loop asks of a shape, its width and the id of padding; the rest is inside the graph. */
export function shapeOfOnnx({ width, tokenizer, maxTokens }: OnnxBackbone): TransformerShape {
  return { vocabularySize: tokenizer.vocabularySize, width, layers: 1, heads: 1, feedForwardWidth: width, positions: maxTokens, positionOffset: 0, tokenTypes: 0, activation: 'gelu', layerNormEpsilon: 1e-12, padTokenId: tokenizer.ids.pad };
}

/** What is at hand the first time, so that it is not held twice; made or read again later. */
export function givenOnce(given: Weights, again: () => Promise<Weights>): () => Promise<Weights> {
  let first: Weights | null = given;
  return () => {
    const held = first;
    first = null;
    return held === null ? again() : Promise.resolve(held);
  };
}

/** Refuses what cannot fit before a weight is read or made. */
function expectRoom(recipe: TransformerRecipe, shape: TransformerShape, { pooledLayer, longestText }: { readonly pooledLayer: number; readonly longestText: number }): void {
  const { trained, sizes } = planParameters({ choices: choicesOf(recipe), shape, pooledLayer, known: new Set() });
  expectMemory(estimateMemory({ shape, sizes, trained, encoders: recipe.encoder.encoders === 'separate' ? 2 : 1, sliceTokens: Math.min(recipe.optimizer.sliceTokens, mostTexts(recipe) * longestText), longestText }));
}

/** Texts of the largest part of a step. */
function mostTexts({ optimizer, hardNegatives }: TransformerRecipe): number {
  return Math.max((2 + (hardNegatives?.count ?? SAID_NEGATIVES)) * optimizer.retrievalBatch, 3 * optimizer.parallelBatch);
}

/** W + scale up down in the place of W and its thin matrices. */
export function mergedWeights(weights: Weights, lora: LoraSettings | undefined): Weights {
  if (lora === undefined) return weights;
  const merged = new Map<string, Float32Array>();
  for (const [name, values] of weights) {
    if (name.includes('.lowRank.')) continue;
    const names = lowRankNames(name);
    const [down, up] = [weights.get(names.down), weights.get(names.up)];
    merged.set(name, down === undefined || up === undefined ? values : mergeLowRank({ weight: values, down, up, rank: lora.rank, scale: lora.alpha / lora.rank }));
  }
  return merged;
}

/** The encoder's own parameters, and what the dense map behind it has become. */
function separated(weights: Weights): { readonly parameters: Weights; readonly dense: { readonly weight?: Float32Array; readonly bias?: Float32Array } } {
  const [weight, bias] = [weights.get(DENSE.weight), weights.get(DENSE.bias)];
  return { parameters: new Map([...weights].filter(([name]) => name !== DENSE.weight && name !== DENSE.bias)), dense: weight === undefined || bias === undefined ? {} : { weight, bias } };
}

/** Every text of the corpora, what is held back among them. */
function* allTexts({ corpora, heldOut, heldOutQuestions }: SplitCorpora): Generator<string> {
  for (const { query, passage } of corpora.retrieval) yield* [query, passage];
  for (const { pairs } of [...corpora.parallel, ...heldOut]) for (const { source, target } of pairs) yield* [source, target];
  for (const { sentences } of corpora.monolingual) yield* sentences;
  yield* heldOutQuestions?.queries ?? [];
  yield* heldOutQuestions?.documents ?? [];
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MB`;
}
