/** Which letters of a corpus look alike and are not, and in how many ways are the same letters written? */
import type { RecordPlace } from './records.ts';

export type LetterExample = { readonly line: number | null; readonly text: string };

export type LetterChecks = {
  /** Texts with a word in which letters of Latin, Cyrillic or Greek stand side by side ("аpple" with a Cyrillic а). */
  readonly mixedScripts: { readonly count: number; readonly examples: readonly LetterExample[] };
  /** Words that look the same and are not ("сор" and "cop"); from the first records. Never merged. */
  readonly lookAlikes: readonly { readonly one: string; readonly other: string }[];
  /** Texts in composed (NFC) and in decomposed (NFD) letters, of those where it makes a difference; `neither`: both in one text. */
  readonly composition: { readonly nfc: number; readonly nfd: number; readonly neither: number; readonly examples: readonly LetterExample[] };
  /** Signs between letters that may all be one apostrophe or glottal stop, each with how often; empty when there is one at most. */
  readonly apostrophes: readonly { readonly sign: string; readonly count: number }[];
  /** Texts with invisible signs that turn the direction of writing (U+202A-202E, U+2066-2069). Kept as they are. */
  readonly directionSigns: { readonly count: number; readonly examples: readonly LetterExample[] };
};

export type LetterChecker = { readonly add: (text: string, line: number | null, place?: RecordPlace) => void; readonly result: () => LetterChecks };

const ASCII = /^[\x00-\x7F]*$/;
const MIXED = /\p{Script=Latin}\p{M}*[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{M}*\p{Script=Latin}|\p{Script=Cyrillic}\p{M}*\p{Script=Greek}|\p{Script=Greek}\p{M}*\p{Script=Cyrillic}/u;
const DIRECTION = /[\u202A-\u202E\u2066-\u2069]/;
const SOME_APOSTROPHE = /['’‘ʼʻꞌʾʿ`´′]/;
const APOSTROPHES = /[\p{L}\p{M}](['’‘ʼʻꞌʾʿ`´′])(?=\p{L})/gu;
const WORD = /[\p{L}\p{M}]+/gu;
const EXAMPLES = 5;
const EXAMPLE_CHARACTERS = 200;
const WORD_SAMPLE = 5000; // texts whose words are compared
const WORDS_LIMIT = 50_000;
const PAIRS_SHOWN = 20;

/** Letters of other scripts that look like Latin ones in most fonts (from Unicode's confusables, the letters of living alphabets). */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', һ: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', о: 'o', р: 'p', ԛ: 'q', ѕ: 's', т: 't', у: 'y', ѵ: 'v', ԝ: 'w', х: 'x',
    А: 'A', В: 'B', С: 'C', Е: 'E', Н: 'H', І: 'I', Ј: 'J', К: 'K', М: 'M', О: 'O', Р: 'P', Ѕ: 'S', Т: 'T', У: 'Y', Х: 'X',
    α: 'a', ο: 'o', ν: 'v', ρ: 'p', ι: 'i', κ: 'k', υ: 'u', χ: 'x', Α: 'A', Β: 'B', Ε: 'E', Ζ: 'Z', Η: 'H', Ι: 'I', Κ: 'K', Μ: 'M', Ν: 'N', Ο: 'O', Ρ: 'P', Τ: 'T', Υ: 'Y', Χ: 'X',
    ɑ: 'a', ɡ: 'g', ı: 'i', ꞌ: '',
  }),
);
const LOOKING_ALIKE = new RegExp(`[${[...LOOKS_LIKE.keys()].join('')}]`, 'gu');

export function checkLetters(): LetterChecker {
  const mixed = examples();
  const composition = { nfc: 0, nfd: 0, neither: 0 };
  const decomposed = examples();
  const directions = examples();
  const apostrophes = new Map<string, number>();
  const words = new Map<string, string>(); // how a word looks -> the first written so
  const alike = new Map<string, string>();
  let texts = 0;
  return {
    add: (text, line) => {
      texts += 1;
      if (texts <= WORD_SAMPLE) compareWords(text, words, alike);
      if (SOME_APOSTROPHE.test(text)) for (const [, sign = ''] of text.matchAll(APOSTROPHES)) apostrophes.set(sign, (apostrophes.get(sign) ?? 0) + 1);
      if (ASCII.test(text)) return;
      if (MIXED.test(text)) mixed.add(text, line);
      if (DIRECTION.test(text)) directions.add(text, line);
      const nfc = text.normalize('NFC');
      const nfd = text.normalize('NFD');
      if (nfc === nfd) return;
      if (text === nfc) composition.nfc += 1;
      else if (text === nfd) {
        composition.nfd += 1;
        decomposed.add(text, line);
      } else {
        composition.neither += 1;
        decomposed.add(text, line);
      }
    },
    result: () => ({
      mixedScripts: mixed.found(),
      lookAlikes: [...alike].slice(0, PAIRS_SHOWN).map(([other, one]) => ({ one, other })),
      composition: { ...composition, examples: composition.nfd + composition.neither > 0 && composition.nfc + composition.neither > 0 ? decomposed.found().examples : [] },
      apostrophes: apostrophes.size < 2 ? [] : [...apostrophes].map(([sign, count]) => ({ sign, count })).sort((a, b) => b.count - a.count),
      directionSigns: directions.found(),
    }),
  };
}

function examples() {
  const kept: LetterExample[] = [];
  let count = 0;
  return {
    add: (text: string, line: number | null): void => {
      count += 1;
      if (kept.length < EXAMPLES) kept.push({ line, text: text.slice(0, EXAMPLE_CHARACTERS).toWellFormed() });
    },
    found: () => ({ count, examples: kept }),
  };
}

function compareWords(text: string, words: Map<string, string>, alike: Map<string, string>): void {
  for (const [word] of text.matchAll(WORD)) {
    if (word.length < 3 || alike.size >= PAIRS_SHOWN) continue;
    const looks = word.normalize('NFC').replace(LOOKING_ALIKE, (letter) => LOOKS_LIKE.get(letter) ?? letter);
    const known = words.get(looks);
    if (known === undefined) {
      if (words.size < WORDS_LIMIT) words.set(looks, word);
    } else if (known.normalize('NFC') !== word.normalize('NFC')) alike.set(word, known);
  }
}
