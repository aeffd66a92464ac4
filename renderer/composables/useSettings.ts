/** How do the person's colours, language and fonts reach the page, and stay for next time? */
import { storeToRefs } from 'pinia';
import { watch, type Ref } from 'vue';
import { interfaceLanguage, interfaceLanguages, setInterfaceLanguage, type InterfaceLanguage } from '../locales/translate.ts';
import { useSettingsStore, type LanguageLooks, type Theme } from '../stores/settings.ts';
import type { LanguageLook, Settings } from '../../main/contract/index.ts';
import { useBridge } from './useBridge.ts';

const THEME_KEY = 'isogloss.theme';
const LANGUAGE_KEY = 'isogloss.language';

function isInterfaceLanguage(tag: string): tag is InterfaceLanguage {
  return Object.hasOwn(interfaceLanguages, tag);
}

/** The first of the wished languages that the interface speaks; English otherwise. */
export function chooseLanguage(wishes: readonly string[]): InterfaceLanguage {
  return wishes.map((wish) => wish.split('-')[0] ?? '').find(isInterfaceLanguage) ?? 'en';
}

/** The language in which this window begins: the one chosen in it before, else the browser's. Its messages are there when this resolves. */
export async function beginLanguage(): Promise<void> {
  const saved = localStorage.getItem(LANGUAGE_KEY);
  await speak(chooseLanguage(saved === null ? navigator.languages : [saved, ...navigator.languages]));
}

async function speak(language: InterfaceLanguage): Promise<void> {
  await setInterfaceLanguage(language);
  document.documentElement.lang = interfaceLanguage();
  document.documentElement.dir = interfaceLanguages[interfaceLanguage()].direction;
}

export function useSettings(): { readonly theme: Ref<Theme>; readonly language: Ref<InterfaceLanguage>; readonly looks: Ref<LanguageLooks>; readonly setLook: (tag: string, look: LanguageLook) => Promise<void> } {
  const { client } = useBridge();
  const { theme, language, looks } = storeToRefs(useSettingsStore());
  return {
    theme,
    language,
    looks,
    async setLook(tag, look) {
      looks.value = (await client.app.changeSettings({ looks: { [tag]: look } })).looks;
    },
  };
}

/**
 * Reads what was chosen last time and keeps page, this window's storage and the program in step; used once, by the frame.
 * This window's own choice comes first (two windows may differ); a window without one (another port, another browser) takes the program's.
 */
export function useSettingsOnPage(): void {
  const { client } = useBridge();
  const { theme, language, looks } = storeToRefs(useSettingsStore());
  const savedTheme = localStorage.getItem(THEME_KEY);
  if (savedTheme === 'light' || savedTheme === 'dark' || savedTheme === 'system') theme.value = savedTheme;
  language.value = interfaceLanguage();

  /** A program that does not answer keeps nothing; the frame says so, and the choice stays in this window. */
  const tell = (change: Partial<Settings>): void => void client.app.changeSettings(change).catch(() => undefined);

  watch(theme, (chosen, before) => {
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
    if (before === undefined) return;
    localStorage.setItem(THEME_KEY, chosen);
    tell({ theme: chosen });
  }, { immediate: true });
  watch(language, async (chosen, before) => {
    try {
      await speak(chosen);
    } catch {
      language.value = interfaceLanguage(); // its messages could not be fetched: the program is gone, which the frame says
      return;
    }
    if (before === undefined) return;
    localStorage.setItem(LANGUAGE_KEY, chosen);
    tell({ language: chosen });
  }, { immediate: true });

  void client.app.settings({}).then((settings) => {
    looks.value = settings.looks;
    if (settings.theme !== null && localStorage.getItem(THEME_KEY) === null) theme.value = settings.theme;
    if (settings.language !== null && localStorage.getItem(LANGUAGE_KEY) === null) language.value = settings.language;
    else if (settings.language !== language.value) tell({ language: language.value }); // menus and notifications speak as the window does
  }, () => undefined); // an unreachable program is drawn by the frame
}
