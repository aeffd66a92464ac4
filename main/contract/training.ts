/** What does a training job say while it runs, and what is known before it starts? */
import { z } from 'zod';
import { countSchema, idSchema, list, pathSchema, tagSchema } from './basics.ts';
import { backboneCostSchema, backboneFactsSchema, backboneTrimmingSchema } from './backbone.ts';
import { PATH_CHARACTERS } from './limits.ts';
import { SETTING_PROBLEM_PLACES, type SettingProblemCode } from './recipe-checks.ts';
import { PRESET_NAMES } from './recipe-presets.ts';
import { ENCODER_KINDS, knownValues, settingOf, valueFault, type EncoderKind } from './recipe-settings.ts';

export const presetSchema = z.enum(PRESET_NAMES);
export type Preset = z.infer<typeof presetSchema>;

/** Where to calculate; 'auto': whichever is measured to be fastest. What is not there, or fails, is left for the CPU with one sentence. */
export const deviceWishSchema = z.enum(['auto', 'cpu', 'webgpu', 'cuda', 'dml']);
export type DeviceWish = z.infer<typeof deviceWishSchema>;

export const encoderKindSchema = z.enum(ENCODER_KINDS);

/** A brought model as it was found when it was chosen; it stays where it is. */
export const chosenBackboneSchema = z.object({ folder: pathSchema, facts: backboneFactsSchema, cost: backboneCostSchema, trimming: backboneTrimmingSchema.nullable() });
export type ChosenBackbone = z.infer<typeof chosenBackboneSchema>;

const settingValueSchema = z.union([z.number(), z.boolean(), z.string().max(PATH_CHARACTERS), list(z.string().max(100))]);
/** Values by place in the recipe ("optimizer/learningRate"). */
export const settingValuesSchema = z.record(z.string().max(100), settingValueSchema).readonly();

/** As said at the door: a setting that this encoder does not have, or a value outside its limits, is refused by name. */
const checkedValuesSchema = (kind: EncoderKind) =>
  settingValuesSchema.superRefine((values, context) => {
    for (const [key, value] of Object.entries(values)) {
      const setting = settingOf(kind, key);
      const fault = setting === null ? 'no-such-setting' : valueFault(setting.form, value);
      if (fault !== null) context.addIssue({ code: 'custom', path: [key], message: `expected a setting of this encoder within its limits, found ${JSON.stringify(value)} (${fault})` });
    }
  });

/** As kept: what this program does not know of (an older or newer one's) is left out instead of refused. */
const keptValuesSchema = (kind: EncoderKind) => settingValuesSchema.transform((values) => knownValues(kind, values));

const fewSettings = {
  preset: presetSchema,
  threads: z.number().int().min(1).max(256).nullable(),
};

/** How a project trains. */
export const trainingSettingsSchema = z.object({
  ...fewSettings,
  /** Null: as is usual for the encoder (`usualDevice` of recipe-settings.ts). */
  device: deviceWishSchema.nullable(),
  encoder: encoderKindSchema,
  /** The brought model; it is remembered while another kind of encoder is chosen. */
  backbone: chosenBackboneSchema.nullable(),
  /** What differs from the preset, remembered for each kind of encoder. */
  changed: z.object({ static: checkedValuesSchema('static'), backbone: checkedValuesSchema('backbone'), transformer: checkedValuesSchema('transformer') }),
});
export type TrainingSettings = z.infer<typeof trainingSettingsSchema>;

/** The same as projects keep it; what an older program did not know has its default. */
export const keptTrainingSettingsSchema = z.object({
  ...fewSettings,
  device: deviceWishSchema.nullable().default(null),
  encoder: encoderKindSchema.default('static'),
  backbone: chosenBackboneSchema.nullable().default(null),
  changed: z.object({ static: keptValuesSchema('static'), backbone: keptValuesSchema('backbone'), transformer: keptValuesSchema('transformer') }).default({ static: {}, backbone: {}, transformer: {} }),
});

export const trainingPhaseSchema = z.enum(['reading', 'vocabulary', 'alignment', 'starting', 'training', 'evaluating', 'finishing']);
export type TrainingPhase = z.infer<typeof trainingPhaseSchema>;

/** Nats; a loss that is switched off is 0. */
export const lossesSchema = z.object({ retrieval: z.number(), semantic: z.number(), language: z.number(), maskedLanguage: z.number().optional(), contextPrediction: z.number().optional(), phrases: z.number().optional(), distillation: z.number().optional() });
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
  /** `data`: the places of the sentence, for translation. */
  z.object({ kind: z.literal('message'), code: z.string(), message: z.string(), data: z.record(z.string(), z.union([z.string(), z.number()])).readonly().optional() }),
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
  'train.no-questions': [],
  'train.language-loss': [],
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

const settingProblemCodeSchema = z.custom<SettingProblemCode>((code) => typeof code === 'string' && Object.hasOwn(SETTING_PROBLEM_PLACES, code), 'expected the code of a problem of settings');
/** A set-up that cannot be trained. The window says it by `code`. */
export const settingProblemSchema = z.object({ code: settingProblemCodeSchema, keys: list(z.string()), message: z.string(), data: z.record(z.string(), z.union([z.string(), z.number()])).readonly() });

/** Which device the last training here chose, and why; the window says it by `code`. */
export const deviceNoteSchema = z.object({ code: z.string(), message: z.string(), data: z.record(z.string(), z.union([z.string(), z.number()])).readonly() });
export type DeviceNote = z.infer<typeof deviceNoteSchema>;

export const trainingPlanSchema = z.object({
  /** Whether anything blocks each preset is in its `problems`; this is what blocks all. */
  canStart: z.boolean(),
  advice: list(adviceSchema),
  encoder: encoderKindSchema,
  presets: list(
    z.object({
      preset: presetSchema,
      steps: countSchema,
      /** Null: nobody knows before the first steps (an ONNX file). */
      estimatedMinutes: z.number().nullable(),
      estimatedMemoryMB: z.number(),
      diskMB: z.number(),
      /** From a trial run on this machine, from the last training here, from a measured rate of this machine, or from a table of usual machines. */
      basis: z.enum(['trial', 'last-run', 'rate', 'usual']),
      problems: list(settingProblemSchema),
    }),
  ),
  usesStarter: z.boolean(),
  /** What would be used, per language pair. */
  pairs: list(z.object({ source: tagSchema, target: tagSchema, pairs: countSchema })),
  questions: countSchema,
  sentences: countSchema,
  /** Memory that a training may take here. */
  availableMemoryMB: z.number(),
  device: z.object({ wish: deviceWishSchema, last: deviceNoteSchema.nullable() }),
});
export type TrainingPlan = z.infer<typeof trainingPlanSchema>;
