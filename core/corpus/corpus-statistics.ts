/** How much is in this corpus, how long, how repeated, in which scripts? Counted in one pass, in bounded memory. */
import { fingerprint, fingerprintSet } from './fingerprints.ts';

export type CellStatistics = {
  readonly name: string;
  /** Characters (Unicode code points) in all records. */
  readonly characters: number;
  readonly shortest: number;
  readonly longest: number;
  readonly meanLength: number;
  /** The length below which half of the records are; exact up to 10,000 characters, "at least 10,000" beyond. */
  readonly medianLength: number;
  /** Share of the letters in each script, 0-1, largest first; from a sample of the records. */
  readonly scripts: readonly { readonly script: string; readonly share: number }[];
};

export type CorpusStatistics = {
  readonly records: number;
  /** Records whose cells are all equal to those of an earlier one. */
  readonly duplicates: number;
  readonly cells: readonly CellStatistics[];
};

export type StatisticsCounter = { readonly add: (cells: readonly string[]) => void; readonly result: () => CorpusStatistics };

const LENGTH_BINS = 10_001;
const SCRIPT_SAMPLE = 2000; // records whose letters are counted
const SCRIPT_CHARACTERS = 200; // of each
const HASH_LIMIT = 8_000_000; // records whose fingerprints are kept (about 200 MB); later ones are taken as new

/** Scripts of the world's larger and of many smaller written languages; letters of others count as "Other". */
const SCRIPT_NAMES = [
  'Latin', 'Arabic', 'Cyrillic', 'Devanagari', 'Greek', 'Hebrew', 'Thai', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Ethiopic', 'Bengali', 'Gurmukhi', 'Gujarati',
  'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Lao', 'Khmer', 'Myanmar', 'Tibetan', 'Georgian', 'Armenian', 'Syriac', 'Thaana', 'Nko', 'Adlam',
  'Tifinagh', 'Vai', 'Cherokee', 'Canadian_Aboriginal', 'Mongolian', 'Javanese', 'Balinese', 'Sundanese', 'Ol_Chiki', 'Meetei_Mayek', 'Yi',
] as const;
const SCRIPTS = SCRIPT_NAMES.map((script) => ({ script, pattern: new RegExp(`\\p{Script=${script}}`, 'u') }));

/** A counter for records shown as cells under these names. */
export function countStatistics(names: readonly string[]): StatisticsCounter {
  const columns = names.map((name) => ({ name, characters: 0, shortest: Infinity, longest: 0, bins: new Uint32Array(LENGTH_BINS), letters: new Map<string, number>() }));
  const seen = fingerprintSet(HASH_LIMIT);
  let records = 0;
  let duplicates = 0;
  return {
    add: (cells) => {
      if (!seen.add(fingerprint(cells))) duplicates += 1;
      columns.forEach((column, i) => {
        const text = cells[i] ?? '';
        const length = codePoints(text);
        column.characters += length;
        column.shortest = Math.min(column.shortest, length);
        column.longest = Math.max(column.longest, length);
        const bin = Math.min(length, LENGTH_BINS - 1);
        column.bins[bin] = (column.bins[bin] ?? 0) + 1;
        if (records < SCRIPT_SAMPLE) countScripts(text.slice(0, SCRIPT_CHARACTERS), column.letters);
      });
      records += 1;
    },
    result: () => ({
      records,
      duplicates,
      cells: columns.map(({ name, characters, shortest, longest, bins, letters }) => ({
        name,
        characters,
        shortest: records === 0 ? 0 : shortest,
        longest,
        meanLength: records === 0 ? 0 : characters / records,
        medianLength: median(bins, records),
        scripts: shares(letters),
      })),
    }),
  };
}

/** The script of a letter, as Unicode names it ("Latin", "Devanagari"); "Other" for scripts not listed; null for what is no letter. */
export function scriptOfLetter(character: string): string | null {
  if (!/\p{L}/u.test(character)) return null;
  return SCRIPTS.find(({ pattern }) => pattern.test(character))?.script ?? 'Other';
}

function countScripts(text: string, letters: Map<string, number>): void {
  for (const character of text) {
    const script = scriptOfLetter(character);
    if (script !== null) letters.set(script, (letters.get(script) ?? 0) + 1);
  }
}

function shares(letters: ReadonlyMap<string, number>): readonly { readonly script: string; readonly share: number }[] {
  const total = letters.values().reduce((sum, count) => sum + count, 0);
  return [...letters].map(([script, count]) => ({ script, share: count / total })).sort((a, b) => b.share - a.share || (a.script < b.script ? -1 : 1));
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i += 1) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count -= 1; // the second half of a pair
  return count;
}

function median(bins: Uint32Array, records: number): number {
  let below = 0;
  for (let length = 0; length < bins.length; length += 1) {
    below += bins[length] ?? 0;
    if (below * 2 >= records) return length;
  }
  return 0;
}
