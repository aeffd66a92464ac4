/** Where in a text does a phrase stand? Spelt alike (case aside), on word borders where the script has them. */
import { foldWithOffsets, foldForSearch, originalSpan } from './search-folding.ts';
import { dominantScript, hasWordSpaces } from './scripts.ts';

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;

/** Equal for spellings that differ in case, in composed or decomposed writing, or in white space around and between words alone. */
export function phraseForm(phrase: string): string {
  return phrase.normalize('NFC').toLowerCase().normalize('NFC').trim().replace(/\p{White_Space}+/gu, ' ');
}

/** How a phrase may be spelt where it is looked for: letter by letter, but for case, or but for case and marks (foldForSearch). */
export const PHRASE_SPELLINGS = ['folded', 'case', 'exact'] as const;
export type PhraseSpelling = (typeof PHRASE_SPELLINGS)[number];

/**
 * The first place where `phrase` stands in `text` as a whole phrase: spelt alike but for case; else the first that is equal when folded
 * (foldForSearch: Latin, Greek and Cyrillic without marks). "whole": no letter, mark or digit of the same word goes on before or after it;
 * in scripts without spaces between words (Thai, Han ...) nothing marks a word, so any place counts.
 *
 * @param spelling  'case': alike but for case only; 'exact': composed alike, letter by letter.
 * @returns UTF-16 offsets [start, end) of whole characters with their marks; null when it does not stand there.
 */
export function findPhrase(text: string, phrase: string, spelling: PhraseSpelling = 'folded'): { readonly start: number; readonly end: number } | null {
  const wanted = foldForSearch(phrase).trim();
  if (wanted === '') return null;
  const folded = foldWithOffsets(text);
  const form = phraseForm(phrase);
  const written = writtenForm(phrase);
  let alike: { readonly start: number; readonly end: number } | null = null;
  for (let at = folded.text.indexOf(wanted); at >= 0; at = folded.text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const cutsCharacter = (i: number): boolean => i > 0 && folded.starts[i] === folded.starts[i - 1];
    if (cutsCharacter(at) || cutsCharacter(end) || continues(folded.text, at) || continues(folded.text, end)) continue;
    const span = originalSpan(folded, at, end);
    const found = text.slice(span.start, span.end);
    if (spelling === 'exact' ? writtenForm(found) === written : phraseForm(found) === form) return span;
    if (spelling === 'folded') alike ??= span;
  }
  return alike;
}

/** As it is written, but for composition and white space. */
function writtenForm(phrase: string): string {
  return phrase.normalize('NFC').trim().replace(/\p{White_Space}+/gu, ' ');
}

/** Whether a word goes on over this place: word characters on both sides, both of scripts that set words apart. */
function continues(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
  const after = text.slice(at, at + 2);
  const next = after === '' ? '' : String.fromCodePoint(after.codePointAt(0) ?? 0);
  return isSpacedWord(before) && isSpacedWord(next);
}

function isSpacedWord(character: string): boolean {
  return WORD_CHARACTER.test(character) && hasWordSpaces(dominantScript(character));
}
