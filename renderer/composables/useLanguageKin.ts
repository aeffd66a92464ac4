/** Which close relatives have the project's languages? Asked for once per language; offered are those that are not in the project. */
import { computed, shallowRef, watch, type ComputedRef } from 'vue';
import type { Language } from '../../main/contract/index.ts';
import { problemFrom } from '../bridge.ts';
import { useBridge } from './useBridge.ts';

const RELATIVES = 6;

export type Kin = { readonly language: Language; readonly relatives: readonly Language[] };

/** Languages without relatives that could be added are left out. */
export function useLanguageKin(languages: () => readonly Language[]): ComputedRef<readonly Kin[]> {
  const { client } = useBridge();
  const known = shallowRef<ReadonlyMap<string, readonly Language[]>>(new Map());

  async function askFor(tag: string): Promise<void> {
    const found = await client.language.kin({ tag, limit: RELATIVES }).then((answer) => answer.languages, (thrown: unknown): readonly Language[] => {
      if (problemFrom(thrown).code !== 'contract.unreachable') throw thrown; // a lost connection is drawn by the frame
      return [];
    });
    known.value = new Map([...known.value, [tag, found]]);
  }

  watch(languages, (present) => {
    for (const { tag } of present) if (!known.value.has(tag)) void askFor(tag);
  }, { immediate: true });

  return computed(() => {
    const taken = new Set(languages().map(({ tag }) => tag));
    return languages().map((language) => ({ language, relatives: (known.value.get(language.tag) ?? []).filter(({ tag }) => !taken.has(tag)) })).filter(({ relatives }) => relatives.length > 0);
  });
}
