/** What is a corpus file, what stands in it, what is wrong with it? */
import { z } from 'zod';
import { countSchema, idSchema, list, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { errorRecordSchema } from './errors.ts';
import { adviceSchema } from './training.ts';

/** The three boxes: questions with their passages, pairs of sentences, texts in one language. */
export const corpusRoleSchema = z.enum(['questions', 'pairs', 'texts']);
export type CorpusRole = z.infer<typeof corpusRoleSchema>;

export const corpusFormatSchema = z.enum(['beir-folder', 'jsonl-pairs', 'tsv', 'moses', 'tmx', 'sentences']);
export type CorpusFormat = z.infer<typeof corpusFormatSchema>;

/** Which language(s) the records are in; null = not said and not recognised. */
export const corpusLanguagesSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('one'), language: tagSchema.nullable() }),
  z.object({ kind: z.literal('two'), source: tagSchema.nullable(), target: tagSchema.nullable() }),
]);
export type CorpusLanguages = z.infer<typeof corpusLanguagesSchema>;

/** One record as it stands in the file; `line` counts from 1. */
export const corpusRowSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pair'), source: z.string(), target: z.string(), line: countSchema.nullable() }),
  z.object({ kind: z.literal('question'), question: z.string(), passage: z.string(), title: z.string().nullable(), line: countSchema.nullable() }),
  z.object({ kind: z.literal('sentence'), text: z.string(), document: countSchema.nullable(), line: countSchema.nullable() }),
]);
export type CorpusRow = z.infer<typeof corpusRowSchema>;

/** A line that was left out, and why; the rest is used. */
export const corpusProblemSchema = z.object({
  code: z.string(),
  path: pathSchema,
  line: countSchema.nullable(),
  /** Plain English, with what was found. */
  message: z.string(),
});
export type CorpusProblem = z.infer<typeof corpusProblemSchema>;

export const corpusCountsSchema = z.object({
  records: countSchema,
  problems: countSchema,
  sizeBytes: countSchema,
});

/** What the user may settle by hand where the program guessed; null = let the program look. */
export const corpusChoiceSchema = z.object({
  role: corpusRoleSchema.nullable(),
  format: corpusFormatSchema.nullable(),
  languages: corpusLanguagesSchema.nullable(),
});

/** One file or folder; two for Moses (the same lines in two languages). */
export const inspectInputSchema = z.object({ projectId: idSchema, paths: z.array(pathSchema).min(1).max(2), choice: corpusChoiceSchema });

export const inspectionSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('readable'),
    paths: list(pathSchema),
    role: corpusRoleSchema,
    format: corpusFormatSchema,
    languages: corpusLanguagesSchema,
    /** How the languages were found: said by the user or the file, guessed from the writing, or not at all. */
    languagesFrom: z.enum(['file', 'name', 'user', 'script', 'none']),
    rows: list(corpusRowSchema),
    counts: corpusCountsSchema,
    problems: list(corpusProblemSchema),
    /** Things worth saying that stop nothing ("half of the pairs are Bible verses"). */
    advice: list(adviceSchema),
  }),
  z.object({ status: z.literal('unusable'), paths: list(pathSchema), error: errorRecordSchema }),
]);
export type Inspection = z.infer<typeof inspectionSchema>;

/** A corpus of the project: the card in its box. */
export const corpusSchema = z.object({
  id: idSchema,
  role: corpusRoleSchema,
  format: corpusFormatSchema,
  paths: list(pathSchema),
  /** The file's name, for the card. */
  name: z.string(),
  languages: corpusLanguagesSchema,
  counts: corpusCountsSchema,
  rows: list(corpusRowSchema),
  problems: list(corpusProblemSchema),
  licence: z.string().nullable(),
  addedAt: timeSchema,
  /** The file on disk now: as it was added, changed since, or gone. */
  state: z.enum(['present', 'changed', 'missing']),
});
export type Corpus = z.infer<typeof corpusSchema>;

export const corpusAddInputSchema = z.object({
  projectId: idSchema,
  paths: z.array(pathSchema).min(1).max(2),
  role: corpusRoleSchema,
  format: corpusFormatSchema,
  languages: corpusLanguagesSchema,
  licence: z.string().max(500).nullable(),
});
export const corpusRemoveInputSchema = z.object({ projectId: idSchema, corpusId: idSchema });
