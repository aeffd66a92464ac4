/** What is a job, what can be done to it, what does it say? */
import { z } from 'zod';
import { countSchema, idSchema, list, progressSchema, timeSchema } from './basics.ts';
import { calibrationSchema, calibrationStepsSchema } from './calibrate.ts';
import { errorRecordSchema } from './errors.ts';
import { mineTextSchema, miningSchema } from './mine.ts';
import { shareResultSchema, shareWishSchema } from './share.ts';
import { phraseModelSchema } from './phrases.ts';
import { presetSchema, trainingEventSchema, trainingSummarySchema } from './training.ts';

export const jobKindSchema = z.enum(['train', 'plan', 'index', 'mine', 'phrases', 'calibrate', 'share', 'bring', 'experiment']);
export type JobKind = z.infer<typeof jobKindSchema>;

export const jobRequestSchema = z.discriminatedUnion('kind', [
  /** `resume` true: go on from the last checkpoint of this project. */
  z.object({ kind: z.literal('train'), projectId: idSchema, preset: presetSchema, resume: z.boolean() }),
  z.object({ kind: z.literal('plan'), projectId: idSchema, preset: presetSchema }),
  z.object({ kind: z.literal('index'), projectId: idSchema }),
  z.object({ kind: z.literal('mine'), projectId: idSchema, source: mineTextSchema, target: mineTextSchema }),
  /** Trains the project's model on its dictionaries; `resume` as with `train`. */
  z.object({ kind: z.literal('phrases'), projectId: idSchema, resume: z.boolean() }),
  /** Makes a calibrated model beside the trained one; it is not used before `calibration.use`. */
  z.object({ kind: z.literal('calibrate'), projectId: idSchema, steps: calibrationStepsSchema }),
  z.object({ kind: z.literal('share'), projectId: idSchema, wish: shareWishSchema }),
  /** What `share.bring` does, in the list of all work; the project is the one that is being made. Not started by `job.start`. */
  z.object({ kind: z.literal('bring'), projectId: idSchema }),
  /** Goes on where it was stopped. */
  z.object({ kind: z.literal('experiment'), projectId: idSchema, experimentId: idSchema }),
]);
export type JobRequest = z.infer<typeof jobRequestSchema>;

export const indexSummarySchema = z.object({
  files: countSchema,
  skipped: countSchema,
  failed: countSchema,
  chunks: countSchema,
  wallSeconds: z.number(),
});
export type IndexSummary = z.infer<typeof indexSummarySchema>;

export const jobResultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('train'), summary: trainingSummarySchema, keptEarly: z.boolean() }),
  z.object({ kind: z.literal('plan'), steps: countSchema, estimatedMinutes: z.number(), estimatedMemoryMB: z.number() }),
  z.object({ kind: z.literal('index'), summary: indexSummarySchema }),
  z.object({ kind: z.literal('mine'), mining: miningSchema }),
  z.object({ kind: z.literal('phrases'), model: phraseModelSchema }),
  z.object({ kind: z.literal('calibrate'), calibration: calibrationSchema }),
  z.object({ kind: z.literal('share'), result: shareResultSchema }),
  z.object({ kind: z.literal('bring') }),
  z.object({ kind: z.literal('experiment'), experimentId: idSchema }),
]);
export type JobResult = z.infer<typeof jobResultSchema>;

/** `interrupted`: the program ended while the job ran; `canResume` says whether a checkpoint is there. */
export const jobStateSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('queued') }),
  z.object({ status: z.literal('running'), progress: progressSchema.nullable(), leftMs: z.number().nullable() }),
  z.object({ status: z.literal('paused'), progress: progressSchema.nullable() }),
  z.object({ status: z.literal('finished'), result: jobResultSchema }),
  z.object({ status: z.literal('failed'), error: errorRecordSchema, canResume: z.boolean() }),
  z.object({ status: z.literal('cancelled') }),
  z.object({ status: z.literal('interrupted'), canResume: z.boolean() }),
]);
export type JobState = z.infer<typeof jobStateSchema>;

export const jobSchema = z.object({
  id: idSchema,
  request: jobRequestSchema,
  startedAt: timeSchema,
  endedAt: timeSchema.nullable(),
  state: jobStateSchema,
});
export type Job = z.infer<typeof jobSchema>;

export const indexEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), phase: z.enum(['listing', 'reading', 'encoding', 'measuring', 'packing', 'unpacking', 'writing', 'finishing']), done: z.number(), total: z.number().nullable(), unit: z.string(), leftMs: z.number().nullable() }),
  z.object({ kind: z.literal('problem'), code: z.string(), message: z.string(), path: z.string().nullable(), line: z.number().nullable() }),
]);
export type IndexEvent = z.infer<typeof indexEventSchema>;

/**
 * What a watcher receives: first one snapshot (the job and what has happened so far, oldest first, step events thinned to
 * HISTORY_STEPS), then what happens. The stream ends after the state that ends the job.
 */
export const jobEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('snapshot'), job: jobSchema, training: list(trainingEventSchema), index: list(indexEventSchema) }),
  z.object({ kind: z.literal('state'), state: jobStateSchema }),
  z.object({ kind: z.literal('training'), event: trainingEventSchema }),
  z.object({ kind: z.literal('index'), event: indexEventSchema }),
]);
export type JobEvent = z.infer<typeof jobEventSchema>;

export const byJobSchema = z.object({ jobId: idSchema });
/** Null: of all projects. Newest first. */
export const jobListInputSchema = z.object({ projectId: idSchema.nullable() });
export const jobListOutputSchema = z.object({ jobs: list(jobSchema) });
