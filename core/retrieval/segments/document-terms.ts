/**
 * Which terms has a document, for every way of searching it? Terms depend on the parts of a text between white space alone, so each
 * distinct part is analysed once and known by a number from then on: this is what makes indexing fast.
 */
import type { TokenSums } from '../../encoding/token-sums.ts';
import { DOCUMENT_STEM_CHARACTERS } from '../../alignment/word-tokens.ts';
import { foldForSearch } from '../../text/search-folding.ts';
import { abjadRuns, amongAbjads, createCharacterAnalyzer, createWordAnalyzer, isAbjadText, wholeWordOf, wordRuns } from '../analysis.ts';
import type { MatchingForm } from '../analysis.ts';
import { matchingForm } from '../matching-form.ts';
import { translationAnalyzer } from '../query-translation.ts';
import { partTable } from './part-table.ts';
import { termHash } from './term-hash.ts';
import { termNumbers } from './term-numbers.ts';
import type { TermNumbers } from './term-numbers.ts';

export const lexicalParts = ['words', 'characters', 'translated'] as const;
export type LexicalPart = (typeof lexicalParts)[number];
export const termKinds = [...lexicalParts, 'tokens'] as const;
export type TermKind = (typeof termKinds)[number];

/** A text as numbers of its distinct parts. Valid until the next document. */
export type DocumentParts = {
  /** The parts, at places [0, count), and how often each stands in the text. */
  readonly numbers: Uint32Array;
  readonly times: Uint32Array;
  readonly count: number;
  /** How many terms of each kind (in the order of `termKinds`) the text has, repetitions counted. */
  readonly lengths: Uint32Array;
  /** The terms of its parts, each part counted once: the entries that it adds to lists. */
  readonly postings: number;
  /** Its tokens in their order; empty without token sums. */
  readonly tokens: Uint32Array;
};

/** A word written with marks, by the hash of its spelling without them. */
export type Spelling = { readonly hash: number; readonly word: string };

export type DocumentTerms = {
  readonly terms: Readonly<Record<LexicalPart, TermNumbers>>;
  /** Of terms of 'characters' that stand for a whole word with marks. */
  readonly spellings: ReadonlyMap<number, Spelling>;
  readonly partsOf: (text: string) => DocumentParts;
  /** The part that stands for all that differ in signs and capitals alone and so have the same terms (but tokens). */
  readonly sameWord: (part: number) => number;
  /** Parts met so far. */
  readonly size: () => number;
  /** Where terms of every part lie in `numbers`: those of kind k at [bounds[s p + k], bounds[s p + k + 1]), s = PART_STRIDE. */
  readonly numbers: () => Uint32Array;
  readonly bounds: () => Uint32Array;
  /** Whether so much is remembered that it is time to begin anew with the next segment. */
  readonly isFull: () => boolean;
};

/** Longer parts (whole sentences of scripts without spaces) are analysed each time. */
const LONGEST_REMEMBERED = 48;
const MOST_REMEMBERED = 400_000;
const MOST_NUMBERS = 2 ** 24;
const MOST_TERMS = 2 ** 22;
const PLAIN_FORM = /^[a-z0-9]+$/;
const WHITE_SPACE = /\p{White_Space}/u;
const SPACE = 0x20;
const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x9e3779b1;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0x85ebca77;

/** Of every part: where its terms of each kind begin and end; its runs, those of abjads, and which part it is among abjads (0: not known, else its number + 1). */
export const PART_STRIDE = 8;
const [RUNS, ABJAD_RUNS, AMONG] = [5, 6, 7] as const;

