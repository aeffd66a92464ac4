/** What does looking a phrase up do? It asks the search worker, over the corpora of the project that may be dictionaries. */
import { basename } from 'node:path';
import { InputError } from '../../core/base/errors.ts';
import type { CorpusFormat, PhraseAnswer } from '../contract/index.ts';
import { modelFolderOf } from '../project/models.ts';
import { absolutePaths } from '../project/recipe.ts';
import type { Services } from './application.ts';

/** Formats that can hold phrases with translations; the worker looks whether they do. */
const MAY_BE_DICTIONARIES: ReadonlySet<CorpusFormat> = new Set(['lift', 'sfm', 'tsv', 'csv']);

/** @throws InputError 'phrases.no-dictionary' when no corpus of the project is one. */
export async function lookPhraseUp(services: Services, { projectId, query, limit }: { readonly projectId: string; readonly query: string; readonly limit: number }, signal: AbortSignal | undefined): Promise<PhraseAnswer> {
  const { folder, file } = await services.projects.get(projectId);
  const corpora = file.corpora
    .filter(({ role, format }) => role === 'pairs' && MAY_BE_DICTIONARIES.has(format))
    .map(({ paths, format, languages, encoding = null, mapping = null }) => ({
      name: paths.map((path) => basename(path)).join(' + '),
      paths: absolutePaths(folder, paths),
      format,
      languages: format === 'lift' && languages.kind === 'two' && languages.source !== null && languages.target !== null ? { source: languages.source, target: languages.target } : null,
      encoding,
      mapping,
    }));
  const answer = corpora.length === 0 ? null : await services.searcher.ask('phrases', { modelFolder: modelFolderOf(folder, file), corpora, query, limit }, signal);
  if (answer === null || answer.dictionaries === 0) throw new InputError('phrases.no-dictionary', 'Expected a dictionary among the texts of this project, found none. Add one: LIFT, Toolbox, or a table of words with translations.');
  return answer;
}
