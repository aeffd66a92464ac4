/** Where in a text does each token stand? Runs between spaces are cut by the tokenizer, so a token's place is that of its run, divided evenly. */

export type TokenSpan = { readonly start: number; readonly end: number };

/** UTF-16 offsets of the tokens of a text, in order. @param countTokens how many tokens a run without spaces has. */
export function tokenSpans(text: string, countTokens: (run: string) => number): TokenSpan[] {
  const spans: { start: number; end: number }[] = [];
  for (const match of text.matchAll(/\S+/g)) {
    const tokens = countTokens(match[0]);
    for (let t = 0; t < tokens; t += 1) {
      spans.push({ start: match.index + Math.floor((t * match[0].length) / tokens), end: match.index + Math.ceil(((t + 1) * match[0].length) / tokens) });
    }
  }
  return spans;
}
