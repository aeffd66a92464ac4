/** How does the interface speak? One translate function for the whole application, following the chosen locale. */
import { createI18n } from 'vue-i18n';
import en from './en.json';

/** The messages of a language: those of English, each in its own words. */
export type Messages = typeof en;

/**
 * Every interface language there is; English is always there, another one comes when it is chosen. A new one is a JSON file beside
 * en.json, a row here and one in test-languages.ts; a test checks its completeness.
 */
export const interfaceLanguages = {
  en: { name: 'English', direction: 'ltr', load: (): Promise<Messages> => Promise.resolve(en) },
  es: { name: 'Español', direction: 'ltr', load: async (): Promise<Messages> => (await import('./es.json')).default },
  fr: { name: 'Français', direction: 'ltr', load: async (): Promise<Messages> => (await import('./fr.json')).default },
  sw: { name: 'Kiswahili', direction: 'ltr', load: async (): Promise<Messages> => (await import('./sw.json')).default },
  ar: { name: 'العربية', direction: 'rtl', load: async (): Promise<Messages> => (await import('./ar.json')).default },
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
  messages: { en, es: en, fr: en, sw: en, ar: en }, // until their own have come
  pluralRules: Object.fromEntries(Object.keys(interfaceLanguages).map((language) => [language, pluralForm(language)])),
  warnHtmlMessage: false,
  missingWarn: false,
  fallbackWarn: false,
});

/** The language that the interface speaks now (reactive). */
export function interfaceLanguage(): InterfaceLanguage {
  return i18n.global.locale.value;
}

const loaded = new Set<InterfaceLanguage>(['en']);
let wished: InterfaceLanguage = 'en';

/** Makes a language known without waiting for it to be chosen. */
export function addMessages(language: InterfaceLanguage, messages: Messages): void {
  i18n.global.setLocaleMessage(language, messages);
  loaded.add(language);
}

/** Speaks another language: at once where its messages are known, else when they have come; of several wishes the last one counts. */
export async function setInterfaceLanguage(language: InterfaceLanguage): Promise<void> {
  wished = language;
  if (!loaded.has(language)) addMessages(language, await interfaceLanguages[language].load());
  if (wished === language) i18n.global.locale.value = language;
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
export function translateCode(options: { readonly area: 'problem' | 'phase' | 'unit' | 'job' | 'advice' | 'choice' | 'happened'; readonly code: string; readonly fallback: string; readonly values?: Readonly<Record<string, string | number>>; readonly count?: number }): string {
  const key = `${options.area}.${options.code.replaceAll('.', '-')}`;
  return hasMessage(key) ? t(key, options.values ?? {}, options.count) : options.fallback;
}
