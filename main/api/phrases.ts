/** What do a project's dictionaries say of a phrase, and which model reads them? Asked of the search worker, over the corpora that may be dictionaries. */
import { InputError } from '../../core/base/errors.ts';
import type { PhraseAnswer, PhraseStatus } from '../contract/index.ts';
import { modelFolderOf } from '../project/models.ts';
import { forgetPhraseModel, phraseCorpora, phraseModelFolder, phraseTexts, readPhraseModel } from '../project/phrases.ts';
import type { Services } from './application.ts';
import { requireWritable } from './judgements.ts';

/** @throws InputError 'phrases.no-dictionary' when no corpus of the project is one. */
export async function lookPhraseUp(services: Services, { projectId, query, limit }: { readonly projectId: string; readonly query: string; readonly limit: number }, signal: AbortSignal | undefined): Promise<PhraseAnswer> {
  const { folder, file } = await services.projects.get(projectId);
  const corpora = phraseCorpora(folder, file);
  const answer = corpora.length === 0 ? null : await services.searcher.ask('phrases', { modelFolder: await phraseModelFolder(folder, file), corpora: [...corpora], texts: [...phraseTexts(folder, file)], query, limit }, signal);
  if (answer === null || answer.dictionaries === 0) throw new InputError('phrases.no-dictionary', 'Expected a dictionary among the texts of this project, found none. Add one: LIFT, Toolbox, or a table of words with translations.');
  return answer;
}

export async function phraseStatus(services: Services, projectId: string, signal: AbortSignal | undefined): Promise<PhraseStatus> {
  const { folder, file } = await services.projects.get(projectId);
  const corpora = phraseCorpora(folder, file);
  const { entries } = corpora.length === 0 ? { entries: [] } : await services.searcher.ask('dictionaries', { corpora: [...corpora] }, signal);
  const dictionaries = corpora.flatMap(({ name, languages }, i) => ((entries[i] ?? 0) === 0 ? [] : [{ name, entries: entries[i] ?? 0, source: languages?.source ?? null, target: languages?.target ?? null }]));
  return { dictionaries, canTrain: modelFolderOf(folder, file) !== null && dictionaries.some(({ source, target }) => source !== null && target !== null), model: await readPhraseModel(folder, file) };
}

/** @throws InputError 'project.read-only', 'project.busy' while it is being trained. */
export async function forgetPhrases(services: Services, projectId: string): Promise<Record<string, never>> {
  const project = await services.projects.get(projectId);
  requireWritable(project);
  if (services.jobs.list(projectId).some(({ request, endedAt }) => request.kind === 'phrases' && endedAt === null)) throw new InputError('project.busy', 'The phrases of this project are being learned. Cancel that first.');
  await services.searcher.stop(); // it may hold files of the model
  await forgetPhraseModel(project.folder);
  return {};
}
