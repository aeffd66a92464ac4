/** What do the project's dictionaries say of a phrase? Of several questions the last one is answered. */
import { shallowRef, type ShallowRef } from 'vue';
import type { PhraseAnswer } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { useBridge } from './useBridge.ts';

const HITS_SHOWN = 30;

export type Phrases = { readonly answer: Readonly<ShallowRef<Loadable<PhraseAnswer>>>; readonly lookUp: (query: string) => Promise<void>; readonly clear: () => void };

export function usePhrases(projectId: () => string): Phrases {
  const { client } = useBridge();
  const answer = shallowRef<Loadable<PhraseAnswer>>(IDLE);
  let newest = 0;

  return {
    answer,
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
  };
}
