/** Which sentences of running text show a phrase in use? Found in one pass over texts of any size, for many phrases at once. */
import { pauseFor } from '../base/pause.ts';
import { findPhrase, phraseForm, type PhraseSpelling } from '../text/phrase-places.ts';
import { foldForSearch } from '../text/normalise.ts';

export type FindSentencesOptions = {
  readonly phrases: readonly string[];
  /** A batch of sentences at a time. */
  readonly sentences: AsyncIterable<readonly string[]>;
  /** Sentences kept for each phrase. */
  readonly most: number;
  /** How a phrase may be spelt in a text; 'folded' when left out: case, and marks of Latin, Greek and Cyrillic, aside. */
  readonly spelling?: PhraseSpelling;
  /** A sentence has at least so many characters more than the phrase: 10 in WikiXPR. */
  readonly leastMore?: number;
  /** Longer sentences (in characters) show too little of the phrase. */
  readonly longest?: number;
  readonly signal: AbortSignal;
  /** Sentences read so far. */
  readonly onProgress?: (done: number) => void;
};

/** Zheng et al. 2022, section 4.2. */
const LEAST_MORE = 10;
const LONGEST = 600;
/** First code units by which phrases are looked up; shorter phrases have keys of their own length. */
const KEY_UNITS = 4;

/**
 * For each phrase, in order, at most `most` different sentences that hold it as a whole phrase (findPhrase: on word borders where the script
 * has them, anywhere in scripts without spaces). Which ones does not depend on the order of the texts: those spelt alike but for case come
 * before those that are equal only when folded, and among these a sample by chance that is always the same.
 * @throws the signal's reason once aborted.
 */
export async function findSentences(options: FindSentencesOptions): Promise<readonly (readonly string[])[]> {
  const { sentences, most, spelling = 'folded', leastMore = LEAST_MORE, longest = LONGEST, signal, onProgress } = options;
  const wanted = wantedPhrases(options.phrases);
  const index = indexOf(wanted.map(({ folded }) => folded));
  let done = 0;
  for await (const batch of sentences) {
    await pauseFor(signal);
    for (const sentence of batch) {
      if (sentence.length > longest) continue;
      for (const place of index.candidates(foldForSearch(sentence))) {
        const phrase = wanted[place];
        if (phrase === undefined || sentence.length < phrase.text.length + leastMore) continue;
        const span = findPhrase(sentence, phrase.text, spelling);
        if (span !== null) keep(phrase.found, { sentence, isAlike: phraseForm(sentence.slice(span.start, span.end)) === phrase.form }, most);
      }
    }
    done += batch.length;
    onProgress?.(done);
  }
  const byForm = new Map(wanted.map((phrase) => [phrase.form, phrase.found.map(({ sentence }) => sentence)]));
  return options.phrases.map((phrase) => byForm.get(phraseForm(phrase)) ?? []);
}

type Found = { readonly sentence: string; readonly key: string; readonly rank: number };
type Wanted = { readonly text: string; readonly form: string; readonly folded: string; readonly found: Found[] };

/** Each form once; a phrase of nothing but signs is not looked for. */
function wantedPhrases(phrases: readonly string[]): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const text of phrases) {
    const form = phraseForm(text);
    const folded = foldForSearch(text).trim();
    if (folded !== '' && !wanted.has(form)) wanted.set(form, { text, form, folded, found: [] });
  }
  return [...wanted.values()];
}

/** Keeps the best by (alike before folded, then chance); equal sentences once. */
function keep(found: Found[], { sentence, isAlike }: { readonly sentence: string; readonly isAlike: boolean }, most: number): void {
  const key = phraseForm(sentence);
  const rank = (isAlike ? 0 : 1) + shareOf(key);
  if (found.length === most && rank >= (found.at(-1)?.rank ?? 0)) return;
  if (found.some((other) => other.key === key)) return;
  const at = found.findIndex((other) => other.rank > rank);
  found.splice(at < 0 ? found.length : at, 0, { sentence, key, rank });
  if (found.length > most) found.pop();
}

/** A number in [0, 1) that is always the same for a text: FNV-1a, mixed. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/** A letter or digit of ASCII: its script sets words apart. */
function isPlainWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

/** Finds the places of all folded phrases that stand somewhere in a folded text, borders aside. */
function indexOf(phrases: readonly string[]): { readonly candidates: (text: string) => Iterable<number> } {
  const places = new Map<string, number[]>();
  const lengths = new Map<string, number[]>(); // by the first code units: how long phrases are that begin so
  phrases.forEach((phrase, place) => {
    places.set(phrase, [...(places.get(phrase) ?? []), place]);
    const key = phrase.slice(0, KEY_UNITS);
    const known = lengths.get(key) ?? [];
    if (!known.includes(phrase.length)) lengths.set(key, [...known, phrase.length]);
  });
  return {
    candidates: (text) => {
      const found = new Set<number>();
      for (let at = 0; at < text.length; at += 1) {
        if (isPlainWord(text, at) && isPlainWord(text, at - 1)) continue; // inside a word: no phrase begins here
        for (let units = 1; units <= KEY_UNITS; units += 1) {
          for (const length of lengths.get(text.slice(at, at + units)) ?? []) {
            for (const place of places.get(text.slice(at, at + length)) ?? []) found.add(place);
          }
        }
      }
      return found;
    },
  };
}
