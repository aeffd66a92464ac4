/** What do the program and its workers say to each other? Typed on both sides, checked on arrival. */
import { z } from 'zod';
import { list } from '../contract/basics.ts';
import { backboneInspectInputSchema, backboneInspectionSchema } from '../contract/backbone.ts';
import { corpusFormatSchema, corpusLanguagesSchema, corpusMappingSchema, corpusRoleSchema, inspectionSchema } from '../contract/corpus.ts';
import { calibrationSchema, calibrationStepsSchema } from '../contract/calibrate.ts';
import { errorRecordSchema } from '../contract/errors.ts';
import { languageSuggestOutputSchema } from '../contract/language.ts';
import { indexEventSchema, indexSummarySchema } from '../contract/job.ts';
import { judgementScoresSchema } from '../contract/judgement.ts';
import { libraryFileSchema, spellingRulesSchema } from '../contract/library.ts';
import { mineTextSchema } from '../contract/mine.ts';
import { phraseLookUpOutputSchema, phrasesOfPairSchema } from '../contract/phrases.ts';
import { runComparisonSchema } from '../contract/run.ts';
import { broughtSchema, dataSheetSchema, exportFormatSchema, shareResultSchema } from '../contract/share.ts';
import { portableIndexSchema, portableManifestSchema } from '../project/portable-file.ts';
import { excerptSchema, facetsSchema, foundHitSchema, locationSchema, searchChoiceSchema, searchFilterSchema, searchMethodSchema } from '../contract/search.ts';
import { deviceWishSchema, trainingEventSchema, trainingSummarySchema } from '../contract/training.ts';

/** One worker program per name: `<name>.ts` in this folder. */
export const workerNameSchema = z.enum(['train', 'index', 'search', 'inspect', 'mine', 'phrase-training', 'calibrate', 'backbone', 'share', 'experiment']);
export type WorkerName = z.infer<typeof workerNameSchema>;

export const trainTaskSchema = z.object({
  recipePath: z.string(),
  outputFolder: z.string(),
  starterFolder: z.string(),
  threads: z.number(),
  device: deviceWishSchema,
  resume: z.boolean(),
  /** Questions with known answers for the report; null: the report is made of held-back texts alone. */
  questions: z.object({ file: z.string(), folder: z.string() }).nullable(),
  /** True: after a process that died for want of memory. */
  takesLess: z.boolean().optional(),
  /** True: end after the plan, train nothing. */
  onlyPlan: z.boolean(),
});
export type TrainTask = z.infer<typeof trainTaskSchema>;

const foldersSchema = list(z.object({ name: z.string(), path: z.string() }));
const failuresSchema = list(z.object({ path: z.string(), hash: z.string().nullable(), error: errorRecordSchema }));

/** `place`: the library's folder in the project, where indexes lie; `failures`: files not to be tried again while they are the same. */
export const indexTaskSchema = z.object({ modelFolder: z.string(), folders: foldersSchema, place: z.string(), failures: failuresSchema, spelling: spellingRulesSchema });
export type IndexTask = z.infer<typeof indexTaskSchema>;

export const inspectTaskSchema = z.object({
  paths: list(z.string()),
  role: corpusRoleSchema.nullable(),
  format: corpusFormatSchema.nullable(),
  languages: corpusLanguagesSchema.nullable(),
  /** Languages of the project, to guess from. */
  projectLanguages: list(z.string()),
  encoding: z.string().nullable().optional(),
  mapping: corpusMappingSchema.nullable().optional(),
  /** What it is compared with: other corpora of the project, and its questions with known answers. */
  others: list(z.object({ name: z.string(), purpose: z.enum(['training', 'evaluation']), format: corpusFormatSchema.nullable(), paths: list(z.string()), encoding: z.string().nullable(), mapping: corpusMappingSchema.nullable() })).optional(),
});
export type InspectTask = z.infer<typeof inspectTaskSchema>;

/** Which index is asked: `generation` grows when it has changed, so that it is opened anew. */
const openedIndexShape = { indexFolder: z.string(), modelFolder: z.string(), generation: z.number(), spelling: spellingRulesSchema };
export const openedIndexSchema = z.object(openedIndexShape);
export type OpenedIndex = z.infer<typeof openedIndexSchema>;

export const searchTaskSchema = z.object({
  ...openedIndexShape,
  query: z.string(),
  queryLanguage: z.string().nullable(),
  method: searchMethodSchema,
  limit: z.number(),
  filter: searchFilterSchema,
});
export type SearchTask = z.infer<typeof searchTaskSchema>;

