/** How do chosen and dropped files become corpora? Upload where needed, look inside, let the person settle how it is read, add; and the same look at what is there already. */
import { computed, type ComputedRef } from 'vue';
import type { Corpus, CorpusLanguages, CorpusMapping, CorpusRole, CorpusTerms, Inspection } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { changesReading, fileName, groupPaths, isUnsaid, NO_TERMS, usePendingStore, type CorpusSettings, type PendingCorpus, type PendingState } from '../stores/pending-corpora.ts';
import { uploadFile } from './upload-file.ts';
import { useBridge } from './useBridge.ts';
import { useOpenProject } from './useOpenProject.ts';

export type PendingCorpora = {
  readonly pending: ComputedRef<readonly PendingCorpus[]>;
  readonly choose: (role: CorpusRole, paths: readonly string[]) => Promise<void>;
  readonly drop: (role: CorpusRole, files: readonly File[]) => Promise<void>;
  /** Files that were settled before the page was loaded anew. */
  readonly takeUp: (known: { readonly role: CorpusRole; readonly paths: readonly string[]; readonly settings: CorpusSettings }) => Promise<void>;
  /** Looks into a corpus of the project once more. @returns its id among those that are looked at. */
  readonly lookAgain: (corpus: Corpus) => string;
  readonly change: (id: string, settings: Partial<CorpusSettings>) => Promise<void>;
  /** As it was settled before the last change. */
  readonly undo: (id: string) => Promise<void>;
  /** Into the project; for a corpus that is there already: what was settled is kept. */
  readonly add: (id: string) => Promise<boolean>;
  readonly leaveOut: (id: string) => void;
};

/** What was settled of files before they are looked into. */
type Settled = { readonly languages: CorpusLanguages; readonly mapping?: CorpusMapping | null | undefined; readonly encoding?: string | null | undefined; readonly terms?: CorpusTerms | undefined; readonly licence?: string | null };

