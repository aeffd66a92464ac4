/** What is a language called? By its speakers first, in the interface language beside it; the tag only when nothing else is known. */
import { shallowReactive } from 'vue';
import type { ChosenLanguage, GivenNames } from '../../main/contract/index.ts';
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
  for (const { tag, name, isListed } of languages) if (!isListed && name.toLowerCase() !== privateName(tag)?.toLowerCase()) given.set(tag, name); // a name made of the tag is better capitalised
}

/** The same from the list of recent projects. */
export function rememberGivenNames(names: GivenNames): void {
  for (const [tag, name] of Object.entries(names)) given.set(tag, name);
}

/** Names that the browser lacks and the program knows, by interface language and tag; '' while the program is asked, and where it knows none. */
const told = shallowReactive(new Map<string, string>());
/** A tag that a list may know: no private use in it. */
const LISTED = /^[a-z]{2,3}(?:-(?!x-)[a-z\d]{1,8})*$/i;
let ask: ((tag: string, inLanguage: string) => Promise<string>) | null = null;

/** Browsers know some 200 names of languages, the program all of CLDR's: whom to ask for the others. Each name is asked for once. */
export function askForNames(asking: (tag: string, inLanguage: string) => Promise<string>): void {
  ask = asking;
}

function toldName(tag: string): string | null {
  if (!LISTED.test(tag)) return null;
  const locale = interfaceLanguage();
  const key = `${locale} ${tag}`;
  const known = told.get(key);
  if (known === undefined && ask !== null) {
    const asking = ask;
    queueMicrotask(() => { // not while something is drawn
      if (told.has(key)) return;
      told.set(key, '');
      asking(tag, locale).then((name) => told.set(key, name === tag ? '' : name), () => undefined); // no name: it is shown as before
    });
  }
  return known === undefined || known === '' ? null : known;
}

/** A language as it is sent when it is chosen: with its name where no list has one. */
export function chosenLanguage({ tag, name, isListed }: { readonly tag: string; readonly name: string; readonly isListed: boolean }): ChosenLanguage {
  return isListed ? { tag } : { tag, name };
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
  return named === null || named === tag ? (given.get(tag) ?? toldName(tag) ?? fallback ?? privateName(tag) ?? tag) : named;
}

/** Both names, once each: "Kiswahili (Swahili)". */
export function bothLanguageNames(tag: string, fallback?: string): string {
  const own = ownLanguageName(tag);
  const named = languageName(tag, fallback);
  return own === null || own.toLocaleLowerCase() === named.toLocaleLowerCase() ? named : `${own} (${named})`;
}

/** Both names of a language as the program describes it: its speakers' and the interface's; equal where only one is known. */
export function namesOf(language: { readonly tag: string; readonly name: string; readonly ownName: string | null; readonly isListed: boolean }): { readonly own: string; readonly named: string } {
  const named = languageName(language.tag, language.isListed ? language.name : (privateName(language.tag)?.toLowerCase() === language.name.toLowerCase() ? undefined : language.name));
  const own = (language.isListed ? language.ownName : null) ?? ownLanguageName(language.tag) ?? named;
  return { own, named };
}

/** The tag for a `lang` attribute of what a file calls a language, which may be the name of a tier: nothing then. */
export function spokenLanguage(name: string): string | undefined {
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/.test(name) && ownLanguageName(name) !== null ? pageLanguage(name) : undefined;
}

/** The tag for a `lang` attribute: browsers and screen readers want a language in front of a private-use tag. */
export function pageLanguage(tag: string | null | undefined): string | undefined {
  if (tag === null || tag === undefined) return undefined;
  return tag.startsWith('x-') ? `und-${tag}` : tag;
}
