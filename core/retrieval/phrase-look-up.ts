/** What do dictionaries say of a phrase? Entries that are spelt alike, then those whose phrase or translation is nearest by vector, in whichever language. */
import { pauseFor } from '../base/pause.ts';
import type { DictionaryEntry } from '../corpus/dictionary-entries.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { phraseVectors } from '../encoding/phrase-vectors.ts';
import { foldForSearch } from '../text/normalise.ts';
import { findPhrase, phraseForm } from '../text/phrase-places.ts';
import { exactDenseIndex } from './dense-index.ts';

/** Entries whose vectors are made at once; between them a cancel arrives. */
const ENTRIES_AT_ONCE = 500;

export type Dictionary = { readonly name: string; readonly entries: readonly DictionaryEntry[] };

/** How an entry was found: 'exact' but for case; 'folded': but for accents and signs (foldForSearch); 'near': by vector. */
export type PhraseMatch = 'exact' | 'folded' | 'near';

export type PhraseHit = {
  readonly dictionary: string;
  readonly line: number;
  readonly phrase: string;
  readonly translations: readonly string[];
  readonly examples: DictionaryEntry['examples'];
  readonly match: PhraseMatch;
  /** What of the entry matched, and on which side it stands. */
  readonly matched: { readonly text: string; readonly side: 'phrase' | 'translation' };
  /** Cosine of the vectors, -1 to 1; null without a model, or when the model knows nothing of the query. */
  readonly similarity: number | null;
};

export type PhraseLookUp = {
  readonly entries: number;
  /**
   * At most `k` entries, each once: exact matches, then folded ones, each in the order of the dictionaries, then the nearest by similarity.
   * @param sentences  that show the query in use; those of exact matches are used with them.
   */
  readonly lookUp: (query: string, k: number, options?: { readonly sentences?: readonly string[] }) => Promise<readonly PhraseHit[]>;
};

type Item = { readonly entry: number; readonly side: 'phrase' | 'translation'; readonly text: string; readonly sentences: readonly string[] };
type Placed = DictionaryEntry & { readonly dictionary: string };

/**
 * Makes the vectors of all phrases and translations, from their examples where there are any.
 * @param encoder  null: entries are found by spelling alone. @throws what encoding throws; the signal's reason once aborted.
 * @see Zheng et al. 2022 (XPR), section 3.4.
 */
export async function createPhraseLookUp({ dictionaries, encoder, signal }: { readonly dictionaries: readonly Dictionary[]; readonly encoder: Pick<Encoder, 'phrases' | 'encode' | 'width'> | null; readonly signal: AbortSignal }): Promise<PhraseLookUp> {
  const entries: readonly Placed[] = dictionaries.flatMap(({ name, entries: own }) => own.map((entry) => ({ ...entry, dictionary: name })));
  const items = entries.flatMap(itemsOf);
  const byForm = grouped(items, ({ text }) => phraseForm(text));
  const byFolded = grouped(items, ({ text }) => foldForSearch(phraseForm(text)));
  const vectors = encoder === null ? null : await vectorsOf(items, encoder, signal);
  const index = vectors === null ? null : exactDenseIndex({ ...vectors, owners: Uint32Array.from(items, ({ entry }) => entry), windows: placesInEntry(items), size: entries.length });
  const firstItem = new Map<number, number>();
  items.forEach(({ entry }, i) => {
    if (!firstItem.has(entry)) firstItem.set(entry, i);
  });

  const hitOf = (item: Item, match: PhraseMatch, similarity: number | null): PhraseHit => {
    const { dictionary = '', line = 0, phrase = '', translations = [], examples = [] } = entries[item.entry] ?? {};
    return { dictionary, line, phrase, translations, examples, match, matched: { text: item.text, side: item.side }, similarity };
  };

  return {
    entries: entries.length,
    lookUp: async (query, k, { sentences = [] } = {}) => {
      const exact = byForm.get(phraseForm(query)) ?? [];
      const folded = byFolded.get(foldForSearch(phraseForm(query))) ?? [];
      const found = new Map<number, { readonly item: Item; readonly match: PhraseMatch }>();
      for (const [match, list] of [['exact', exact], ['folded', folded]] as const) for (const item of list) if (!found.has(item.entry)) found.set(item.entry, { item, match });
      const similarities = new Map<number, number>();
      const near: PhraseHit[] = [];
      if (encoder !== null && index !== null) {
        const inUse = [...new Set([...sentences, ...exact.flatMap((item) => item.sentences)])];
        const { vectors: asked } = await phraseVectors(encoder, [{ phrase: query, sentences: inUse }]);
        const list = await index.nearest(asked, found.size + k);
        list.documents.forEach((entry, place) => {
          const similarity = list.scores[place] ?? 0;
          similarities.set(entry, similarity);
          const item = items[(firstItem.get(entry) ?? 0) + (list.windows[place] ?? 0)];
          if (!found.has(entry) && item !== undefined) near.push(hitOf(item, 'near', similarity));
        });
      }
      return [...[...found].map(([entry, { item, match }]) => hitOf(item, match, similarities.get(entry) ?? null)), ...near].slice(0, k);
    },
  };
}

/** The phrase with its examples, and each translation with the translated examples that show it. */
function itemsOf({ phrase, translations, examples }: DictionaryEntry, entry: number): readonly Item[] {
  const translated = examples.flatMap(({ target }) => (target === null ? [] : [target]));
  return [
    { entry, side: 'phrase', text: phrase, sentences: examples.map(({ source }) => source) },
    ...translations.map((text): Item => ({ entry, side: 'translation', text, sentences: translated.filter((sentence) => findPhrase(sentence, text) !== null) })),
  ];
}

async function vectorsOf(items: readonly Item[], encoder: Pick<Encoder, 'phrases' | 'encode' | 'width'>, signal: AbortSignal): Promise<{ readonly width: number; readonly blocks: readonly Float32Array[] }> {
  const blocks: Float32Array[] = [];
  let width = encoder.phrases?.width ?? encoder.width;
  for (let start = 0; start < items.length; start += ENTRIES_AT_ONCE) {
    await pauseFor(signal);
    const made = await phraseVectors(encoder, items.slice(start, start + ENTRIES_AT_ONCE).map(({ text, sentences }) => ({ phrase: text, sentences })));
    blocks.push(made.vectors);
    width = made.width;
  }
  return { width, blocks };
}

/** Which of its entry's items each item is. */
function placesInEntry(items: readonly Item[]): Int32Array {
  const places = new Int32Array(items.length);
  items.forEach(({ entry }, i) => {
    places[i] = i > 0 && items[i - 1]?.entry === entry ? (places[i - 1] ?? 0) + 1 : 0;
  });
  return places;
}

function grouped(items: readonly Item[], key: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const own = key(item);
    const known = groups.get(own);
    if (known === undefined) groups.set(own, [item]);
    else known.push(item);
  }
  return groups;
}
