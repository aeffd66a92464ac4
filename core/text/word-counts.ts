/** Which stretches of letters does a corpus hold, and how often? The table that Unigram training works on. */
import { CancellationError } from '../base/errors.ts';
import { normaliseForModel, WORD_START } from './normalise.ts';

/** `weight` = how often the text counts; may be a fraction (0.25) or more than 1 (upsampling); > 0. */
export type WeightedText = { readonly text: string; readonly weight: number };

/** Run i is `runs[i]`; it counts `weights[i]` times and was seen `sightings[i]` times. */
export type RunTable = {
  readonly runs: readonly string[];
  readonly weights: readonly number[];
  readonly sightings: readonly number[];
  readonly texts: number;
};

/** Longest run in characters. Unspaced scripts are cut here, so that probabilities of a run never underflow. */
export const LONGEST_RUN = 32;

const TEXTS_BETWEEN_PAUSES = 4096;

const SCRIPTS = [
  'Latin', 'Greek', 'Cyrillic', 'Arabic', 'Devanagari', 'Thai', 'Han', 'Hangul', 'Bengali', 'Tamil', 'Telugu', 'Kannada', 'Malayalam',
  'Gujarati', 'Gurmukhi', 'Oriya', 'Sinhala', 'Khmer', 'Lao', 'Myanmar', 'Tibetan', 'Ethiopic', 'Hebrew', 'Georgian', 'Armenian',
  'Nko', 'Tifinagh', 'Cherokee', 'Mongolian', 'Adlam', 'Vai', 'Javanese', 'Balinese', 'Canadian_Aboriginal',
] as const;

const SCRIPT_TESTS: readonly RegExp[] = SCRIPTS.map((script) => (script === 'Han' ? /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u : new RegExp(`\\p{Script=${script}}`, 'u')));

/** What a character is for cutting runs; a script (or "other letters") is any number from `FIRST_SCRIPT` on. */
export const CharacterKind = { joiner: 0, wordStart: 1, number: 2, punctuation: 3, apostrophe: 4, otherLetter: 5, firstScript: 6 } as const;

const JOINER = /[\p{M}\u200C\u200D]/u;
const LETTER = /[\p{L}]/u;
const SHARED_LETTER = /[\p{Script=Common}\p{Script=Inherited}]/u;
const NUMBER = /\p{N}/u;
const kinds = new Map<number, number>();

/** The kind of a code point: see `CharacterKind`. Marks, ZWJ, ZWNJ and modifier letters join the script before them. */
export function characterKind(codePoint: number): number {
  const known = kinds.get(codePoint);
  if (known !== undefined) return known;
  const kind = findKind(String.fromCodePoint(codePoint));
  kinds.set(codePoint, kind);
  return kind;
}

function findKind(character: string): number {
  if (character === WORD_START) return CharacterKind.wordStart;
  if (character === "'") return CharacterKind.apostrophe;
  if (JOINER.test(character)) return CharacterKind.joiner;
  if (LETTER.test(character)) {
    if (SHARED_LETTER.test(character)) return CharacterKind.joiner;
    const script = SCRIPT_TESTS.findIndex((test) => test.test(character));
    return script === -1 ? CharacterKind.otherLetter : CharacterKind.firstScript + script;
  }
  return NUMBER.test(character) ? CharacterKind.number : CharacterKind.punctuation;
}

const isLetterKind = (kind: number): boolean => kind >= CharacterKind.otherLetter;

/**
 * Cuts a word (`▁` + letters) where the script changes, between letters, numbers and punctuation, and after `LONGEST_RUN`
 * characters. Pieces never cross these cuts. `▁` belongs to what follows; an apostrophe between letters is a letter.
 */
export function cutIntoRuns(word: string): string[] {
  const runs: string[] = [];
  let start = 0;
  let kind: number = CharacterKind.wordStart;
  let characters = 0;
  for (let at = 0; at < word.length; ) {
    const codePoint = word.codePointAt(at) ?? 0;
    const next = at + (codePoint > 0xffff ? 2 : 1);
    let own = characterKind(codePoint);
    if (own === CharacterKind.apostrophe) {
      const following = next < word.length ? characterKind(word.codePointAt(next) ?? 0) : CharacterKind.punctuation;
      own = isLetterKind(kind) && following === kind ? kind : CharacterKind.punctuation;
    } else if (own === CharacterKind.joiner) {
      own = kind === CharacterKind.wordStart ? CharacterKind.otherLetter : kind;
    }
    const cut = (own !== kind && kind !== CharacterKind.wordStart) || (characters >= LONGEST_RUN && characterKind(codePoint) !== CharacterKind.joiner) || characters >= LONGEST_RUN + LONGEST_RUN / 2;
    if (cut && at > start) {
      runs.push(word.slice(start, at));
      start = at;
      characters = 0;
    }
    kind = own;
    characters += 1;
    at = next;
  }
  if (start < word.length) runs.push(word.slice(start));
  return runs;
}

/**
 * Reads all texts once, normalises them and counts their runs.
 * @throws CancellationError when `signal` is aborted; it pauses between texts so that the signal can arrive.
 */
export async function countRuns(
  texts: Iterable<WeightedText> | AsyncIterable<WeightedText>,
  { signal, onTexts }: { readonly signal?: AbortSignal | undefined; readonly onTexts?: (texts: number) => void },
): Promise<RunTable> {
  const words = new Map<string, number>();
  const wordWeights: number[] = [];
  const wordSightings: number[] = [];
  let seen = 0;
  for await (const { text, weight } of inSlices(texts)) {
    seen += 1;
    if (seen % TEXTS_BETWEEN_PAUSES === 0) {
      if (signal?.aborted === true) throw new CancellationError();
      onTexts?.(seen);
    }
    if (!(weight > 0)) continue;
    for (const word of normaliseForModel(text).split(' ')) count(words, wordWeights, wordSightings, word, weight, 1);
  }
  const runs = new Map<string, number>();
  const weights: number[] = [];
  const sightings: number[] = [];
  let index = 0;
  for (const word of words.keys()) {
    if (word !== '') {
      for (const run of cutIntoRuns(WORD_START + word)) count(runs, weights, sightings, run, wordWeights[index] ?? 0, wordSightings[index] ?? 0);
    }
    index += 1;
  }
  return { runs: [...runs.keys()], weights, sightings, texts: seen };
}

function count(table: Map<string, number>, weights: number[], sightings: number[], key: string, weight: number, sighted: number): void {
  const known = table.get(key);
  if (known === undefined) {
    table.set(key, weights.length);
    weights.push(weight);
    sightings.push(sighted);
  } else {
    weights[known] = (weights[known] ?? 0) + weight;
    sightings[known] = (sightings[known] ?? 0) + sighted;
  }
}

/** Passes texts on; a plain iterable is handed out without a promise per text but for a pause now and then. */
async function* inSlices(texts: Iterable<WeightedText> | AsyncIterable<WeightedText>): AsyncGenerator<WeightedText> {
  if (Symbol.asyncIterator in texts) {
    yield* texts;
    return;
  }
  let seen = 0;
  for (const text of texts) {
    seen += 1;
    if (seen % TEXTS_BETWEEN_PAUSES === 0) await pause();
    yield text;
  }
}

/** Lets messages (a cancel) arrive. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
