/** What do the calls about the library and about mined pairs do? */
import { strictestTerms } from '../../core/corpus/terms.ts';
import type { CorpusTerms, Job, Library, Project } from '../contract/index.ts';
import { makeCorpus, termsOfCorpus, withCorpus } from '../project/corpora.ts';
import { forgetFailures, withFolder, type ProjectFolders } from '../project/library.ts';
import { readMining, removeMining, writeAccepted, writeMiningFacts } from '../project/mining.ts';
import type { OpenProject } from '../project/projects.ts';
import { absolutePaths } from '../project/recipe.ts';
import type { Services } from './application.ts';
import { requireWritable } from './judgements.ts';
import { readLibrary, show } from './projects.ts';

/** Changes the folders of a library; an indexed one follows by itself. */
export async function changeFolders(services: Services, projectId: string, edit: (folders: ProjectFolders) => ProjectFolders): Promise<Library> {
  const project = await services.projects.change(projectId, (file) => ({ ...file, library: { ...file.library, folders: edit(file.library.folders) } }));
  const library = await readLibrary(services, project);
  services.libraryWatch.lookSoon(projectId);
  return library;
}

export function addFolder(folder: string): (folders: ProjectFolders) => ProjectFolders {
  return (folders) => withFolder(folders, folder);
}

export async function watchLibrary(services: Services, projectId: string, isWatched: boolean): Promise<Library> {
  return readLibrary(services, await services.projects.change(projectId, (file) => ({ ...file, library: { ...file.library, isWatched } })));
}

export async function retryFiles(services: Services, projectId: string, paths: readonly string[] | null): Promise<Job> {
  const project = await services.projects.get(projectId);
  requireWritable(project);
  await forgetFailures(project.folder, paths);
  return services.jobs.start({ kind: 'index', projectId });
}

/** The accepted pairs as a corpus; kept again, it takes the place of the earlier one. */
export async function keepMined(services: Services, projectId: string, miningId: string): Promise<Project> {
  const project = await services.projects.get(projectId);
  requireWritable(project);
  const mining = await readMining(project.folder, miningId);
  const { source, target } = mining.facts;
  const path = await writeAccepted(project.folder, mining);
  const languages = { kind: 'two' as const, source: source.language, target: target.language };
  const corpus = await makeCorpus(services.inspector, { folder: project.folder, paths: [path], role: 'pairs', languages, licence: null, terms: minedTerms(project, [source.path, target.path]), projectLanguages: project.file.languages, addedAt: services.now() });
  const changed = await services.projects.change(projectId, (file) => withCorpus(file, corpus));
  await writeMiningFacts(project.folder, { ...mining.facts, corpusId: corpus.id });
  return show(services, changed);
}

/** Pairs out of corpora inherit the strictest of their terms; of a text from elsewhere nobody has said anything. */
function minedTerms({ folder, file }: OpenProject, paths: readonly string[]): CorpusTerms | undefined {
  const named = paths.map((path) => {
    const corpus = file.corpora.find(({ paths: own }) => absolutePaths(folder, own).includes(path));
    return corpus === undefined ? { name: path, source: null, licence: null, consent: null, access: null } : termsOfCorpus(corpus);
  });
  if (named.every(({ source, licence, consent, access }) => source === null && licence === null && consent === null && access === null)) return undefined;
  const inherited = strictestTerms(named);
  if (inherited === null) return undefined;
  const { sources, licence, consent, access } = inherited;
  const said = <Value>(kept: Value, field: 'licence' | 'consent' | 'access'): Value | null => (named.some((terms) => terms[field] === null) ? null : kept);
  return { source: sources.length === 0 ? null : sources.join('; '), licence: said(licence, 'licence'), consent: said(consent, 'consent'), access: said(access, 'access') };
}

export async function forgetMined(services: Services, projectId: string, miningId: string): Promise<Record<string, never>> {
  const project = await services.projects.get(projectId);
  requireWritable(project);
  await removeMining(project.folder, miningId);
  return {};
}
