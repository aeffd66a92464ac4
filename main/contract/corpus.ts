/** What is a corpus file, what stands in it, what is wrong with it? */
import { z } from 'zod';
import { countSchema, idSchema, list, pathSchema, tagSchema, timeSchema } from './basics.ts';
import { errorRecordSchema } from './errors.ts';
import { adviceSchema } from './training.ts';

/** The three boxes: questions with their passages, pairs of sentences, texts in one language. */
export const corpusRoleSchema = z.enum(['questions', 'pairs', 'texts']);
export type CorpusRole = z.infer<typeof corpusRoleSchema>;

export const corpusFormatSchema = z.enum([
  'beir-folder', 'jsonl-pairs', 'dpr-json', 'squad-json', 'passage-jsonl', 'triples', 'tsv', 'csv', 'wikimatrix', 'xlsx', 'moses', 'moses-zip', 'tmx', 'xliff',
  'usfm', 'eaf', 'flextext', 'lift', 'sfm', 'textgrid', 'conllu', 'sentences',
]);
export type CorpusFormat = z.infer<typeof corpusFormatSchema>;

/** Which language(s) the records are in; null = not said and not recognised. */
export const corpusLanguagesSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('one'), language: tagSchema.nullable() }),
  z.object({ kind: z.literal('two'), source: tagSchema.nullable(), target: tagSchema.nullable() }),
]);
export type CorpusLanguages = z.infer<typeof corpusLanguagesSchema>;

const columnSchema = z.union([z.string().min(1), z.number().int().positive()]);
const tierSchema = z.union([z.object({ name: z.string() }), z.object({ type: z.string() }), z.object({ order: z.number().int().positive() })]);

/** What holds source and target in the terms of the format: columns (by name or number from 1), tiers, markers, a sheet, a least score. */
export const corpusMappingSchema = z.object({
  columns: z.object({ source: columnSchema.optional(), target: columnSchema.optional(), text: columnSchema.optional(), score: columnSchema.optional() }).optional(),
  hasHeader: z.boolean().optional(),
  minimumScore: z.number().optional(),
  sheet: z.string().optional(),
  tiers: z.object({ source: tierSchema, target: tierSchema.optional() }).optional(),
  markers: z.object({ record: z.string().optional(), source: z.string().optional(), target: z.string().optional() }).optional(),
});
export type CorpusMapping = z.infer<typeof corpusMappingSchema>;

/** Rights in a corpus; null: nobody has said. A model and an index inherit the strictest. */
export const corpusTermsSchema = z.object({
  source: z.string().max(2000).nullable(),
  licence: z.string().max(500).nullable(),
  consent: z.enum(['not-needed', 'given', 'unknown', 'conditional', 'withdrawn']).nullable(),
  access: z.enum(['public', 'registered', 'on-request', 'community', 'closed']).nullable(),
});
export type CorpusTerms = z.infer<typeof corpusTermsSchema>;

/** What a model and an index inherit: the strictest of each, and the corpora that decided it. Equals inheritedTermsSchema of core/corpus/terms.ts. */
export const inheritedTermsSchema = z.object({
  /** "unknown" where nobody has said. */
  licence: z.string(),
  consent: z.enum(['not-needed', 'given', 'unknown', 'conditional', 'withdrawn']),
  access: z.enum(['public', 'registered', 'on-request', 'community', 'closed']),
  because: z.object({ licence: list(z.string()), consent: list(z.string()), access: list(z.string()) }),
  sources: list(z.string()),
  sentence: z.string(),
});
export type InheritedTerms = z.infer<typeof inheritedTermsSchema>;

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
  encoding: z.string().min(1).max(40).nullable().optional(),
  mapping: corpusMappingSchema.nullable().optional(),
});

const examplesSchema = z.object({ count: countSchema, examples: list(z.object({ line: countSchema.nullable(), text: z.string() })) });
const shareSchema = z.number().min(0).max(1);

/** What was found out about a corpus beyond its rows. Shares are 0-1. */
export const inspectionDetailsSchema = z.object({
  /** Of each file; '' for archives and folders. */
  encodings: list(z.string()),
  /** Everything the file can be read as, the likeliest first. */
  roles: list(corpusRoleSchema),
  mapping: corpusMappingSchema,
  /** What there is to choose from. */
  fields: list(z.object({ kind: z.enum(['column', 'tier', 'marker', 'language', 'sheet']), name: z.string(), type: z.string(), count: countSchema, example: z.string() })),
  leftOut: list(z.object({ reason: z.enum(['below-score', 'not-translated']), count: countSchema })),
  problemKinds: list(z.object({ code: z.string(), count: countSchema, example: corpusProblemSchema })),
  invalidBytes: z.object({ count: countSchema, places: list(z.object({ line: countSchema, byteOffset: countSchema.nullable() })), encodings: list(z.object({ label: z.string(), sample: z.string() })) }).nullable(),
  duplicates: countSchema,
  sides: list(z.object({ name: z.string(), characters: countSchema, shortest: countSchema, longest: countSchema, meanLength: z.number(), medianLength: z.number(), scripts: list(z.object({ script: z.string(), share: shareSchema })) })),
  letters: z.object({
    mixedScripts: examplesSchema,
    lookAlikes: list(z.object({ one: z.string(), other: z.string() })),
    composition: z.object({ nfc: countSchema, nfd: countSchema, neither: countSchema, examples: list(z.object({ line: countSchema.nullable(), text: z.string() })) }),
    apostrophes: list(z.object({ sign: z.string(), count: countSchema })),
    directionSigns: examplesSchema,
  }),
  quality: z
    .object({
      sampled: countSchema,
      untranslatedShare: shareSchema,
      lengthRatio: z.number(),
      lengthOutlierShare: shareSchema,
      misalignedShare: shareSchema.nullable(),
      examples: list(z.object({ line: countSchema, source: z.string(), target: z.string(), why: z.enum(['untranslated', 'length', 'words']) })),
    })
    .nullable(),
  overlaps: list(z.object({ name: z.string(), purpose: z.enum(['training', 'evaluation']), isLeak: z.boolean(), count: countSchema, rows: list(z.object({ line: countSchema.nullable(), text: z.string() })) })),
  /** `curve`: what was measured, behind the sentence. */
  enough: z.object({ verdict: z.enum(['too-few', 'some', 'good']), pairs: countSchema, expectedMrr: z.number().nullable(), sentence: z.string(), curve: list(z.object({ pairs: countSchema, mrr: shareSchema })).optional() }).nullable(),
});
export type InspectionDetails = z.infer<typeof inspectionDetailsSchema>;

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
    details: inspectionDetailsSchema.optional(),
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
  terms: corpusTermsSchema.optional(),
  encoding: z.string().nullable().optional(),
  mapping: corpusMappingSchema.optional(),
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
  terms: corpusTermsSchema.optional(),
  encoding: z.string().min(1).max(40).nullable().optional(),
  mapping: corpusMappingSchema.nullable().optional(),
});
/** Null: as it is. A mapping of {} is what the program proposes. */
export const corpusChangeInputSchema = z.object({
  projectId: idSchema,
  corpusId: idSchema,
  languages: corpusLanguagesSchema.nullable().default(null),
  mapping: corpusMappingSchema.nullable().default(null),
  encoding: z.string().min(1).max(40).nullable().default(null),
  terms: corpusTermsSchema.nullable().default(null),
});
export const corpusRemoveInputSchema = z.object({ projectId: idSchema, corpusId: idSchema });
