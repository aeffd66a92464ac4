/** What do menus, notifications and native dialogs say? The few words that stand outside the window, in its five languages (words.json). */
import { interfaceLanguageSchema, type SpokenLanguage } from '../contract/app.ts';
import words from './words.json' with { type: 'json' };

export type DesktopWord = keyof typeof words;
export const DESKTOP_WORDS: Readonly<Record<DesktopWord, Readonly<Record<SpokenLanguage, string>>>> = words;

export type Say = (word: DesktopWord, values?: Readonly<Record<string, string>>) => string;

/** The words of one language; `{name}` is filled in. */
export function wordsOf(language: SpokenLanguage): Say {
  return (word, values = {}) => DESKTOP_WORDS[word][language].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The first of these that the interface speaks; English otherwise. */
export function spokenLanguage(wishes: readonly (string | null)[]): SpokenLanguage {
  for (const wish of wishes) {
    const parsed = interfaceLanguageSchema.safeParse(wish?.split('-')[0]);
    if (parsed.success) return parsed.data;
  }
  return 'en';
}
