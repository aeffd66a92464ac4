/** How does this person want the window: which colours, which language, which fonts and letters? */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { LanguageLook } from '../../main/contract/index.ts';
import type { InterfaceLanguage } from '../locales/translate.ts';

export type Theme = 'system' | 'light' | 'dark';
/** Font and letters by language tag; a language without an entry has what Isogloss chooses. */
export type LanguageLooks = Readonly<Record<string, LanguageLook>>;

export const useSettingsStore = defineStore('settings', () => ({
  theme: shallowRef<Theme>('system'),
  language: shallowRef<InterfaceLanguage>('en'),
  looks: shallowRef<LanguageLooks>({}),
}));
