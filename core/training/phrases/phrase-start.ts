/** What does the training of phrases begin with, and what becomes of it? A model of Isogloss, a backbone from elsewhere, or a transformer of chance. */
import { InputError } from '../../base/errors.ts';
import type { TransformerBackbone } from '../../encoding/backbone.ts';
import { phraseReader } from '../../encoding/backbone-encoder.ts';
import { readBackboneModelFolder, writeBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { readManifest, readModelFolder, writeModelFolder } from '../../encoding/model-folder.ts';
import { PLAIN_READING, type PhraseHead, type PhraseReading } from '../../encoding/phrase-reading.ts';
import type { PhraseReader } from '../../encoding/phrase-vectors.ts';
import { transformerParameters } from '../../modules/index.ts';
import { readTokenizer } from '../../text/tokenizer.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { ReportTraining } from '../events.ts';
import { STATIC_ADAMW } from '../static-parameters.ts';
import type { WriteModel } from '../training-subject.ts';
import { scratchBackbone, SPECIAL_PIECES } from '../transformer/from-scratch.ts';
import { ADAM_EPSILON } from '../transformer/transformer-subject.ts';
import { vocabularyTexts } from '../vocabulary.ts';
import type { ModelFacts } from '../training-subject.ts';
import type { Device } from '../../runtime/session.ts';
import { createPhraseObjective, type PhraseObjective } from './phrase-objective.ts';
import type { PhrasePairs } from './phrase-pairs.ts';
import type { PhraseRecipe } from './phrase-recipe.ts';
import type { PhraseTrainable } from './phrase-trainable.ts';
import { createStaticPhrases, STATIC_NAMES } from './static-phrases.ts';
import { createTransformerPhrases } from './transformer-phrases.ts';

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

/** Opens what is trained. @throws InputError 'phrases.onnx', 'phrases.no-such-layer', 'phrases.nothing-to-train'; what opening a model throws. */
export async function openPhraseSubject(options: PhraseSubjectOptions): Promise<PhraseSubject> {
  const { start } = options.recipe;
  if ('model' in start && (await readManifest(start.model)).encoder.kind === 'static') return staticSubject(options, start.model);
  return transformerSubject(options, await transformerStart(options));
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
  if (recipe.layer !== undefined) throw new InputError('phrases.no-such-layer', `"layer": expected no layer (this model has none to choose from), found ${recipe.layer}. Leave it out.`);
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

type TransformerStart = {
  readonly backbone: TransformerBackbone;
  readonly again: () => Promise<TransformerBackbone>;
  readonly isScratch: boolean;
  readonly facts: PhraseSubject['facts'];
  readonly queryBackbone: Awaited<ReturnType<typeof readBackboneModelFolder>>['model']['queryBackbone'];
};

async function transformerStart(options: PhraseSubjectOptions): Promise<TransformerStart> {
  const { recipe, pairs } = options;
  const { start } = recipe;
  const languages = [...new Set([...pairs.training, ...pairs.heldBack].flatMap(({ source, target }) => [source, target]))];
  const facts = { pivot: languages[0] ?? 'en', languages: languages.map((tag) => ({ tag, pairs: 0, sentences: 0 })), translations: [], training: {} };
  if ('transformer' in start) {
    const made = await fromScratch(options);
    return { backbone: made, again: () => Promise.resolve(fromScratch(options)), isScratch: true, facts, queryBackbone: null };
  }
  if ('model' in start) {
    const read = async (): Promise<TransformerBackbone> => expectTransformer((await readBackboneModelFolder(start.model)).model.backbone, start.model);
    const { model } = await readBackboneModelFolder(start.model);
    return { backbone: expectTransformer(model.backbone, start.model), again: read, isScratch: false, facts: model, queryBackbone: model.queryBackbone };
  }
  const open = async (): Promise<TransformerBackbone> => expectTransformer(await openBackbone(start.backbone), start.backbone);
  return { backbone: await open(), again: open, isScratch: false, facts, queryBackbone: null };
}

function expectTransformer(backbone: Awaited<ReturnType<typeof openBackbone>>, folder: string): TransformerBackbone {
  if (backbone.kind === 'transformer') return backbone;
  throw new InputError('phrases.onnx', `${folder}: expected a transformer or a static model, found an ONNX graph, whose layers cannot be trained on phrases. Choose the Hugging Face folder of the same model.`, { data: { path: folder } });
}

/** A vocabulary of the sentences (of the training phrases: held-back ones are never read), and weights of chance. */
async function fromScratch({ recipe, pairs, signal, report }: PhraseSubjectOptions): Promise<TransformerBackbone> {
  const { start, seed, layer } = recipe;
  if (!('transformer' in start)) throw new InputError('phrases.recipe', '"start": expected a transformer from scratch.');
  const texts = new Map<string, string[]>();
  for (const set of pairs.training) {
    for (const { source, target } of set.pairs) {
      for (const [language, phrase] of [[set.source, source], [set.target, target]] as const) texts.set(language, [...(texts.get(language) ?? []), phrase.phrase, ...phrase.sentences]);
    }
  }
  const { transformer } = start;
  const vocabulary = await trainUnigram({
    texts: vocabularyTexts(new Map([...texts].map(([language, list]) => [language, [...new Set(list)]]))),
    vocabularySize: transformer.vocabularySize - SPECIAL_PIECES + 1,
    signal,
    report: ({ done, total, unit }) => report({ kind: 'progress', phase: 'vocabulary', done, total, unit, leftMs: null }),
  });
  return scratchBackbone({ recipe: { encoder: { kind: 'transformer', ...transformer, encoders: 'shared', dropout: recipe.dropout, pooling: { mode: 'mean', ...(layer === undefined ? {} : { layer }) } }, seed }, vocabulary });
}

async function transformerSubject(options: PhraseSubjectOptions, { backbone, again, isScratch, facts, queryBackbone }: TransformerStart): Promise<PhraseSubject> {
  const { recipe, threads, device } = options;
  const { shape, pooling, tokenizer, maxTokens } = backbone;
  const layer = recipe.layer ?? pooling.layer;
  if (layer > shape.layers) throw new InputError('phrases.no-such-layer', `"layer": expected at most the layers of the model, ${shape.layers}, found ${layer}.`);
  const { freeze, momentum, seed, head, dropout, optimizer } = recipe;
  const known = transformerParameters(shape);
  const trained = new Set(known.filter((parameter) => (parameter.layer === null ? !freeze.embeddings : parameter.layer >= freeze.lowerLayers && parameter.layer < layer)).map(({ name }) => name));
  const sizes = headSizes(recipe, shape.width);
  if (trained.size === 0) throw new InputError('phrases.nothing-to-train', `The recipe freezes everything below layer ${layer}: there is nothing left to train. Freeze fewer layers, or leave the embeddings free.`);
  const decaying = new Set(known.filter(({ kind }) => kind === 'weight' || kind === 'embedding').map(({ name }) => name));
  const objective = objectiveOf(options, shape.width, sizes);
  let first: ReadonlyMap<string, Float32Array> | null = backbone.parameters;
  const trainable = await createTransformerPhrases({
    shape, pooling: { layers: layer, mode: 'mean', dense: null, normalise: false },
    start: async () => {
      const held = first;
      first = null; // so that the weights are not held twice
      return held ?? (await again()).parameters;
    },
    trained, decays: (name) => decaying.has(name), dropout: dropout === 0 ? null : { hidden: dropout, attention: dropout },
    objective, placement: head.placement, sizes, momentum, queue: queueOf(options), optimizer: { ...optimizer, epsilon: ADAM_EPSILON }, seed, threads, device,
  });
  const reading = readingOf(recipe, layer);
  const { kind, prefixes, origin } = backbone;
  return {
    trainable,
    reader: phraseReader({ tokenizer, maxTokens }, { ...PLAIN_READING, ...reading, mostSentences: null }), // batches and looks choose their own
    learningRate: optimizer.learningRate ?? (isScratch ? LEARNING_RATES.scratch : LEARNING_RATES.trained),
    facts,
    finish: (training) => async (into, extraFiles) => {
      const { pivot, languages, translations } = facts;
      await writeBackboneModelFolder(into, { pivot, languages, translations, training, backbone: { kind, shape, tokenizer, pooling, prefixes, maxTokens, origin, parameters: trainable.weights() }, queryBackbone, phrases: { ...reading, head: trainable.head } }, extraFiles);
    },
    [Symbol.asyncDispose]: async () => {
      await trainable[Symbol.asyncDispose]();
      await objective[Symbol.asyncDispose]();
    },
  };
}
