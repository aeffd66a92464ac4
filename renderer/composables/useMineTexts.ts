/** Which two texts shall be looked through? Texts of the project, or files chosen or dropped, each looked into before anything starts. */
import { computed, type ComputedRef } from 'vue';
import type { Corpus } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { useMiningStore, type ChosenText, type Side, type TextState } from '../stores/mining.ts';
import { fileName } from '../stores/pending-corpora.ts';
import { shownName } from './shown-name.ts';
import { uploadFile } from './upload-file.ts';
import { useBridge } from './useBridge.ts';

export type MineTexts = {
  readonly source: ComputedRef<ChosenText | null>;
  readonly target: ComputedRef<ChosenText | null>;
  readonly chooseCorpus: (side: Side, corpus: Corpus) => void;
  readonly choosePath: (side: Side, path: string) => Promise<void>;
  readonly drop: (side: Side, file: File) => Promise<void>;
  readonly setLanguage: (side: Side, language: string | null) => void;
  readonly clear: (side: Side) => void;
};

const NONE = { source: null, target: null };

export function useMineTexts(projectId: () => string): MineTexts {
  const { client } = useBridge();
  const store = useMiningStore();
  const chosen = computed(() => (store.texts?.projectId === projectId() ? store.texts : { projectId: projectId(), ...NONE }));

  function put(side: Side, text: ChosenText | null): void {
    store.texts = { ...chosen.value, [side]: text };
  }

  /** What is found out later counts only while the same text is still chosen. */
  function setState(side: Side, of: ChosenText, state: TextState, language: string | null = null): ChosenText {
    const now = chosen.value[side];
    if (now === null || now.path !== of.path || now.name !== of.name) return of;
    const next = { ...now, state, language: now.language ?? language };
    put(side, next);
    return next;
  }

  async function look(side: Side, text: ChosenText & { readonly path: string }): Promise<void> {
    const looking: ChosenText = { ...text, state: { status: 'looking' } };
    put(side, looking);
    try {
      const found = await client.corpus.inspect({ projectId: projectId(), paths: [text.path], choice: { role: 'texts', format: null, languages: null } });
      if (found.status === 'unusable') setState(side, looking, { status: 'unusable', code: found.error.code, message: found.error.message });
      else setState(side, looking, { status: 'readable', sentences: found.counts.records, rows: found.rows }, found.languages.kind === 'one' && found.languagesFrom !== 'none' ? found.languages.language : null);
    } catch (thrown) {
      const { code, message } = problemFrom(thrown);
      setState(side, looking, { status: 'unusable', code, message });
    }
  }

  return {
    source: computed(() => chosen.value.source),
    target: computed(() => chosen.value.target),
    chooseCorpus(side, { paths, name, languages, counts, rows }) {
      put(side, { path: paths[0] ?? null, name, language: languages.kind === 'one' ? languages.language : null, state: { status: 'readable', sentences: counts.records, rows } });
    },
    choosePath: (side, path) => look(side, { path, name: shownName(fileName(path)), language: null, state: { status: 'looking' } }),
    async drop(side, file) {
      const text: ChosenText = { path: null, name: file.name, language: null, state: { status: 'uploading', fractionDone: 0 } };
      put(side, text);
      try {
        const path = await uploadFile(client, { projectId: projectId(), file, isWanted: () => chosen.value[side]?.name === file.name && chosen.value[side].state.status === 'uploading', onProgress: (fractionDone) => setState(side, text, { status: 'uploading', fractionDone }) });
        if (path !== null) await look(side, { ...text, path });
      } catch (thrown) {
        const { code, message } = problemFrom(thrown);
        setState(side, text, { status: 'unusable', code, message });
      }
    },
    setLanguage(side, language) {
      const text = chosen.value[side];
      if (text !== null) put(side, { ...text, language });
    },
    clear: (side) => put(side, null),
  };
}
