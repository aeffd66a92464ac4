/** What is asked of the library, what comes back, and why? */
import { z } from 'zod';
import { QUERY_CHARACTERS, SEARCH_HITS_MAXIMUM } from './limits.ts';
import { byProjectSchema, countSchema, directionSchema, idSchema, list, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { errorRecordSchema } from './errors.ts';

/** Where in its file a passage stands; lines, rows count from 1; start and end are character offsets (UTF-16) in the file's text. */
export const locationSchema = z.object({
  line: countSchema.nullable(),
  row: countSchema.nullable(),
  heading: z.string().nullable(),
  start: countSchema,
  end: countSchema,
});
export type Location = z.infer<typeof locationSchema>;

export const searchMethodSchema = z.enum(['dense', 'bm25', 'bm25-char', 'translated', 'hybrid']);
export type SearchMethod = z.infer<typeof searchMethodSchema>;

/** Solid, underlined, tinted. Offsets into `text`, UTF-16 units, end exclusive. */
export const highlightKindSchema = z.enum(['same-word', 'translated-word', 'similar-meaning']);
export const highlightSchema = z.object({ start: countSchema, end: countSchema, kind: highlightKindSchema });
export type Highlight = z.infer<typeof highlightSchema>;

export const reasonSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('same-words'), words: list(z.string()) }),
  z.object({ kind: z.literal('similar-words'), words: list(z.string()) }),
  z.object({ kind: z.literal('translated-words'), words: list(z.object({ query: z.string(), document: z.string() })) }),
  /** Cosine, -1 to 1. */
  z.object({ kind: z.literal('similar-meaning'), similarity: z.number() }),
]);
export type Reason = z.infer<typeof reasonSchema>;

export const hitSchema = z.object({
  /** Stable within one index; for document.excerpt. */
  chunkId: z.string(),
  /** Larger is better; comparable within one answer only. */
  score: z.number(),
  /** Relative to the library folder, "/" between parts. */
  path: pathSchema,
  title: z.string(),
  location: locationSchema,
  text: z.string(),
  language: tagSchema.nullable(),
  direction: directionSchema,
  highlights: list(highlightSchema),
  reasons: list(reasonSchema),
});
export type Hit = z.infer<typeof hitSchema>;

/** `queryLanguage` null: recognised from the writing, else the project's own language. */
export const searchInputSchema = z.object({
  projectId: idSchema,
  query: z.string().max(QUERY_CHARACTERS),
  queryLanguage: tagSchema.nullable(),
  method: searchMethodSchema,
  limit: z.number().int().min(1).max(SEARCH_HITS_MAXIMUM),
});
export const searchOutputSchema = z.object({
  hits: list(hitSchema),
  queryLanguage: tagSchema.nullable(),
  elapsedMs: z.number(),
  chunks: countSchema,
});
export type SearchAnswer = z.infer<typeof searchOutputSchema>;

export const libraryFileSchema = z.object({
  path: pathSchema,
  sizeBytes: countSchema,
  chunks: countSchema,
  state: z.discriminatedUnion('status', [
    z.object({ status: z.literal('read') }),
    z.object({ status: z.literal('skipped'), reason: z.string() }),
    z.object({ status: z.literal('failed'), error: errorRecordSchema }),
  ]),
});
export type LibraryFile = z.infer<typeof libraryFileSchema>;

/** `other-model`: the index was made by another model, `stale`: files changed since; both say so and offer to index again. */
export const librarySchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  z.object({ status: z.literal('not-indexed'), folder: pathSchema }),
  z.object({ status: z.literal('folder-missing'), folder: pathSchema }),
  z.object({
    status: z.literal('indexed'),
    folder: pathSchema,
    indexedAt: timeSchema,
    /** Whether the project's present model made the index. */
    madeBy: z.enum(['this-model', 'other-model']),
    /** How many files are new, changed or gone since. */
    changes: z.object({ added: countSchema, changed: countSchema, removed: countSchema }),
    chunks: countSchema,
    files: list(libraryFileSchema),
  }),
]);
export type Library = z.infer<typeof librarySchema>;

export const libraryChooseInputSchema = byProjectSchema.extend({ folder: pathSchema });

export const excerptInputSchema = z.object({ projectId: idSchema, path: pathSchema, location: locationSchema });
/** The passage with what stands around it in its document. */
export const excerptSchema = z.object({
  path: pathSchema,
  title: z.string(),
  before: z.string(),
  text: z.string(),
  after: z.string(),
  direction: directionSchema,
  /** True when the file is no longer as it was indexed, so that the place may be off. */
  hasChanged: z.boolean(),
});
export type Excerpt = z.infer<typeof excerptSchema>;
