/** Which model does a project use, what is known of it, and how does a new one take its place? */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, syncFolder } from '../../core/base/atomic-files.ts';
import { IsoglossError, toIsoglossError } from '../../core/base/errors.ts';
import { sha256 } from '../../core/base/hashing.ts';
import { MANIFEST_FILE, readManifest } from '../../core/encoding/model-folder.ts';
import { readModelTerms } from '../../core/encoding/model-terms.ts';
import { evaluationReportSchema, type EvaluationReport, type ModelCard } from '../contract/index.ts';
import type { ProjectFile } from './project-file.ts';
import { projectPaths } from './recipe.ts';

export const REPORT_FILE = 'report.json';
const MODELS_KEPT = 3;

/** The absolute folder of the model in use, or null. */
export function modelFolderOf(folder: string, file: ProjectFile): string | null {
  return file.model === null ? null : join(folder, file.model);
}

/** The card of the model in use; null when there is none or it cannot be read (then training again is the way out). */
export async function readModelCard(modelFolder: string | null): Promise<ModelCard | null> {
  if (modelFolder === null) return null;
  try {
    const manifest = await readManifest(modelFolder);
    const names = [...Object.keys(manifest.files), MANIFEST_FILE];
    const sizes = await Promise.all(names.map((name) => stat(join(modelFolder, name)).then((found) => found.size, () => 0)));
    const { width, vocabularySize } = manifest.encoder;
    return {
      modelId: sha256(JSON.stringify(manifest.files)), // as openEncoder says it
      trainedAt: Date.parse(manifest.createdAt),
      languages: manifest.languages.map(({ tag }) => tag),
      steps: numberIn(manifest.training, 'steps'),
      minutes: numberIn(manifest.training, 'wallSeconds') / 60,
      parameters: vocabularySize * (width + 1),
      sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
      terms: await readModelTerms(modelFolder),
    };
  } catch (thrown) {
    if (toIsoglossError(thrown).family === 'invariant') throw thrown;
    return null;
  }
}

/** The report beside a model; null when it was kept before it was evaluated. */
export async function readReport(modelFolder: string | null): Promise<EvaluationReport | null> {
  if (modelFolder === null) return null;
  try {
    const parsed = evaluationReportSchema.safeParse(await readJson(join(modelFolder, REPORT_FILE)));
    return parsed.success ? parsed.data : null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null;
    throw thrown;
  }
}

/** Moves a finished training folder to a name of its own. @returns that name, relative to the project folder. */
export async function keepModel(folder: string, name: string): Promise<string> {
  const { models, training } = projectPaths(folder);
  const kept = join('models', name);
  await rename(training, join(folder, kept));
  await syncFolder(models);
  return kept.split('\\').join('/');
}

/** Deletes all but the newest models; those in use (absolute folders) are never deleted. */
export async function tidyModels(folder: string, inUse: readonly (string | null)[]): Promise<void> {
  const { models } = projectPaths(folder);
  const names = (await readdir(models)).filter((name) => /^model-\d+$/.test(name)).sort().reverse();
  for (const name of names.slice(MODELS_KEPT)) if (!inUse.includes(join(models, name))) await rm(join(models, name), { recursive: true, force: true });
}

/** Whether an unfinished training left something to go on from. */
export async function hasCheckpoint(folder: string): Promise<boolean> {
  const names = await readdir(projectPaths(folder).checkpoints).catch(() => []); // none yet
  return names.length > 0;
}

function numberIn(record: Readonly<Record<string, unknown>>, key: string): number {
  const value = record[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
