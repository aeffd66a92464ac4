/** Which keys has a recipe, and what do they mean when they are left out? One schema for each kind of encoder. */
import { z } from 'zod';
import { languageTag, monolingualSource, parallelSource, retrievalSource } from './corpus-sources.ts';

const path = z.string().min(1, 'a path');
const weight = z.number().min(0).max(1000);
const temperature = z.number().positive().max(100);
const fraction = z.number().min(0).max(1);

const WIDTHS = { least: 16, most: 2048, default: 1024 };
const VOCABULARY = { least: 500, most: 200_000, default: 24_000 };
const BATCH = { least: 2, most: 8192 };
const TOKENS = { least: 8, most: 4096 };
const MOST_STEPS = 10_000_000;
const MOST_MINUTES = 10_000;

const batchSize = z.int().min(BATCH.least).max(BATCH.most);
const accumulation = z.int().min(1).max(1024);
const schedule = z.enum(['linear', 'cosine']);

/** `questions`: MRR@100 of held-back questions; `pairs`: mean accuracy of finding held-back translations. `patience`: looks without a gain. */
const earlyStopping = z.strictObject({ metric: z.enum(['pairs', 'questions']), patience: z.int().min(1).max(1000).default(4) });

/** `count` a question and step; with "model" they are found anew every `refreshEvery` steps. */
const hardNegatives = z.strictObject({ source: z.enum(['bm25', 'model']), count: z.int().min(1).max(16).default(1), refreshEvery: z.int().min(1).max(MOST_STEPS).default(500) });

/** Multilingual distillation: `teacher` is a model folder, a backbone, or "starter" (the shipped English one), `language` the one it knows (left out: the pivot). */
const distillation = z.strictObject({ teacher: path, weight: z.number().positive().max(1000).default(1), language: languageTag.optional() });

const corpora = {
  retrieval: z.array(retrievalSource).min(1).optional(),
  parallel: z.array(parallelSource).default([]),
  monolingual: z.array(monolingualSource).default([]),
  /** At most so many sentences without a translation of each language (Hu et al. 2023, section 5.4.1). */
  sentencesPerLanguage: z.int().min(1).max(100_000_000).optional(),
  /** The languages that pairs connect, two and two (Hu et al. 2023, section 5.3.2); those that no corpus pairs are joined over a third. Left out: as the corpora are. */
  connections: z.array(z.tuple([languageTag, languageTag])).min(1).optional(),
  hardNegatives: hardNegatives.optional(),
  earlyStopping: earlyStopping.optional(),
  distillation: distillation.optional(),
  seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(1),
};

const budget = z.union([z.strictObject({ minutes: z.number().positive().max(MOST_MINUTES) }), z.strictObject({ steps: z.int().min(1).max(MOST_STEPS) })], { error: 'either {"minutes": NUMBER} or {"steps": NUMBER}' });
const pairsPerLanguage = z.int().min(1).max(100_000_000);

const loss = (defaults: { weight: number; temperature: number }) =>
  z.strictObject({ weight: weight.default(defaults.weight), temperature: temperature.default(defaults.temperature) }).prefault({});

/**
 * Contrastive context prediction (Wu et al. 2022): a sentence picks a neighbour from its own document. Off where the weight is 0.
 * Batch and bank: section 4; temperature and normalisation: the best cell of Table 5; window: Table 6, best row. The width of the projection
 * is SimCLR's, which the paper follows without naming a width.
 */
