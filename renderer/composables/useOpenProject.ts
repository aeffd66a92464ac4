/** What stands in the open project, and how is it changed? */
import { storeToRefs } from 'pinia';
import type { Ref } from 'vue';
import type { ChosenLanguage, CorpusFormat, CorpusLanguages, CorpusMapping, CorpusRole, CorpusTerms, Library, Project, Result, SpellingRules, TrainingPlan, TrainingSettings } from '../../main/contract/index.ts';
import { IDLE, ready, valueOf, type Loadable } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

export type NewCorpus = {
  readonly paths: readonly string[];
  readonly role: CorpusRole;
  readonly format: CorpusFormat;
  readonly languages: CorpusLanguages;
  readonly licence: string | null;
  readonly mapping?: CorpusMapping;
  readonly encoding?: string;
  readonly terms?: CorpusTerms;
};

/** What is said anew of a corpus; null: as it is. */
export type ChangedCorpus = { readonly corpusId: string; readonly languages: CorpusLanguages | null; readonly mapping: CorpusMapping | null; readonly encoding: string | null; readonly terms: CorpusTerms | null };

export type OpenProject = {
  readonly open: Ref<Loadable<Project>>;
  readonly plan: Ref<Loadable<TrainingPlan>>;
  readonly result: Ref<Loadable<Result>>;
  /** Loads a project, unless it is the one that is open. */
  readonly show: (projectId: string) => Promise<void>;
  /** Asks again for the open project, whatever is known of it. */
  readonly refresh: () => Promise<void>;
  readonly loadPlan: (projectId: string) => Promise<void>;
  readonly loadResult: (projectId: string) => Promise<void>;
  readonly update: (change: { readonly name?: string; readonly languages?: readonly ChosenLanguage[]; readonly settings?: TrainingSettings; readonly spelling?: SpellingRules }) => Promise<void>;
  readonly addCorpus: (corpus: NewCorpus) => Promise<void>;
  readonly changeCorpus: (corpus: ChangedCorpus) => Promise<void>;
  readonly removeCorpus: (corpusId: string) => Promise<void>;
  readonly chooseLibrary: (folder: string) => Promise<Library>;
  readonly addLibraryFolder: (folder: string) => Promise<Library>;
  readonly removeLibraryFolder: (folder: string) => Promise<Library>;
  readonly watchLibrary: (isWatched: boolean) => Promise<Library>;
  readonly refreshLibrary: () => Promise<void>;
};

export function useOpenProject(): OpenProject {
  const { client } = useBridge();
  const { open, plan, result } = storeToRefs(useProjectsStore());

  function openId(): string {
    const project = valueOf(open.value);
    if (project === null) throw new Error('No project is open.');
    return project.id;
  }

  function keepLibrary(library: Library): Library {
    const project = valueOf(open.value);
    if (project !== null) open.value = ready({ ...project, library });
    return library;
  }

  return {
    open,
    plan,
    result,
    async show(projectId) {
      if (valueOf(open.value)?.id === projectId) return;
      open.value = IDLE;
      plan.value = IDLE;
      result.value = IDLE;
      await loadInto(open, () => client.project.get({ projectId }));
    },
    async refresh() {
      const project = valueOf(open.value);
      if (project !== null) await loadInto(open, () => client.project.get({ projectId: project.id }));
    },
    loadPlan: (projectId) => loadInto(plan, () => client.training.plan({ projectId })),
    loadResult: (projectId) => loadInto(result, () => client.project.result({ projectId })),
    async update({ name, languages, settings, spelling }) {
      open.value = ready(await client.project.update({ projectId: openId(), name: name ?? null, languages: languages === undefined ? null : [...languages], settings: settings ?? null, spelling: spelling ?? null }));
    },
    async addCorpus({ paths, ...corpus }) {
      open.value = ready(await client.corpus.add({ projectId: openId(), paths: [...paths], ...corpus }));
    },
    async changeCorpus(corpus) {
      open.value = ready(await client.corpus.change({ projectId: openId(), ...corpus }));
    },
    async removeCorpus(corpusId) {
      open.value = ready(await client.corpus.remove({ projectId: openId(), corpusId }));
    },
    chooseLibrary: async (folder) => keepLibrary(await client.library.choose({ projectId: openId(), folder })),
    addLibraryFolder: async (folder) => keepLibrary(await client.library.addFolder({ projectId: openId(), folder })),
    removeLibraryFolder: async (folder) => keepLibrary(await client.library.removeFolder({ projectId: openId(), folder })),
    watchLibrary: async (isWatched) => keepLibrary(await client.library.watch({ projectId: openId(), isWatched })),
    async refreshLibrary() {
      keepLibrary(await client.library.status({ projectId: openId() }));
    },
  };
}
