/** Where do whole words of the model ("<mask>", "[SEP]") stand in a text? They are found before anything else is cut. */
import { expectObject, invalid } from '../tokenizer-guards.ts';
import { escaped } from './normalisers.ts';

export type AddedToken = {
  readonly id: number;
  readonly content: string;
  /** Takes the white space before (after) it along. */
  readonly stripsLeft: boolean;
  readonly stripsRight: boolean;
  /** Found only where no letter or digit touches it. */
  readonly isWord: boolean;
  /** Looked for in the normalised text, itself normalised. */
  readonly isNormalised: boolean;
};

/** The list `added_tokens` of a tokenizer.json. @throws InputError 'tokenizer.invalid'. */
export function readAddedTokens(value: unknown): readonly AddedToken[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw invalid('added_tokens', 'a list', value);
  return value.map((row, i) => {
    const { id, content, lstrip, rstrip, single_word: word, normalized, special } = expectObject(row, `added_tokens[${i}]`);
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || typeof content !== 'string' || content === '') throw invalid(`added_tokens[${i}]`, 'an id and its text', row);
    return { id, content, stripsLeft: lstrip === true, stripsRight: rstrip === true, isWord: word === true, isNormalised: (normalized ?? special !== true) === true };
  });
}

/** A stretch of text, or the id of an added token. */
export type Section = string | number;

const WORD_BEFORE = '(?<![\\p{L}\\p{N}_])';
const WORD_AFTER = '(?![\\p{L}\\p{N}_])';

/** A function that cuts texts at these tokens: of several that begin at one place the longest. */
export function createSplitter(tokens: readonly AddedToken[]): (text: string) => readonly Section[] {
  if (tokens.length === 0) return (text) => [text];
  const byLength = tokens.toSorted((a, b) => b.content.length - a.content.length);
  const ids = new Map(tokens.map((token) => [token.content, token]));
  const any = new RegExp(byLength.map(({ content, isWord }) => (isWord ? `${WORD_BEFORE}${escaped(content)}${WORD_AFTER}` : escaped(content))).join('|'), 'gu');
  return (text) => {
    const sections: Section[] = [];
    let from = 0;
    for (const match of text.matchAll(any)) {
      const token = ids.get(match[0]);
      if (token === undefined) continue;
      const before = text.slice(from, match.index);
      const kept = token.stripsLeft ? before.trimEnd() : before;
      if (kept !== '') sections.push(kept);
      sections.push(token.id);
      from = match.index + match[0].length;
      if (token.stripsRight) from += text.length - from - text.slice(from).trimStart().length;
    }
    if (from < text.length) sections.push(text.slice(from));
    return sections;
  };
}
