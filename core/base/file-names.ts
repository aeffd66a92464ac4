/** How does a file whose name is not UTF-8 go by a text? Each of its stray bytes is one character of a private range, and back again. */
import { isUtf8 } from 'node:buffer';

/** Byte b of a name stands as U+F700 + b. Characters of that range in real names are written by their bytes too, so nothing is ambiguous. */
const FIRST = 0xf700;
const BYTES = 256;
const ESCAPED = /[\uF700-\uF7FF]/u;
const ESCAPED_RUNS = /([\uF700-\uF7FF]+)/u;
const LONGEST_SEQUENCE = 4;

/** The text by which a name (or path) goes in the program, from its bytes on the disk. UTF-8 stays as it is. */
export function nameOfBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) {
    const text = Buffer.from(bytes).toString('utf8');
    return ESCAPED.test(text) ? [...text].map((character) => (ESCAPED.test(character) ? escaped(Buffer.from(character)) : character)).join('') : text;
  }
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    name += length === 0 ? escaped(bytes.subarray(at, at + 1)) : nameOfBytes(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return name;
}

/** What the file system is asked for: the text itself, or the bytes it stands for. */
export function pathOnDisk(path: string): string | Buffer {
  if (!ESCAPED.test(path)) return path;
  return Buffer.concat(path.split(ESCAPED_RUNS).map((part) => (ESCAPED.test(part) ? Buffer.from([...part].map((character) => (character.codePointAt(0) ?? FIRST) - FIRST)) : Buffer.from(part))));
}

/** A name for people: stray bytes as "\xE9". */
export function shownName(path: string): string {
  return path.replaceAll(/[\uF700-\uF7FF]/gu, (character) => `\\x${((character.codePointAt(0) ?? FIRST) - FIRST).toString(16).toUpperCase().padStart(2, '0')}`);
}

function escaped(bytes: Uint8Array): string {
  return String.fromCodePoint(...[...bytes].map((byte) => FIRST + (byte % BYTES)));
}

/** How many bytes from here on are one character of UTF-8; 0: none. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= LONGEST_SEQUENCE && at + length <= bytes.length; length += 1) if (isUtf8(bytes.subarray(at, at + length))) return length;
  return 0;
}
