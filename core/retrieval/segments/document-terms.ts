/**
 * Which terms has a document, for every way of searching it? Terms depend on the parts of a text between white space alone, so each
 * distinct part is analysed once and remembered by number: this is what makes indexing fast.
 */
import type { TokenSums } from '../../encoding/token-sums.ts';
import { documentStem } from '../../alignment/word-tokens.ts';
import { abjadRuns, amongAbjads, characterTerms, createCharacterAnalyzer, createWordAnalyzer, isAbjadText, wholeWordOf, wordRuns, wordTerms } from '../analysis.ts';
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

/** Numbers of a document's terms with repetitions: stretches of one array. Valid until the next document. */
export type TermStretches = { readonly numbers: Uint32Array; /** Where each of the `count` stretches begins and ends: [from, to) one after another. */ readonly bounds: Int32Array; readonly count: number; /** How often each stretch counts. */ readonly times: Int32Array };

export type DocumentTerms = {
  readonly terms: Readonly<Record<LexicalPart, TermNumbers>>;
  /** The word of a term of 'characters' that stands for a whole word; undefined for others. */
  readonly wholeWord: (number: number) => string | undefined;
  /** Every term of a text; its tokens as terms, and in their order (`sequence`); without token sums no tokens. */
  readonly analyse: (text: string) => Readonly<Record<LexicalPart | 'tokens', TermStretches>> & { readonly sequence: Uint32Array };
};

