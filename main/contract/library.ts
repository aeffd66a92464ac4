/** Which folders are searched, what is in them, what is wrong with a file, which spellings count as one? */
import { z } from 'zod';
import { byProjectSchema, countSchema, list, pathSchema, timeSchema } from './basics.ts';
import { errorRecordSchema } from './errors.ts';
import { LIBRARY_FOLDERS, SPELLING_CHARACTERS, SPELLING_GROUPS } from './limits.ts';

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

/** `name` begins the paths of its documents; '' in a library of one folder. */
export const libraryFolderSchema = z.object({ name: z.string(), path: pathSchema, state: z.enum(['present', 'missing']) });
export type LibraryFolder = z.infer<typeof libraryFolderSchema>;

/** How changes are noticed: at once (events of the system), by looking every few minutes, or not at all. */
export const watchingSchema = z.enum(['events', 'looking', 'off']);
export type Watching = z.infer<typeof watchingSchema>;

const folders = z.array(libraryFolderSchema).max(LIBRARY_FOLDERS).readonly();

/** `other-model`: another model made the index; it answers until the new one, which is made beside it, is ready. */
export const librarySchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  /** `isSearchable`: a first reading is under way or was left, and what it has read so far can be searched. */
  z.object({ status: z.literal('not-indexed'), folders, watching: watchingSchema, isSearchable: z.boolean() }),
  z.object({ status: z.literal('folder-missing'), folders, watching: watchingSchema }),
  z.object({
    status: z.literal('indexed'),
    folders,
    watching: watchingSchema,
    indexedAt: timeSchema,
    madeBy: z.enum(['this-model', 'other-model']),
    /** How many files are new, changed or gone since. */
    changes: z.object({ added: countSchema, changed: countSchema, removed: countSchema }),
    chunks: countSchema,
    /** Documents in the index, and those that could not be read; `files` may list fewer. */
    documents: countSchema,
    failed: countSchema,
    files: list(libraryFileSchema),
  }),
]);
export type Library = z.infer<typeof librarySchema>;

/** One folder in place of all others. */
export const libraryChooseInputSchema = byProjectSchema.extend({ folder: pathSchema });
export const libraryFolderAddInputSchema = byProjectSchema.extend({ folder: pathSchema });
export const libraryFolderRemoveInputSchema = byProjectSchema.extend({ folder: pathSchema });
export const libraryWatchInputSchema = byProjectSchema.extend({ isWatched: z.boolean() });
/** Null: all files that could not be read. */
export const libraryRetryInputSchema = byProjectSchema.extend({ paths: z.array(pathSchema).max(1000).nullable() });

/** Equals MatchingRules of core/retrieval/matching-rules.ts: they change what matches, never what is shown. */
export const spellingRulesSchema = z.object({
  /** Spellings that count as the first of their group: letters, digraphs, whole orthographies. */
  equivalents: z.array(z.array(z.string().min(1).max(SPELLING_CHARACTERS)).min(2).max(SPELLING_CHARACTERS).readonly()).max(SPELLING_GROUPS).readonly(),
  ignoreMarks: z.boolean(),
  ignoreApostrophes: z.boolean(),
});
export type SpellingRules = z.infer<typeof spellingRulesSchema>;
export const NO_SPELLING_RULES: SpellingRules = { equivalents: [], ignoreMarks: false, ignoreApostrophes: false };
