/** How is a language shown in the window? What core/text knows, in the contract's words. */
import { describeLanguage as describe, isLanguageTag, privateUseTag, suggestLanguages as suggest } from '../../core/text/language.ts';
import { exemplarLetters } from '../../core/text/exemplar-letters.ts';
import { languageKin } from '../../core/text/language-kin.ts';
import { foldForSearch } from '../../core/text/search-folding.ts';
import type { ChosenLanguage, GivenNames, Language } from '../contract/index.ts';

const described = new Map<string, Language>();
const REMEMBERED = 1_000;

/** Describes any well-formed tag, listed or not. @throws InputError 'language.invalid-tag'. */
export function describeLanguage(tag: string): Language {
  const known = described.get(tag);
  if (known !== undefined) return known;
  const found = describe(tag);
  const language: Language = { tag: found.tag, name: found.englishName, ownName: found.ownName, script: found.script, direction: found.direction, isListed: found.isListed, letters: exemplarLetters(found.tag) };
  if (described.size < REMEMBERED) described.set(tag, language);
  return language;
}

/** The same, with the name of a listed language as this other language says it, where that is known. Browsers know fewer names than Node does. */
export function describeIn(tag: string, inLanguage: string): Language {
  const language = describeLanguage(tag);
  const name = language.isListed ? new Intl.DisplayNames([inLanguage], { type: 'language', fallback: 'none' }).of(language.tag) : undefined;
  return name === undefined ? language : { ...language, name };
}

/** The same, where the project has names for languages that no list has. */
export function describeNamed(tag: string, names: GivenNames): Language {
  const language = describeLanguage(tag);
  const name = language.isListed ? undefined : names[language.tag];
  return name === undefined ? language : { ...language, name, ownName: name };
}

/** Tags in their canonical form, each once, and the names said for those that no list has. `known`: names said before. */
export function chooseLanguages(chosen: readonly ChosenLanguage[], known: GivenNames = {}): { readonly languages: readonly string[]; readonly names: GivenNames } {
  const names: Record<string, string> = {};
  const languages = chosen.map(({ tag, name }) => {
    const language = describeLanguage(tag);
    const said = name ?? known[language.tag];
    if (said !== undefined && !language.isListed) names[language.tag] = said;
    return language.tag;
  });
  return { languages: [...new Set(languages)], names };
}

/**
 * Languages whose name or code fits what was typed; after them, unless one bears that very name, the name itself as a
 * language that no list has. The first call takes about half a second: ask it in a worker.
 */
export function suggestLanguages(text: string, limit: number): readonly Language[] {
  const typed = text.trim();
  const listed = suggest(typed, limit).map(({ tag }) => describeLanguage(tag));
  const isKnown = listed.some(({ tag, name, ownName }) => [tag, name, ownName].some((one) => one !== null && foldForSearch(one) === foldForSearch(typed)));
  if (typed === '' || isKnown) return listed;
  const written = typed.includes('-') && isLanguageTag(typed) ? [describeLanguage(typed)] : []; // a tag with script, region or private use
  const tag = privateUseTag(typed);
  return [...listed, ...written, describeNamed(tag, { [tag]: typed })];
}

/** Relatives of a language that have a name, nearest first. */
export function kinOf(tag: string, limit: number): readonly Language[] {
  return languageKin(tag).map(describeLanguage).filter(({ isListed }) => isListed).slice(0, limit);
}
