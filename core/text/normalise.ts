/** What does the model see of a text? Its normal form; beside it the milder repair of text that is kept and shown. */

import { APOSTROPHE_CLASS, DROPPED_CLASS } from './character-classes.ts';

export { foldForSearch, foldWithOffsets, originalSpan, type FoldedText } from './search-folding.ts';

/** The Metaspace sign; a text that contains it is read as if it were a space. */
export const WORD_START = '\u2581';

/** One step of the normaliser as tokenizer.json writes it. */
export type NormaliserStep =
  | { readonly type: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' | 'Lowercase' }
  | { readonly type: 'Strip'; readonly strip_left: boolean; readonly strip_right: boolean }
  | { readonly type: 'Replace'; readonly pattern: { readonly Regex: string } | { readonly String: string }; readonly content: string };

/**
 * `normaliseForModel` in the words of tokenizer.json. The order matters: what is dropped goes before NFKC (so that marks it
 * held apart compose), case before the second NFKC (lower case can compose where upper case cannot).
 */
export const modelNormaliserSteps: readonly NormaliserStep[] = [
  { type: 'Replace', pattern: { Regex: '\\p{Cs}' }, content: '\uFFFD' },
  { type: 'Replace', pattern: { Regex: DROPPED_CLASS }, content: '' },
  { type: 'NFKC' },
  { type: 'Lowercase' },
  { type: 'Replace', pattern: { Regex: 'i\u0307+' }, content: 'i' },
  { type: 'Replace', pattern: { String: 'ς' }, content: 'σ' },
  { type: 'Replace', pattern: { String: 'ß' }, content: 'ss' },
  { type: 'Replace', pattern: { Regex: APOSTROPHE_CLASS }, content: "'" },
  { type: 'NFKC' },
  { type: 'Replace', pattern: { String: WORD_START }, content: ' ' },
  { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
  { type: 'Strip', strip_left: true, strip_right: true },
];

const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;
const LONE_SURROGATE = /\p{Cs}/gu;
const DROPPED = new RegExp(DROPPED_CLASS, 'gu');
const CONTROLS = /[\x00-\x08\x0E-\x1F\x7F\x80-\x84\x86-\x9F]/g;
const APOSTROPHE = new RegExp(APOSTROPHE_CLASS, 'gu');
const WHITE_SPACE = /[\p{White_Space}\u2581]+/gu;
const SPACES = / {2,}/g;
const REPLACEMENT = '\uFFFD';

/**
 * The text as the model sees it: NFKC, case-folded (İ and i̇ = i, ς = σ, ß = ss), one apostrophe, single spaces, no controls.
 * No combining mark is removed except the dot above a lower-case i, so Indic, Thai and Arabic text keeps every sign; NFKC
 * writes Thai sara am as nikhahit + sara aa and IPA superscripts as plain letters, in texts and in queries alike.
 * Turkish ı stays a letter of its own. Idempotent. Equal to the normaliser inside the tokenizer.json of `writeTokenizer`.
 */
export function normaliseForModel(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase().replace(SPACES, ' ').trim();
  return text
    .replace(LONE_SURROGATE, REPLACEMENT)
    .replace(DROPPED, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/i\u0307+/g, 'i')
    .replaceAll('ς', 'σ')
    .replaceAll('ß', 'ss')
    .replace(APOSTROPHE, "'")
    .normalize('NFKC')
    .replace(WHITE_SPACE, ' ')
    .trim();
}

/** What was broken in a text before it came here: half surrogate pairs, and U+FFFD signs left by an earlier decoding. */
export type TextDamage = { readonly loneSurrogates: number; readonly replacementCharacters: number };

/** Counts the damage that `normaliseForModel` and `repairText` write as U+FFFD. */
export function countDamage(text: string): TextDamage {
  return {
    loneSurrogates: text.isWellFormed() ? 0 : (text.match(LONE_SURROGATE)?.length ?? 0),
    replacementCharacters: text.includes(REPLACEMENT) ? text.split(REPLACEMENT).length - 1 : 0,
  };
}

/** The text to keep and show: NFC, lone surrogates as U+FFFD, control characters (but tab and line ends) dropped. Idempotent. */
export function repairText(text: string): string {
  return text.toWellFormed().replace(CONTROLS, '').normalize('NFC');
}
