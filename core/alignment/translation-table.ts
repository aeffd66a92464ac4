/** Which words of the other language may stand for this word of a query? A learned table, with neighbours in spelling for words never seen. */
import { documentStem, DOCUMENT_STEM_CHARACTERS, QUERY_STEM_CHARACTERS, wordTokens } from './word-tokens.ts';
import { foldForSearch } from '../text/search-folding.ts';
import { trainIbmModel1 } from './ibm-model-1.ts';
import { pruneTable } from './sparse-table.ts';

export type WordTranslation = { readonly token: string; readonly probability: number };

/** Translates query words (`wordTokens(text, QUERY_STEM_CHARACTERS)`) into document words (`... DOCUMENT_STEM_CHARACTERS`). */
export type TranslationTable = {
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  /** Most probable first; probabilities in (0, 1]. Never seen: words spelled alike; always beside them the word itself (names, numbers). */
  readonly translate: (token: string) => readonly WordTranslation[];
};

/** What a table is made of and stored as: `entries[w]` are pairs of an index into `targets` and a probability. */
export type TranslationTableData = {
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  readonly offsets: Uint32Array;
  readonly targetIds: Uint32Array;
  readonly probabilities: Float32Array;
};

export type SentencePair = { readonly source: string; readonly target: string; readonly weight: number };

/** Chosen on held-back pairs of seven languages (test/experiments/query-translation.md). */
const TABLE_ITERATIONS = 8;
const TABLE_DIAGONAL = 3;
const TABLE_MAXIMUM_TOKENS = 120;
const LEAST_PROBABILITY = 0.01;
const MOST_TRANSLATIONS = 20;
const LEAST_SPELLING_SIMILARITY = 0.5;
const MOST_NEIGHBOURS = 3;
const SHORTEST_FUZZY_WORD = 4;
const SPELLING_GRAM = 3;

/**
 * Learns p(target word | source word) from sentence pairs: IBM Model 1 with a mild preference for the diagonal.
 * @throws the signal's reason once aborted.
 */
