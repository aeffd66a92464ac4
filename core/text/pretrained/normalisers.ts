/** What does a tokenizer of a pretrained model do to a text before it cuts it? The normaliser of its tokenizer.json. */
import { expectObject, invalid, unsupported } from '../tokenizer-guards.ts';
import { readCharsmap } from './charsmap.ts';
import type { TextStep } from './text-step.ts';

type Row = (step: Readonly<Record<string, unknown>>) => TextStep;

const form = (name: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): Row => () => (text) => text.normalize(name);

/** The normalisers by their `type`. To add one: a row. */
const rows: { readonly [type: string]: Row } = {
  NFC: form('NFC'),
  NFD: form('NFD'),
  NFKC: form('NFKC'),
  NFKD: form('NFKD'),
  Lowercase: () => lowerCase,
  StripAccents: () => stripMarks,
  Nmt: () => nmt,
  Prepend: (step) => {
    const prefix = text(step, 'prepend');
    return (value) => (value === '' ? '' : prefix + value);
  },
  Strip: (step) => {
    const [left, right] = [step['strip_left'] === true || step['left'] === true, step['strip_right'] === true || step['right'] === true];
    return (value) => {
      const start = left ? value.replace(LEADING_SPACE, '') : value;
      return right ? start.replace(TRAILING_SPACE, '') : start;
    };
  },
  Replace: (step) => {
    const expression = readPattern(step['pattern'], 'normalizer.pattern');
    const content = text(step, 'content');
    return (value) => value.replace(expression, () => content);
  },
  BertNormalizer: (step) => {
    const { clean_text: clean, handle_chinese_chars: chinese, strip_accents: accents, lowercase: lower } = step;
    const strips = accents === true || ((accents === null || accents === undefined) && lower !== false);
    return (value) => {
      let result = clean === false ? value : cleanText(value);
      if (chinese !== false) result = result.replace(CHINESE, ' $& ');
      if (strips) result = stripMarks(result.normalize('NFD'));
      return lower === false ? result : lowerCase(result);
    };
  },
  Precompiled: (step) => readCharsmap(text(step, 'precompiled_charsmap')),
  Sequence: (step) => {
    const list = step['normalizers'];
    if (!Array.isArray(list)) throw invalid('normalizer.normalizers', 'a list', list);
    const steps = list.map(readNormaliserStep);
    return (value) => steps.reduce((sofar, apply) => apply(sofar), value);
  },
};

const same: TextStep = (value) => value;

/** The normaliser of a tokenizer.json (null: none). @throws InputError 'tokenizer.unsupported', 'tokenizer.invalid'. */
export function readNormaliserStep(value: unknown): TextStep {
  if (value === null || value === undefined) return same;
  const step = expectObject(value, 'normalizer');
  const type = step['type'];
  const row = typeof type === 'string' && Object.hasOwn(rows, type) ? rows[type] : undefined;
  if (row === undefined) throw unsupported('normalizer.type', Object.keys(rows).join(', '), type);
  return row(step);
}

/** A few plain signs, then one sign, one escape, one general category or one plain class, once or repeated: such an expression is searched in linear time. */
const LINEAR = /^[^\\^$.*+?()[\]{}|]{0,8}(?:\\[stnr]|\\p\{(?:C[cfos]?|L[lu]?|M[nc]?|Nd?|P|S|Zs?)\}|[^\\^$.*+?()[\]{}|]|\[(?:[^\]\\[^]|\\x[\dA-Fa-f]{2})*\])(?:\{\d{1,3},?\d{0,3}\}|\+)?$/u;

/** A pattern of tokenizer.json as an expression. @throws InputError 'tokenizer.unsupported' for expressions that might take long. */
export function readPattern(value: unknown, place: string): RegExp {
  const pattern = expectObject(value, place);
  if (typeof pattern['String'] === 'string') return new RegExp(escaped(pattern['String']), 'gu');
  const source = pattern['Regex'];
  if (typeof source !== 'string' || !LINEAR.test(source)) throw unsupported(place, 'a plain text, or an expression of one sign with one repetition (others may take forever)', pattern);
  return new RegExp(source.replaceAll('\\s', '\\p{White_Space}'), 'gu');
}

/** A text as an expression that finds just it. */
export function escaped(value: string): string {
  return value.replace(/[\\^$.*+?()[\]{}|/-]/g, (sign) => (sign === '-' ? '\\x2d' : `\\${sign}`));
}

const LEADING_SPACE = /^\p{White_Space}+/u;
const TRAILING_SPACE = /\p{White_Space}+$/u;
const DROPPED = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const WHITE_SPACE = /\p{White_Space}/gu;
const CHINESE = /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
const MARKS = /\p{Mn}/gu;

function cleanText(value: string): string {
  return value.replace(DROPPED, '').replace(WHITE_SPACE, ' ');
}

function stripMarks(value: string): string {
  return value.replace(MARKS, '');
}

/** Sign by sign: a sigma at the end of a word becomes σ, as everywhere. */
function lowerCase(value: string): string {
  return value.replaceAll('Σ', 'σ').toLowerCase();
}

/** Controls dropped, exotic spaces made plain (SentencePiece's rule set of this name). */
function nmt(value: string): string {
  return value.replace(/[\x01-\x08\x0B\x0E-\x1F\x7F\x8F\x9F]/g, '').replace(/[\t\n\f\r\u1680\u200B-\u200F\u2028\u2029\u2581\uFEFF\uFFFD]/g, ' ');
}

function text(step: Readonly<Record<string, unknown>>, name: string): string {
  const value = step[name];
  if (typeof value !== 'string') throw invalid(`normalizer.${name}`, 'a text', value);
  return value;
}
