/** How does this person want the window: which colours, which language? */
import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import type { InterfaceLanguage } from '../locales/translate.ts';

export type Theme = 'system' | 'light' | 'dark';

export const useSettingsStore = defineStore('settings', () => ({
  theme: shallowRef<Theme>('system'),
  language: shallowRef<InterfaceLanguage>('en'),
}));
