/** How is a language shown in the window? The tag's description from core/text, in the contract's words. */
import type { Language } from '../contract/index.ts';

/** Describes any well-formed tag, listed or not. */
export function describeLanguage(tag: string): Language {
  const locale = localeOf(tag);
  const name = nameIn('en', tag);
  const own = nameIn(tag, tag);
  return {
    tag: locale?.toString() ?? tag,
    name: name ?? tag,
    ownName: own,
    script: locale?.maximize().script ?? null,
    direction: locale !== null && /^(Arab|Hebr|Syrc|Thaa|Nkoo|Adlm)$/.test(locale.maximize().script ?? '') ? 'rtl' : 'ltr',
    isListed: name !== null,
  };
}

export function suggestLanguages(text: string, limit: number): readonly Language[] {
  return text.trim() === '' ? [] : [describeLanguage(text.trim())].slice(0, limit);
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

function nameIn(language: string, tag: string): string | null {
  try {
    return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(tag) ?? null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
