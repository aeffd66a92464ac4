/** How is a language said to be written in another script? By another tag of the same language, described anew. */
import type { Language } from '../../main/contract/index.ts';
import { FONT_FACES } from '../styles/font-faces.ts';
import { useBridge } from './useBridge.ts';

/** Scripts to choose from: those that Isogloss can show. */
export const OFFERED_SCRIPTS: readonly string[] = [...new Set(FONT_FACES.flatMap(({ scripts }) => scripts))];

/** "sw" -> "sw-Arab", "x-kisukuma" -> "und-Arab-x-kisukuma"; another script in the tag goes. */
export function tagInScript(tag: string, script: string): string {
  const [, spoken = '', own = ''] = /^((?:(?!x-)[^-]+-?)*)(x-.+)?$/.exec(tag) ?? [];
  const [language = '', ...rest] = spoken.split('-').filter((part) => part !== '');
  return [language === '' ? 'und' : language, script, ...rest.filter((part) => !/^[a-z]{4}$/i.test(part)), ...(own === '' ? [] : [own])].join('-');
}

export function useLanguageScript(): (language: Language, script: string) => Promise<Language> {
  const { client } = useBridge();
  return async (language, script) => {
    const found = await client.language.describe({ tag: tagInScript(language.tag, script) });
    return found.isListed ? found : { ...found, name: language.name, ownName: language.ownName };
  };
}
