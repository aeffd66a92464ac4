/** What does the training of phrases begin with, and what becomes of it? A model of Isogloss, a backbone from elsewhere (ONNX too), or a transformer of chance. */
import { InputError } from '../../base/errors.ts';
import type { Backbone, OnnxBackbone, Pooling, TransformerBackbone } from '../../encoding/backbone.ts';
import { graphPooling, phraseReader } from '../../encoding/backbone-encoder.ts';
import { readBackboneModelFolder, writeBackboneModelFolder, type BackboneModel } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { planBackbone } from '../../encoding/backbones/plan-backbone.ts';
import { readManifest, readModelFolder, writeModelFolder } from '../../encoding/model-folder.ts';
import { PLAIN_READING, type PhraseHead, type PhraseReading } from '../../encoding/phrase-reading.ts';
import { noSuchLayer, type PhraseReader } from '../../encoding/phrase-vectors.ts';
import type { TransformerShape } from '../../modules/index.ts';
import { readTokenizer } from '../../text/tokenizer.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { ReportTraining } from '../events.ts';
import { STATIC_ADAMW } from '../static-parameters.ts';
import type { ModelFacts, WriteModel } from '../training-subject.ts';
import { givenOnce, mergedWeights, shapeOfOnnx } from '../transformer/backbone-source.ts';
import { planGraphParameters } from '../transformer/onnx-parameters.ts';
import { scratchBackbone, scratchShape, SPECIAL_PIECES } from '../transformer/from-scratch.ts';
import { estimateMemory, expectMemory } from '../transformer/memory-plan.ts';
import { planParameters, type ParameterPlan } from '../transformer/trained-parameters.ts';
import { ADAM_EPSILON } from '../transformer/transformer-subject.ts';
import { vocabularyTexts } from '../vocabulary.ts';
import type { Device } from '../../runtime/session.ts';
import { createPhraseObjective, type PhraseObjective } from './phrase-objective.ts';
import type { PhrasePairs } from './phrase-pairs.ts';
import type { PhraseRecipe } from './phrase-recipe.ts';
import type { PhraseTrainable } from './phrase-trainable.ts';
import { createStaticPhrases, STATIC_NAMES } from './static-phrases.ts';
import { createTransformerPhrases, type TransformerPhrasesOptions } from './transformer-phrases.ts';

export type PhraseSubject = AsyncDisposable & {
  readonly trainable: PhraseTrainable;
  readonly reader: PhraseReader;
  readonly learningRate: number;
  /** Facts of the model that training began with; those of none where it began with a backbone. */
  readonly facts: Omit<ModelFacts, 'training'> & { readonly training: ModelFacts['training'] };
  readonly finish: (training: ModelFacts['training']) => WriteModel;
};

export type PhraseSubjectOptions = { readonly recipe: PhraseRecipe; readonly pairs: PhrasePairs; readonly threads: number; readonly device: Device; readonly signal: AbortSignal; readonly report: ReportTraining };

/** Rates where the recipe names none: rows of a static model, a transformer of chance, one that was trained. */
const LEARNING_RATES = { static: 1e-3, scratch: 5e-4, trained: 2e-5 };

/** Opens what is trained. @throws InputError 'phrases.onnx', 'phrases.static', 'phrases.no-such-layer', 'recipe.freeze', 'recipe.onnx'; EnvironmentError 'memory.too-little'; what opening a model throws. */
export async function openPhraseSubject(options: PhraseSubjectOptions): Promise<PhraseSubject> {
  const { start } = options.recipe;
  if ('model' in start && (await startsStatic(options.recipe))) return staticSubject(options, start.model);
  return backboneSubject(options, await backboneStart(options));
}

/** Whether a static model learns the phrases. @throws as `readManifest`. */
export async function startsStatic({ start }: PhraseRecipe): Promise<boolean> {
  return 'model' in start && (await readManifest(start.model)).encoder.kind === 'static';
}

type Sizes = Pick<PhraseHead, 'width' | 'hidden' | 'out'>;

function headSizes({ head }: PhraseRecipe, width: number): Sizes | null {
  return head.placement === 'none' ? null : { width, hidden: Math.max(1, Math.round(head.hidden * width)), out: width };
}

