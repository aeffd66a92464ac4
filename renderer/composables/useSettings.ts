/** How do the person's colours and language reach the page, and stay for next time? */
import { storeToRefs } from 'pinia';
import { watch, type Ref } from 'vue';
import { interfaceLanguages, setInterfaceLanguage, type InterfaceLanguage } from '../locales/translate.ts';
import { useSettingsStore, type Theme } from '../stores/settings.ts';

const THEME_KEY = 'isogloss.theme';
const LANGUAGE_KEY = 'isogloss.language';

function isInterfaceLanguage(tag: string): tag is InterfaceLanguage {
  return Object.hasOwn(interfaceLanguages, tag);
}

/** The first of the wished languages that the interface speaks; English otherwise. */
export function chooseLanguage(wishes: readonly string[]): InterfaceLanguage {
  return wishes.map((wish) => wish.split('-')[0] ?? '').find(isInterfaceLanguage) ?? 'en';
}

export function useSettings(): { readonly theme: Ref<Theme>; readonly language: Ref<InterfaceLanguage> } {
  return storeToRefs(useSettingsStore());
}

/** Reads what was chosen last time and keeps page and storage in step with the store; used once, by the frame. */
export function useSettingsOnPage(): void {
  const { theme, language } = useSettings();
  const savedTheme = localStorage.getItem(THEME_KEY);
  if (savedTheme === 'light' || savedTheme === 'dark') theme.value = savedTheme;
  const savedLanguage = localStorage.getItem(LANGUAGE_KEY);
  language.value = chooseLanguage(savedLanguage === null ? navigator.languages : [savedLanguage, ...navigator.languages]);

  watch(theme, (chosen) => {
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
    localStorage.setItem(THEME_KEY, chosen);
  }, { immediate: true });
  watch(language, (chosen, before) => {
    setInterfaceLanguage(chosen);
    document.documentElement.lang = chosen;
    document.documentElement.dir = interfaceLanguages[chosen].direction;
    if (before !== undefined) localStorage.setItem(LANGUAGE_KEY, chosen);
  }, { immediate: true });
}