export function usePendingCorpora(projectId: () => string): PendingCorpora {
  const { client } = useBridge();
  const { addCorpus, changeCorpus } = useOpenProject();
  const store = usePendingStore();
  /** The newest look at each: an older answer that comes later is of no use. */
  const looks = new Map<string, number>();

  function set(pending: PendingCorpus, state: PendingState): void {
    const known = store.find(pending.id);
    if (known !== null) store.put({ ...known, state });
  }

  function begin(role: CorpusRole, name: string, state: PendingState, corpusId: string | null = null): PendingCorpus {
    const pending: PendingCorpus = { id: crypto.randomUUID(), projectId: projectId(), corpusId, role, name, state };
    store.put(pending);
    return pending;
  }

  async function inspect(pending: PendingCorpus, paths: readonly string[], settled: Settled | null = null): Promise<void> {
    set(pending, { status: 'inspecting' });
    try {
      const inspection = await client.corpus.inspect({ projectId: pending.projectId, paths: [...paths], choice: { role: pending.role, format: null, languages: settled?.languages ?? null, mapping: settled?.mapping ?? null, encoding: settled?.encoding ?? null } });
      if (inspection.status === 'unusable') return set(pending, { status: 'unusable', problem: inspection.error });
      const terms = settled?.terms ?? { ...NO_TERMS, licence: settled?.licence ?? null };
      const settings: CorpusSettings = { role: inspection.role, languages: inspection.languages, mapping: settled?.mapping ?? null, encoding: settled?.encoding ?? null, terms };
      set(pending, { status: 'readable', inspection, settings, earlier: [], isLooking: false, problem: null });
    } catch (thrown) {
      set(pending, { status: 'unusable', problem: problemFrom(thrown) });
    }
  }

  /** What is settled now; the file is looked into once more where that changes what is read. */
  async function settle(id: string, settings: CorpusSettings, earlier: readonly CorpusSettings[]): Promise<void> {
    const pending = store.find(id);
    if (pending?.state.status !== 'readable') return;
    const { inspection, settings: before, problem } = pending.state;
    if (!changesReading(before, settings, inspection) && problem === null) return set(pending, { ...pending.state, settings, earlier });
    set(pending, { status: 'readable', inspection, settings, earlier, isLooking: true, problem: null });
    const look = (looks.get(id) ?? 0) + 1;
    looks.set(id, look);
    const { role, languages, mapping, encoding } = settings;
    const hasLanguages = languages.kind === 'one' ? languages.language !== null : languages.source !== null && languages.target !== null;
    const answer = await client.corpus
      .inspect({ projectId: pending.projectId, paths: [...inspection.paths], choice: { role, format: inspection.format, languages: hasLanguages && role === before.role ? languages : null, mapping, encoding } })
      .catch((thrown: unknown): Inspection => ({ status: 'unusable', paths: inspection.paths, error: problemFrom(thrown) }));
    const now = store.find(id);
    if (looks.get(id) !== look || now?.state.status !== 'readable') return;
    if (answer.status === 'unusable') return set(now, { ...now.state, isLooking: false, problem: answer.error });
    store.put({ ...now, role: answer.role, state: { ...now.state, inspection: answer, settings: { ...now.state.settings, role: answer.role, languages: role === before.role ? now.state.settings.languages : answer.languages }, isLooking: false, problem: null } });
  }

  const upload = (pending: PendingCorpus, file: File): Promise<string | null> =>
    uploadFile(client, { projectId: pending.projectId, file, isWanted: () => store.find(pending.id) !== null, onProgress: (fractionDone) => set(pending, { status: 'uploading', fractionDone }) });

  async function uploadAll(role: CorpusRole, files: readonly File[]): Promise<void> {
    const pending = begin(role, files.map((file) => file.name).join(' + '), { status: 'uploading', fractionDone: 0 });
    try {
      const paths: string[] = [];
      for (const file of files) {
        const path = await upload(pending, file);
        if (path === null) return; // left out meanwhile
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
    async takeUp({ role, paths, settings }) {
      await inspect(begin(role, paths.map(fileName).join(' + '), { status: 'inspecting' }), paths, settings);
    },
    lookAgain(corpus) {
      const known = store.all.find((pending) => pending.corpusId === corpus.id);
      if (known !== undefined) return known.id;
      const pending = begin(corpus.role, corpus.name, { status: 'inspecting' }, corpus.id);
      void inspect(pending, corpus.paths, corpus);
      return pending.id;
    },
    async change(id, settings) {
      const pending = store.find(id);
      if (pending?.state.status !== 'readable') return;
      const before = pending.state.settings;
      await settle(id, { ...before, ...settings }, [...pending.state.earlier, before]);
    },
    async undo(id) {
      const pending = store.find(id);
      const last = pending?.state.status === 'readable' ? pending.state.earlier.at(-1) : undefined;
      if (pending?.state.status === 'readable' && last !== undefined) await settle(id, last, pending.state.earlier.slice(0, -1));
    },
    async add(id) {
      const pending = store.find(id);
      if (pending?.state.status !== 'readable') return false;
      const { inspection, settings } = pending.state;
      const readable = pending.state;
      set(pending, { status: 'adding', inspection, settings });
      const { role, languages, mapping, encoding, terms } = settings;
      try {
        if (pending.corpusId !== null) await changeCorpus({ corpusId: pending.corpusId, languages, mapping, encoding, terms });
        else await addCorpus({ paths: inspection.paths, role, format: inspection.format, languages, licence: terms.licence, ...(mapping === null ? {} : { mapping }), ...(encoding === null ? {} : { encoding }), ...(isUnsaid(terms) ? {} : { terms }) });
        store.remove(id);
        return true;
      } catch (thrown) {
        set(pending, { ...readable, problem: problemFrom(thrown) });
        return false;
      }
    },
    leaveOut: (id) => store.remove(id),
  };
}