function objectiveOf({ recipe, threads, device }: PhraseSubjectOptions, width: number, sizes: Sizes | null): PhraseObjective {
  return createPhraseObjective({ tokenWidth: width, placement: recipe.head.placement, sizes, temperature: recipe.temperature, hasMomentum: recipe.momentum !== null, threads, device });
}

function readingOf({ isLowerCased, hasMarks, sentences }: PhraseRecipe, layer: number | null): Omit<PhraseReading, 'head'> {
  return { layer, isLowerCased, hasMarks, maxTokens: sentences.maxTokens, mostSentences: sentences.evaluation };
}

async function staticSubject(options: PhraseSubjectOptions, folder: string): Promise<PhraseSubject> {
  const { recipe } = options;
  if (recipe.layer !== undefined) throw noSuchLayer(recipe.layer, null);
  const asked = insideOf(recipe);
  if (asked.length > 0) throw new InputError('phrases.static', `${folder}: a static model is one table without layers, so ${asked.map((key) => `"${key}"`).join(' and ')} cannot be done with it. Take ${asked.length === 1 ? 'it' : 'them'} out of the recipe.`, { data: { path: folder } });
  const { model } = await readModelFolder(folder);
  const { width } = model;
  const tokenizer = readTokenizer(model.tokenizer);
  const sizes = headSizes(recipe, width);
  const objective = objectiveOf({ ...options, device: 'cpu' }, width, sizes);
  const { momentum, seed, head } = recipe;
  const trainable = await createStaticPhrases({
    vocabularySize: model.weights.length, width,
    start: async () => (await readModelFolder(folder)).model,
    objective, placement: head.placement, sizes, momentum, queue: queueOf(options), optimizer: STATIC_ADAMW, seed,
  });
  const reading = readingOf(recipe, null);
  return {
    trainable,
    reader: { ...reading, tokens: tokenizer.encode, begin: NO_TOKENS, end: NO_TOKENS, maxTokens: recipe.sentences.maxTokens, mostSentences: null }, // batches and looks choose their own
    learningRate: recipe.optimizer.learningRate ?? LEARNING_RATES.static,
    facts: model,
    finish: (training) => async (into, extraFiles) => {
      const weights = trainable.weights();
      const logWeights = weights.get(STATIC_NAMES.logWeights) ?? new Float32Array(0);
      await writeModelFolder(into, { ...model, table: weights.get(STATIC_NAMES.table) ?? model.table, weights: logWeights.map((value) => Math.exp(value)), training, phrases: { ...reading, head: trainable.head } }, extraFiles);
    },
    [Symbol.asyncDispose]: async () => {
      await trainable[Symbol.asyncDispose]();
      await objective[Symbol.asyncDispose]();
    },
  };
}

const NO_TOKENS = new Uint32Array(0);

/** A queue that holds as many phrases as there are would hold every phrase's own translation as a negative: it stays below the number of pairs. */
function queueOf({ recipe, pairs, report }: PhraseSubjectOptions): number {
  const count = pairs.training.reduce((sum, set) => sum + set.pairs.length, 0);
  const most = Math.max(0, count - recipe.optimizer.batch);
  if (recipe.queue <= most) return recipe.queue;
  report({ kind: 'message', code: 'phrases.queue', message: `The queue keeps ${most} phrases of each side instead of ${recipe.queue}: with ${count} pairs a longer one would hold translations of the phrases that are asked.` });
  return most;
}

/** Keys of a recipe that need the layers of a model. */
function insideOf({ freeze, lora }: PhraseRecipe): readonly string[] {
  return [...(freeze.embeddings || freeze.lowerLayers > 0 ? ['freeze'] : []), ...(lora === undefined ? [] : ['lora'])];
}

type BackboneStart = {
  readonly backbone: Backbone;
  readonly again: () => Promise<Backbone>;
  readonly isScratch: boolean;
  readonly facts: PhraseSubject['facts'];
  readonly queryBackbone: Backbone | null;
};

