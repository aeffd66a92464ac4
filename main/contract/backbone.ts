/** What is in a model folder that somebody brings, what is wrong with it, and what would training it cost here? */
import { z } from 'zod';
import { countSchema, idSchema, list, pathSchema } from './basics.ts';

/** How it would be trained; what is left out is the papers' way: 48 questions with passages a step, everything trained, one encoder. */
export const backboneInspectInputSchema = z.object({
  folder: pathSchema,
  /** With it the answer says what a smaller vocabulary would save for the texts of this project. */
  projectId: idSchema.optional(),
  setup: z.object({
    pairsPerStep: z.number().int().min(1).max(65_536).optional(),
    queryTokens: z.number().int().min(3).max(8192).optional(),
    documentTokens: z.number().int().min(3).max(8192).optional(),
    encoders: z.union([z.literal(1), z.literal(2)]).optional(),
    freezesEmbeddings: z.boolean().optional(),
  }).optional(),
});

export const backboneFactsSchema = z.object({
  kind: z.enum(['transformer', 'onnx']),
  family: z.enum(['bert', 'roberta', 'xlm-roberta', 'distilbert']).nullable(),
  parameters: countSchema,
  layers: countSchema.nullable(),
  width: countSchema,
  heads: countSchema.nullable(),
  feedForward: countSchema.nullable(),
  pieces: countSchema,
  maxTokens: countSchema,
  pooling: z.object({ mode: z.enum(['cls', 'mean']), dense: z.boolean(), normalise: z.boolean() }),
  prefixes: z.object({ query: z.string(), document: z.string() }),
  /** null: the folder does not say under which licence it may be used; ask before it is used or passed on. */
  licence: z.string().nullable(),
  /** As its card says them; []: it does not say. */
  languages: list(z.string()),
  hasMaskedLanguageHead: z.boolean(),
});
export type BackboneFacts = z.infer<typeof backboneFactsSchema>;

export const backboneCostSchema = z.object({
  memoryBytes: z.number().nonnegative(),
  availableBytes: z.number().nonnegative(),
  /** Seconds; null where it cannot be known beforehand. */
  secondsPer1000Steps: z.number().nonnegative().nullable(),
  pairsPerStep: countSchema,
  queryTokens: countSchema,
  documentTokens: countSchema,
  gigaflopsMeasured: z.number().nonnegative().nullable(),
});
export type BackboneCost = z.infer<typeof backboneCostSchema>;

/** The vocabulary with only the pieces that the project's texts use; `savedBytes` of the model, `memoryBytes` of a training with it. */
export const backboneTrimmingSchema = z.object({ pieces: countSchema, savedBytes: z.number().nonnegative(), memoryBytes: z.number().nonnegative() });
export type BackboneTrimming = z.infer<typeof backboneTrimmingSchema>;

/** A fault: `code` for translation, `message` in plain English, `missing` the names of files or tensors that are not there. */
export const backboneProblemSchema = z.object({ code: z.string(), message: z.string(), missing: list(z.string()) });

export const backboneInspectionSchema = z.discriminatedUnion('status', [
  /** `advice`: codes of things worth saying that stop nothing (`backbone.unknown-licence`, `backbone.trim-vocabulary`). */
  z.object({ status: z.literal('usable'), folder: pathSchema, facts: backboneFactsSchema, cost: backboneCostSchema, trimming: backboneTrimmingSchema.nullable(), advice: list(z.string()) }),
  z.object({ status: z.literal('refused'), folder: pathSchema, problems: list(backboneProblemSchema), facts: backboneFactsSchema.nullable(), cost: backboneCostSchema.nullable() }),
]);
export type BackboneInspection = z.infer<typeof backboneInspectionSchema>;
