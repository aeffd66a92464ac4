/** How is a file's name shown that is not UTF-8? In the program each of its stray bytes is one character of a private range; a person sees the bytes. */

const FIRST = 0xf700;
const STRAY_BYTES = /[\uF700-\uF7FF]/gu;

/** A name, a path or a sentence with paths in it, stray bytes as "\xE9". Equals `shownName` of core/base/file-names.ts, which a test checks. */
export function shownName(text: string): string {
  return text.replaceAll(STRAY_BYTES, (character) => `\\x${((character.codePointAt(0) ?? FIRST) - FIRST).toString(16).toUpperCase().padStart(2, '0')}`);
}