/** Longer parts (whole sentences of scripts without spaces) are analysed each time. */
const LONGEST_REMEMBERED = 48;
const MOST_REMEMBERED = 400_000;
const MOST_NUMBERS = 2 ** 24;
/** One word of plain letters: what the analyzers find in it is known without their patterns. */
const PLAIN_WORD = /^([A-Za-z0-9]+)[.,;:!?]*$/;
const WHITE_SPACE = /\p{White_Space}/u;
const SPACE = 0x20;
const NOT_MADE = -1;
const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x9e3779b1;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0x85ebca77;
/** Fields of a remembered part: where its numbers begin in the pool, how many of each kind, its runs, where its terms among abjads are, and which text had it last, at which slot. */
const FIELDS = 11;
const [AT, WORDS, CHARACTERS, TRANSLATED, TOKENS, RUNS, ABJAD_RUNS, AMONG_AT, AMONG, SEEN_IN, SLOT] = Array.from({ length: FIELDS }, (_, i) => i) as [number, number, number, number, number, number, number, number, number, number, number];

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
  let own = new Int32Array(3 * 1024); // of each part of the text at hand: its record, where it begins and ends
  let bounds = boundsFor(2 * 1024);
  let distinctParts = new Int32Array(1024); // of the text at hand: where each part stands first, and how often it stands there
  let times = new Int32Array(1024);
  let document = 0;
  let units = new Uint16Array(2 ** 13); // UTF-16 units of the text at hand

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
    const plain = PLAIN_WORD.exec(part)?.[1];
    const runs = plain === undefined ? runsOf(part) : [plain];
    fields[record + AT] = used;
    if (plain === undefined) {
      fields[record + WORDS] = appendTerms(wordAnalyzer.units(part), wordAnalyzer.terms, terms.words);
      fields[record + CHARACTERS] = appendTerms(runs, characterAnalyzer.terms, terms.characters);
      fields[record + TRANSLATED] = appendTerms(translationAnalyzer.units(part), translationAnalyzer.terms, terms.translated);
    } else {
      const word = form(plain);
      fields[record + WORDS] = appendTerms([word], wordTerms, terms.words);
      fields[record + CHARACTERS] = appendTerms([word], (own) => characterTerms(own), terms.characters);
      fields[record + TRANSLATED] = appendTerms([documentStem(plain)], (own) => [own], terms.translated);
    }
    const before = used;
    if (cutsTokens) append(tokenSums.tokens(part));
    fields[record + TOKENS] = used - before;
    fields[record + RUNS] = runs.length;
    fields[record + ABJAD_RUNS] = abjadRuns(runs);
    fields[record + AMONG_AT] = 0;
    fields[record + AMONG] = NOT_MADE;
    fields[record + SEEN_IN] = 0;
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
    analyse: (text) => {
      if (remembered.size() > MOST_REMEMBERED || used > MOST_NUMBERS) forget();
      document += 1;
      let count = 0;
      let distinct = 0;
      let tokenCount = 0;
      let runs = 0;
      let ofAbjads = 0;
      const length = text.length;
      if (length > units.length) units = new Uint16Array(2 * length);
      Buffer.from(units.buffer).write(text, 'utf16le'); // read from an array, a unit costs half of what charCodeAt costs
      const [ofText, isSpace] = [units, IS_SPACE];
      for (let at = 0; at < length; ) {
        let unit = ofText[at] ?? 0;
        if (isSpace[unit] === 1) {
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
          unit = at < length ? (ofText[at] ?? 0) : SPACE;
        } while (isSpace[unit] !== 1);
        let record = remembered.find(first, second, at - from);
        if (record < 0) {
          record = analysePart(text.slice(from, at));
          if (at - from <= LONGEST_REMEMBERED) remembered.put(record, first, second, at - from);
        }
        if (3 * count + 3 > own.length) own = longer(own);
        own[3 * count] = record;
        own[3 * count + 1] = from;
        own[3 * count + 2] = at;
        count += 1;
        if (fields[record + SEEN_IN] === document) times[fields[record + SLOT] ?? 0] = (times[fields[record + SLOT] ?? 0] ?? 0) + 1;
        else {
          fields[record + SEEN_IN] = document;
          fields[record + SLOT] = distinct;
          if (distinct === times.length) times = longer(times);
          if (distinct === distinctParts.length) distinctParts = longer(distinctParts);
          times[distinct] = 1;
          distinctParts[distinct] = count - 1;
          distinct += 1;
        }
        tokenCount += fields[record + TOKENS] ?? 0;
        runs += fields[record + RUNS] ?? 0;
        ofAbjads += fields[record + ABJAD_RUNS] ?? 0;
      }
      const isAbjad = ofAbjads > 0 && isAbjadText(runs, ofAbjads);
      if (isAbjad) for (let i = 0; i < count; i += 1) if (fields[(own[3 * i] ?? 0) + AMONG] === NOT_MADE) analyseAmong(own[3 * i] ?? 0, text.slice(own[3 * i + 1], own[3 * i + 2]));
      if (2 * distinct > bounds.words.length) bounds = boundsFor(4 * distinct);
      const { words, characters, translated, tokens } = bounds;
      for (let i = 0; i < distinct; i += 1) {
        const record = own[3 * (distinctParts[i] ?? 0)] ?? 0;
        const wordsFrom = fields[record + AT] ?? 0;
        const charactersFrom = wordsFrom + (fields[record + WORDS] ?? 0);
        const translatedFrom = charactersFrom + (fields[record + CHARACTERS] ?? 0);
        const tokensFrom = translatedFrom + (fields[record + TRANSLATED] ?? 0);
        const amongFrom = fields[record + AMONG_AT] ?? 0;
        words[2 * i] = wordsFrom;
        words[2 * i + 1] = charactersFrom;
        characters[2 * i] = isAbjad ? amongFrom : charactersFrom;
        characters[2 * i + 1] = isAbjad ? amongFrom + (fields[record + AMONG] ?? 0) : translatedFrom;
        translated[2 * i] = translatedFrom;
        translated[2 * i + 1] = tokensFrom;
        tokens[2 * i] = tokensFrom;
        tokens[2 * i + 1] = tokensFrom + (fields[record + TOKENS] ?? 0);
      }
      const sequence = tokenSums === null || cutsTokens ? new Uint32Array(tokenCount) : tokenSums.tokens(text);
      if (cutsTokens) for (let i = 0, place = 0; i < count; i += 1) {
        const record = own[3 * i] ?? 0;
        const tokensFrom = (fields[record + AT] ?? 0) + (fields[record + WORDS] ?? 0) + (fields[record + CHARACTERS] ?? 0) + (fields[record + TRANSLATED] ?? 0);
        for (let t = tokensFrom, end = tokensFrom + (fields[record + TOKENS] ?? 0); t < end; t += 1, place += 1) sequence[place] = pool[t] ?? 0;
      }
      const stretches = (own: Int32Array): TermStretches => ({ numbers: pool, bounds: own, count: distinct, times });
      return { words: stretches(words), characters: stretches(characters), translated: stretches(translated), tokens: cutsTokens ? stretches(tokens) : oneStretch(sequence), sequence };
    },
  };
}