const contextPrediction = z
  .strictObject({
    weight: weight.default(0),
    temperature: temperature.default(0.1),
    /** Sentences in the window, the centre among them: 2 predicts the next sentence, 5 two on either side. */
    window: z.int().min(2).max(101).default(5),
    /** Pairs of neighbours in a batch, of one language. */
    batch: batchSize.default(32),
    /** The head: encoder -> hidden (the encoder's width when left out) -> width; thrown away after training. */
    projection: z.strictObject({ hidden: z.int().min(1).max(16_384).optional(), width: z.int().min(1).max(16_384).default(128) }).prefault({}),
    /** 'asymmetric': one side by the batch's moments, the other by running ones, in turn; 'batch': both by their own; 'none'. */
    normalisation: z.enum(['asymmetric', 'batch', 'none']).default('asymmetric'),
    /** 'cosine' brings projections to length 1 before they are compared; 'dot' does not. */
    similarity: z.enum(['cosine', 'dot']).default('cosine'),
    /** Vectors of earlier batches kept as negatives, for each language (never more than the language has sentences); 0: none. */
    bank: z.int().min(0).max(10_000_000).default(32_768),
    /** Passages of the questions are documents too, cut into sentences. */
    passages: z.boolean().default(true),
    /** Steps of context prediction (with masked tokens, where those are asked for) before all other losses. */
    pretrainingSteps: z.int().min(0).max(MOST_STEPS).default(0),
  })
  .prefault({});

const staticEncoder = z.strictObject({
  kind: z.literal('static'),
  width: z.int().min(WIDTHS.least).max(WIDTHS.most).default(WIDTHS.default),
  vocabularySize: z.int().min(VOCABULARY.least).max(VOCABULARY.most).default(VOCABULARY.default),
});

/** Defaults of the static encoder: default-retriever recipe, see test/experiments. */
const staticRecipe = z.strictObject({
  encoder: staticEncoder.prefault({ kind: 'static' }),
  ...corpora,
  pairsPerLanguage: pairsPerLanguage.optional(),
  losses: z
    .strictObject({
      retrieval: loss({ weight: 1, temperature: 0.05 }),
      semantic: loss({ weight: 1, temperature: 0.07 }),
      language: loss({ weight: 0, temperature: 1 }),
      contextPrediction,
    })
    .prefault({}),
  optimizer: z
    .strictObject({
      learningRate: z.number().positive().max(1).default(0.005),
      retrievalBatch: batchSize.default(384),
      parallelBatch: batchSize.default(512),
      passageTokens: z.int().min(TOKENS.least).max(TOKENS.most).default(96),
      /** Share of the tokens of passages and parallel sentences that a step leaves out, by chance: keeps rows from learning sentences by heart. */
      tokenDropout: z.number().min(0).max(0.9).default(0.3),
      accumulation: accumulation.optional(),
      schedule: schedule.optional(),
    })
    .prefault({}),
  budget: budget.default({ steps: 480 }),
});

/** What transformers share, whoever made their weights. `encoders`: one for questions and documents, or one for each (DPR). */
const transformerCommon = {
  encoders: z.enum(['shared', 'separate']).default('shared'),
  /** Chance that an activation is left out of a training step. */
  dropout: z.number().min(0).max(0.9).default(0.1),
};

const poolingMode = z.enum(['cls', 'mean']);
const poolingLayer = z.int().min(0).max(1000);

/** The matrices of a layer that can have a low-rank addition. */
export const loraTargets = ['query', 'key', 'value', 'output', 'up', 'down'] as const;

export const freezeSchema = z.strictObject({ embeddings: z.boolean().default(false), lowerLayers: z.int().min(0).max(1000).default(0) }).prefault({});

/** Low-rank additions: W + (alpha / rank) up down. */
export const loraSchema = z.strictObject({
  rank: z.int().min(1).max(512).default(8),
  alpha: z.number().positive().max(4096).default(16),
  targets: z.array(z.enum(loraTargets)).min(1).default(['query', 'value']),
});
export type LoraSettings = z.infer<typeof loraSchema>;

