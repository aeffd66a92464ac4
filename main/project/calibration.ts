/** Which calibrated model does a project have beside its trained one, and which of the two does it use? */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../core/base/atomic-files.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import { calibrationSchema, type CalibrationOutcome } from '../contract/index.ts';
import type { ProjectFile } from './project-file.ts';

/** Beside the model: what it was made from (relative to the project folder) and what it changed. */
const FACTS_FILE = 'calibration.json';
const NAME = /^calibrated-\d+$/;
const factsSchema = z.object({ from: z.string(), outcome: calibrationSchema.omit({ inUse: true }) });
export type CalibrationFacts = z.infer<typeof factsSchema>;

export type FoundCalibration = CalibrationFacts & { /** Relative to the project folder. */ readonly model: string };

export const calibratedName = (now: number): string => `models/calibrated-${String(now)}`;
export const factsPath = (folder: string, model: string): string => join(folder, model, FACTS_FILE);

/** The one in use, else the newest of the present model; null when there is none. */
export async function findCalibration(folder: string, { model }: Pick<ProjectFile, 'model'>): Promise<FoundCalibration | null> {
  if (model === null) return null;
  const own = await factsOf(folder, model);
  if (own !== null) return own;
  for (const name of (await namesIn(folder)).reverse()) {
    const found = await factsOf(folder, `models/${name}`);
    if (found?.from === model) return found;
  }
  return null;
}

/** The trained model below the one in use: what is calibrated anew. */
export async function trainedModel(folder: string, { model }: Pick<ProjectFile, 'model'>): Promise<string | null> {
  return model === null ? null : ((await factsOf(folder, model))?.from ?? model);
}

export function outcomeOf({ model, outcome }: FoundCalibration, file: Pick<ProjectFile, 'model'>): CalibrationOutcome {
  return { ...outcome, inUse: file.model === model };
}

/** Whether the folder of a model is still there. */
export async function isThere(folder: string, model: string): Promise<boolean> {
  return stat(join(folder, model)).then((found) => found.isDirectory(), () => false);
}

/** Deletes calibrated models that are not named (absolute folders). */
export async function tidyCalibrated(folder: string, kept: readonly (string | null)[]): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, 'models', name);
    if (!kept.includes(path)) await rm(path, { recursive: true, force: true });
  }
}

async function factsOf(folder: string, model: string): Promise<FoundCalibration | null> {
  try {
    const parsed = factsSchema.safeParse(await readJson(factsPath(folder, model)));
    return parsed.success ? { ...parsed.data, model } : null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null; // a trained model, or one that was never finished
    throw thrown;
  }
}

/** Oldest first. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'models')).catch((): string[] => [])).filter((name) => NAME.test(name)).sort(); // no models yet
}
