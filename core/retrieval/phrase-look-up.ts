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
  readonly examples: readonly PhraseExample[];
  readonly match: PhraseMatch;
  /** What of the entry matched, and on which side it stands. */
  readonly matched: { readonly text: string; readonly side: 'phrase' | 'translation' };
  /** Cosine of the vectors, -1 to 1; null without a model, or when the model knows nothing of the query. */
  readonly similarity: number | null;
  /** Nearest to what matched, on the other side of all dictionaries, best first; none without a model, or beyond the first hits. */
  readonly best: readonly { readonly text: string; readonly similarity: number }[];
};

/** `from`: the dictionary's own, or found in running text (without a translation). */
export type PhraseExample = { readonly source: string; readonly target: string | null; readonly from: 'dictionary' | 'texts' };

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
 * @param encoder  null: entries are found by spelling alone.
 * @param inTexts  sentences of running text that show a phrase or a translation, by phraseForm: shown with it, and used for its vector.
 * @throws what encoding throws; the signal's reason once aborted.
 * @see Zheng et al. 2022 (XPR), section 3.4.
 */
export async function createPhraseLookUp({ dictionaries, encoder, inTexts = new Map(), signal }: { readonly dictionaries: readonly Dictionary[]; readonly inTexts?: ReadonlyMap<string, readonly string[]>; readonly encoder: Pick<Encoder, 'phrases' | 'encode' | 'width'> | null; readonly signal: AbortSignal }): Promise<PhraseLookUp> {
  const entries: readonly Placed[] = dictionaries.flatMap(({ name, entries: own }) => own.map((entry) => ({ ...entry, dictionary: name })));
  const items = entries.flatMap((entry, i) => itemsOf(entry, i, inTexts));
  const byForm = grouped(items, ({ text }) => phraseForm(text));
  const byFolded = grouped(items, ({ text }) => foldForSearch(phraseForm(text)));
  const vectors = encoder === null ? null : await vectorsOf(items, encoder, signal);
  const index = vectors === null ? null : exactDenseIndex({ ...vectors, owners: Uint32Array.from(items, ({ entry }) => entry), windows: placesInEntry(items), size: entries.length });
  const firstItem = new Map<number, number>();
  items.forEach(({ entry }, i) => {
    if (!firstItem.has(entry)) firstItem.set(entry, i);
  });

  const hitOf = (item: Item, match: PhraseMatch, similarity: number | null): Found => {
    const { dictionary = '', line = 0, phrase = '', translations = [], examples = [] } = entries[item.entry] ?? {};
    const known = new Set(examples.map(({ source }) => source));
    const more = (inTexts.get(phraseForm(phrase)) ?? []).filter((sentence) => !known.has(sentence));
    const shown: readonly PhraseExample[] = [...examples.map(({ source, target }) => ({ source, target, from: 'dictionary' as const })), ...more.map((source) => ({ source, target: null, from: 'texts' as const }))];
    return { item, hit: { dictionary, line, phrase, translations, examples: shown, match, matched: { text: item.text, side: item.side }, similarity, best: [] } };
  };
  const best = vectors === null ? null : bestOnOtherSide(items, vectors);

  return {
    entries: entries.length,
    lookUp: async (query, k, { sentences = [] } = {}) => {
      const exact = byForm.get(phraseForm(query)) ?? [];
      const folded = byFolded.get(foldForSearch(phraseForm(query))) ?? [];
      const found = new Map<number, { readonly item: Item; readonly match: PhraseMatch }>();
      for (const [match, list] of [['exact', exact], ['folded', folded]] as const) for (const item of list) if (!found.has(item.entry)) found.set(item.entry, { item, match });
      const similarities = new Map<number, number>();
      const near: Found[] = [];
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
      const hits = [...[...found].map(([entry, { item, match }]) => hitOf(item, match, similarities.get(entry) ?? null)), ...near].slice(0, k);
      return hits.map(({ item, hit }, place) => (best === null || place >= HITS_WITH_BEST ? hit : { ...hit, best: best(item) }));
    },
  };
}

/** The phrase with its examples, and each translation with the translated examples that show it. */
function itemsOf({ phrase, translations, examples }: DictionaryEntry, entry: number, inTexts: ReadonlyMap<string, readonly string[]>): readonly Item[] {
  const more = (text: string): readonly string[] => inTexts.get(phraseForm(text)) ?? [];
  const translated = examples.flatMap(({ target }) => (target === null ? [] : [target]));
  return [
    { entry, side: 'phrase', text: phrase, sentences: [...examples.map(({ source }) => source), ...more(phrase)] },
    ...translations.map((text): Item => ({ entry, side: 'translation', text, sentences: [...translated.filter((sentence) => findPhrase(sentence, text) !== null), ...more(text)] })),
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

type Found = { readonly item: Item; readonly hit: PhraseHit };

/** Hits that are shown with their best translations, and how many of those. */
const HITS_WITH_BEST = 10;
const BEST = 5;

/** The texts on the other side that are nearest to an item, each once. */
function bestOnOtherSide(items: readonly Item[], { width, blocks }: { readonly width: number; readonly blocks: readonly Float32Array[] }): (item: Item) => PhraseHit['best'] {
  const places = new Map(items.map((item, place) => [item, place]));
  const vectorAt = (place: number): Float32Array => blocks[Math.floor(place / ENTRIES_AT_ONCE)]?.subarray((place % ENTRIES_AT_ONCE) * width, ((place % ENTRIES_AT_ONCE) + 1) * width) ?? new Float32Array(width);
  return (asked) => {
    const own = vectorAt(places.get(asked) ?? 0);
    if (own.every((value) => value === 0)) return [];
    const found = new Map<string, { readonly text: string; readonly similarity: number }>();
    items.forEach(({ side, text }, place) => {
      if (side === asked.side) return;
      const other = vectorAt(place);
      let similarity = 0;
      for (let i = 0; i < width; i += 1) similarity += (own[i] ?? 0) * (other[i] ?? 0);
      const key = phraseForm(text);
      if (similarity > (found.get(key)?.similarity ?? 0)) found.set(key, { text, similarity });
    });
    return [...found.values()].sort((a, b) => b.similarity - a.similarity).slice(0, BEST);
  };
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
