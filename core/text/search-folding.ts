/** Which spellings should find each other? A forgiving form of a text for lexical search, with the way back to the original. */
import { APOSTROPHE_CLASS, DROPPED_CLASS } from './character-classes.ts';

const DROPPED = new RegExp(DROPPED_CLASS, 'gu');
const APOSTROPHE = new RegExp(APOSTROPHE_CLASS, 'gu');
const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;
const LONE_SURROGATE = /\p{Cs}/gu;

/** Letters whose marks are taken off. The marks of every other script are part of its letters (हिन्दी is not हनद). */
const MARKED_LETTER = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

/** Arabic harakat and Quranic signs with tatweel (not hamza or madda above: they make other letters), Hebrew accents and points. */
const POINTS = /[\u0610-\u061A\u0640\u064B-\u0652\u0656-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]/gu;
const WHITE_SPACE = /\p{White_Space}/gu;

/** What joins the character before it when text is folded piece by piece: marks, what is removed, and letters that compose (jamo, Kirat Rai). */
const CONTINUES = new RegExp(`[\\p{M}\\u0640\\u1160-\\u11FF\\uD7B0-\\uD7FF\\u{16D63}-\\u{16D6A}]|${DROPPED_CLASS}`, 'u');

/**
 * NFD; marks off Latin, Greek and Cyrillic letters only; Arabic harakat and tatweel and Hebrew points off; lower case with
 * ς = σ, ß = ss, İ = i; one apostrophe for ' ’ ‘ ʻ ʼ ꞌ; invisible controls off; every white space a plain space; NFC.
 * Idempotent. ọ̀rọ̀ = oro, ё = е: good for finding, wrong for showing or for the model.
 */
export function foldForSearch(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  return text
    .replace(LONE_SURROGATE, '\uFFFD')
    .replace(DROPPED, '')
    .normalize('NFD')
    .replace(POINTS, '')
    .toLowerCase()
    .replace(MARKED_LETTER, '$1')
    .replaceAll('ς', 'σ')
    .replaceAll('ß', 'ss')
    .replace(APOSTROPHE, "'")
    .replace(WHITE_SPACE, ' ')
    .normalize('NFC');
}

/** Code unit i of `text` comes from the original's units `starts[i]` .. `ends[i]` (end exclusive). */
export type FoldedText = { readonly text: string; readonly starts: Uint32Array; readonly ends: Uint32Array };

/** `foldForSearch` with the place of every code unit in the original: folded base by base with the marks that follow it. */
export function foldWithOffsets(text: string): FoldedText {
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let from = 0;
  const close = (to: number): void => {
    const folded = foldForSearch(text.slice(from, to));
    parts.push(folded);
    for (let k = 0; k < folded.length; k += 1) {
      starts.push(from);
      ends.push(to);
    }
    from = to;
  };
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (at > from && (codePoint < 0x7f ? codePoint >= 0x20 || codePoint === 0x0a : !CONTINUES.test(String.fromCodePoint(codePoint)))) close(at);
    at += codePoint > 0xffff ? 2 : 1;
  }
  if (from < text.length) close(text.length);
  return { text: parts.join(''), starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) };
}

/** The original's [start, end) of the folded [from, to): whole characters with their marks. An empty range stays empty. */
export function originalSpan(folded: FoldedText, from: number, to: number): { readonly start: number; readonly end: number } {
  const start = folded.starts[from] ?? folded.ends[from - 1] ?? 0;
  return { start, end: to > from ? (folded.ends[to - 1] ?? start) : start };
}
