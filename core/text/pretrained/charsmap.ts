/** What does SentencePiece's compiled table make of each character? A double-array trie over UTF-8, read as it stands. */
import { invalid } from '../tokenizer-guards.ts';
import type { TextStep } from './text-step.ts';

const LEAF_BIT = 8;
const VALUE_MASK = 0x7fffffff;
const LABEL_MASK = 0x800000ff;
const OFFSET_SHIFT = 10;
const EXTENDED_OFFSET_BIT = 1 << 9;
const EXTENDED_OFFSET_SHIFT = 6;
/** The Rust library looks a whole grapheme up when it has fewer bytes than this, else character by character. */
const LONGEST_GRAPHEME_BYTES = 6;
const MOST_REMEMBERED = 65_536;
/** Where a grapheme may have more than one character: only there the text is cut into graphemes, which is slow. */
const MAY_JOIN = /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB\uFF9E\uFF9F\u0E33\u0EB3\r]/u;

/**
 * The step of a `Precompiled` normaliser: each grapheme that the table knows (its shortest known beginning decides), else each
 * character, is replaced by what the table says; others stay.
 *
 * @param base64  uint32 size of the trie in bytes, the trie (uint32 units, darts-clone), then texts that end with a zero byte.
 * @throws InputError 'tokenizer.invalid' for a table that is cut off.
 * @see the Rust crate spm_precompiled, whose order of look-ups this follows.
 */
export function readCharsmap(base64: string): TextStep {
  const bytes = Buffer.from(base64, 'base64');
  const place = 'normalizer.precompiled_charsmap';
  if (bytes.length < 8) throw invalid(place, 'a table', `${bytes.length} bytes`);
  const trieBytes = bytes.readUInt32LE(0);
  if (trieBytes % 4 !== 0 || trieBytes === 0 || 4 + trieBytes > bytes.length) throw invalid(place, `a trie of ${trieBytes} bytes`, `${bytes.length} bytes in all`);
  const trie = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i));
  const texts = bytes.subarray(4 + trieBytes);
  const remembered = new Map<string, string | null>();

  const lookUp = (chunk: string): string | null => {
    const known = remembered.get(chunk);
    if (known !== undefined) return known;
    const at = shortestMatch(trie, Buffer.from(chunk));
    const end = at === null ? -1 : texts.indexOf(0, at);
    const found = at === null ? null : texts.subarray(at, end < 0 ? texts.length : end).toString('utf8');
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(chunk, found);
    return found;
  };
  const byCharacter = (text: string): string => {
    let result = '';
    for (const character of text) result += lookUp(character) ?? character;
    return result;
  };
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return (text) => {
    if (!MAY_JOIN.test(text)) return byCharacter(text);
    let result = '';
    for (const { segment } of segmenter.segment(text)) result += (Buffer.byteLength(segment) < LONGEST_GRAPHEME_BYTES ? lookUp(segment) : null) ?? byCharacter(segment);
    return result;
  };
}

/** The value of the shortest key that the bytes begin with; null when there is none. */
function shortestMatch(trie: Uint32Array, key: Uint8Array): number | null {
  let node = offsetOf(trie[0] ?? 0);
  for (const byte of key) {
    if (byte === 0) return null;
    node ^= byte;
    const unit = trie[node] ?? 0;
    if ((unit & LABEL_MASK) >>> 0 !== byte) return null;
    node ^= offsetOf(unit);
    if (((unit >>> LEAF_BIT) & 1) === 1) return (trie[node] ?? 0) & VALUE_MASK;
  }
  return null;
}

function offsetOf(unit: number): number {
  return (unit >>> OFFSET_SHIFT) << ((unit & EXTENDED_OFFSET_BIT) >>> EXTENDED_OFFSET_SHIFT);
}