/** As a search, with the best `depth` of every method in one list. */
export const poolTaskSchema = searchTaskSchema.omit({ method: true });
const answerSchema = z.object({ hits: list(foundHitSchema), choices: list(searchChoiceSchema), queryLanguage: z.string().nullable(), elapsedMs: z.number(), chunks: z.number() });

/** MRR of the methods over judged queries. */
export const measureTaskSchema = z.object({
  ...openedIndexShape,
  queries: list(z.object({ query: z.string(), queryLanguage: z.string().nullable(), right: list(z.object({ path: z.string(), start: z.number(), end: z.number(), text: z.string() })) })),
});

/** A text as the project knows it; null: as found in the file. */
const minedTextSchema = mineTextSchema.extend({ format: corpusFormatSchema.nullable(), encoding: z.string().nullable(), mapping: corpusMappingSchema.nullable() });
export const mineTaskSchema = z.object({ modelFolder: z.string(), source: minedTextSchema, target: minedTextSchema, outputFile: z.string(), threads: z.number() });
export type MineTask = z.infer<typeof mineTaskSchema>;

/** `corpora`: `retrieval`, `parallel`, `monolingual` of a recipe, paths absolute; `questions` as in trainTaskSchema. */
export const calibrateTaskSchema = z.object({ modelFolder: z.string(), outputFolder: z.string(), corpora: z.record(z.string(), z.unknown()), steps: calibrationStepsSchema, threads: z.number(), questions: trainTaskSchema.shape.questions });
export type CalibrateTask = z.infer<typeof calibrateTaskSchema>;

/** `indexedAt`: milliseconds since 1970; a file younger than that has changed. */
export const excerptTaskSchema = z.object({ folders: foldersSchema, path: z.string(), location: locationSchema, indexedAt: z.number().nullable() });
export type ExcerptTask = z.infer<typeof excerptTaskSchema>;

const dictionarySchema = z.object({ name: z.string(), paths: list(z.string()), format: corpusFormatSchema, languages: z.object({ source: z.string(), target: z.string() }).nullable(), encoding: z.string().nullable(), mapping: corpusMappingSchema.nullable() });
/** Running text of a language, in which sentences are looked for that show a phrase. */
const phraseTextSchema = dictionarySchema.omit({ languages: true, name: true }).extend({ language: z.string() });

/** `corpora`: those that may be dictionaries; `modelFolder` null: by spelling alone. */
export const phrasesTaskSchema = z.object({
  modelFolder: z.string().nullable(),
  corpora: list(dictionarySchema),
  texts: list(phraseTextSchema),
  query: z.string(),
  limit: z.number(),
});

/** `corpora`: those that may be dictionaries and say their languages. `recipePath`: where the recipe is written, and read again when resumed. */
export const phraseTrainingTaskSchema = z.object({ modelFolder: z.string(), outputFolder: z.string(), recipePath: z.string(), corpora: list(dictionarySchema), texts: list(phraseTextSchema), seed: z.number(), threads: z.number(), device: deviceWishSchema, resume: z.boolean(), takesLess: z.boolean().optional() });
export type PhraseTrainingTask = z.infer<typeof phraseTrainingTaskSchema>;

/** What leaves: everything that has been settled, so that the worker only writes. */
export const shareTaskSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('portable'), out: z.string(), sheet: dataSheetSchema, modelFolder: z.string(), index: z.object({ folder: z.string(), facts: portableIndexSchema }).nullable(), project: portableManifestSchema.pick({ languages: true, names: true, bridge: true, spelling: true, exampleQueries: true }) }),
  z.object({ kind: z.literal('layout'), out: z.string(), modelFolder: z.string(), formats: list(exportFormatSchema), licence: z.string().nullable(), allowsUnknownLicence: z.boolean(), title: z.string(), notes: list(z.string()) }),
]);
export type ShareTask = z.infer<typeof shareTaskSchema>;

/** `folder`: new, to be filled. */
export const broughtTaskSchema = z.object({ kind: z.enum(['portable', 'project', 'model']), path: z.string(), folder: z.string() });
export type BroughtTask = z.infer<typeof broughtTaskSchema>;

/** `own`: an experiment file; `dataFolder` stands for "{data}". */
export const experimentTaskSchema = z.object({ file: z.string(), dataFolder: z.string().nullable(), outputFolder: z.string(), starterFolder: z.string(), threads: z.number() });
export type ExperimentTask = z.infer<typeof experimentTaskSchema>;