export function createDocumentTerms(options: { readonly form: MatchingForm; readonly tokenSums: TokenSums | null }): DocumentTerms {
  const { form, tokenSums } = options;
  const wordAnalyzer = createWordAnalyzer(form);
  const characterAnalyzer = createCharacterAnalyzer(form);
  const terms = { words: termNumbers(), characters: termNumbers(), translated: termNumbers() };
  const spellings = new Map<number, Spelling>();
  const cutsTokens = tokenSums !== null && tokenSums.isWordLocal;

  const remembered = partTable();
  let bounds = new Uint32Array(PART_STRIDE * 1024);
  let parts = 0;
  let wordParts = new Uint32Array(1024); // of each part the one with the same plain word
  let plainParts = new Uint32Array(1024); // of each term of 'words' the first plain part that is it, + 1
  let pool = new Uint32Array(2 ** 16);
  let used = 0;
  // Of the text at hand: its UTF-16 units; of each stretch between white space its slot; of each slot its part, how often and where first.
  let units = new Uint16Array(2 ** 13);
  let slots = new Uint32Array(1024);
  let numbers = new Uint32Array(1024);
  let times = new Uint32Array(1024);
  let begins = new Uint32Array(1024);
  let ends = new Uint32Array(1024);
  let sequence = new Uint32Array(1024);
  const lengths = new Uint32Array(termKinds.length);
  let document = 0;

  const growSlots = (): void => {
    [numbers, times, begins, ends] = [longer(numbers), longer(times), longer(begins), longer(ends)];
  };
  const append = (more: ArrayLike<number>): void => {
    if (used + more.length > pool.length) pool = longer(pool, used + more.length);
    for (let i = 0; i < more.length; i += 1) pool[used + i] = more[i] ?? 0;
    used += more.length;
  };
  const push = (number: number): void => {
    if (used === pool.length) pool = longer(pool);
    pool[used] = number;
    used += 1;
  };
  const appendTerms = (some: readonly string[], own: TermNumbers): void => {
    for (const term of some) push(own.numberOf(term));
  };
  const appendCharacterTerms = (some: readonly string[]): void => {
    for (const term of some) {
      const before = terms.characters.size();
      const number = terms.characters.numberOf(term);
      push(number);
      if (number === before) rememberSpelling(number, wholeWordOf(term));
    }
  };
  const rememberSpelling = (number: number, word: string | null): void => {
    if (word === null || PLAIN_FORM.test(word)) return;
    const bare = foldForSearch(word);
    if (bare !== word) spellings.set(number, { hash: termHash(bare), word: copied(word) });
  };
  const plainTerms = form === matchingForm ? createPlainTerms(terms, push) : null; // rules of a project may rewrite plain letters too
  const runsOf = (part: string): string[] => wordRuns(part).map(({ start, end }) => part.slice(start, end));

  /** Begins the record of a part. @returns where it is in `bounds`. */
  const newPart = (): number => {
    const at = PART_STRIDE * parts;
    if (at === bounds.length) bounds = longer(bounds);
    if (parts === wordParts.length) wordParts = longer(wordParts);
    wordParts[parts] = parts;
    parts += 1;
    return at;
  };
  const endTerms = (at: number, part: string, runs: number, ofAbjads: number): number => {
    bounds[at + 3] = used;
    if (cutsTokens) append(tokenSums.tokensOfPart(part));
    bounds[at + 4] = used;
    bounds[at + RUNS] = runs;
    bounds[at + ABJAD_RUNS] = ofAbjads;
    return at / PART_STRIDE;
  };
  /** Analyses [from, to) of the text at hand. @returns the number of the part. */
  const analysePart = (text: string, from: number, to: number): number => {
    const at = newPart();
    const part = text.slice(from, to);
    const plain = plainTerms === null ? 0 : plainTerms.read(units, from, to);
    bounds[at] = used;
    if (plainTerms !== null && plain > 0) {
      const word = plainTerms.word();
      push(word);
      if (word >= plainParts.length) plainParts = longer(plainParts, word + 1);
      if (plainParts[word] === 0) plainParts[word] = at / PART_STRIDE + 1;
      wordParts[at / PART_STRIDE] = (plainParts[word] ?? 0) - 1;
      bounds[at + 1] = used;
      plainTerms.characters();
      bounds[at + 2] = used;
      plainTerms.translated();
      return endTerms(at, part, 1, 0);
    }
    const runs = runsOf(part);
    for (const unit of wordAnalyzer.units(part)) appendTerms(wordAnalyzer.terms(unit), terms.words);
    bounds[at + 1] = used;
    for (const run of runs) appendCharacterTerms(characterAnalyzer.terms(run));
    bounds[at + 2] = used;
    for (const unit of translationAnalyzer.units(part)) appendTerms(translationAnalyzer.terms(unit), terms.translated);
    return endTerms(at, part, runs.length, abjadRuns(runs));
  };
  /** The part with the character terms that it has in a text of an abjad: itself, or one more part. */
  const amongAbjadParts = (number: number, part: string): number => {
    const known = bounds[PART_STRIDE * number + AMONG] ?? 0;
    if (known !== 0) return known - 1;
    const runs = runsOf(part);
    const among = runs.map(amongAbjads);
    const own = among.every((run, i) => run === runs[i]) ? number : newPart() / PART_STRIDE;
    bounds[PART_STRIDE * number + AMONG] = own + 1;
    if (own === number) return number;
    const [from, at] = [PART_STRIDE * number, PART_STRIDE * own];
    const copy = (kind: number): void => append(pool.slice(bounds[from + kind], bounds[from + kind + 1]));
    bounds[at] = used;
    copy(0);
    bounds[at + 1] = used;
    for (const run of among) appendCharacterTerms(characterAnalyzer.terms(run));
    bounds[at + 2] = used;
    copy(2);
    bounds[at + 3] = used;
    copy(3);
    bounds[at + 4] = used;
    bounds[at + AMONG] = own + 1;
    return own;
  };
  /** A part without terms but these tokens: for tokenizers that must see a whole text. */
  const partOfTokens = (tokens: Uint32Array): number => {
    const at = newPart();
    bounds.fill(used, at, at + 4);
    append(tokens);
    bounds[at + 4] = used;
    return at / PART_STRIDE;
  };

  return {
    terms,
    spellings,
    sameWord: (part) => wordParts[part] ?? part,
    size: () => parts,
    numbers: () => pool,
    bounds: () => bounds,
    isFull: () => remembered.size() > MOST_REMEMBERED || used > MOST_NUMBERS || terms.characters.size() > MOST_TERMS,
    partsOf: (text) => {
      document += 1;
      let stretches = 0;
      let count = 0;
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
        let place = remembered.find(first, second, at - from);
        let slot = remembered.slotIn(place, document);
        if (slot >= 0) times[slot] = (times[slot] ?? 0) + 1;
        else {
          slot = count;
          count += 1;
          if (slot === numbers.length) growSlots();
          let number = remembered.partAt(place);
          const isNew = number < 0;
          if (isNew) number = analysePart(text, from, at);
          if (isNew && at - from <= LONGEST_REMEMBERED) place = remembered.put(place, { first, second, length: at - from, number });
          if (!isNew || at - from <= LONGEST_REMEMBERED) remembered.setSlot(place, document, slot);
          numbers[slot] = number;
          times[slot] = 1;
          begins[slot] = from;
          ends[slot] = at;
        }
        if (stretches === slots.length) slots = longer(slots);
        slots[stretches] = slot;
        stretches += 1;
      }
      let runs = 0;
      let ofAbjads = 0;
      for (let i = 0; i < count; i += 1) {
        const at = PART_STRIDE * (numbers[i] ?? 0);
        runs += (times[i] ?? 0) * (bounds[at + RUNS] ?? 0);
        ofAbjads += (times[i] ?? 0) * (bounds[at + ABJAD_RUNS] ?? 0);
      }
      if (ofAbjads > 0 && isAbjadText(runs, ofAbjads)) for (let i = 0; i < count; i += 1) numbers[i] = amongAbjadParts(numbers[i] ?? 0, text.slice(begins[i], ends[i]));
      lengths.fill(0);
      let postings = 0;
      for (let i = 0; i < count; i += 1) {
        const at = PART_STRIDE * (numbers[i] ?? 0);
        const often = times[i] ?? 0;
        for (let kind = 0; kind < termKinds.length; kind += 1) lengths[kind] = (lengths[kind] ?? 0) + often * ((bounds[at + kind + 1] ?? 0) - (bounds[at + kind] ?? 0));
        postings += (bounds[at + 4] ?? 0) - (bounds[at] ?? 0);
        begins[i] = bounds[at + 3] ?? 0; // from here on where its tokens are
        ends[i] = bounds[at + 4] ?? 0;
      }
      if (tokenSums !== null && !cutsTokens) {
        const tokens = tokenSums.tokens(text);
        if (count === numbers.length) growSlots();
        numbers[count] = partOfTokens(tokens);
        times[count] = 1;
        lengths[3] = tokens.length;
        return { numbers, times, count: count + 1, lengths, postings: postings + tokens.length, tokens };
      }
      const tokenCount = lengths[3] ?? 0;
      if (tokenCount > sequence.length) sequence = longer(sequence, tokenCount);
      for (let i = 0, place = 0; i < stretches; i += 1) {
        const slot = slots[i] ?? 0;
        for (let t = begins[slot] ?? 0, end = ends[slot] ?? 0; t < end; t += 1, place += 1) sequence[place] = pool[t] ?? 0;
      }
      return { numbers, times, count, lengths, postings, tokens: sequence.subarray(0, tokenCount) };
    },
  };
}