async function backboneStart(options: PhraseSubjectOptions): Promise<BackboneStart> {
  const { recipe, pairs } = options;
  const { start } = recipe;
  if ('model' in start) {
    const read = async (): Promise<BackboneModel> => (await readBackboneModelFolder(start.model)).model;
    const model = await read();
    return { backbone: model.backbone, again: async () => (await read()).backbone, isScratch: false, facts: model, queryBackbone: model.queryBackbone };
  }
  const languages = [...new Set([...pairs.training, ...pairs.heldBack].flatMap(({ source, target }) => [source, target]))];
  const facts = { pivot: languages[0] ?? 'en', languages: languages.map((tag) => ({ tag, pairs: 0, sentences: 0 })), translations: [], training: {} };
  if ('transformer' in start) {
    const made = await fromScratch(options);
    return { backbone: made, again: () => fromScratch(options), isScratch: true, facts, queryBackbone: null };
  }
  const { plan } = await planBackbone(start.backbone);
  if (plan !== null) expectRoom(recipe, plan); // before a weight is read
  return { backbone: await openBackbone(start.backbone), again: () => openBackbone(start.backbone), isScratch: false, facts, queryBackbone: null };
}

/** A vocabulary of the sentences (of the training phrases: held-back ones are never read), and weights of chance. */
async function fromScratch({ recipe, pairs, signal, report }: PhraseSubjectOptions): Promise<TransformerBackbone> {
  const { start, seed, layer } = recipe;
  if (!('transformer' in start)) throw new InputError('phrases.recipe', '"start": expected a transformer from scratch.');
  const texts = new Map<string, Set<string>>();
  for (const set of pairs.training) {
    for (const { source, target } of set.pairs) {
      for (const [language, phrase] of [[set.source, source], [set.target, target]] as const) {
        const own = texts.get(language) ?? new Set();
        texts.set(language, own);
        for (const text of [phrase.phrase, ...phrase.sentences]) own.add(text);
      }
    }
  }
  const { transformer } = start;
  const vocabulary = await trainUnigram({
    texts: vocabularyTexts(new Map([...texts].map(([language, own]) => [language, [...own]]))),
    vocabularySize: transformer.vocabularySize - SPECIAL_PIECES + 1,
    signal,
    report: ({ done, total, unit }) => report({ kind: 'progress', phase: 'vocabulary', done, total, unit, leftMs: null }),
  });
  const encoder = { kind: 'transformer' as const, ...transformer, encoders: 'shared' as const, dropout: recipe.dropout, pooling: { mode: 'mean' as const, ...(layer === undefined ? {} : { layer }) } };
  expectRoom(recipe, { shape: scratchShape(encoder, vocabulary.pieces.length + SPECIAL_PIECES - 1), pooling: { layer: transformer.layers }, maxTokens: transformer.positions });
  return scratchBackbone({ recipe: { encoder, seed }, vocabulary });
}

/** Refuses what cannot fit. The momentum encoder is a copy of what is trained; nothing trains it. @throws EnvironmentError 'memory.too-little'. */
function expectRoom(recipe: PhraseRecipe, { shape, pooling, maxTokens }: Pick<TransformerBackbone, 'shape' | 'maxTokens'> & { readonly pooling: Pick<Pooling, 'layer'> }): void {
  const { optimizer, sentences, momentum } = recipe;
  const { trained, sizes } = parametersOf(recipe, shape, recipe.layer ?? pooling.layer);
  const copy = momentum === null ? [] : [...trained].map((name) => [`slow ${name}`, sizes.get(name) ?? 0] as const);
  const longestText = Math.min(maxTokens, sentences.maxTokens);
  const textsAtOnce = SIDES * optimizer.batch * Math.max(1, sentences.training);
  expectMemory(estimateMemory({ shape, sizes: new Map([...sizes, ...copy]), trained, encoders: 1, sliceTokens: Math.min(optimizer.sliceTokens, textsAtOnce * longestText), longestText }));
}

const SIDES = 2; // sources, targets

/** What of a transformer is trained whose states after `layer` are read. @throws InputError 'phrases.no-such-layer', 'recipe.freeze'. */
function parametersOf({ freeze, lora, seed }: PhraseRecipe, shape: TransformerShape, layer: number): ParameterPlan {
  if (layer > shape.layers) throw noSuchLayer(layer, shape.layers);
  return planParameters({ choices: { freeze, lora, guesses: false, seed }, shape, pooledLayer: layer, known: new Set() });
}

/** How a backbone takes part in training: what of it is learned, and what it is at the end. */
type Trained = Pick<TransformerPhrasesOptions, 'shape' | 'pooling' | 'lowRank' | 'dropout' | 'onnx' | 'trained' | 'decays'> & {
  /** Whose states; null: an ONNX graph has no layers to choose from. */
  readonly layer: number | null;
  /** Thin matrices, where training starts. */
  readonly additions: () => Weights;
  readonly finished: (weights: Weights) => Backbone;
};