const oneStretch = (numbers: Uint32Array): TermStretches => ({ numbers, bounds: Int32Array.of(0, numbers.length), count: 1, times: Int32Array.of(1) });

const boundsFor = (numbers: number): Readonly<Record<LexicalPart | 'tokens', Int32Array>> => ({ words: new Int32Array(numbers), characters: new Int32Array(numbers), translated: new Int32Array(numbers), tokens: new Int32Array(numbers) });

function longer(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/** 1 for every UTF-16 unit that is white space. */
const IS_SPACE = Uint8Array.from({ length: 2 ** 16 }, (_, unit) => Number(WHITE_SPACE.test(String.fromCharCode(unit))));

const FIRST_PLACES = 2 ** 14;
/** Numbers of a place: two hashes, the length of the part (0: free), its record; side by side, so that a look takes one line of the cache. */
const PLACE = 4;

/** Records of parts by two hashes and the length of the part: texts are not cut up to be looked up. Two parts are taken for one with a probability of 2^-64. */
function partTable() {
  let places = new Int32Array(PLACE * FIRST_PLACES);
  let size = 0;
  /** Where a part is, or the free place where it belongs. */
  const placeOf = (first: number, second: number, length: number): number => {
    const mask = places.length - 1;
    let place = (PLACE * (first ^ (first >>> 15))) & mask;
    while (places[place + 2] !== 0 && (places[place] !== first || places[place + 1] !== second || places[place + 2] !== length)) place = (place + PLACE) & mask;
    return place;
  };
  const put = (record: number, first: number, second: number, length: number): void => {
    const place = placeOf(first, second, length);
    places[place] = first;
    places[place + 1] = second;
    places[place + 2] = length;
    places[place + 3] = record;
  };
  return {
    size: () => size,
    clear: () => {
      places.fill(0);
      size = 0;
    },
    /** The record of a part; -1 for a new one. */
    find: (first: number, second: number, length: number): number => {
      const place = placeOf(first, second, length);
      return places[place + 2] === 0 ? -1 : (places[place + 3] ?? -1);
    },
    put: (record: number, first: number, second: number, length: number): void => {
      size += 1;
      if (2 * PLACE * size > places.length) {
        const before = places;
        places = new Int32Array(2 * before.length);
        for (let at = 0; at < before.length; at += PLACE) if (before[at + 2] !== 0) put(before[at + 3] ?? 0, before[at] ?? 0, before[at + 1] ?? 0, before[at + 2] ?? 0);
      }
      put(record, first, second, length);
    },
  };
}

/** A stretch of a text from this length on keeps the whole text in memory (V8), so its letters are copied. */
const SHORTEST_SLICE = 13;

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
      numbers.set(term.length < SHORTEST_SLICE ? term : Buffer.from(term, 'utf16le').toString('utf16le'), numbers.size);
      return numbers.size - 1;
    },
    hashOf: (number) => high.at(number) * 2 ** 32 + low.at(number),
    size: () => numbers.size,
  };
}
