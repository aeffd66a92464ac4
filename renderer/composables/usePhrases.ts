/** What do the project's dictionaries say of a phrase, and what has been learnt from them? Of several questions the last one is answered. */
import { shallowRef, type ShallowRef } from 'vue';
import type { PhraseAnswer, PhraseStatus } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

const HITS_SHOWN = 30;

export type Phrases = {
  readonly answer: Readonly<ShallowRef<Loadable<PhraseAnswer>>>;
  readonly status: Readonly<ShallowRef<Loadable<PhraseStatus>>>;
  readonly loadStatus: () => Promise<void>;
  readonly lookUp: (query: string) => Promise<void>;
  readonly clear: () => void;
  /** Look-ups use the project's model again. @throws what the program says. */
  readonly forget: () => Promise<void>;
};

export function usePhrases(projectId: () => string): Phrases {
  const { client } = useBridge();
  const answer = shallowRef<Loadable<PhraseAnswer>>(IDLE);
  const status = shallowRef<Loadable<PhraseStatus>>(IDLE);
  let newest = 0;
  const loadStatus = (): Promise<void> => loadInto(status, () => client.phrases.status({ projectId: projectId() }));

  return {
    answer,
    status,
    loadStatus,
    async lookUp(query) {
      newest += 1;
      const mine = newest;
      answer.value = LOADING;
      const found = await client.phrases.lookUp({ projectId: projectId(), query, limit: HITS_SHOWN }).then(ready, (thrown: unknown) => failed<PhraseAnswer>(problemFrom(thrown)));
      if (mine === newest) answer.value = found;
    },
    clear() {
      newest += 1;
      answer.value = IDLE;
    },
    async forget() {
      await client.phrases.forget({ projectId: projectId() });
      await loadStatus();
    },
  };
}
