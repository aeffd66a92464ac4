/** What can be shared of a project, how large is it, and what should the maker know before? */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readIndexManifest } from '../../core/retrieval/store/index-manifest.ts';
import { UNKNOWN_LICENCE } from '../../core/corpus/terms.ts';
import { exportFormatsOf, licenceOf } from '../../core/encoding/export-model.ts';
import { readManifest } from '../../core/encoding/model-folder.ts';
import { IsoglossError } from '../../core/base/errors.ts';
import type { DataSheet, SharePlan } from '../contract/index.ts';
import { heldBackTexts, makeDataSheet } from './data-sheet.ts';
import { servingIndex, libraryPlace } from './index-places.ts';
import { corpusName } from './inspection.ts';
import { describeNamed } from './languages.ts';
import { readLibraryReport } from './library.ts';
import { modelFolderOf, readModelCard, readReport } from './models.ts';
import { PORTABLE_ENDING, type PortableIndex } from './portable-file.ts';
import type { OpenProject } from './projects.ts';
import { filesBelow } from './write-portable.ts';

export type SharePlanFacts = { readonly madeAt: number; readonly madeBy: string; /** Where it is proposed to be written. */ readonly folder: string };

/** The plan, for the window. @throws what reading the model throws. */
export async function planSharing(project: OpenProject, facts: SharePlanFacts): Promise<SharePlan> {
  const modelFolder = modelFolderOf(project.folder, project.file);
  if (modelFolder === null || (await readModelCard(modelFolder)) === null) return { status: 'none' };
  const index = await shareableIndex(project, modelFolder);
  const sheet = await sheetOf(project, { ...facts, modelFolder, contents: { texts: true, index: index === null ? null : { documents: index.facts.documents, chunks: index.facts.chunks } } });
  const texts = await heldBackTexts(modelFolder, await readReport(modelFolder));
  return {
    status: 'ready',
    sheet,
    modelBytes: await sizeOf(modelFolder),
    indexBytes: index === null ? null : await sizeOf(index.folder),
    heldBackTexts: texts.files.length === 0 ? 0 : texts.count,
    proposesTexts: sheet.terms !== null && sheet.terms.access === 'public' && ['given', 'not-needed'].includes(sheet.terms.consent),
    formats: await exportFormatsOf(modelFolder),
    isCalibrated: (await readManifest(modelFolder)).calibration !== undefined,
    licence: await licenceOf(modelFolder, sheet.terms === null || sheet.terms.licence === UNKNOWN_LICENCE ? [] : [sheet.terms.licence]), // also of models made before they named the starter
    fileName: `${stemOf(project.file.name)}-${new Date(facts.madeAt).toISOString().slice(0, 10)}${PORTABLE_ENDING}`,
    folder: facts.folder,
  };
}

/** The sheet of the project's model with what is chosen to go along. */
export async function sheetOf({ file }: OpenProject, { modelFolder, contents, madeAt, madeBy }: SharePlanFacts & { readonly modelFolder: string; readonly contents: DataSheet['contents'] }): Promise<DataSheet> {
  const records = new Map(file.corpora.map(({ paths, counts }) => [corpusName(paths), counts.records]));
  return makeDataSheet({ modelFolder, name: file.name, languageName: (tag) => describeNamed(tag, file.names).name, records, madeAt, madeBy, contents });
}

/** The index that answers, when this model made it and its tables lie in its folder. */
export async function shareableIndex({ folder, file }: OpenProject, modelFolder: string): Promise<{ readonly folder: string; readonly facts: PortableIndex } | null> {
  const card = await readModelCard(modelFolder);
  const report = await readLibraryReport(folder);
  if (card === null || report === null || report.modelId !== card.modelId) return null;
  const serving = await servingIndex(libraryPlace(folder), { modelFolder, modelId: card.modelId });
  if (serving === null || serving.modelId !== card.modelId) return null;
  try {
    if ((await readIndexManifest(serving.indexFolder)).location !== undefined) return null;
  } catch (thrown) {
    if (thrown instanceof IsoglossError && thrown.family === 'input') return null; // damaged: the search view says so
    throw thrown;
  }
  const { modelId, spelling, indexedAt, chunks, documents, files } = report;
  return { folder: serving.indexFolder, facts: { modelId, spelling: spelling ?? file.spelling, indexedAt, chunks, documents, files } };
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await filesBelow(folder)).map((name) => stat(join(folder, name)).then(({ size }) => size, () => 0)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Letters and digits of any script, "-" for the rest. */
export function stemOf(name: string): string {
  return name.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'isogloss';
}