type Weights = ReadonlyMap<string, Float32Array>;

function trainedTransformer(recipe: PhraseRecipe, backbone: TransformerBackbone): Trained {
  expectRoom(recipe, backbone);
  const { kind, shape, pooling, tokenizer, prefixes, maxTokens, origin } = backbone; // not the weights: they would be held twice
  const { dropout, lora } = recipe;
  const layer = recipe.layer ?? pooling.layer;
  const { trained, decays, additions } = parametersOf(recipe, shape, layer);
  return {
    shape, pooling: { layers: layer, mode: 'mean', dense: null, normalise: false }, layer, trained, decays, additions,
    lowRank: lora ?? null,
    dropout: dropout === 0 ? null : { hidden: dropout, attention: dropout },
    finished: (weights) => ({ kind, shape, tokenizer, pooling, prefixes, maxTokens, origin, parameters: mergedWeights(weights, lora) }),
  };
}

/** @throws InputError 'phrases.onnx', 'phrases.no-such-layer', 'recipe.onnx'. */
function trainedOnnx(recipe: PhraseRecipe, backbone: OnnxBackbone, from: string): Trained {
  const { parameters, ...rest } = backbone;
  const { graph, output, width, pooling, tokenizer } = rest;
  if (output === 'sentence_embedding') throw new InputError('phrases.onnx', `${from}: expected an encoder that gives the states of tokens (last_hidden_state), found one that gives a single vector for each text. Choose another file or the Hugging Face folder of the same model.`, { data: { path: from } });
  if (recipe.layer !== undefined) throw noSuchLayer(recipe.layer, null);
  const { freeze, lora, seed } = recipe;
  const plan = planGraphParameters({ graph, parameters, pooling: { ...pooling, dense: null } }, { choices: { freeze, lora, seed }, path: from }); // a dense map stands behind the tokens
  return {
    shape: shapeOfOnnx(backbone), pooling: graphPooling(pooling), lowRank: null, dropout: null, onnx: { graph, output, pooling, width, lowRank: plan.lowRank, padId: tokenizer.ids.pad },
    trained: plan.trained, decays: plan.decays, layer: null, additions: plan.additions,
    finished: (weights) => ({ ...rest, parameters: mergedWeights(weights, lora) }),
  };
}

async function backboneSubject(options: PhraseSubjectOptions, { backbone, again, isScratch, facts, queryBackbone }: BackboneStart): Promise<PhraseSubject> {
  const { recipe } = options;
  const from = 'model' in recipe.start ? recipe.start.model : 'backbone' in recipe.start ? recipe.start.backbone : '';
  const { layer, additions, finished, ...model } = backbone.kind === 'onnx' ? trainedOnnx(recipe, backbone, from) : trainedTransformer(recipe, backbone);
  const { momentum, seed, head, optimizer } = recipe;
  const { threads } = options;
  const device = backbone.kind === 'onnx' ? 'cpu' : options.device;
  const sizes = headSizes(recipe, model.shape.width);
  const objective = objectiveOf({ ...options, device }, model.shape.width, sizes);
  const weights = givenOnce(backbone.parameters, async () => (await again()).parameters);
  const trainable = await createTransformerPhrases({
    ...model,
    start: async () => new Map([...(await weights()), ...additions()]),
    objective, placement: head.placement, sizes, momentum, queue: queueOf(options), optimizer: { ...optimizer, epsilon: ADAM_EPSILON }, seed, threads, device,
  });
  const reading = readingOf(recipe, layer);
  const { tokenizer, maxTokens } = backbone;
  return {
    trainable,
    reader: phraseReader({ tokenizer, maxTokens }, { ...PLAIN_READING, ...reading, mostSentences: null }), // batches and looks choose their own
    learningRate: optimizer.learningRate ?? (isScratch ? LEARNING_RATES.scratch : LEARNING_RATES.trained),
    facts,
    finish: (training) => async (into, extraFiles) => {
      const { pivot, languages, translations } = facts;
      await writeBackboneModelFolder(into, { pivot, languages, translations, training, backbone: finished(trainable.weights()), queryBackbone, phrases: { ...reading, head: trainable.head } }, extraFiles);
    },
    [Symbol.asyncDispose]: async () => {
      await trainable[Symbol.asyncDispose]();
      await objective[Symbol.asyncDispose]();
    },
  };
}
