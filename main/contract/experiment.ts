/** Which experiments can be run here, what is missing for the others, and what did they find? */
import { z } from 'zod';
import { byProjectSchema, countSchema, idSchema, list, pathSchema, timeSchema } from './basics.ts';
import { errorRecordSchema } from './errors.ts';

/** What an experiment waits for: `from` says where it is to be had, where the file says so. */
export const experimentNeedSchema = z.object({ path: z.string(), what: z.string(), from: z.string() });
export type ExperimentNeed = z.infer<typeof experimentNeedSchema>;

const described = {
  id: idSchema,
  /** Comes with Isogloss, or was added by the person. */
  origin: z.enum(['shipped', 'own']),
  file: pathSchema,
};

export const experimentEntrySchema = z.discriminatedUnion('status', [
  z.object({
    ...described,
    /** `needs-data`: everything in `missing` has to be brought first; `needs-folder`: it uses a folder of data that was not chosen yet. */
    status: z.enum(['ready', 'needs-data', 'needs-folder']),
    title: z.string(),
    source: z.string(),
    about: z.string(),
    scale: z.enum(['small', 'full']),
    rows: countSchema,
    seeds: countSchema,
    tasks: countSchema,
    missing: list(experimentNeedSchema),
    /** `some`: stopped before its end; it goes on where it was. */
    results: z.enum(['none', 'some', 'all']),
    measuredAt: timeSchema.nullable(),
  }),
  z.object({ ...described, status: z.literal('unusable'), error: errorRecordSchema }),
]);
export type ExperimentEntry = z.infer<typeof experimentEntrySchema>;

export const experimentListOutputSchema = z.object({ dataFolder: pathSchema.nullable(), experiments: list(experimentEntrySchema) });
export type ExperimentList = z.infer<typeof experimentListOutputSchema>;

export const experimentDataInputSchema = byProjectSchema.extend({ folder: pathSchema });
export const experimentAddInputSchema = byProjectSchema.extend({ file: pathSchema });
export const byExperimentSchema = byProjectSchema.extend({ experimentId: idSchema });

const intervalSchema = z.object({ low: z.number(), high: z.number() });

/** `reported`: as the paper printed it, nothing was run; `none`: not run yet; `impossible`: this system has no answer to this task. */
export const experimentCellSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('measured'), mean: z.number(), interval: intervalSchema, deviation: z.number().nullable(), seeds: countSchema, isBest: z.boolean(), differs: z.boolean() }),
  z.object({ kind: z.literal('reported'), value: z.number() }),
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('impossible') }),
]);
export type ExperimentCell = z.infer<typeof experimentCellSchema>;

/** One table a metric, laid out as in the paper. */
export const experimentTableSchema = z.object({
  metric: z.string(),
  columns: list(z.string()),
  rows: list(z.object({ name: z.string(), group: z.string().nullable(), isReference: z.boolean(), cells: list(experimentCellSchema) })),
});
export type ExperimentTable = z.infer<typeof experimentTableSchema>;

export const experimentPlotSchema = z.object({
  x: z.string(),
  y: z.string(),
  isLogarithmic: z.boolean(),
  series: list(z.object({ name: z.string(), points: list(z.object({ x: z.number(), mean: z.number(), interval: intervalSchema })) })),
  lines: list(z.object({ name: z.string(), mean: z.number() })),
});
export type ExperimentPlot = z.infer<typeof experimentPlotSchema>;

export const experimentClaimSchema = z.object({ text: z.string(), difference: z.number(), interval: intervalSchema, verdict: z.enum(['holds', 'does not hold', 'undecided']) });

export const experimentResultsSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  z.object({
    status: z.literal('ready'),
    title: z.string(),
    source: z.string(),
    about: z.string(),
    scale: z.enum(['small', 'full']),
    seeds: list(z.number()),
    /** Numbers of tables and claims are times 100, as the paper prints them. */
    isPercent: z.boolean(),
    tables: list(experimentTableSchema),
    comparisons: countSchema,
    reference: z.string(),
    plot: experimentPlotSchema.nullable(),
    claims: list(experimentClaimSchema),
    /** Claims that cannot be judged yet. */
    openClaims: countSchema,
    minutes: z.number().nullable(),
    notes: list(z.string()),
    /** The folder with results.json, report.md and plot.svg. */
    folder: pathSchema,
    isComplete: z.boolean(),
  }),
]);
export type ExperimentResults = z.infer<typeof experimentResultsSchema>;
