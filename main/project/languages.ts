/** How is a language shown in the window? What core/text knows, in the contract's words. */
import { describeLanguage as describe, suggestLanguages as suggest } from '../../core/text/language.ts';
import type { Language } from '../contract/index.ts';

const described = new Map<string, Language>();
const REMEMBERED = 1_000;

/** Describes any well-formed tag, listed or not. @throws InputError 'language.invalid-tag'. */
export function describeLanguage(tag: string): Language {
  const known = described.get(tag);
  if (known !== undefined) return known;
  const found = describe(tag);
  const language: Language = { tag: found.tag, name: found.englishName, ownName: found.ownName, script: found.script, direction: found.direction, isListed: found.isListed };
  if (described.size < REMEMBERED) described.set(tag, language);
  return language;
}

/** Languages whose name or code fits what was typed. The first call takes about half a second: ask it in a worker. */
export function suggestLanguages(text: string, limit: number): readonly Language[] {
  return suggest(text, limit).map(({ tag }) => describeLanguage(tag));
}
