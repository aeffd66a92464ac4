/** What can leave this project, and what does somebody bring? */
import { shallowRef, type Ref, type ShallowRef } from 'vue';
import type { Brought, Progress, Project, SharePlan } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { useProjectsStore } from '../stores/projects.ts';
import { loadInto } from './load-into.ts';
import { uploadFile } from './upload-file.ts';
import { useBridge } from './useBridge.ts';
import { useJobs } from './useJobs.ts';

export type Sharing = { readonly plan: Ref<Loadable<SharePlan>>; readonly loadPlan: (projectId: string) => Promise<void> };

export function useSharing(): Sharing {
  const { client } = useBridge();
  const plan = shallowRef<Loadable<SharePlan>>(IDLE);
  return { plan, loadPlan: (projectId) => loadInto(plan, () => client.share.plan({ projectId })) };
}

const HUNDRED = 100;

export type Bringing = {
  /** What lies at the path that was looked at last. */
  readonly brought: Readonly<ShallowRef<Loadable<Brought>>>;
  readonly progress: Readonly<ShallowRef<Progress | null>>;
  readonly look: (path: string) => Promise<void>;
  /** The same with a file of the browser, which is handed over first. */
  readonly lookAtFile: (file: File) => Promise<void>;
  /** Takes it in as a project of its own; null when it was left. @throws what the program says. */
  readonly bring: (path: string) => Promise<Project | null>;
  /** Leaves what is being taken in (nothing of it stays), and forgets what was looked at. */
  readonly leave: () => void;
};

export function useBringing(): Bringing {
  const { client } = useBridge();
  const { loadAll } = useJobs();
  const store = useProjectsStore();
  const brought = shallowRef<Loadable<Brought>>(IDLE);
  const progress = shallowRef<Progress | null>(null);
  let controller: AbortController | null = null;
  let newest = 0;

  /** `pathOf`: where it lies, once it is there; null when it is not wanted any more. */
  async function lookAt(pathOf: (isWanted: () => boolean) => Promise<string | null>): Promise<void> {
    newest += 1;
    const mine = newest;
    const isWanted = (): boolean => mine === newest;
    brought.value = LOADING;
    try {
      const path = await pathOf(isWanted);
      const found = path === null ? null : await client.share.look({ path });
      if (isWanted() && found !== null) brought.value = ready(found);
    } catch (thrown) {
      if (isWanted()) brought.value = failed(problemFrom(thrown));
    } finally {
      if (isWanted()) progress.value = null;
    }
  }

  return {
    brought,
    progress,
    look: (path) => lookAt(() => Promise.resolve(path)),
    lookAtFile: (file) => lookAt((isWanted) => uploadFile(client, { projectId: null, file, isWanted, onProgress: (fractionDone) => {
      if (isWanted()) progress.value = { phase: 'uploading', done: Math.round(fractionDone * HUNDRED), total: HUNDRED, unit: 'percent' };
    } })),
    async bring(path) {
      const own = new AbortController();
      controller = own;
      try {
        for await (const event of await client.share.bring({ path, name: null }, { signal: own.signal })) {
          if (event.kind === 'progress') {
            if (progress.value === null) void loadAll().catch(() => undefined); // it stands among all work now; a lost connection is drawn by the frame
            progress.value = event.progress;
          } else {
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
