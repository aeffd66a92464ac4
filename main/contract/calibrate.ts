/** Are the languages of a trained model brought onto each other, and does it help? A model beside the trained one, taken into use when a person says so. */
import { z } from 'zod';
import { byProjectSchema, countSchema, list, timeSchema } from './basics.ts';

/** `rotate`: by the project's sentence pairs, or by vectors that are each other's nearest, without any. */
export const calibrationStepsSchema = z.object({ shift: z.boolean(), scale: z.boolean(), rotate: z.enum(['none', 'pairs', 'unsupervised']) });
export type CalibrationSteps = z.infer<typeof calibrationStepsSchema>;

/** Shares, 0 to 1: of sentences whose translation is the nearest of all; `accuracy` is the mean of both directions. */
const accuracySchema = z.object({ accuracy: z.number(), forward: z.number(), backward: z.number() });

export const calibrationSchema = z.object({
  at: timeSchema,
  steps: calibrationStepsSchema,
  pivot: z.string(),
  /** `texts` that a language was measured by; `pairs` by which it was turned onto the pivot. */
  languages: list(z.object({ tag: z.string(), texts: countSchema, pairs: countSchema, rotated: z.boolean() })),
  /** On pairs that were held out, in the order of the corpora. Empty: there was nothing to measure it on. */
  heldOut: list(z.object({ source: z.string(), target: z.string(), pairs: countSchema, before: accuracySchema, after: accuracySchema })),
  /** The project searches with it now. */
  inUse: z.boolean(),
});
export type CalibrationOutcome = z.infer<typeof calibrationSchema>;

/** `hasPairs`: there are sentence pairs with the pivot to rotate by. `calibration`: the last one of the present model, or the one in use. */
export const calibrationStatusSchema = z.object({ canCalibrate: z.boolean(), hasPairs: z.boolean(), calibration: calibrationSchema.nullable() });
export type CalibrationStatus = z.infer<typeof calibrationStatusSchema>;

/** true: search with the calibrated model; false: with the one it was made from. */
export const calibrationUseInputSchema = byProjectSchema.extend({ use: z.boolean() });
