/** Which letters does a language write with that not every keyboard has? CLDR's exemplar characters, for the languages it knows. */
import lettersJson from './exemplar-letters.json' with { type: 'json' };
import { parseLanguageTag } from './language.ts';

const LETTERS: Readonly<Record<string, string>> = lettersJson;

/**
 * The small letters beyond a to z, in CLDR's order, combining signs and letters of several characters ("ə́") among them; none for a language,
 * or a script of it, that CLDR does not have, and for scripts of more than 120 signs.
 * @throws InputError 'language.invalid-tag'.
 */
export function exemplarLetters(tag: string): readonly string[] {
  const { language, script } = parseLanguageTag(tag);
  return LETTERS[`${language ?? ''}-${script ?? 'Zyyy'}`]?.split(' ') ?? [];
}
