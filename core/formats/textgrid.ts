/** Which tiers does a Praat TextGrid hold? Long, short, chronological and binary files alike: only numbers, texts and flags count. */
import { badFile, fault, oneLine } from './parsing.ts';
import type { FormatFault, FormatPlace } from './parsing.ts';

/** Times in seconds, as Praat writes them. Of a point, start and end are equal. `text` is on one line; it may be ''. */
export type TextGridItem = { readonly start: number; readonly end: number; readonly text: string };

export type TextGridTier = { readonly kind: 'intervals' | 'points'; readonly name: string; readonly items: readonly TextGridItem[] };

export type TextGrid = { readonly start: number; readonly end: number; readonly tiers: readonly TextGridTier[]; readonly faults: readonly FormatFault[] };

type Token = { readonly kind: 'number'; readonly value: number } | { readonly kind: 'text'; readonly value: string } | { readonly kind: 'flag'; readonly value: string };

/** What is read from: words of a text file, or bytes of a binary one. Each throws EndOfGrid where nothing (right) is left. */
type Source = { readonly number: () => number; readonly count: () => number; readonly text: () => string; readonly word: () => string; readonly flag: () => boolean; readonly line: () => number };

/** Thrown and caught in this file only: the grid ends too early or goes on with something else. */
class EndOfGrid extends Error {}

const BINARY_MAGIC = 'ooBinaryFile';
const TEXT_MAGIC = /^\uFEFF?\s*(?:File type\s*=\s*)?"ooTextFile/;
const CHRONOLOGICAL_MAGIC = /^\uFEFF?\s*"Praat chronological TextGrid text file"/;
const TIERS_LIMIT = 10_000;
const ITEMS_LIMIT = 5_000_000;

/** True for the first characters of a TextGrid in a text file. */
export const looksLikeTextGrid = (head: string): boolean => CHRONOLOGICAL_MAGIC.test(head) || (TEXT_MAGIC.test(head) && /TextGrid"/.test(head));

export const isBinaryTextGrid = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, BINARY_MAGIC.length)) === BINARY_MAGIC;

/**
 * Reads a TextGrid from its decoded text. A grid that ends too early gives what was there and the fault 'truncated'.
 * @throws InputError '<area>.not-textgrid'. @see fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
 */
export function parseTextGrid(text: string, place: FormatPlace): TextGrid {
  return CHRONOLOGICAL_MAGIC.test(text) ? readChronological(text) : readGrid(textSource(text), place);
}

/** Reads a TextGrid that Praat saved as a binary file. @throws InputError '<area>.not-textgrid'. */
export function parseBinaryTextGrid(bytes: Uint8Array, place: FormatPlace): TextGrid {
  return readGrid(binarySource(bytes), place);
}

function readGrid(source: Source, place: FormatPlace): TextGrid {
  const faults: FormatFault[] = [];
  const tiers: TextGridTier[] = [];
  let start = 0;
  let end = 0;
  let isHeaderRead = false;
  try {
    const kind = source.word();
    if (!kind.startsWith('TextGrid')) throw badFile('not-textgrid', place, `expected a Praat TextGrid, found a Praat file that holds "${kind.slice(0, 40)}".`);
    start = source.number();
    end = source.number();
    isHeaderRead = true;
    if (!source.flag()) return { start, end, tiers, faults };
    const count = source.count();
    if (count > TIERS_LIMIT) throw new EndOfGrid(`${count} tiers announced, more than ${TIERS_LIMIT}`);
    for (let i = 0; i < count; i += 1) readTier(source, tiers);
  } catch (thrown) {
    if (!(thrown instanceof EndOfGrid)) throw thrown;
    if (!isHeaderRead) throw badFile('not-textgrid', place, 'expected a Praat TextGrid ("ooTextFile", then "TextGrid" and two times), found something else.');
    faults.push(fault('truncated', { line: source.line(), expected: 'a whole TextGrid', found: thrown.message }).fault);
  }
  return { start, end, tiers, faults };
}

/** Adds the tier before its items are read, so that those of a broken file are kept. */
function readTier(source: Source, tiers: TextGridTier[]): void {
  const kind = tierKind(source.word());
  const items: TextGridItem[] = [];
  const name = source.text();
  tiers.push({ kind, name, items });
  source.number();
  source.number();
  const count = source.count();
  if (count > ITEMS_LIMIT) throw new EndOfGrid(`${count} labels announced in the tier "${name.slice(0, 40)}", more than ${ITEMS_LIMIT}`);
  for (let i = 0; i < count; i += 1) {
    const start = source.number();
    const end = kind === 'intervals' ? source.number() : start;
    items.push({ start, end, text: oneLine(source.text()) });
  }
}