const EDGE = '_'.charCodeAt(0);
const WHOLE = '='.charCodeAt(0);
const GRAM = 4;
const [LETTER, OPENS, CLOSES] = [1, 2, 4] as const;
const CAPITAL = 8;
const TO_SMALL = 0x20;
/** What every ASCII character may be in a plain part: a letter or digit (a capital), or a sign before or behind the word, as bits. */
const PLAIN_CLASS = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  return (/[a-z0-9]/i.test(character) ? LETTER : 0) + (/[A-Z]/.test(character) ? CAPITAL : 0) + (/["(\[]/.test(character) ? OPENS : 0) + (/[.,;:!?")\]]/.test(character) ? CLOSES : 0);
});

/**
 * The terms of a part that is one word of ASCII letters and digits with at most signs around it: straight from its units, without a
 * text being made. They are what the analyzers give (tested); most parts of a text in Latin letters are so.
 */
function createPlainTerms(terms: Readonly<Record<LexicalPart, TermNumbers>>, push: (number: number) => void) {
  let marked = new Uint16Array(64); // _word_
  let length = 0;
  return {
    /** Looks at the units [from, to). @returns how many letters the word has; 0: the part is not plain. */
    read: (units: Uint16Array, from: number, to: number): number => {
      let start = from;
      while (start < to && ((PLAIN_CLASS[units[start] ?? 0] ?? 0) & OPENS) !== 0) start += 1;
      if (to - start + 2 > marked.length) marked = new Uint16Array(2 * (to - start + 2));
      length = 0;
      let at = start;
      for (; at < to; at += 1) {
        const unit = units[at] ?? 0;
        const kind = PLAIN_CLASS[unit] ?? 0;
        if ((kind & LETTER) === 0) break;
        length += 1;
        marked[length] = (kind & CAPITAL) === 0 ? unit : unit + TO_SMALL;
      }
      while (at < to && ((PLAIN_CLASS[units[at] ?? 0] ?? 0) & CLOSES) !== 0) at += 1;
      return at === to ? length : 0;
    },
    /** The number of the word. */
    word: (): number => terms.words.numberOfUnits(marked, 1, 1 + length),
    characters: (): void => {
      const end = length + 2;
      marked[0] = EDGE;
      marked[end - 1] = EDGE;
      if (end <= GRAM) return push(terms.characters.numberOfUnits(marked, 0, end));
      for (let from = 0; from + GRAM <= end; from += 1) push(terms.characters.numberOfUnits(marked, from, from + GRAM));
      marked[0] = WHOLE;
      push(terms.characters.numberOfUnits(marked, 0, end - 1));
    },
    translated: (): void => push(terms.translated.numberOfUnits(marked, 1, 1 + Math.min(length, DOCUMENT_STEM_CHARACTERS))),
  };
}

/** 1 for every UTF-16 unit that is white space. */
const IS_SPACE = Uint8Array.from({ length: 2 ** 16 }, (_, unit) => Number(WHITE_SPACE.test(String.fromCharCode(unit))));

/** A stretch of a text from this length on keeps the whole text in memory (V8), so its letters are copied. */
const SHORTEST_SLICE = 13;
const copied = (text: string): string => (text.length < SHORTEST_SLICE ? text : Buffer.from(text, 'utf16le').toString('utf16le'));

/** The same numbers with room for more: at least `least`, at least twice as many. */
function longer(array: Uint32Array<ArrayBuffer>, least = 0): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(2 * array.length, least));
  larger.set(array);
  return larger;
}
