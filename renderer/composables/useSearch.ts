/** What was asked of the library, and what came back? */
import { shallowRef, type ShallowRef } from 'vue';
import type { Excerpt, Hit, SearchAnswer, SearchMethod } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { loadInto } from './load-into.ts';
import { useBridge } from './useBridge.ts';

const HITS_SHOWN = 20;

export type Question = { readonly query: string; readonly queryLanguage: string | null; readonly method: SearchMethod };

export type Search = {
  readonly answer: Readonly<ShallowRef<Loadable<SearchAnswer>>>;
  readonly excerpt: Readonly<ShallowRef<Loadable<Excerpt>>>;
  readonly ask: (question: Question) => Promise<void>;
  readonly clear: () => void;
  readonly openHit: (hit: Hit) => Promise<void>;
  readonly closeHit: () => void;
};

export function useSearch(projectId: () => string): Search {
  const { client } = useBridge();
  const answer = shallowRef<Loadable<SearchAnswer>>(IDLE);
  const excerpt = shallowRef<Loadable<Excerpt>>(IDLE);
  let newest = 0;

  return {
    answer,
    excerpt,
    async ask({ query, queryLanguage, method }) {
      newest += 1;
      const mine = newest;
      answer.value = LOADING;
      const found = await client.search
        .query({ projectId: projectId(), query, queryLanguage, method, limit: HITS_SHOWN })
        .then(ready, (thrown: unknown) => failed<SearchAnswer>(problemFrom(thrown)));
      if (mine === newest) answer.value = found;
    },
    clear() {
      newest += 1;
      answer.value = IDLE;
    },
    async openHit(hit) {
      excerpt.value = LOADING;
      await loadInto(excerpt, () => client.document.excerpt({ projectId: projectId(), path: hit.path, location: hit.location }));
    },
    closeHit() {
      excerpt.value = IDLE;
    },
  };
}
