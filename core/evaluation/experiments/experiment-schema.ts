/** Which keys has an experiment file? */
import { z } from 'zod';
import { rowSchema } from './rows.ts';
import { taskSchema } from './tasks.ts';

const name = z.string().regex(/^[\w.+-]{1,60}$/, 'a name of letters, digits, "_", ".", "+", "-"');

const claim = z.strictObject({
  text: z.string().min(1),
  better: name,
  than: name,
  /** All tasks when left out: the mean over them is compared. */
  tasks: z.array(name).min(1).optional(),
  /** "close": the paper found no difference that matters; it holds when the interval of the difference lies within ± `margin`. */
  relation: z.enum(['better', 'close']).default('better'),
  margin: z.number().positive().max(1).default(0.01),
});

/** A column of means over some tasks. */
const average = z.strictObject({ label: z.string().min(1), tasks: z.array(name).min(1) });

/** Something that has to be brought, and where it is to be had. */
const need = z.strictObject({
  path: z.string().min(1),
  what: z.string().min(1),
  from: z.string().min(1),
  /** For a backbone that is not there yet: its family, so that the plan knows its sizes. */
  backbone: z.enum(['mbert', 'xlm-r-base', 'xlm-r-large', 'infoxlm-base', 'infoxlm-large', 'labse']).optional(),
});

/** Every key of an experiment, with its defaults. */
export const experimentSchema = z.strictObject({
  name,
  title: z.string(),
  /** Paper and table or figure. */
  source: z.string(),
  /** Backbone, data and size, in words. */
  about: z.string(),
  scale: z.enum(['small', 'full']),
  needs: z.array(need).default([]),
  base: z.record(z.string(), z.json()).default({}),
  rows: z.array(rowSchema).min(1),
  /** The row that others are compared with; the first that is not reported when left out. */
  reference: name.optional(),
  seeds: z.array(z.int().min(0)).min(1),
  tasks: z.array(taskSchema).min(1),
  /** Settings are chosen on these, and on these alone. */
  development: z.array(taskSchema).default([]),
  /** Left out: one column "average" where there are several tasks. */
  averages: z.array(average).optional(),
  /** Numbers times 100, with one digit, as F1 of BUCC is printed. */
  percent: z.boolean().default(false),
  /** A table of batches, steps and products, as Table 1 of Hu et al. 2023 has it. */
  showsCosts: z.boolean().default(false),
  claims: z.array(claim).default([]),
  plot: z.strictObject({ x: z.string(), y: z.string(), logarithmic: z.boolean().default(false), /** Rows drawn as dashed horizontal lines. */ lines: z.array(name).default([]) }).optional(),
});

/** As written in a file, defaults filled in, paths as they stand there. */
export type ExperimentDraft = z.infer<typeof experimentSchema>;
export type ExperimentClaim = z.infer<typeof claim>;
export type ExperimentAverage = z.infer<typeof average>;
export type ExperimentNeed = z.infer<typeof need>;
