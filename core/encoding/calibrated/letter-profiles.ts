/** In which of a calibrated model's languages is a text, when nobody says so? The one whose three-letter sequences it has. */
import { createWordGuesser } from '../words/guess-by-words.ts';

/** Sequences of a language that are kept, the most frequent first. */
const MOST_SEQUENCES = 2000;
/** Texts that a profile is made from, and letters of a text that are looked at. */
const MOST_TEXTS = 2000;
const MOST_LETTERS = 400;
const LENGTH = 3;

/** Each language with its most frequent sequences, in falling order. */
export type LetterProfiles = Readonly<Record<string, readonly string[]>>;

/** Overlapping sequences of three characters, lower-cased, spaces as borders. */
function sequencesOf(text: string): readonly string[] {
  const letters = [...` ${text.slice(0, MOST_LETTERS).toLowerCase().replace(/[\p{P}\p{S}\p{N}\s]+/gu, ' ').trim()} `];
  return Array.from({ length: Math.max(0, letters.length - LENGTH + 1) }, (_, i) => letters.slice(i, i + LENGTH).join(''));
}

/** Of equally frequent sequences the one that is first in code order comes first. */
export function letterProfiles(texts: ReadonlyMap<string, readonly string[]>): LetterProfiles {
  return Object.fromEntries([...texts].map(([language, list]) => {
    const counts = new Map<string, number>();
    for (const text of list.slice(0, MOST_TEXTS)) for (const sequence of sequencesOf(text)) counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
    const ordered = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return [language, ordered.slice(0, MOST_SEQUENCES).map(([sequence]) => sequence)];
  }));
}

/** The likeliest language of a text. @see createWordGuesser */
export function createLetterGuesser(profiles: LetterProfiles): (text: string) => string {
  const guess = createWordGuesser(Object.entries(profiles).map(([language, sequences]) => ({ language, ranks: new Map(sequences.map((sequence, rank) => [sequence, rank])) })));
  return (text) => guess(sequencesOf(text));
}
