/** Which trainings has this project seen, and what differs between two of them? */
import { z } from 'zod';
import { byProjectSchema, countSchema, idSchema, list, tagSchema, timeSchema } from './basics.ts';
import { reportQuestionSchema } from './report.ts';

export const runSchema = z.object({
  id: idSchema,
  at: timeSchema,
  preset: z.string(),
  steps: countSchema,
  minutes: z.number(),
  keptEarly: z.boolean(),
  languages: list(tagSchema),
  /** The model in use now came from it. */
  isPresent: z.boolean(),
  /** False: its model was deleted since (the newest are kept); its figures stay. */
  hasModel: z.boolean(),
  /** Mean over all that was measured of how often the right one is found first, 0-1; null: not measured. */
  foundFirst: z.number().nullable(),
  /** False: measured before single questions were kept, so it cannot be compared question by question. */
  isComparable: z.boolean(),
});
export type Run = z.infer<typeof runSchema>;

export const runListOutputSchema = z.object({ runs: list(runSchema) });
export const runCompareInputSchema = byProjectSchema.extend({ a: idSchema, b: idSchema });

/** Found first (share of questions, 0-1), and the test over reciprocal ranks, question by question. */
export const runRowSchema = z.object({
  question: reportQuestionSchema,
  language: tagSchema,
  /** Questions that both runs were asked; those of one alone are not compared. */
  shared: countSchema,
  alone: z.object({ a: countSchema, b: countSchema }),
  /** What was searched: with unequal numbers the comparison is not quite even. */
  documents: z.object({ a: countSchema, b: countSchema }),
  first: z.object({ a: z.number(), b: z.number() }),
  /** MRR@100, b minus a, with its 95 % interval. */
  difference: z.number(),
  interval: z.object({ low: z.number(), high: z.number() }),
  pValue: z.number(),
  /** After Holm's correction over the rows. */
  corrected: z.number(),
  better: countSchema,
  worse: countSchema,
  equal: countSchema,
  /** `chance`: the difference may be chance. */
  verdict: z.enum(['better', 'worse', 'chance']),
});
export type RunRow = z.infer<typeof runRowSchema>;

/** A question whose right answer moved; null: not among the first 100. */
export const movedQuestionSchema = z.object({ question: reportQuestionSchema, language: tagSchema, queryLanguage: tagSchema, text: z.string(), rankA: z.number().int().positive().nullable(), rankB: z.number().int().positive().nullable() });
export type MovedQuestion = z.infer<typeof movedQuestionSchema>;

export const runComparisonSchema = z.object({
  a: runSchema,
  b: runSchema,
  /** Settings of the recipes that differ: a dotted path, and both values as JSON; null: not there. */
  settings: list(z.object({ path: z.string(), a: z.string().nullable(), b: z.string().nullable() })),
  /** Texts that only one of them learned from, or that have grown or shrunk. */
  corpora: list(z.object({ name: z.string(), a: countSchema.nullable(), b: countSchema.nullable() })),
  rows: list(runRowSchema),
  /** The furthest up and the furthest down, at most 10 each. */
  better: list(movedQuestionSchema),
  worse: list(movedQuestionSchema),
});
export type RunComparison = z.infer<typeof runComparisonSchema>;
