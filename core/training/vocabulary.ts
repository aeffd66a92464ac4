/** Which texts is the vocabulary made from, and how much does each language count? */
import type { Corpora } from './corpora.ts';

export type WeightedText = { readonly text: string; readonly weight: number };

/** Characters a language is brought towards: larger ones count less, smaller ones more. */
const TARGET_CHARACTERS = 2_000_000;
const MOST_UPSAMPLING = 4;
/** A language gives at most this many characters: more of the same changes no piece. */
const MOST_CHARACTERS = 6_000_000;

/** The texts of each language: pivot questions, passages and sentences; both sides of pairs; monolingual sentences. */
export function textsByLanguage(corpora: Corpora, pivot: string): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  const listOf = (language: string): string[] => {
    const known = texts.get(language);
    if (known !== undefined) return known;
    const list: string[] = [];
    texts.set(language, list);
    return list;
  };
  const seen = new Set<string>();
  for (const corpus of corpora.parallel) {
    for (const [language, side] of [[corpus.source, 'source'], [corpus.target, 'target']] as const) {
      const list = listOf(language);
      for (const pair of corpus.pairs) {
        if (seen.has(pair[side])) continue;
        seen.add(pair[side]);
        list.push(pair[side]);
      }
    }
  }
  for (const corpus of corpora.monolingual) for (const sentence of corpus.sentences) listOf(corpus.language).push(sentence);
  const passages = new Set<string>();
  for (const example of corpora.retrieval) {
    listOf(pivot).push(example.query);
    if (passages.has(example.documentKey)) continue;
    passages.add(example.documentKey);
    listOf(pivot).push(example.passage);
  }
  return texts;
}

/**
 * The texts for training a vocabulary, each with how often it counts: (2,000,000 / characters of its language)^(1/2), at most 4.
 * Of a language with more than 6,000,000 characters an even sample is taken.
 */
export function* vocabularyTexts(texts: ReadonlyMap<string, readonly string[]>): Generator<WeightedText> {
  for (const list of texts.values()) {
    const characters = list.reduce((sum, text) => sum + text.length, 0);
    const kept = Math.min(1, MOST_CHARACTERS / Math.max(1, characters));
    const weight = Math.min(MOST_UPSAMPLING, Math.sqrt(TARGET_CHARACTERS / Math.max(1, characters * kept)));
    let owed = 0;
    for (const text of list) {
      owed += kept;
      if (owed < 1) continue;
      owed -= 1;
      yield { text, weight };
    }
  }
}
