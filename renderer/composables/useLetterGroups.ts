/** Which letters stand in the palette beside a field of this project? Those of each of its languages. */
import { computed, type ComputedRef } from 'vue';
import type { LetterGroup } from '../components/LettersPalette.vue';
import { bothLanguageNames } from '../locales/language-names.ts';
import type { Project } from '../../main/contract/index.ts';
import { projectLetters } from './letters.ts';
import { useSettings } from './useSettings.ts';

export function useLetterGroups(project: () => Project): ComputedRef<readonly LetterGroup[]> {
  const { looks } = useSettings();
  return computed(() => {
    const { languages, bridge, corpora } = project();
    return [...languages, bridge].map(({ tag, name, letters }) => ({ tag, name: bothLanguageNames(tag, name), letters: projectLetters({ tag, exemplars: letters, corpora, looks: looks.value }) }));
  });
}
