/** What can leave this project, and what does somebody bring? */
import { shallowRef, type Ref, type ShallowRef } from 'vue';
import type { Brought, Progress, Project, SharePlan } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

export type Sharing = { readonly plan: Ref<Loadable<SharePlan>>; readonly loadPlan: (projectId: string) => Promise<void> };

export function useSharing(): Sharing {
  const { client } = useBridge();
  const plan = shallowRef<Loadable<SharePlan>>(IDLE);
  return { plan, loadPlan: (projectId) => loadInto(plan, () => client.share.plan({ projectId })) };
}

export type Bringing = {
  /** What lies at the path that was looked at last. */
  readonly brought: Readonly<ShallowRef<Loadable<Brought>>>;
  readonly progress: Readonly<ShallowRef<Progress | null>>;
  readonly look: (path: string) => Promise<void>;
  /** Takes it in as a project of its own; null when it was left. @throws what the program says. */
  readonly bring: (path: string) => Promise<Project | null>;
  /** Leaves what is being taken in (nothing of it stays), and forgets what was looked at. */
  readonly leave: () => void;
};

export function useBringing(): Bringing {
  const { client } = useBridge();
  const store = useProjectsStore();
  const brought = shallowRef<Loadable<Brought>>(IDLE);
  const progress = shallowRef<Progress | null>(null);
  let controller: AbortController | null = null;
  let newest = 0;

  return {
    brought,
    progress,
    async look(path) {
      newest += 1;
      const mine = newest;
      brought.value = LOADING;
      const answer = await client.share.look({ path }).then(ready, (thrown: unknown) => failed<Brought>(problemFrom(thrown)));
      if (mine === newest) brought.value = answer;
    },
    async bring(path) {
      const own = new AbortController();
      controller = own;
      try {
        for await (const event of await client.share.bring({ path, name: null }, { signal: own.signal })) {
          if (event.kind === 'progress') progress.value = event.progress;
          else {
            store.open = ready(event.project);
            return event.project;
          }
        }
        return null;
      } catch (thrown) {
        if (own.signal.aborted) return null;
        throw thrown;
      } finally {
        progress.value = null;
        controller = null;
      }
    },
    leave() {
      newest += 1;
      controller?.abort();
      brought.value = IDLE;
    },
  };
}
