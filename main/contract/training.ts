/** What does a training job say while it runs, and what is known before it starts? */
import { z } from 'zod';
import { countSchema, idSchema, list, tagSchema } from './basics.ts';

export const presetSchema = z.enum(['quick', 'balanced', 'thorough']);
export type Preset = z.infer<typeof presetSchema>;

/** Where to calculate; 'auto': whichever is measured to be fastest. What is not there, or fails, is left for the CPU with one sentence. */
export const deviceWishSchema = z.enum(['auto', 'cpu', 'webgpu', 'cuda', 'dml']);
export type DeviceWish = z.infer<typeof deviceWishSchema>;

export const trainingPhaseSchema = z.enum(['reading', 'vocabulary', 'alignment', 'starting', 'training', 'evaluating', 'finishing']);
export type TrainingPhase = z.infer<typeof trainingPhaseSchema>;

/** Nats; a loss that is switched off is 0. */
export const lossesSchema = z.object({ retrieval: z.number(), semantic: z.number(), language: z.number(), maskedLanguage: z.number().optional(), contextPrediction: z.number().optional(), phrases: z.number().optional() });
export type Losses = z.infer<typeof lossesSchema>;

/** One of the user's own sentences that training never sees. `rank` 1 = its translation is found first, out of `of`. */
export const heldBackSentenceSchema = z.object({
  source: z.string(),
  target: z.string(),
  sourceLanguage: tagSchema,
  targetLanguage: tagSchema,
  rank: z.number().int().positive(),
  of: z.number().int().positive(),
});
export type HeldBackSentence = z.infer<typeof heldBackSentenceSchema>;

/** Places on the map of held-back sentences; at most 64 pairs. */
const placeOnMapSchema = z.tuple([z.number(), z.number()]).readonly();
export const mapPairSchema = z.object({ source: z.string(), target: z.string(), sourceLanguage: tagSchema, targetLanguage: tagSchema, from: placeOnMapSchema, to: placeOnMapSchema });
export type MapPair = z.infer<typeof mapPairSchema>;

export const trainingEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), phase: trainingPhaseSchema, done: z.number(), total: z.number().nullable(), unit: z.string(), leftMs: z.number().nullable() }),
  z.object({ kind: z.literal('plan'), steps: countSchema, estimatedMinutes: z.number(), estimatedMemoryMB: z.number() }),
  z.object({
    kind: z.literal('step'),
    step: countSchema,
    steps: countSchema,
    losses: lossesSchema,
    learningRate: z.number(),
    tokensPerSecond: z.number(),
    leftMs: z.number().nullable(),
  }),
  z.object({ kind: z.literal('held-back'), step: countSchema, sentences: list(heldBackSentenceSchema) }),
  /** `share`: of the variance that the map shows, 0-1; `nearness`: distance of translations over that of any two sentences. */
  z.object({ kind: z.literal('map'), step: countSchema, share: z.number(), nearness: z.number(), pairs: list(mapPairSchema) }),
  /** `pairAccuracy` by language tag, 0-1; `retrievalMRR` MRR@100 on held-back questions, 0-1. */
  z.object({ kind: z.literal('evaluation'), step: countSchema, pairAccuracy: z.record(z.string(), z.number()), retrievalMRR: z.number().nullable() }),
  z.object({ kind: z.literal('problem'), code: z.string(), message: z.string(), path: z.string().nullable(), line: z.number().nullable() }),
  z.object({ kind: z.literal('message'), code: z.string(), message: z.string() }),
]);
export type TrainingEvent = z.infer<typeof trainingEventSchema>;

/** `wallSeconds`, `cpuSeconds`, `peakMemoryMB`: what it really took. */
export const trainingSummarySchema = z.object({
  model: z.string(),
  steps: countSchema,
  wallSeconds: z.number(),
  cpuSeconds: z.number(),
  peakMemoryMB: z.number(),
  parameters: countSchema,
  losses: lossesSchema,
});
export type TrainingSummary = z.infer<typeof trainingSummarySchema>;

/** Every advice there is, with the places that its sentence has: `language` stands in `languages`, all others in `data`. */
export const ADVICE_PLACES = {
  'texts.nothing-to-train': [],
  'texts.no-questions': [],
  'texts.file-missing': ['file'],
  'texts.language-unsaid': ['file'],
  'texts.no-pairs': ['language'],
  'texts.few-pairs': ['language', 'pairs', 'more'],
  'texts.more-pairs': ['language', 'pairs', 'more'],
  'corpus.many-duplicates': ['duplicates', 'records'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type AdviceCode = keyof typeof ADVICE_PLACES;
export const adviceCodeSchema = z.custom<AdviceCode>((code) => typeof code === 'string' && Object.hasOwn(ADVICE_PLACES, code), 'expected the code of an advice');

/** What stands between the corpora and a useful model; `blocks` says whether training can start all the same. The window says it by `code`. */
export const adviceSchema = z.object({
  code: adviceCodeSchema,
  blocks: z.boolean(),
  /** Plain English with the same numbers: for logs, and for a window that does not know the code. */
  message: z.string(),
  languages: list(tagSchema),
  data: z.record(z.string(), z.union([z.string(), z.number()])).readonly(),
});
export type Advice = z.infer<typeof adviceSchema>;

export const planInputSchema = z.object({ projectId: idSchema });
export const trainingPlanSchema = z.object({
  canStart: z.boolean(),
  advice: list(adviceSchema),
  presets: list(
    z.object({
      preset: presetSchema,
      steps: countSchema,
      estimatedMinutes: z.number(),
      estimatedMemoryMB: z.number(),
      diskMB: z.number(),
      /** From a trial run on this machine, from the last training here, or from a table of usual machines. */
      basis: z.enum(['trial', 'last-run', 'usual']),
    }),
  ),
  usesStarter: z.boolean(),
  /** What would be used, per language pair. */
  pairs: list(z.object({ source: tagSchema, target: tagSchema, pairs: countSchema })),
  questions: countSchema,
  sentences: countSchema,
});
export type TrainingPlan = z.infer<typeof trainingPlanSchema>;