const backboneEncoder = z.strictObject({
  kind: z.literal('backbone'),
  /** A Hugging Face, sentence-transformers or ONNX folder. */
  path,
  ...transformerCommon,
  /** What is left out is the backbone's own. `layer` 0 = the embeddings. */
  pooling: z.strictObject({ mode: poolingMode.optional(), layer: poolingLayer.optional() }).prefault({}),
  maxTokens: z.int().min(TOKENS.least).max(TOKENS.most).default(256),
  /** Keep only the pieces that the corpora use, and single characters. */
  trimVocabulary: z.boolean().default(false),
  /**
   * Adds at most `count` pieces learned from the texts of the project's languages (the pivot's excepted). Their vectors begin at the mean of
   * the pieces they were cut into, or at their translations where pairs with the pivot teach them.
   */
  newPieces: z.strictObject({ count: z.int().min(VOCABULARY.least).max(VOCABULARY.most).default(8000), start: z.enum(['translations', 'average']).default('translations') }).optional(),
  freeze: freezeSchema,
  lora: loraSchema.optional(),
});

const transformerEncoder = z.strictObject({
  kind: z.literal('transformer'),
  layers: z.int().min(1).max(48).default(4),
  width: z.int().min(WIDTHS.least).max(WIDTHS.most).default(256),
  heads: z.int().min(1).max(64).default(4),
  feedForward: z.int().min(WIDTHS.least).max(4 * WIDTHS.most).default(1024),
  /** Tokens that a text can have; longer ones are cut. */
  positions: z.int().min(TOKENS.least).max(TOKENS.most).default(256),
  vocabularySize: z.int().min(VOCABULARY.least).max(VOCABULARY.most).default(16_000),
  ...transformerCommon,
  pooling: z.strictObject({ mode: poolingMode.default('mean'), layer: poolingLayer.optional() }).prefault({}),
});

type TransformerDefaults = {
  readonly retrieval: { readonly weight: number; readonly temperature: number; readonly symmetric: boolean };
  readonly semantic: { readonly weight: number; readonly temperature: number };
  readonly language: { readonly weight: number; readonly temperature: number };
  readonly learningRate: number;
  readonly retrievalBatch: number;
  readonly parallelBatch: number;
  readonly beta2: number;
  readonly steps: number;
};

const transformerLosses = (defaults: TransformerDefaults) =>
  z
    .strictObject({
      /** `symmetric`: passages pick their question too. The paper's loss (eq. 1) does not. */
      retrieval: z.strictObject({ weight: weight.default(defaults.retrieval.weight), temperature: temperature.default(defaults.retrieval.temperature), symmetric: z.boolean().default(defaults.retrieval.symmetric) }).prefault({}),
      semantic: loss(defaults.semantic),
      language: loss(defaults.language),
      /** Hu et al. 2023, section 4: on the document encoder only; both at once made training jump. Differs only where encoders are separate. */
      contrastiveOn: z.enum(['document', 'both']).default('document'),
      /** 15 % of the tokens, of which 80 % become the mask, 10 % another token, 10 % stay. `pretrainingSteps` come before all other losses. */
      maskedLanguage: z.strictObject({ weight: weight.default(0), probability: z.number().positive().max(0.9).default(0.15), pretrainingSteps: z.int().min(0).max(MOST_STEPS).default(0) }).prefault({}),
      contextPrediction,
    })
    .prefault({});

const transformerOptimizer = (defaults: TransformerDefaults) =>
  z
    .strictObject({
      learningRate: z.number().positive().max(1).default(defaults.learningRate),
      retrievalBatch: batchSize.default(defaults.retrievalBatch),
      parallelBatch: batchSize.default(defaults.parallelBatch),
      beta1: z.number().min(0).max(0.9999).default(0.9),
      beta2: z.number().min(0).max(0.99999).default(defaults.beta2),
      /** Of matrices and embeddings; never of biases and norms. */
      weightDecay: z.number().min(0).max(1).default(0.01),
      /** The longest gradient of a step. */
      clipping: z.number().positive().max(1_000_000).default(1),
      schedule: schedule.default('linear'),
      warmUp: fraction.default(0.05),
      /** Batches whose gradients are averaged in one step. */
      accumulation: accumulation.default(1),
      /** Tokens that are in the encoder at once: less memory, the same gradients. */
      sliceTokens: z.int().min(TOKENS.least).max(1_048_576).default(4096),
    })
    .prefault({});

