/** How does a recipe become a transformer in training, and that a model? A backbone from its folder or from chance, what of it is trained, its memory. */
import { InputError } from '../../base/errors.ts';
import type { TransformerBackbone } from '../../encoding/backbone.ts';
import { graphParameters, graphPooling } from '../../encoding/backbone-encoder.ts';
import { writeBackboneModelFolder } from '../../encoding/backbone-model-folder.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { planBackbone } from '../../encoding/backbones/plan-backbone.ts';
import { DENSE, longestSequence, lowRankNames, mergeLowRank, type TransformerShape } from '../../modules/index.ts';
import { chooseDevice, type DeviceWish } from '../../runtime/choose-device.ts';
import { trainUnigram } from '../../text/unigram-trainer.ts';
import type { ReportTraining } from '../events.ts';
import { createMaskedParts } from '../masked-tokens.ts';
import { readAndSplit, reportVocabulary, tokeniseCorpora, type SplitCorpora } from '../prepare.ts';
import { isFromScratch, type BackboneRecipe, type FromScratchRecipe, type TransformerRecipe } from '../recipe-schema.ts';
import type { TextRole } from '../trainable-encoder.ts';
import type { TrainingSubject } from '../training-subject.ts';
import { textsByLanguage, vocabularyTexts } from '../vocabulary.ts';
import { scratchBackbone, scratchShape, SPECIAL_PIECES } from './from-scratch.ts';
import { estimateMemory, expectMemory } from './memory-plan.ts';
import { planParameters } from './trained-parameters.ts';
import { createTransformerTrainable, type EncoderStart } from './transformer-trainable.ts';

export type TransformerSubjectOptions = {
  readonly recipe: TransformerRecipe;
  readonly threads: number;
  readonly device: DeviceWish;
  readonly signal: AbortSignal;
  readonly report: ReportTraining;
};

/** Everything of a backbone but its weights, which are given once and then made or read again, so that they are not held twice. */
type BackboneSource = {
  readonly facts: Omit<TransformerBackbone, 'parameters'>;
  readonly names: ReadonlySet<string>;
  readonly parameters: () => Promise<ReadonlyMap<string, Float32Array>>;
};

/**
 * Reads corpora and backbone, refuses what cannot fit, sets memory aside.
 * @throws as `readAndSplit`, `openBackbone`, `planParameters`, `chooseDevice`; EnvironmentError 'memory.too-little' before anything is set aside.
 */
export async function openTransformerSubject(options: TransformerSubjectOptions): Promise<TrainingSubject> {
  const { recipe, threads, signal, report } = options;
  const split = await readAndSplit({ recipe, hasStarter: false, signal, report });
  const source = isFromScratch(recipe) ? await madeFromScratch(recipe, split, { signal, report }) : await openedBackbone(recipe);
  const { shape, pooling, tokenizer, prefixes, maxTokens } = source.facts;
  const plan = planParameters({ recipe, shape, pooledLayer: pooling.layer, known: source.names });
  const isSeparate = recipe.encoder.encoders === 'separate';
  const tokens = (text: string, role: TextRole): Uint32Array => tokenizer.encode((role === 'query' ? prefixes.query : prefixes.document) + text, maxTokens);
  const ids = await tokeniseCorpora(split.corpora, tokens, signal);
  const texts = { ...split, ...ids };
  const device = await chooseDevice(options.device, { threads, signal });
  if (options.device !== 'cpu') report({ kind: 'message', code: device.code, message: device.message });
  const { lora } = recipe.encoder.kind === 'backbone' ? recipe.encoder : { lora: undefined };
  const start: EncoderStart = { trained: plan.trained, start: async () => new Map([...(await source.parameters()), ...plan.additions()]) };
  const { dropout } = recipe.encoder;
  const encoder = await createTransformerTrainable({
    shape,
    pooling: graphPooling(pooling),
    lowRank: lora === undefined ? null : { rank: lora.rank, alpha: lora.alpha },
    dropout: dropout === 0 ? null : { hidden: dropout, attention: dropout },
    encoders: { document: start, query: isSeparate ? start : null },
    tokens,
    optimizer: { ...recipe.optimizer, epsilon: ADAM_EPSILON },
    guesses: plan.guesses,
    decays: plan.decays,
    seed: recipe.seed,
    threads,
    device: device.device,
  });
  return {
    texts,
    encoder,
    device,
    maskedAt: plan.guesses ? maskedParts(recipe, { texts, facts: source.facts }) : null,
    lookBefore: async (lookAt) => {
      await lookAt(0);
    },
    finish: (facts) => {
      const finished = (role: TextRole): TransformerBackbone => finishedBackbone(source.facts, encoder.weightsOf(role), lora);
      const model = { ...facts, backbone: finished('document'), queryBackbone: isSeparate ? finished('query') : null };
      return Promise.resolve(async (folder, extraFiles) => {
        await writeBackboneModelFolder(folder, model, extraFiles);
      });
    },
    [Symbol.asyncDispose]: () => encoder[Symbol.asyncDispose](),
  };
}

/** Refuses what cannot fit before a weight is read or made. */
function expectRoom(recipe: TransformerRecipe, shape: TransformerShape, { pooledLayer, longestText }: { readonly pooledLayer: number; readonly longestText: number }): void {
  const { trained, sizes } = planParameters({ recipe, shape, pooledLayer, known: new Set() });
  expectMemory(estimateMemory({ shape, sizes, trained, encoders: recipe.encoder.encoders === 'separate' ? 2 : 1, sliceTokens: recipe.optimizer.sliceTokens, longestText }));
}

