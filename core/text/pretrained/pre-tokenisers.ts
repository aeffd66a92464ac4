/** Into which parts is a normalised text cut before pieces are looked for? The pre-tokeniser of its tokenizer.json. */
import { WORD_START } from '../normalise.ts';
import { expectObject, invalid, unsupported } from '../tokenizer-guards.ts';

/** The parts of one part; `isFirst` says that it begins the text. */
export type PreTokeniser = (text: string, isFirst: boolean) => readonly string[];

type Row = (step: Readonly<Record<string, unknown>>) => PreTokeniser;

const PUNCTUATION = '\\p{P}$+<=>^`|~';
const SPACES = /\p{White_Space}+/u;
const BERT_PARTS = new RegExp(`[${PUNCTUATION}]|[^\\p{White_Space}${PUNCTUATION}]+`, 'gu');
const PUNCTUATION_PARTS = new RegExp(`[${PUNCTUATION}]|[^${PUNCTUATION}]+`, 'gu');
const WORD_PARTS = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;
const DIGIT_PARTS = /\p{N}|\P{N}+/gu;
const NUMBER_PARTS = /\p{N}+|\P{N}+/gu;
/** GPT-2's expression; every branch begins differently, so it is linear. */
const BYTE_LEVEL_PARTS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

const matches = (expression: RegExp): PreTokeniser => (text) => text.match(expression) ?? [];

/** The pre-tokenisers by their `type`. To add one: a row. */
const rows: { readonly [type: string]: Row } = {
  BertPreTokenizer: () => matches(BERT_PARTS),
  Whitespace: () => matches(WORD_PARTS),
  WhitespaceSplit: () => (text) => text.split(SPACES).filter((part) => part !== ''),
  Punctuation: (step) => {
    if ((step['behavior'] ?? 'Isolated') !== 'Isolated') throw unsupported('pre_tokenizer.behavior', 'Isolated', step['behavior']);
    return matches(PUNCTUATION_PARTS);
  },
  Digits: (step) => matches(step['individual_digits'] === true ? DIGIT_PARTS : NUMBER_PARTS),
  ByteLevel: (step) => {
    const [prefixes, splits] = [step['add_prefix_space'] !== false, step['use_regex'] !== false];
    return (text) => {
      const spaced = prefixes && !text.startsWith(' ') ? ` ${text}` : text;
      return (splits ? (spaced.match(BYTE_LEVEL_PARTS) ?? []) : [spaced]).map(bytesAsSigns);
    };
  },
  Metaspace: (step) => {
    const sign = step['replacement'] ?? WORD_START;
    if (typeof sign !== 'string' || [...sign].length !== 1) throw invalid('pre_tokenizer.replacement', 'one sign', sign);
    const scheme = step['prepend_scheme'] ?? (step['add_prefix_space'] === false ? 'never' : 'always');
    if (scheme !== 'always' && scheme !== 'first' && scheme !== 'never') throw invalid('pre_tokenizer.prepend_scheme', 'always, first or never', scheme);
    return (text, isFirst) => {
      const signs = text.replaceAll(' ', sign);
      const whole = !signs.startsWith(sign) && (scheme === 'always' || (scheme === 'first' && isFirst)) ? sign + signs : signs;
      return step['split'] === false ? [whole] : cutBefore(whole, sign);
    };
  },
  Sequence: (step) => {
    const list = step['pretokenizers'];
    if (!Array.isArray(list)) throw invalid('pre_tokenizer.pretokenizers', 'a list', list);
    const steps = list.map(readPreTokeniser);
    return (text, isFirst) => steps.reduce<readonly string[]>((parts, cut) => parts.flatMap((part, i) => cut(part, isFirst && i === 0)), [text]);
  },
};

/** The pre-tokeniser of a tokenizer.json (null: none). @throws InputError 'tokenizer.unsupported', 'tokenizer.invalid'. */
export function readPreTokeniser(value: unknown): PreTokeniser {
  if (value === null || value === undefined) return (text) => [text];
  const step = expectObject(value, 'pre_tokenizer');
  const type = step['type'];
  const row = typeof type === 'string' && Object.hasOwn(rows, type) ? rows[type] : undefined;
  if (row === undefined) throw unsupported('pre_tokenizer.type', Object.keys(rows).join(', '), type);
  return row(step);
}

/** "▁▁a▁b" -> "▁", "▁a", "▁b". */
function cutBefore(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(sign, 1); at >= 0; at = text.indexOf(sign, at + 1)) {
    parts.push(text.slice(from, at));
    from = at;
  }
  if (text !== '') parts.push(text.slice(from));
  return parts;
}

/** GPT-2's alphabet: a printable sign for each of the 256 bytes; bytes that are printable Latin-1 stand for themselves. */
export const byteSigns: readonly string[] = (() => {
  const isPrintable = (byte: number): boolean => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    if (isPrintable(byte)) return String.fromCharCode(byte);
    next += 1;
    return String.fromCharCode(next - 1);
  });
})();

function bytesAsSigns(text: string): string {
  let signs = '';
  for (const byte of Buffer.from(text)) signs += byteSigns[byte] ?? '';
  return signs;
}
