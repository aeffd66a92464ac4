/** Where do typed words stand in a text? Small or capital, composed or decomposed: the same letters are found. */

export type Span = { readonly start: number; readonly end: number };

/**
 * All places of `wanted` in `text`, first to last, without overlap; offsets in UTF-16 units of `text`.
 * Both are compared decomposed (NFD) and in small letters, so that "É" typed on one keyboard finds "é" typed on another;
 * marks are compared too: "e" alone finds "é", as its first part, and "é" does not find "e".
 */
export function findInText(text: string, wanted: string): readonly Span[] {
  const needle = fold(wanted).folded;
  if (needle === '') return [];
  const { folded, starts, ends } = fold(text);
  const spans: Span[] = [];
  for (let at = folded.indexOf(needle); at !== -1; at = folded.indexOf(needle, at + needle.length)) {
    spans.push({ start: starts[at] ?? 0, end: ends[at + needle.length - 1] ?? text.length });
  }
  return spans;
}

/** The folded text, and for each of its units where the character began and ended that it came from. */
function fold(text: string): { readonly folded: string; readonly starts: readonly number[]; readonly ends: readonly number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = '';
  let at = 0;
  for (const character of text) {
    const part = character.normalize('NFD').toLowerCase();
    for (let unit = 0; unit < part.length; unit += 1) {
      starts.push(at);
      ends.push(at + character.length);
    }
    folded += part;
    at += character.length;
  }
  return { folded, starts, ends };
}