/** Hu et al. 2023, section 4: batch 48, AdamW .9 / .999, 1e-5, w_s .01, w_l .001, L_IR without a temperature; the paper prints no tau of eq. 2. */
const BACKBONE: TransformerDefaults = {
  retrieval: { weight: 1, temperature: 1, symmetric: false },
  semantic: { weight: 0.01, temperature: 0.05 },
  language: { weight: 0.001, temperature: 1 },
  learningRate: 1e-5, retrievalBatch: 48, parallelBatch: 48, beta2: 0.999, steps: 1000,
};
/** The paper drew as many pairs of each language (section 5.1.2). */
const BACKBONE_PAIRS_PER_LANGUAGE = 50_000;

/** From scratch the losses need the static encoder's weights and temperatures: there is no space yet that a small weight would keep. */
const FROM_SCRATCH: TransformerDefaults = {
  retrieval: { weight: 1, temperature: 0.05, symmetric: true },
  semantic: { weight: 1, temperature: 0.07 },
  language: { weight: 0, temperature: 1 },
  learningRate: 5e-4, retrievalBatch: 64, parallelBatch: 64, beta2: 0.98, steps: 2000,
};

const backboneRecipe = z.strictObject({
  encoder: backboneEncoder,
  ...corpora,
  pairsPerLanguage: pairsPerLanguage.default(BACKBONE_PAIRS_PER_LANGUAGE),
  losses: transformerLosses(BACKBONE),
  optimizer: transformerOptimizer(BACKBONE),
  budget: budget.default({ steps: BACKBONE.steps }),
});

const transformerRecipe = z.strictObject({
  encoder: transformerEncoder,
  ...corpora,
  pairsPerLanguage: pairsPerLanguage.optional(),
  losses: transformerLosses(FROM_SCRATCH),
  optimizer: transformerOptimizer(FROM_SCRATCH),
  budget: budget.default({ steps: FROM_SCRATCH.steps }),
});

export type StaticRecipe = z.infer<typeof staticRecipe>;
export type BackboneRecipe = z.infer<typeof backboneRecipe>;
export type FromScratchRecipe = z.infer<typeof transformerRecipe>;
export type TransformerRecipe = BackboneRecipe | FromScratchRecipe;

/** A recipe with every default filled in and every path absolute. */
export type Recipe = StaticRecipe | TransformerRecipe;
export type RecipeParallelSource = Recipe['parallel'][number];
export type RecipeRetrievalSource = NonNullable<Recipe['retrieval']>[number];
export type ContextPredictionSettings = Recipe['losses']['contextPrediction'];

export const encoderKinds = ['static', 'backbone', 'transformer'] as const;

export function isStatic(recipe: Recipe): recipe is StaticRecipe {
  return recipe.encoder.kind === 'static';
}

export function isBackbone(recipe: Recipe): recipe is BackboneRecipe {
  return recipe.encoder.kind === 'backbone';
}

export function isFromScratch(recipe: Recipe): recipe is FromScratchRecipe {
  return recipe.encoder.kind === 'transformer';
}

/** Whether English begins as the shipped starter: where no question teaches it, and no teacher either. */
export function usesStarter(recipe: Recipe): recipe is StaticRecipe {
  return isStatic(recipe) && recipe.retrieval === undefined && recipe.distillation === undefined;
}

/** The schema by the kind of encoder that a value asks for; one that names no known kind is told which there are. */
export function recipeSchemaFor(value: unknown): z.ZodType<Recipe> {
  const asked = z.object({ encoder: z.object({ kind: z.unknown() }) }).safeParse(value);
  const kind = asked.success ? asked.data.encoder.kind : undefined;
  if (kind === 'backbone') return backboneRecipe;
  if (kind === 'transformer') return transformerRecipe;
  if (kind === undefined || kind === 'static') return staticRecipe;
  return z.object({ encoder: z.object({ kind: z.enum(encoderKinds) }) }).pipe(z.never());
}
