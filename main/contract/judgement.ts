/** What did the person say of what was found, and how well do the methods find what is right? */
import { z } from 'zod';
import { byProjectSchema, countSchema, idSchema, list, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { QUERY_CHARACTERS } from './limits.ts';
import { NO_FILTER } from './no-filter.ts';
import { locationSchema, searchFilterSchema, searchMethodSchema, verdictSchema } from './search.ts';

/** A passage as it was judged; its text is kept, so that a judgement outlives the index. */
export const judgedPassageSchema = z.object({ path: pathSchema, title: z.string(), text: z.string().min(1), language: tagSchema.nullable(), location: locationSchema });
export type JudgedPassage = z.infer<typeof judgedPassageSchema>;

/** `verdict` null takes back what was said. `method` is the one whose list it was judged in; null: several pooled. */
export const judgementMarkInputSchema = byProjectSchema.extend({
  query: z.string().trim().min(1).max(QUERY_CHARACTERS),
  queryLanguage: tagSchema.nullable(),
  passage: judgedPassageSchema,
  verdict: verdictSchema.nullable(),
  method: searchMethodSchema.nullable(),
});

export const judgedQuerySchema = z.object({
  query: z.string(),
  queryLanguage: tagSchema.nullable(),
  right: countSchema,
  wrong: countSchema,
  lastAt: timeSchema,
});

/** MRR@100 by method over the queries with a right passage; 0-1. What was not judged counts as wrong. */
export const judgementScoresSchema = z.object({
  at: timeSchema,
  modelId: z.string(),
  queries: countSchema,
  judgements: countSchema,
  scores: z.object({ dense: z.number(), lexical: z.number(), hybrid: z.number() }),
});
export type JudgementScores = z.infer<typeof judgementScoresSchema>;

export const judgementsSchema = z.object({
  queries: list(judgedQuerySchema),
  judgements: countSchema,
  /** Queries with a right passage: those that scores can be measured on. */
  measurable: countSchema,
  /** Oldest first. */
  history: list(judgementScoresSchema),
});
export type Judgements = z.infer<typeof judgementsSchema>;

/** The best of every method in one list without repetitions, in turn, so that no method is favoured by what was judged. */
export const judgementPoolInputSchema = z.object({ projectId: idSchema, query: z.string().max(QUERY_CHARACTERS), queryLanguage: tagSchema.nullable(), depth: z.number().int().min(1).max(50), filter: searchFilterSchema.default(NO_FILTER) });

/** `folder` null: exports/judgements in the project's folder. */
export const judgementExportInputSchema = byProjectSchema.extend({ folder: pathSchema.nullable() });
export const judgementExportOutputSchema = z.object({ folder: pathSchema, files: list(z.string()), queries: countSchema, documents: countSchema, judgements: countSchema });
