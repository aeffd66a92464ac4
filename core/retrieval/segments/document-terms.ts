/**
 * Which terms has a document, for every way of searching it? Terms depend on the parts of a text between white space alone, so each
 * distinct part is analysed once and remembered by number: this is what makes indexing fast.
 */
import type { TokenSums } from '../../encoding/token-sums.ts';
import { abjadRuns, amongAbjads, createCharacterAnalyzer, createWordAnalyzer, isAbjadText, wholeWordOf, wordRuns } from '../analysis.ts';
import type { MatchingForm } from '../analysis.ts';
import { translationAnalyzer } from '../query-translation.ts';
import { growingNumbers } from './growing-numbers.ts';
import { termHash } from './term-hash.ts';

export const lexicalParts = ['words', 'characters', 'translated'] as const;
export type LexicalPart = (typeof lexicalParts)[number];

/** Terms met so far; a term's number is its place. */
export type TermNumbers = {
  readonly numberOf: (term: string) => number;
  readonly hashOf: (number: number) => number;
  readonly size: () => number;
};

export type DocumentTerms = {
  readonly terms: Readonly<Record<LexicalPart, TermNumbers>>;
  /** The word of a term of 'characters' that stands for a whole word; undefined for others. */
  readonly wholeWord: (number: number) => string | undefined;
  /**
   * Tells every term of a text with repetitions, part by part, and its tokens. The arrays are valid during the call; a document's terms
   * come in several calls.
   */
  readonly analyse: (text: string, take: (part: LexicalPart | 'tokens', numbers: Uint32Array, from: number, to: number) => void) => void;
};

/** Longer parts (whole sentences of scripts without spaces) are analysed each time. */
const LONGEST_REMEMBERED = 48;
const MOST_REMEMBERED = 400_000;
const MOST_NUMBERS = 2 ** 24;
const WHITE_SPACE = /\p{White_Space}/u;
const SPACE = 0x20;
const LAST_ASCII = 0x7f;
const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x9e3779b1;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0x85ebca77;
/** Fields of a remembered part: where its numbers begin in the pool, how many of each kind, its runs, and where its terms among abjads are (0: not made). */
const FIELDS = 9;
const [AT, WORDS, CHARACTERS, TRANSLATED, TOKENS, RUNS, ABJAD_RUNS, AMONG_AT, AMONG] = Array.from({ length: FIELDS }, (_, i) => i) as [number, number, number, number, number, number, number, number, number];

export function createDocumentTerms(options: { readonly form: MatchingForm; readonly tokenSums: TokenSums | null }): DocumentTerms {
  const { form, tokenSums } = options;
  const wordAnalyzer = createWordAnalyzer(form);
  const characterAnalyzer = createCharacterAnalyzer(form);
  const wholeWords: (string | undefined)[] = [];
  const terms = { words: termNumbers(), characters: termNumbers((term) => wholeWords.push(wholeWordOf(term) ?? undefined)), translated: termNumbers() };
  const cutsTokens = tokenSums !== null && tokenSums.isWordLocal;

  const remembered = partTable();
  let fields = new Int32Array(FIELDS * 1024);
  let records = 0;
  let pool = new Uint32Array(1 << 16);
  let used = 0;

  const append = (numbers: ArrayLike<number>): void => {
    if (used + numbers.length > pool.length) {
      const larger = new Uint32Array(2 * (used + numbers.length));
      larger.set(pool.subarray(0, used));
      pool = larger;
    }
    pool.set(numbers, used);
    used += numbers.length;
  };
  const appendTerms = (units: readonly string[], analyzerTerms: (unit: string) => readonly string[], numbers: TermNumbers): number => {
    const before = used;
    for (const unit of units) append(analyzerTerms(unit).map(numbers.numberOf));
    return used - before;
  };
  const runsOf = (part: string): string[] => wordRuns(part).map(({ start, end }) => part.slice(start, end));

  const analysePart = (part: string): number => {
    if ((records + 1) * FIELDS > fields.length) {
      const larger = new Int32Array(2 * fields.length);
      larger.set(fields);
      fields = larger;
    }
    const record = records * FIELDS;
    records += 1;
    const runs = runsOf(part);
    fields[record + AT] = used;
    fields[record + WORDS] = appendTerms(wordAnalyzer.units(part), wordAnalyzer.terms, terms.words);
    fields[record + CHARACTERS] = appendTerms(runs, characterAnalyzer.terms, terms.characters);
    fields[record + TRANSLATED] = appendTerms(translationAnalyzer.units(part), translationAnalyzer.terms, terms.translated);
    const before = used;
    if (cutsTokens) append(tokenSums.tokens(part));
    fields[record + TOKENS] = used - before;
    fields[record + RUNS] = runs.length;
    fields[record + ABJAD_RUNS] = abjadRuns(runs);
    fields[record + AMONG_AT] = 0;
    fields[record + AMONG] = -1;
    return record;
  };
  const analyseAmong = (record: number, part: string): void => {
    fields[record + AMONG_AT] = used;
    fields[record + AMONG] = appendTerms(runsOf(part).map(amongAbjads), characterAnalyzer.terms, terms.characters);
  };
  const forget = (): void => {
    remembered.clear();
    records = 0;
    used = 0;
  };

  return {
    terms,
    wholeWord: (number) => wholeWords[number],
    analyse: (text, take) => {
      if (remembered.size() > MOST_REMEMBERED || used > MOST_NUMBERS) forget();
      const own: number[] = [];
      const starts: number[] = [];
      let runs = 0;
      let ofAbjads = 0;
      for (let at = 0; at < text.length; ) {
        let unit = text.charCodeAt(at);
        if (isSpace(unit)) {
          at += 1;
          continue;
        }
        const from = at;
        let first = FIRST_SEED;
        let second = SECOND_SEED;
        do {
          first = Math.imul(first ^ unit, FIRST_PRIME);
          second = Math.imul(second + unit, SECOND_PRIME) ^ (second >>> 15);
          at += 1;
          unit = at < text.length ? text.charCodeAt(at) : SPACE;
        } while (!isSpace(unit));
        const place = remembered.find(first, second, at - from);
        let record = remembered.recordAt(place);
        if (record < 0) {
          record = analysePart(text.slice(from, at));
          if (at - from <= LONGEST_REMEMBERED) remembered.put(place, record, first, second, at - from);
        }
        own.push(record);
        starts.push(from, at);
        runs += fields[record + RUNS] ?? 0;
        ofAbjads += fields[record + ABJAD_RUNS] ?? 0;
      }
      const isAbjad = ofAbjads > 0 && isAbjadText(runs, ofAbjads);
      own.forEach((record, i) => {
        if (isAbjad && fields[record + AMONG] === -1) analyseAmong(record, text.slice(starts[2 * i], starts[2 * i + 1]));
        let place = fields[record + AT] ?? 0;
        take('words', pool, place, (place += fields[record + WORDS] ?? 0));
        const characters = place;
        place += fields[record + CHARACTERS] ?? 0;
        if (isAbjad) take('characters', pool, fields[record + AMONG_AT] ?? 0, (fields[record + AMONG_AT] ?? 0) + (fields[record + AMONG] ?? 0));
        else take('characters', pool, characters, place);
        take('translated', pool, place, (place += fields[record + TRANSLATED] ?? 0));
        if (cutsTokens) take('tokens', pool, place, place + (fields[record + TOKENS] ?? 0));
      });
      if (tokenSums !== null && !cutsTokens) {
        const tokens = tokenSums.tokens(text);
        take('tokens', tokens, 0, tokens.length);
      }
    },
  };
}

