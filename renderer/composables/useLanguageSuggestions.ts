/** Which languages could the person mean by what is typed so far? */
import { shallowRef, type ShallowRef } from 'vue';
import type { Language } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { failed, IDLE, LOADING, ready, type Loadable } from '../stores/loadable.ts';
import { unlistedTag } from './unlisted-tag.ts';
import { useBridge } from './useBridge.ts';

const PAUSE_MS = 120;
const SUGGESTIONS = 8;

export type LanguageSuggestions = { readonly suggestions: Readonly<ShallowRef<Loadable<readonly Language[]>>>; readonly ask: (text: string) => void };

export function useLanguageSuggestions(): LanguageSuggestions {
  const { client } = useBridge();
  const suggestions = shallowRef<Loadable<readonly Language[]>>(IDLE);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = 0;

  /** What the lists know, and unless one of them bears that very name, the name itself as a language that no list has. */
  async function suggest(text: string): Promise<readonly Language[]> {
    const { languages } = await client.language.suggest({ text, limit: SUGGESTIONS });
    const wanted = text.toLocaleLowerCase();
    const isKnown = languages.some(({ tag, name, ownName, isListed }) => !isListed || [tag, name, ownName].some((one) => one?.toLocaleLowerCase() === wanted));
    const tag = unlistedTag(text);
    if (isKnown || tag === null) return languages;
    return [...languages, { ...(await client.language.describe({ tag })), name: text }];
  }

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
