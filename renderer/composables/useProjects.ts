/** Which projects are there, and how is one made, opened or put away? */
import { storeToRefs } from 'pinia';
import type { ChosenLanguage, Project, RecentProject } from '../../main/contract/index.ts';
import { ready, type Loadable } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import type { Ref } from 'vue';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

export type Projects = {
  readonly recent: Ref<Loadable<readonly RecentProject[]>>;
  readonly loadRecent: () => Promise<void>;
  readonly openSample: () => Promise<Project>;
  /** One of the recent projects. */
  readonly openKnown: (projectId: string) => Promise<Project>;
  readonly openFolder: (folder: string) => Promise<Project>;
  readonly create: (options: { readonly name: string; readonly languages: readonly ChosenLanguage[]; readonly parentFolder: string | null }) => Promise<Project>;
  readonly forget: (projectId: string) => Promise<void>;
};

export function useProjects(): Projects {
  const { client } = useBridge();
  const { recent, open } = storeToRefs(useProjectsStore());

  function keep(project: Project): Project {
    open.value = ready(project);
    return project;
  }

  const loadRecent = (): Promise<void> => loadInto(recent, async () => (await client.project.recent({})).projects);

  return {
    recent,
    loadRecent,
    openSample: async () => keep(await client.project.openSample({})),
    openKnown: async (projectId) => keep(await client.project.get({ projectId })),
    openFolder: async (folder) => keep(await client.project.open({ folder })),
    create: async ({ name, languages, parentFolder }) => keep(await client.project.create({ name, languages: [...languages], parentFolder })),
    async forget(projectId) {
      await client.project.remove({ projectId, what: 'recent' });
      await loadRecent();
    },
  };
}