/** What a worker can be asked; one table, so that asker and answerer agree. */
export const calls = {
  train: { input: trainTaskSchema, output: z.object({ summary: trainingSummarySchema.nullable(), keptEarly: z.boolean() }) },
  /** `libraryFiles`: what became of each file, the first LIBRARY_FILES_SHOWN, failed ones before all. */
  index: { input: indexTaskSchema, output: z.object({ summary: indexSummarySchema, modelId: z.string(), indexFolder: z.string(), fingerprint: z.string(), libraryFiles: list(libraryFileSchema.extend({ modifiedAt: z.number() })), failures: failuresSchema }) },
  mine: { input: mineTaskSchema, output: z.object({ candidates: z.number(), proposed: z.number() }) },
  calibrate: { input: calibrateTaskSchema, output: calibrationSchema.pick({ pivot: true, languages: true, heldOut: true }) },
  look: { input: z.object({ folders: foldersSchema }), output: z.object({ fingerprint: z.string() }) },
  inspect: { input: inspectTaskSchema, output: z.object({ inspection: inspectionSchema, fingerprints: list(z.object({ path: z.string(), sizeBytes: z.number(), modifiedAt: z.number(), sha256: z.string() })) }) },
  /** `memoryBytes`: what training may take; null: that of the machine. `corpora`: those of a recipe, for whose texts a smaller vocabulary is counted. */
  backbone: { input: z.object({ folder: z.string(), setup: backboneInspectInputSchema.shape.setup.unwrap(), memoryBytes: z.number().nullable(), corpora: z.record(z.string(), z.unknown()).nullable().optional() }), output: backboneInspectionSchema },
  suggest: { input: z.object({ text: z.string(), limit: z.number() }), output: languageSuggestOutputSchema },
  search: { input: searchTaskSchema, output: answerSchema },
  pool: { input: poolTaskSchema, output: answerSchema },
  similar: { input: openedIndexSchema.extend({ chunkId: z.string(), limit: z.number() }), output: answerSchema },
  measure: { input: measureTaskSchema, output: judgementScoresSchema.shape.scores },
  facets: { input: openedIndexSchema, output: facetsSchema },
  phrases: { input: phrasesTaskSchema, output: phraseLookUpOutputSchema },
  /** Which corpora are dictionaries, in their order; 0 entries: it is none. */
  dictionaries: { input: phrasesTaskSchema.pick({ corpora: true }), output: z.object({ entries: list(z.number()) }) },
  'phrase-training': { input: phraseTrainingTaskSchema, output: z.object({ summary: trainingSummarySchema, pairs: list(phrasesOfPairSchema) }) },
  excerpt: { input: excerptTaskSchema, output: excerptSchema },
  share: { input: shareTaskSchema, output: shareResultSchema },
  lookAtBrought: { input: z.object({ path: z.string() }), output: broughtSchema },
  fillFromBrought: { input: broughtTaskSchema, output: z.object({ manifest: portableManifestSchema.nullable() }) },
  /** Two records of main/project/runs.ts, by their files. */
  compareRuns: { input: z.object({ projectFolder: z.string(), a: z.string(), b: z.string(), presentModel: z.string().nullable() }), output: runComparisonSchema },
  experiment: { input: experimentTaskSchema, output: z.object({ rows: z.number() }) },
  /** What ONNX Runtime says it can calculate on. */
  devices: { input: z.object({}), output: z.object({ devices: list(z.string()) }) },
} as const;
export type CallName = keyof typeof calls;
export type CallInput<Name extends CallName> = z.infer<(typeof calls)[Name]['input']>;
export type CallOutput<Name extends CallName> = z.infer<(typeof calls)[Name]['output']>;

export const controlSchema = z.enum(['pause', 'resume', 'stop-and-keep', 'cancel']);
export type Control = z.infer<typeof controlSchema>;

export const toWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), id: z.number(), name: z.enum(['train', 'index', 'mine', 'phrase-training', 'calibrate', 'dictionaries', 'inspect', 'look', 'suggest', 'search', 'pool', 'similar', 'measure', 'facets', 'phrases', 'excerpt', 'devices', 'backbone', 'share', 'lookAtBrought', 'fillFromBrought', 'compareRuns', 'experiment']), input: z.unknown() }),
  /** Concerns the call of that id. */
  z.object({ kind: z.literal('control'), id: z.number(), control: controlSchema }),
]);
export type ToWorker = z.infer<typeof toWorkerSchema>;

export const workerEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('training'), event: trainingEventSchema }),
  /** Also of mining: its phases are `reading`, `encoding`, `finishing`. */
  z.object({ kind: z.literal('index'), event: indexEventSchema }),
]);
export type WorkerEvent = z.infer<typeof workerEventSchema>;

export const fromWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('event'), id: z.number(), event: workerEventSchema }),
  z.object({ kind: z.literal('answer'), id: z.number(), output: z.unknown() }),
  z.object({ kind: z.literal('failure'), id: z.number(), error: errorRecordSchema }),
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;
