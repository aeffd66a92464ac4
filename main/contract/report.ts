/** What did training change? The report that lies beside a model. */
import { z } from 'zod';
import { inheritedTermsSchema } from './corpus.ts';
import { countSchema, list, tagSchema, timeSchema } from './basics.ts';

/** All 0-1, larger is better. */
export const metricsSchema = z.object({
  'MRR@100': z.number(),
  'MRR@10': z.number(),
  'R@1': z.number(),
  'R@10': z.number(),
  'R@100': z.number(),
  'nDCG@10': z.number(),
});
export type Metrics = z.infer<typeof metricsSchema>;

/** Question and passage in one language, question in it and passage in English, the reverse. */
export const reportQuestionSchema = z.enum(['within', 'to-english', 'from-english']);
export type ReportQuestion = z.infer<typeof reportQuestionSchema>;

export const reportRowSchema = z.object({
  question: reportQuestionSchema,
  language: tagSchema,
  queries: countSchema,
  documents: countSchema,
  methods: z.object({ untrained: metricsSchema, bm25: metricsSchema, dense: metricsSchema, hybrid: metricsSchema }),
});
export type ReportRow = z.infer<typeof reportRowSchema>;

const directionShareSchema = z.object({ untrained: z.number(), trained: z.number() });
/** Finding the translation of a held-back sentence, mean of both directions, 0-1; `directions` (absent in older reports): from the language, and to it. */
export const reportPairsSchema = z.object({ language: tagSchema, pairs: countSchema, untrained: z.number(), trained: z.number(), directions: z.object({ forward: directionShareSchema, backward: directionShareSchema }).optional() });

export const reportExampleSchema = z.object({
  kind: z.enum(['best', 'worst']),
  language: tagSchema,
  query: z.string(),
  expected: z.string(),
  /** What stands first now. */
  found: z.string(),
  rankBefore: z.number().int().positive().nullable(),
  rankNow: z.number().int().positive().nullable(),
});

export const evaluationReportSchema = z.object({
  rows: list(reportRowSchema),
  pairs: list(reportPairsSchema),
  examples: list(reportExampleSchema),
});
export type EvaluationReport = z.infer<typeof evaluationReportSchema>;

export const modelCardSchema = z.object({
  modelId: z.string(),
  trainedAt: timeSchema,
  languages: list(tagSchema),
  steps: countSchema,
  minutes: z.number(),
  parameters: countSchema,
  sizeBytes: countSchema,
  /** Inherited from the corpora it learned from; null or absent: made before models had any. */
  terms: inheritedTermsSchema.nullable().optional(),
});
export type ModelCard = z.infer<typeof modelCardSchema>;

/** `report` null: the model was kept before it was evaluated. */
export const resultSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  z.object({ status: z.literal('ready'), model: modelCardSchema, report: evaluationReportSchema.nullable() }),
]);
export type Result = z.infer<typeof resultSchema>;
