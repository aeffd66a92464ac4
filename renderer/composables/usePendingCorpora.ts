/** How do chosen and dropped files become corpora? Upload where needed, look inside, let the person settle the languages, add. */
import { computed, type ComputedRef } from 'vue';
import type { CorpusLanguages, CorpusRole } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { fileName, groupPaths, usePendingStore, type PendingCorpus, type PendingState } from '../stores/pending-corpora.ts';
import { uploadFile } from './upload-file.ts';
import { useBridge } from './useBridge.ts';
import { useOpenProject } from './useOpenProject.ts';

export type PendingCorpora = {
  readonly pending: ComputedRef<readonly PendingCorpus[]>;
  readonly choose: (role: CorpusRole, paths: readonly string[]) => Promise<void>;
  readonly drop: (role: CorpusRole, files: readonly File[]) => Promise<void>;
  readonly setLanguages: (id: string, languages: CorpusLanguages) => void;
  readonly add: (id: string, licence: string | null) => Promise<void>;
  readonly leaveOut: (id: string) => void;
};

export function usePendingCorpora(projectId: () => string): PendingCorpora {
  const { client } = useBridge();
  const { addCorpus } = useOpenProject();
  const store = usePendingStore();

  function set(pending: PendingCorpus, state: PendingState): void {
    if (store.find(pending.id) !== null) store.put({ ...pending, state });
  }

  function begin(role: CorpusRole, name: string, state: PendingState): PendingCorpus {
    const pending: PendingCorpus = { id: crypto.randomUUID(), projectId: projectId(), role, name, state };
    store.put(pending);
    return pending;
  }

  async function inspect(pending: PendingCorpus, paths: readonly string[]): Promise<void> {
    set(pending, { status: 'inspecting' });
    try {
      const inspection = await client.corpus.inspect({ projectId: pending.projectId, paths: [...paths], choice: { role: pending.role, format: null, languages: null } });
      if (inspection.status === 'unusable') set(pending, { status: 'unusable', problem: inspection.error });
      else set(pending, { status: 'readable', inspection, languages: inspection.languages, problem: null });
    } catch (thrown) {
      set(pending, { status: 'unusable', problem: problemFrom(thrown) });
    }
  }

  /** Null when the person left it out meanwhile. */
  const upload = (pending: PendingCorpus, file: File): Promise<string | null> =>
    uploadFile(client, { projectId: pending.projectId, file, isWanted: () => store.find(pending.id) !== null, onProgress: (fractionDone) => set(pending, { status: 'uploading', fractionDone }) });

  async function uploadAll(role: CorpusRole, files: readonly File[]): Promise<void> {
    const pending = begin(role, files.map((file) => file.name).join(' + '), { status: 'uploading', fractionDone: 0 });
    try {
      const paths: string[] = [];
      for (const file of files) {
        const path = await upload(pending, file);
        if (path === null) return;
        paths.push(path);
      }
      await inspect(pending, paths);
    } catch (thrown) {
      set(pending, { status: 'unusable', problem: problemFrom(thrown) });
    }
  }

  return {
    pending: computed(() => store.all.filter((pending) => pending.projectId === projectId())),
    async choose(role, paths) {
      const begun = groupPaths(role, paths).map((group) => ({ group, pending: begin(role, group.map(fileName).join(' + '), { status: 'inspecting' }) }));
      for (const { group, pending } of begun) await inspect(pending, group);
    },
    async drop(role, files) {
      const groups = groupPaths(role, files.map((file) => file.name));
      if (groups.length === 1) await uploadAll(role, files);
      else for (const file of files) await uploadAll(role, [file]);
    },
    setLanguages(id, languages) {
      const pending = store.find(id);
      if (pending?.state.status === 'readable') set(pending, { ...pending.state, languages });
    },
    async add(id, licence) {
      const pending = store.find(id);
      if (pending?.state.status !== 'readable') return;
      const { inspection, languages } = pending.state;
      set(pending, { status: 'adding', inspection, languages });
      try {
        await addCorpus({ paths: inspection.paths, role: inspection.role, format: inspection.format, languages, licence });
        store.remove(id);
      } catch (thrown) {
        set(pending, { status: 'readable', inspection, languages, problem: problemFrom(thrown) });
      }
    },
    leaveOut: (id) => store.remove(id),
  };
}
