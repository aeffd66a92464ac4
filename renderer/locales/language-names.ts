/** What is a language called? By its speakers first, in the interface language beside it; the tag only when nothing else is known. */
import { shallowReactive } from 'vue';
import { interfaceLanguage } from './translate.ts';

function displayName(tag: string, locale: string): string | null {
  try {
    const name = new Intl.DisplayNames([locale], { type: 'language', fallback: 'none' }).of(tag);
    return name ?? null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null; // a tag that Intl cannot read, such as private use alone
    throw thrown;
  }
}

/** Names of languages that no list has, as their project says them; filled as projects are opened. */
const given = shallowReactive(new Map<string, string>());

export function rememberLanguageNames(languages: readonly { readonly tag: string; readonly name: string; readonly isListed: boolean }[]): void {
  for (const { tag, name, isListed } of languages) if (!isListed) given.set(tag, name);
}

/** The readable part of a private-use tag: "qaa-x-kisukuma" -> "Kisukuma"; null without one. */
function privateName(tag: string): string | null {
  const [, words] = /(?:^|-)x-(.+)$/.exec(tag) ?? [];
  return words === undefined ? null : words.split('-').map((word) => word.charAt(0).toLocaleUpperCase() + word.slice(1)).join(' ');
}

/** What the speakers call it ("Kiswahili"), or null where the browser does not know. */
export function ownLanguageName(tag: string): string | null {
  const own = displayName(tag, tag);
  return own === null || own === tag ? null : own;
}

/** The name in the interface language ("Swahili"); where the browser does not know: the name the project gave, the fallback, what the tag says. */
export function languageName(tag: string, fallback?: string): string {
  const named = displayName(tag, interfaceLanguage());
  return named === null || named === tag ? (given.get(tag) ?? fallback ?? privateName(tag) ?? tag) : named;
}

/** Both names, once each: "Kiswahili (Swahili)". */
export function bothLanguageNames(tag: string, fallback?: string): string {
  const own = ownLanguageName(tag);
  const named = languageName(tag, fallback);
  return own === null || own.toLocaleLowerCase() === named.toLocaleLowerCase() ? named : `${own} (${named})`;
}
