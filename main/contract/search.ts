/** What is asked of the library, what comes back, and why? */
import { z } from 'zod';
import { FILTER_VALUES, NAME_CHARACTERS, PATH_CHARACTERS, QUERY_CHARACTERS, SEARCH_HITS_MAXIMUM } from './limits.ts';
import { NO_FILTER } from './no-filter.ts';
import { countSchema, directionSchema, idSchema, list, pathSchema, tagSchema } from './basics.ts';

const absent = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** Where in its file a passage stands; all numbers count from 1, times in milliseconds; start and end are character offsets (UTF-16) in the file's text. */
export const locationSchema = z.object({
  line: countSchema.nullable(),
  row: countSchema.nullable(),
  heading: z.string().nullable(),
  /** In files without lines: headings and table rows counted. */
  paragraph: absent(countSchema),
  page: absent(countSchema),
  /** "GEN 1:3", "GEN 1:3-4". */
  verse: absent(z.string()),
  timeMs: absent(z.object({ start: z.number(), end: z.number() })),
  speaker: absent(z.string()),
  tier: absent(z.string()),
  sheet: absent(z.string()),
  slide: absent(countSchema),
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

/** A translation or gloss that the source has beside the passage; `language` '' when the source does not say. */
export const alignedSchema = z.object({ language: z.string(), text: z.string() });
export type Aligned = z.infer<typeof alignedSchema>;

export const verdictSchema = z.enum(['right', 'wrong']);
export type Verdict = z.infer<typeof verdictSchema>;

/** A passage that was found, before it is known what the person said of it. */
export const foundHitSchema = z.object({
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
  aligned: list(alignedSchema),
});
export type FoundHit = z.infer<typeof foundHitSchema>;

/** `judged`: what the person said of this passage for this query. */
export const hitSchema = foundHitSchema.extend({ judged: verdictSchema.nullable() });
export type Hit = z.infer<typeof hitSchema>;

/** Null: all. Values of one field are joined by "or", fields by "and". */
export const searchFilterSchema = z.object({
  /** A null in the list: documents whose language is not known. */
  languages: z.array(tagSchema.nullable()).max(FILTER_VALUES).nullable(),
  /** Relative to the library, "/" between parts; what lies below passes. */
  folders: z.array(z.string().max(PATH_CHARACTERS)).max(FILTER_VALUES).nullable(),
  /** Endings of file names without the dot. */
  fileTypes: z.array(z.string().max(NAME_CHARACTERS)).max(FILTER_VALUES).nullable(),
  /** Days, ISO 8601, both included: the last change of the file. */
  from: z.iso.date().nullable(),
  to: z.iso.date().nullable(),
  speakers: z.array(z.string().max(NAME_CHARACTERS)).max(FILTER_VALUES).nullable(),
  tiers: z.array(z.string().max(NAME_CHARACTERS)).max(FILTER_VALUES).nullable(),
});
export type SearchFilter = z.infer<typeof searchFilterSchema>;

/** What can be chosen in the filters: what the index has, the most frequent first. */
export const facetsSchema = z.object({ languages: list(tagSchema.nullable()), folders: list(z.string()), fileTypes: list(z.string()), speakers: list(z.string()), tiers: list(z.string()) });
export type Facets = z.infer<typeof facetsSchema>;

/** `queryLanguage` null: recognised from the writing, else the project's own language. */
export const searchInputSchema = z.object({
  projectId: idSchema,
  query: z.string().max(QUERY_CHARACTERS),
  queryLanguage: tagSchema.nullable(),
  method: searchMethodSchema,
  limit: z.number().int().min(1).max(SEARCH_HITS_MAXIMUM),
  filter: searchFilterSchema.default(NO_FILTER),
});

/** Passages whose meaning is like that of one that was found; that one is left out. */
export const similarInputSchema = z.object({ projectId: idSchema, chunkId: z.string().max(NAME_CHARACTERS), limit: z.number().int().min(1).max(SEARCH_HITS_MAXIMUM) });

/** How the documents of one language were searched; `situation` 'asked': by the method that the person chose, else why hybrid search weighs as it does. */
export const searchChoiceSchema = z.object({ documentLanguage: tagSchema.nullable(), documents: countSchema, situation: z.string(), components: list(z.string()) });
export type SearchChoice = z.infer<typeof searchChoiceSchema>;

export const searchOutputSchema = z.object({
  hits: list(hitSchema),
  choices: list(searchChoiceSchema),
  queryLanguage: tagSchema.nullable(),
  elapsedMs: z.number(),
  chunks: countSchema,
});
export type SearchAnswer = z.infer<typeof searchOutputSchema>;

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
