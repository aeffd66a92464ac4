/** Which languages could the person mean by what is typed so far? */
import { shallowRef, type ShallowRef } from 'vue';
import type { Language } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { useBridge } from './useBridge.ts';

const PAUSE_MS = 120;
const SUGGESTIONS = 8;

export type LanguageSuggestions = { readonly suggestions: Readonly<ShallowRef<Loadable<readonly Language[]>>>; readonly ask: (text: string) => void };

export function useLanguageSuggestions(): LanguageSuggestions {
  const { client } = useBridge();
  const suggestions = shallowRef<Loadable<readonly Language[]>>(IDLE);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = 0;

  const suggest = async (text: string): Promise<readonly Language[]> => (await client.language.suggest({ text, limit: SUGGESTIONS })).languages;

  function ask(text: string): void {
    clearTimeout(timer);
    newest += 1;
    const mine = newest;
    if (text.trim() === '') {
      suggestions.value = IDLE;
      return;
    }
    if (suggestions.value.status !== 'ready') suggestions.value = LOADING;
    timer = setTimeout(() => {
      suggest(text.trim())
        .then(ready, (thrown: unknown) => failed<readonly Language[]>(problemFrom(thrown)))
        .then((answer) => {
          if (mine === newest) suggestions.value = answer;
        });
    }, PAUSE_MS);
  }

  return { suggestions, ask };
}
