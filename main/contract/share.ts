/** What leaves a project and what comes in: one portable file with its data sheet, layouts of other programs, folders from a stick? */
import { z } from 'zod';
import { byProjectSchema, countSchema, list, nameSchema, pathSchema, progressSchema, tagSchema, timeSchema } from './basics.ts';
import { inheritedTermsSchema } from './corpus.ts';
import { projectSchema } from './project.ts';
import { modelCardSchema, reportPairsSchema, reportRowSchema } from './report.ts';

/** One corpus that a model learned from, as its data sheet names it; texts themselves are never part of it. */
export const sheetCorpusSchema = z.object({
  name: z.string(),
  role: z.enum(['questions', 'pairs', 'texts']),
  languages: list(tagSchema),
  /** Pairs, questions or sentences; null: not recorded. */
  records: countSchema.nullable(),
  source: z.string().nullable(),
  licence: z.string().nullable(),
  consent: z.string().nullable(),
  access: z.string().nullable(),
});
export type SheetCorpus = z.infer<typeof sheetCorpusSchema>;

export const dataSheetSchema = z.object({
  format: z.literal('isogloss-data-sheet'),
  version: z.literal(1),
  name: z.string(),
  madeAt: timeSchema,
  /** "Isogloss 0.1.0". */
  madeBy: z.string(),
  pivot: tagSchema,
  languages: list(z.object({ tag: tagSchema, name: z.string(), pairs: countSchema, sentences: countSchema })),
  model: modelCardSchema.omit({ terms: true }).extend({ /** static, transformer, onnx ... */ kind: z.string(), width: countSchema, pieces: countSchema, seed: z.number().nullable(), device: z.string().nullable() }),
  /** The recipe without the paths of the machine it was made on. */
  recipe: z.json(),
  /** True: the shipped English questions were learned from too. */
  usesStarter: z.boolean(),
  corpora: list(sheetCorpusSchema),
  terms: inheritedTermsSchema.nullable(),
  measured: z.object({ rows: list(reportRowSchema), pairs: list(reportPairsSchema) }).nullable(),
  contents: z.object({
    /** Held-back sentences and examples of the report: real sentences of the texts. */
    texts: z.boolean(),
    index: z.object({ documents: countSchema, chunks: countSchema }).nullable(),
  }),
});
export type DataSheet = z.infer<typeof dataSheetSchema>;

export const exportFormatSchema = z.enum(['safetensors', 'onnx']);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

/** What can be shared of a project now, before anything is written. */
export const sharePlanSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  z.object({
    status: z.literal('ready'),
    sheet: dataSheetSchema,
    /** Without and with the index; null: no index of this model, or it lies elsewhere. */
    modelBytes: countSchema,
    indexBytes: countSchema.nullable(),
    /** Real sentences that go along unless they are left out. */
    heldBackTexts: countSchema,
    /** False where the texts are not open to everybody, or nobody has said. */
    proposesTexts: z.boolean(),
    formats: list(exportFormatSchema),
    /** Calibrated by language, which other layouts cannot say: they get the vectors from before. */
    isCalibrated: z.boolean(),
    /** Under which a layout goes out when nothing else is said; null: not known. */
    licence: z.string().nullable(),
    fileName: z.string(),
    folder: pathSchema,
  }),
]);
export type SharePlan = z.infer<typeof sharePlanSchema>;

export const shareWishSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('portable'), folder: pathSchema, fileName: nameSchema.regex(/^[^\\/:*?"<>|\p{Cc}]+$/u), withIndex: z.boolean(), withTexts: z.boolean() }),
  z.object({ kind: z.literal('layout'), folder: pathSchema, fileName: nameSchema.regex(/^[^\\/:*?"<>|\p{Cc}]+$/u), formats: z.array(exportFormatSchema).min(1).max(2), licence: z.string().trim().min(1).max(200).nullable(), allowsUnknownLicence: z.boolean() }),
]);
export type ShareWish = z.infer<typeof shareWishSchema>;

/** `paths`: one file, or the folders written. */
export const shareResultSchema = z.object({ kind: z.enum(['portable', 'layout']), paths: list(pathSchema), sizeBytes: countSchema });
export type ShareResult = z.infer<typeof shareResultSchema>;

/** What lies at a path that somebody brings. */
export const broughtSchema = z.discriminatedUnion('kind', [
  /** A portable file: becomes a new project. `sizeBytes`: unpacked. */
  z.object({ kind: z.literal('portable'), path: pathSchema, name: z.string(), sheet: dataSheetSchema, sizeBytes: countSchema }),
  /** A project's folder: opened where it is, or copied here. */
  z.object({ kind: z.literal('project'), path: pathSchema, name: z.string(), languages: list(tagSchema), hasModel: z.boolean(), sizeBytes: countSchema, isNewer: z.boolean() }),
  /** A model that Isogloss made: becomes a new project. */
  z.object({ kind: z.literal('model'), path: pathSchema, name: z.string(), languages: list(tagSchema), sizeBytes: countSchema }),
  /** A model of others: chosen at training, not opened. */
  z.object({ kind: z.literal('backbone'), path: pathSchema }),
]);
export type Brought = z.infer<typeof broughtSchema>;

export const shareLookInputSchema = z.object({ path: pathSchema });
/** `name` null: as it is called there. A project, a model or a portable file is copied into a new folder of this computer; nothing is overwritten. */
export const shareBringInputSchema = z.object({ path: pathSchema, name: nameSchema.nullable() });
export const bringEventSchema = z.discriminatedUnion('kind', [z.object({ kind: z.literal('progress'), progress: progressSchema }), z.object({ kind: z.literal('done'), project: projectSchema })]);
export type BringEvent = z.infer<typeof bringEventSchema>;
export const sharePlanInputSchema = byProjectSchema;