/** torch.optim.AdamW's. */
const ADAM_EPSILON = 1e-8;

async function openedBackbone(recipe: BackboneRecipe): Promise<BackboneSource> {
  const { path, pooling, maxTokens } = recipe.encoder;
  const { plan } = await planBackbone(path);
  if (plan !== null) expectRoom(recipe, plan.shape, { pooledLayer: Math.min(plan.shape.layers, pooling.layer ?? plan.pooling.layer), longestText: Math.min(maxTokens, plan.maxTokens) });
  const read = async (): Promise<TransformerBackbone> => {
    const backbone = await openBackbone(path);
    if (backbone.kind === 'onnx') throw new InputError('training.onnx-backbone', `${path}: this ONNX encoder can be looked at, but not trained yet. Choose the Hugging Face folder of the same model (config.json and model.safetensors).`, { data: { path } });
    return backbone;
  };
  const backbone = await read();
  const layer = pooling.layer ?? backbone.pooling.layer;
  if (layer > backbone.shape.layers) throw new InputError('recipe.pooling', `"encoder/pooling/layer": expected at most the layers of the backbone, ${backbone.shape.layers}, found ${layer}.`);
  const longest = Math.min(maxTokens, backbone.maxTokens, longestSequence(backbone.shape));
  return sourceOf({ ...backbone, pooling: { ...backbone.pooling, mode: pooling.mode ?? backbone.pooling.mode, layer }, maxTokens: longest }, async () => graphParameters(await read()));
}

async function madeFromScratch(recipe: FromScratchRecipe, split: SplitCorpora, { signal, report }: Pick<TransformerSubjectOptions, 'signal' | 'report'>): Promise<BackboneSource> {
  const vocabulary = await trainUnigram({
    texts: vocabularyTexts(textsByLanguage(split.corpora, split.pivot)),
    vocabularySize: recipe.encoder.vocabularySize - SPECIAL_PIECES + 1, // its unknown piece is one of the special ones
    signal,
    report: ({ done, total, unit }) => { report({ kind: 'progress', phase: 'vocabulary', done, total, unit, leftMs: null }); },
  });
  reportVocabulary(split.corpora, report);
  const { encoder } = recipe;
  expectRoom(recipe, scratchShape(encoder, vocabulary.pieces.length + SPECIAL_PIECES - 1), { pooledLayer: encoder.pooling.layer ?? encoder.layers, longestText: encoder.positions });
  const backbone = scratchBackbone({ recipe, vocabulary });
  return sourceOf(backbone, () => Promise.resolve(scratchBackbone({ recipe, vocabulary }).parameters));
}

function sourceOf(backbone: TransformerBackbone, again: () => Promise<ReadonlyMap<string, Float32Array>>): BackboneSource {
  const { kind, shape, tokenizer, pooling, prefixes, maxTokens, origin } = backbone;
  const facts = { kind, shape, tokenizer, pooling, prefixes, maxTokens, origin };
  let first: ReadonlyMap<string, Float32Array> | null = graphParameters(backbone);
  return {
    facts,
    names: new Set(first.keys()),
    parameters: () => {
      const given = first;
      first = null;
      return given === null ? again() : Promise.resolve(given);
    },
  };
}

function maskedParts(recipe: TransformerRecipe, { texts, facts: { tokenizer, shape } }: { readonly texts: Parameters<typeof createMaskedParts>[0]['texts']; readonly facts: BackboneSource['facts'] }): ReturnType<typeof createMaskedParts> {
  const { cls, sep, pad, unknown, mask } = tokenizer.ids;
  if (mask === null) throw new InputError('recipe.no-mask', '"losses/maskedLanguage": expected a backbone whose tokenizer has a mask, found one without. Take this loss out of the recipe.');
  const { weight, probability } = recipe.losses.maskedLanguage;
  return createMaskedParts({
    texts,
    batchSize: recipe.optimizer.parallelBatch,
    seed: recipe.seed,
    weight: weight > 0 ? weight : 1, // steps of nothing but guessing
    masking: { probability, mask, vocabularySize: Math.min(tokenizer.vocabularySize, shape.vocabularySize), special: new Set([cls, sep, pad, unknown, mask]) },
  });
}

/** Thin matrices merged into their weights, the dense map back in the pooling. */
function finishedBackbone(facts: BackboneSource['facts'], weights: ReadonlyMap<string, Float32Array>, lora: ParameterLora): TransformerBackbone {
  const parameters = new Map<string, Float32Array>();
  for (const [name, values] of weights) {
    if (name === DENSE.weight || name === DENSE.bias || name.includes('.lowRank.')) continue;
    const names = lowRankNames(name);
    const [down, up] = [weights.get(names.down), weights.get(names.up)];
    parameters.set(name, lora === undefined || down === undefined || up === undefined ? values : mergeLowRank({ weight: values, down, up, rank: lora.rank, scale: lora.alpha / lora.rank }));
  }
  const { dense } = facts.pooling;
  const trainedDense = dense === null ? null : { ...dense, weight: weights.get(DENSE.weight) ?? dense.weight, bias: weights.get(DENSE.bias) ?? dense.bias };
  return { ...facts, parameters, pooling: { ...facts.pooling, dense: trainedDense } };
}

type ParameterLora = BackboneRecipe['encoder']['lora'];

