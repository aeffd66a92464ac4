/** Which tokenizer files are too large, too deep or too sly to be looked at further? Checked before anything is made of them. */
import { InputError } from '../base/errors.ts';

/** Limits against hostile files (reliability.md 2.3). */
export const LARGEST_TOKENIZER_BYTES = 64 * 2 ** 20;
export const LARGEST_VOCABULARY = 1_000_000;
const DEEPEST_JSON = 64;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Vocabularies written as objects have words as keys, and "constructor" is a word; they are only ever read entry by entry. */
const FORBIDDEN_WORDS: ReadonlySet<string> = new Set(['__proto__']);

/** JSON.parse with limits on size and depth. @throws InputError 'tokenizer.too-large', 'tokenizer.invalid', 'tokenizer.not-json'. */
export function parseTokenizerText(text: string): unknown {
  if (text.length > LARGEST_TOKENIZER_BYTES || Buffer.byteLength(text) > LARGEST_TOKENIZER_BYTES) {
    throw new InputError('tokenizer.too-large', `tokenizer.json: expected at most ${LARGEST_TOKENIZER_BYTES / 2 ** 20} MB, found ${Math.ceil(text.length / 2 ** 20)} MB.`);
  }
  checkTextDepth(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new InputError('tokenizer.not-json', `tokenizer.json: expected JSON, found ${JSON.stringify(text.slice(0, 40))}.`, { cause });
  }
}

/** Refuses deep nesting before JSON.parse recurses into it. */
function checkTextDepth(text: string): void {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isInText) {
      if (unit === 0x5c) at += 1; // backslash: skip what it escapes
      else if (unit === 0x22) isInText = false;
    } else if (unit === 0x22) isInText = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > DEEPEST_JSON) throw tooDeep();
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
}

/** Refuses deep nesting and keys that reach into prototypes; the keys of objects called `vocab` may be any word but one. */
export function checkTree(root: unknown): void {
  const open: { readonly value: unknown; readonly depth: number; readonly isVocabulary?: boolean }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth, isVocabulary = false } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DEEPEST_JSON) throw tooDeep();
    if (!Array.isArray(value)) {
      const forbidden = isVocabulary ? FORBIDDEN_WORDS : FORBIDDEN_KEYS;
      for (const key of Object.keys(value)) if (forbidden.has(key)) throw invalid('a key', 'an ordinary name', key);
    }
    for (const [key, child] of Object.entries(value)) if (typeof child === 'object' && child !== null) open.push({ value: child, depth: depth + 1, isVocabulary: key === 'vocab' });
  }
}

const tooDeep = (): InputError => new InputError('tokenizer.invalid', `tokenizer.json: expected at most ${DEEPEST_JSON} levels of nesting, found more.`);

/** The value as an object. @throws InputError 'tokenizer.invalid' naming the place. */
export function expectObject(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(place, 'an object', value);
  return value as Readonly<Record<string, unknown>>; // checked in the line above
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 120);

/** The error of a place that holds something else than it should. */
export function invalid(place: string, expected: string, found: unknown): InputError {
  return new InputError('tokenizer.invalid', `tokenizer.json: ${place} should be ${expected}, found ${shown(found)}.`);
}

/** The error of a tokenizer that may be right, but is of a kind that Isogloss does not read. */
export function unsupported(place: string, expected: string, found: unknown): InputError {
  return new InputError('tokenizer.unsupported', `tokenizer.json: Isogloss reads only tokenizers whose ${place} is ${expected}; found ${shown(found)}.`);
}
