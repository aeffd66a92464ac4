/** What is a language called? By its speakers first, in the interface language beside it; the tag only when nothing else is known. */
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

/** What the speakers call it ("Kiswahili"), or null where the browser does not know. */
export function ownLanguageName(tag: string): string | null {
  const own = displayName(tag, tag);
  return own === null || own === tag ? null : own;
}

/** The name in the interface language ("Swahili"); the given fallback, or the tag, where the browser does not know. */
export function languageName(tag: string, fallback?: string): string {
  const named = displayName(tag, interfaceLanguage());
  return named === null || named === tag ? (fallback ?? tag) : named;
}

/** Both names, once each: "Kiswahili (Swahili)". */
export function bothLanguageNames(tag: string, fallback?: string): string {
  const own = ownLanguageName(tag);
  const named = languageName(tag, fallback);
  return own === null || own.toLocaleLowerCase() === named.toLocaleLowerCase() ? named : `${own} (${named})`;
}
