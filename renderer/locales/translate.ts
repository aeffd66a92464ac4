/** How does the interface speak? One translate function for the whole application, following the chosen locale. */
import { createI18n } from 'vue-i18n';
import ar from './ar.json';
import en from './en.json';
import es from './es.json';
import fr from './fr.json';
import sw from './sw.json';

/** Every interface language there is. A new one is a JSON file beside en.json and a row here; a test checks its completeness. */
export const interfaceLanguages = {
  en: { name: 'English', direction: 'ltr', messages: en },
  es: { name: 'Español', direction: 'ltr', messages: es },
  fr: { name: 'Français', direction: 'ltr', messages: fr },
  sw: { name: 'Kiswahili', direction: 'ltr', messages: sw },
  ar: { name: 'العربية', direction: 'rtl', messages: ar },
} as const;

export type InterfaceLanguage = keyof typeof interfaceLanguages;

type Leaves<T, Prefix extends string = ''> = T extends string
  ? Prefix
  : { [Key in keyof T & string]: Leaves<T[Key], Prefix extends '' ? Key : `${Prefix}.${Key}`> }[keyof T & string];

/** A key of en.json, as `area.name`. */
export type MessageKey = Leaves<typeof en>;

/** CLDR's order of the plural categories, the order in which a message has its forms. */
const CATEGORIES: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other'];
const ONE_AND_OTHER = 2;

/** The plural categories of a language, in CLDR's order: English one, other; French one, many, other; Arabic all six. */
export function pluralCategories(language: string): readonly string[] {
  return new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted((a, b) => CATEGORIES.indexOf(a) - CATEGORIES.indexOf(b));
}

/**
 * Which of the forms between the bars of a message a count takes, by the language's own rule (French says 0 like 1; English does not);
 * with fewer forms than categories the last one serves. More than two forms begin with one for none, also where a language has no such category.
 */
function pluralForm(language: string): (count: number, forms: number) => number {
  const rule = new Intl.PluralRules(language);
  const categories = pluralCategories(language);
  return (count, forms) => {
    const none = !categories.includes('zero') && forms > ONE_AND_OTHER ? 1 : 0;
    return none === 1 && count === 0 ? 0 : Math.min(categories.indexOf(rule.select(count)) + none, forms - 1);
  };
}

const i18n = createI18n({
  legacy: false,
  locale: 'en',
  fallbackLocale: 'en',
  messages: { en, es, fr, sw, ar },
  pluralRules: Object.fromEntries(Object.keys(interfaceLanguages).map((language) => [language, pluralForm(language)])),
  warnHtmlMessage: false,
  missingWarn: false,
  fallbackWarn: false,
});

/** The language that the interface speaks now (reactive). */
export function interfaceLanguage(): InterfaceLanguage {
  return i18n.global.locale.value;
}

export function setInterfaceLanguage(language: InterfaceLanguage): void {
  i18n.global.locale.value = language;
}

/** The text of a key in the chosen language; `count` also chooses the plural form. */
export function t(key: MessageKey, values: Readonly<Record<string, string | number>> = {}, count?: number): string {
  return count === undefined ? i18n.global.t(key, { ...values }) : i18n.global.t(key, { ...values }, count);
}

/** Whether a key exists; for keys made from codes that come from outside (error codes, phases, units). */
export function hasMessage(key: string): key is MessageKey {
  return i18n.global.te(key, 'en');
}

/** The text for a code from outside, or the given fallback where the locale knows nothing about it. */
export function translateCode(options: { readonly area: 'problem' | 'phase' | 'unit' | 'job' | 'advice' | 'choice'; readonly code: string; readonly fallback: string; readonly values?: Readonly<Record<string, string | number>>; readonly count?: number }): string {
  const key = `${options.area}.${options.code.replaceAll('.', '-')}`;
  return hasMessage(key) ? t(key, options.values ?? {}, options.count) : options.fallback;
}