export async function trainTranslationTable(options: {
  readonly pairs: readonly SentencePair[];
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  readonly signal?: AbortSignal;
}): Promise<TranslationTableData> {
  const sources = new WordList();
  const targets = new WordList();
  const sourceIds = options.pairs.map((pair) => sources.ids(wordTokens(pair.source, QUERY_STEM_CHARACTERS).map((word) => word.token)));
  const targetIds = options.pairs.map((pair) => targets.ids(wordTokens(pair.target, DOCUMENT_STEM_CHARACTERS).map((word) => word.token)));
  const table = pruneTable(
    await trainIbmModel1({
      pairs: { sources: sourceIds, targets: targetIds, weights: Float32Array.from(options.pairs, (pair) => pair.weight) },
      sourceSize: sources.words.length,
      targetSize: targets.words.length,
      iterations: TABLE_ITERATIONS,
      maximumTokens: TABLE_MAXIMUM_TOKENS,
      prior: 0,
      diagonal: TABLE_DIAGONAL,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
    { most: MOST_TRANSLATIONS, least: LEAST_PROBABILITY },
  );
  return {
    sourceLanguage: options.sourceLanguage,
    targetLanguage: options.targetLanguage,
    sources: sources.words,
    targets: targets.words,
    offsets: table.offsets,
    targetIds: table.targets,
    probabilities: table.probabilities,
  };
}

/**
 * A table ready to translate. A word with a row gives that row. A word without one gives itself with probability 1, as written and
 * without the marks of its own orthography (names and numbers are the same in both languages: Bọ́dé, Bode), and, from four characters on, the translations of at most three known words spelled
 * alike (Dice similarity s of character trigrams >= .5), each weighted by s^2 / sum of s.
 */
export function openTranslationTable(data: TranslationTableData): TranslationTable {
  const rows = new Map(data.sources.map((word, row) => [word, row]));
  const spelling = new SpellingIndex(data.sources);
  const remembered = new Map<string, readonly WordTranslation[]>();
  const row = (index: number): WordTranslation[] => {
    const found: WordTranslation[] = [];
    for (let k = data.offsets[index] ?? 0; k < (data.offsets[index + 1] ?? 0); k += 1) {
      found.push({ token: data.targets[data.targetIds[k] ?? 0] ?? '', probability: data.probabilities[k] ?? 0 });
    }
    return found;
  };
  const unseen = (token: string): WordTranslation[] => {
    const mixed = new Map<string, number>([[documentStem(token), 1], [documentStem(foldForSearch(token)), 1]]);
    const neighbours = spelling.nearest(token);
    const total = neighbours.reduce((sum, neighbour) => sum + neighbour.similarity, 0);
    for (const neighbour of neighbours) {
      const share = neighbour.similarity ** 2 / total;
      for (const { token: target, probability } of row(neighbour.row)) mixed.set(target, (mixed.get(target) ?? 0) + share * probability);
    }
    return [...mixed].map(([target, probability]) => ({ token: target, probability })).sort((a, b) => b.probability - a.probability || (a.token < b.token ? -1 : 1)).slice(0, MOST_TRANSLATIONS);
  };
  return {
    sourceLanguage: data.sourceLanguage,
    targetLanguage: data.targetLanguage,
    translate: (token) => {
      const known = remembered.get(token);
      if (known !== undefined) return known;
      const index = rows.get(token);
      const found = index === undefined ? [] : row(index);
      const result = found.length > 0 ? found : unseen(token);
      remembered.set(token, result);
      return result;
    },
  };
}

class WordList {
  readonly words: string[] = [];
  readonly #known = new Map<string, number>();

  ids(tokens: readonly string[]): Uint32Array {
    return Uint32Array.from(tokens, (token) => {
      const known = this.#known.get(token);
      if (known !== undefined) return known;
      this.words.push(token);
      this.#known.set(token, this.words.length - 1);
      return this.words.length - 1;
    });
  }
}

/** Finds the known words whose character trigrams overlap most with a word's. Built when first asked. */
class SpellingIndex {
  readonly #words: readonly string[];
  #rows: Map<string, number[]> | null = null;
  #sizes = new Uint16Array(0);

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  nearest(word: string): { row: number; similarity: number }[] {
    if ([...word].length < SHORTEST_FUZZY_WORD) return [];
    const index = this.#index();
    const grams = spellingGrams(word);
    const shared = new Map<number, number>();
    for (const gram of grams) for (const row of index.get(gram) ?? []) shared.set(row, (shared.get(row) ?? 0) + 1);
    const near: { row: number; similarity: number }[] = [];
    for (const [row, count] of shared) {
      const similarity = (2 * count) / (grams.size + (this.#sizes[row] ?? 0));
      if (similarity >= LEAST_SPELLING_SIMILARITY) near.push({ row, similarity });
    }
    return near.sort((a, b) => b.similarity - a.similarity || a.row - b.row).slice(0, MOST_NEIGHBOURS);
  }

  #index(): Map<string, number[]> {
    if (this.#rows !== null) return this.#rows;
    const rows = new Map<string, number[]>();
    this.#sizes = new Uint16Array(this.#words.length);
    this.#words.forEach((word, row) => {
      if ([...word].length < SHORTEST_FUZZY_WORD) return;
      const grams = spellingGrams(word);
      this.#sizes[row] = grams.size;
      for (const gram of grams) {
        const list = rows.get(gram);
        if (list === undefined) rows.set(gram, [row]);
        else list.push(row);
      }
    });
    this.#rows = rows;
    return rows;
  }
}

function spellingGrams(word: string): Set<string> {
  const characters = [...`<${word}>`];
  const grams = new Set<string>();
  for (let i = 0; i + SPELLING_GRAM <= characters.length; i += 1) grams.add(characters.slice(i, i + SPELLING_GRAM).join(''));
  return grams;
}
