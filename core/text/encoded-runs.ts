/** How do runs look to the trainer? As whole numbers: which characters are covered, and every run as their numbers. */
import type { RunTable } from './word-counts.ts';
import { WORD_START } from './normalise.ts';

/**
 * `symbols` holds the runs one after the other, each closed by a 0; symbol s > 0 is `characters[s]`. Position p lies in run
 * `runOf[p]`, which begins at `runStarts[r]` (closed by `runStarts[runs]` = length), counts `weights[r]` and was seen `sightings[r]` times.
 */
export type EncodedRuns = {
  readonly symbols: Int32Array;
  readonly length: number;
  readonly runOf: Int32Array;
  readonly runStarts: Int32Array;
  readonly weights: Float64Array;
  readonly sightings: Float64Array;
  readonly characters: readonly string[];
  readonly isMark: Uint8Array;
  readonly isAccent: Uint8Array;
};

/** A letter or mark that makes up this share of all characters is covered however rare: ẵ among much English, for instance. */
const LEAST_SHARE = 1e-6;

const LETTER = /[\p{L}\p{M}]/u;
const HAN = /\p{Script=Han}/u;
const MARK = /[\p{M}\u200C\u200D]/u;
/** Marks that no piece may cut from the letter before them; dependent vowel signs of Indic scripts may begin an ending. */
const ACCENT = /[[\p{M}\u200C\u200D]&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Nko}\p{Script=Cyrillic}\p{Script=Greek}]]/v;

/**
 * Chooses the covered characters and writes the runs as numbers; a run is cut at characters that are not covered.
 * Covered: the most frequent ones that together make up `coverage` of the weighted text; letters and marks that make up at
 * least a millionth of it, so that small languages among large ones keep theirs (of Han only those that make up `coverage`
 * of Han); and `▁` always. U+FFFD never.
 * Numbers are given by falling weight, then by code point.
 */
export function encodeRuns(table: RunTable, coverage: number): EncodedRuns {
  const { characters, numbers } = chooseCharacters(table, coverage);
  let length = 0;
  let count = 0;
  const visit = (onSymbol: (symbol: number) => void, onEnd: (run: number) => void): void => {
    for (let run = 0; run < table.runs.length; run += 1) {
      let open = false;
      for (const character of table.runs[run] ?? '') {
        const symbol = numbers.get(character) ?? 0;
        if (symbol > 0) {
          onSymbol(symbol);
          open = true;
        } else if (open) {
          onEnd(run);
          open = false;
        }
      }
      if (open) onEnd(run);
    }
  };
  visit(() => (length += 1), () => { length += 1; count += 1; });
  const symbols = new Int32Array(length);
  const runOf = new Int32Array(length);
  const runStarts = new Int32Array(count + 1);
  const weights = new Float64Array(count);
  const sightings = new Float64Array(count);
  let at = 0;
  let own = 0;
  visit(
    (symbol) => {
      symbols[at] = symbol;
      runOf[at] = own;
      at += 1;
    },
    (run) => {
      runOf[at] = own;
      at += 1;
      weights[own] = table.weights[run] ?? 0;
      sightings[own] = table.sightings[run] ?? 0;
      own += 1;
      runStarts[own] = at;
    },
  );
  return {
    symbols, length, runOf, runStarts, weights, sightings, characters,
    isMark: Uint8Array.from(characters, (character) => (MARK.test(character) ? 1 : 0)),
    isAccent: Uint8Array.from(characters, (character) => (ACCENT.test(character) ? 1 : 0)),
  };
}

function chooseCharacters(table: RunTable, coverage: number): { characters: string[]; numbers: Map<string, number> } {
  const weightOf = new Map<string, number>();
  for (let run = 0; run < table.runs.length; run += 1) {
    const weight = table.weights[run] ?? 0;
    for (const character of table.runs[run] ?? '') weightOf.set(character, (weightOf.get(character) ?? 0) + weight);
  }
  weightOf.delete('\uFFFD');
  const ordered = [...weightOf].sort(([a, x], [b, y]) => y - x || (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0));
  let total = 0;
  let hanTotal = 0;
  for (const [character, weight] of ordered) {
    total += weight;
    if (HAN.test(character)) hanTotal += weight;
  }
  const characters = [''];
  const numbers = new Map<string, number>();
  let sum = 0;
  let hanSum = 0;
  for (const [character, weight] of ordered) {
    const isHan = HAN.test(character);
    const isKept = LETTER.test(character) && weight >= LEAST_SHARE * total && (!isHan || hanSum < coverage * hanTotal);
    const isCovered = sum < coverage * total || character === WORD_START || isKept;
    sum += weight;
    if (isHan) hanSum += weight;
    if (!isCovered) continue;
    numbers.set(character, characters.length);
    characters.push(character);
  }
  return { characters, numbers };
}