const SPACES_BEYOND_ASCII = new Set(Array.from({ length: 0x10000 - LAST_ASCII }, (_, i) => LAST_ASCII + i).filter((unit) => WHITE_SPACE.test(String.fromCharCode(unit))));

const isSpace = (unit: number): boolean => (unit <= LAST_ASCII ? unit === SPACE || (unit >= 0x09 && unit <= 0x0d) : SPACES_BEYOND_ASCII.has(unit));

/** Records of parts by two hashes and the length of the part: texts are not cut up to be looked up. Two parts are taken for one with a probability of 2^-64. */
function partTable() {
  const capacity = 2 ** Math.ceil(Math.log2(2 * MOST_REMEMBERED));
  const firsts = new Int32Array(capacity);
  const seconds = new Int32Array(capacity);
  const lengths = new Uint8Array(capacity); // 0: free
  const recordNumbers = new Int32Array(capacity);
  let size = 0;
  return {
    size: () => size,
    clear: () => {
      lengths.fill(0);
      size = 0;
    },
    /** The place of a part, or the free one where it belongs. */
    find: (first: number, second: number, length: number): number => {
      let place = (first ^ (first >>> 15)) & (capacity - 1);
      while (lengths[place] !== 0 && (firsts[place] !== first || seconds[place] !== second || lengths[place] !== length)) place = (place + 1) & (capacity - 1);
      return place;
    },
    recordAt: (place: number): number => (lengths[place] === 0 ? -1 : (recordNumbers[place] ?? -1)),
    put: (place: number, record: number, first: number, second: number, length: number): void => {
      firsts[place] = first;
      seconds[place] = second;
      lengths[place] = length;
      recordNumbers[place] = record;
      size += 1;
    },
  };
}

function termNumbers(onNew: (term: string) => void = () => undefined): TermNumbers {
  const numbers = new Map<string, number>();
  const high = growingNumbers((n) => new Uint32Array(n));
  const low = growingNumbers((n) => new Uint32Array(n));
  return {
    numberOf: (term) => {
      const known = numbers.get(term);
      if (known !== undefined) return known;
      const hash = termHash(term);
      high.push(Math.floor(hash / 2 ** 32));
      low.push(hash >>> 0);
      onNew(term);
      numbers.set(Buffer.from(term, 'utf16le').toString('utf16le'), numbers.size);
      return numbers.size - 1;
    },
    hashOf: (number) => high.at(number) * 2 ** 32 + low.at(number),
    size: () => numbers.size,
  };
}