/** Tiers first, then the labels of all of them in the order of their times, each with the number of its tier. */
function readChronological(text: string): TextGrid {
  const source = textSource(text);
  const faults: FormatFault[] = [];
  const tiers: (TextGridTier & { readonly items: TextGridItem[] })[] = [];
  let [start, end, items] = [0, 0, 0];
  try {
    [start, end] = [source.number(), source.number()];
    const count = source.count();
    if (count > TIERS_LIMIT) throw new EndOfGrid(`${count} tiers announced, more than ${TIERS_LIMIT}`);
    for (let i = 0; i < count; i += 1) {
      tiers.push({ kind: tierKind(source.text()), name: source.text(), items: [] });
      source.number();
      source.number();
    }
    while (!source.isAtEnd()) {
      const number = source.count();
      const tier = tiers[number - 1];
      if (tier === undefined) throw new EndOfGrid(`a label of tier ${number} of ${tiers.length}`);
      items += 1;
      if (items > ITEMS_LIMIT) throw new EndOfGrid(`more than ${ITEMS_LIMIT} labels`);
      const from = source.number();
      tier.items.push({ start: from, end: tier.kind === 'intervals' ? source.number() : from, text: oneLine(source.text()) });
    }
  } catch (thrown) {
    if (!(thrown instanceof EndOfGrid)) throw thrown;
    faults.push(fault('truncated', { line: source.line(), expected: 'a whole TextGrid', found: thrown.message }).fault);
  }
  return { start, end, tiers, faults };
}

function tierKind(kind: string): TextGridTier['kind'] {
  if (kind !== 'IntervalTier' && kind !== 'TextTier') throw new EndOfGrid(`a tier of the kind "${kind.slice(0, 40)}" where IntervalTier or TextTier should stand`);
  return kind === 'IntervalTier' ? 'intervals' : 'points';
}

/** Praat's own rule: a free-standing number, a text in quotes ("" inside is one quote) and a <flag> count; all else is for the eye. */
function textSource(text: string): Source & { readonly isAtEnd: () => boolean } {
  const tokens = tokensOf(text);
  let line = 1;
  let ahead: ReturnType<typeof tokens.next> | null = null;
  const next = (wanted: Token['kind']): Token['value'] => {
    const token = ahead ?? tokens.next();
    ahead = null;
    if (token.done === true) throw new EndOfGrid('the end of the file');
    line = token.value.line;
    const { kind, value } = token.value.token;
    if (kind !== wanted) throw new EndOfGrid(`${kind === 'text' ? `"${value}"` : value} where a ${wanted} should stand`);
    return value;
  };
  const number = (): number => Number(next('number'));
  const quoted = (): string => String(next('text'));
  const first = tokens.next();
  const isPraat = first.done !== true && first.value.token.kind === 'text' && String(first.value.token.value).startsWith('ooTextFile');
  return {
    number,
    count: () => {
      const value = number();
      if (!Number.isInteger(value) || value < 0) throw new EndOfGrid(`${value} where a count should stand`);
      return value;
    },
    text: quoted,
    word: () => {
      if (!isPraat) throw new EndOfGrid('no "ooTextFile"');
      return quoted();
    },
    flag: () => String(next('flag')) === 'exists',
    line: () => line,
    isAtEnd: () => (ahead ??= tokens.next()).done === true,
  };
}

const FREE_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?$/;

function* tokensOf(text: string): Generator<{ readonly token: Token; readonly line: number }> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === '\n') {
      line += 1;
      at += 1;
    } else if (/\s/.test(character) || character === '\uFEFF') at += 1;
    else if (character === '!') at = endOf(text, at, '\n');
    else if (character === '"') {
      const from = at + 1;
      let close = text.indexOf('"', from);
      while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
      if (close < 0) return; // an open quote: the end of what can be read
      const value = text.slice(from, close).replaceAll('""', '"');
      yield { token: { kind: 'text', value }, line };
      line += value.split('\n').length - 1;
      at = close + 1;
    } else if (character === '<') {
      const close = text.indexOf('>', at);
      const end = close < 0 ? text.length : close + 1;
      yield { token: { kind: 'flag', value: text.slice(at + 1, end - 1) }, line };
      at = end;
    } else {
      const from = at;
      while (at < text.length && !/[\s"]/.test(text[at] ?? '')) at += 1;
      const word = text.slice(from, at);
      if (FREE_NUMBER.test(word)) yield { token: { kind: 'number', value: Number.parseFloat(word) }, line };
      else if (word === '--undefined--') yield { token: { kind: 'number', value: Number.NaN }, line };
    }
  }
}

function endOf(text: string, from: number, what: string): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

const WIDE = 0xffff;
const WIDE_WORD = 0xff;

/** Big-endian numbers; names of classes with a length of one byte, texts with one of two; 0xffff before it: UTF-16. */
function binarySource(bytes: Uint8Array): Source {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = BINARY_MAGIC.length;
  const take = (length: number): number => {
    const from = at;
    if (length < 0 || from + length > bytes.length) throw new EndOfGrid(`the end of the file after ${bytes.length} bytes`);
    at += length;
    return from;
  };
  const decode = (label: 'latin1' | 'utf-16be', length: number): string => {
    const from = take(length);
    return new TextDecoder(label).decode(bytes.subarray(from, from + length));
  };
  const short = (): number => view.getUint16(take(2));
  return {
    number: () => view.getFloat64(take(8)),
    count: () => {
      const value = view.getInt32(take(4));
      if (value < 0) throw new EndOfGrid(`${value} where a count should stand`);
      return value;
    },
    text: () => {
      const length = short();
      return length === WIDE ? decode('utf-16be', short() * 2) : decode('latin1', length);
    },
    word: () => {
      const length = view.getUint8(take(1));
      return length === WIDE_WORD ? decode('utf-16be', short() * 2) : decode('latin1', length);
    },
    flag: () => view.getUint8(take(1)) === 1,
    line: () => 1,
  };
}
