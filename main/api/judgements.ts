/** What do the calls about judgements do? */
import { join } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import type { Judgements, JudgementScores } from '../contract/index.ts';
import { servingIndex, libraryPlace } from '../project/index-places.ts';
import { exportJudgements, type JudgementExport } from '../project/judgement-export.ts';
import { appendMark, appendScores, readMarks, viewJudgements, type Mark } from '../project/judgements.ts';
import { modelFolderOf, readModelCard } from '../project/models.ts';
import type { OpenProject, Projects } from '../project/projects.ts';
import type { OpenedIndex } from '../workers/messages.ts';
import type { Service } from '../workers/service.ts';

/** The index that answers for a project now. @throws InputError 'search.no-model', 'index.missing', 'index.model-gone'. */
export async function openedIndexOf({ folder, file }: OpenProject, generation: number): Promise<OpenedIndex & { readonly modelId: string }> {
  const modelFolder = modelFolderOf(folder, file);
  const card = await readModelCard(modelFolder);
  const serving = await servingIndex(libraryPlace(folder), modelFolder === null || card === null ? null : { modelFolder, modelId: card.modelId });
  if (serving === null && modelFolder === null) throw new InputError('search.no-model', 'Expected a trained model, found none. Train first, then index a folder.');
  if (serving === null) throw new InputError('index.missing', 'Expected an index of your documents, found none. Index the folder first.');
  if (serving.modelFolder === null) throw new InputError('index.model-gone', 'The model that made the index of your documents is not there any more. Index the documents again with the present one.');
  return { indexFolder: serving.indexFolder, modelFolder: serving.modelFolder, modelId: serving.modelId, generation, spelling: file.spelling };
}

/** Measures the methods on what was judged and remembers the scores; null when nothing can be measured yet. */
export async function measureJudgements({ projectId, projects, searcher, generation, now }: { readonly projectId: string; readonly projects: Pick<Projects, 'get'>; readonly searcher: Pick<Service, 'ask'>; readonly generation: number; readonly now: () => number }): Promise<JudgementScores | null> {
  const project = await projects.get(projectId);
  const judged = await readMarks(project.folder);
  const queries = judged.flatMap(({ query, queryLanguage, marks }) => {
    const right = marks.filter(({ verdict }) => verdict === 'right').map(({ passage: { path, text, location } }) => ({ path, text, start: location.start, end: location.end }));
    return right.length === 0 ? [] : [{ query, queryLanguage, right }];
  });
  if (queries.length === 0) return null;
  const { modelId, ...index } = await openedIndexOf(project, generation);
  const scores = await searcher.ask('measure', { ...index, queries });
  const measured = { at: now(), modelId, queries: queries.length, judgements: judged.reduce((sum, { marks }) => sum + marks.length, 0), scores };
  if (project.access.kind === 'writable') await appendScores(project.folder, measured);
  return measured;
}

/** @throws the reason when the project is read-only. */
export async function markPassage(project: OpenProject, mark: Mark): Promise<Judgements> {
  requireWritable(project);
  await appendMark(project.folder, mark);
  return viewJudgements(project.folder);
}

export async function exportProjectJudgements(project: OpenProject, folder: string | null): Promise<JudgementExport> {
  if (folder === null) requireWritable(project);
  return exportJudgements(await readMarks(project.folder), folder ?? join(project.folder, 'exports', 'judgements'));
}

export function requireWritable({ access, folder }: OpenProject): void {
  if (access.kind === 'read-only') throw new InputError('project.read-only', access.reason.message, { data: { path: folder } });
}
