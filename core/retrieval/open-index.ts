/** What in the folder answers this query? An index opened for searching. */
import { InputError } from '../base/errors.ts';
import type { Encoder } from '../encoding/encoder.ts';
import { dominantScript, scriptDirection } from '../text/scripts.ts';
import type { Direction } from '../text/scripts.ts';
import { emptyDenseList, exactDenseIndex, isUsable } from './dense-index.ts';
import type { DenseIndex } from './dense-index.ts';
import { explainHit } from './explain.ts';
import type { Highlight, Reason } from './explain.ts';
import { orderedList } from './fusion.ts';
import { guessLanguage } from './guess-language.ts';
import { buildLexicalIndex } from './lexical-index.ts';
import type { LexicalIndex } from './lexical-index.ts';
import { chooseWeights } from './method-weights.ts';
import type { SearchMethod } from './method-weights.ts';
import { rankCollection } from './rank-collection.ts';
import type { NearestPart, RankPlan } from './rank-collection.ts';
import { isMostlyLatin } from './scripts.ts';
import { expectModel, journalPath, readIndexManifest } from './store/index-manifest.ts';
import type { IndexManifest } from './store/index-manifest.ts';
import { readJournal } from './store/journal.ts';
import type { IndexedFile } from './store/journal.ts';
import { openStore } from './store/lance-store.ts';
import type { LanceStore, StoredChunk } from './store/lance-store.ts';
import { readStoredFiles } from './store/stored-files.ts';

export type HitLocation = { readonly line: number | null; readonly row: number | null; readonly heading: string | null; readonly start: number; readonly end: number };

export type Hit = {
  /** Stable while the file is unchanged. */
  readonly chunkId: string;
  /** Larger is better; comparable within one answer. */
  readonly score: number;
  /** Relative to the documents' folder, "/" between parts. */
  readonly path: string;
  readonly title: string;
  readonly location: HitLocation;
  readonly text: string;
  readonly language: string | null;
  readonly direction: Direction;
  readonly highlights: readonly Highlight[];
  readonly reasons: readonly Reason[];
};

export type SearchRequest = {
  readonly query: string;
  /** Default 10. */
  readonly k?: number;
  /** Default 'hybrid'. */
  readonly method?: SearchMethod;
  /** BCP-47; null or left out: guessed from the query's words. */
  readonly queryLanguage?: string | null;
};

export type SearchAnswer = { readonly hits: readonly Hit[]; readonly queryLanguage: string | null };

export type SearchIndex = {
  readonly manifest: IndexManifest;
  readonly files: ReadonlyMap<string, IndexedFile>;
  /** Files whose rows were lost (damage, power cut): build the index again to have them back. */
  readonly missing: readonly string[];
  readonly chunks: number;
  /** @throws InputError 'search.no-translation' for method 'translated' without a table. */
  readonly search: (request: SearchRequest) => Promise<SearchAnswer>;
  readonly dispose: () => void;
};

const DEFAULT_HITS = 10;
/** Characters of a chunk that decide its direction. */
const DIRECTION_SAMPLE = 200;
/** Up to this many numbers (128 MB as float32) vectors are kept in memory and compared exactly. */
const EXACT_NUMBERS = 32 * 1024 * 1024;
/** Rows asked of an approximate index; a chunk has several. */
const APPROXIMATE_ROWS = 400;

export type OpenIndexOptions = {
  /** With more numbers in its vectors than this, the index is searched approximately; Infinity compares all. */
  readonly exactNumbers?: number;
};

/**
 * Opens an index. Chunks are read into memory and their lexical index is built there (20,000 chunks: see test/bench).
 * @throws InputError 'index.missing', 'index.not-an-index', 'index.newer-version', 'index.other-model'; EnvironmentError 'index.damaged'.
 */
export async function openIndex(indexFolder: string, encoder: Encoder, { exactNumbers = EXACT_NUMBERS }: OpenIndexOptions = {}): Promise<SearchIndex> {
  const manifest = await readIndexManifest(indexFolder);
  expectModel(indexFolder, manifest, encoder);
  const store = await openStore(indexFolder, manifest.width);
  try {
    const stored = await readStoredFiles(store, await readJournal(journalPath(indexFolder)));
    const lexical = buildLexicalIndex(stored.chunks.map(({ text }) => text));
    const dense = await openDense(store, stored.chunks, exactNumbers);
    const languages = stored.chunks.map(({ path }) => stored.files.get(path)?.language ?? null);
    const groups = languageGroups(stored.chunks, languages);
    return {
      manifest,
      files: stored.files,
      missing: stored.missing,
      chunks: stored.chunks.length,
      search: (request) => search({ ...request, encoder, lexical, dense, chunks: stored.chunks, files: stored.files, languages, groups }),
      dispose: () => store.close(),
    };
  } catch (thrown) {
    store.close();
    throw thrown;
  }
}


async function openDense(store: LanceStore, chunks: readonly StoredChunk[], exactNumbers: number): Promise<DenseIndex> {
  const numbers = new Map(chunks.map(({ batch, chunk }, number) => [rowKey(batch, chunk), number]));
  const rows = await store.countVectors();
  if (rows * store.width > exactNumbers) return approximateDenseIndex(store, numbers);
  const blocks: Float32Array[] = [];
  const owners: number[] = [];
  const windows: number[] = [];
  for await (const piece of store.readVectors()) {
    for (let row = 0; row < piece.batches.length; row += 1) {
      const owner = numbers.get(rowKey(piece.batches[row] ?? 0, piece.chunks[row] ?? 0));
      if (owner === undefined) continue; // of a batch that does not count
      blocks.push(piece.vectors.subarray(row * store.width, (row + 1) * store.width));
      owners.push(owner);
      windows.push(piece.windows[row] ?? 0);
    }
  }
  return exactDenseIndex({ width: store.width, blocks, owners: Uint32Array.from(owners), windows: Int32Array.from(windows), size: chunks.length });
}

function approximateDenseIndex(store: LanceStore, numbers: ReadonlyMap<number, number>): DenseIndex {
  return {
    isExact: false,
    nearest: async (query, depth) => {
      if (!isUsable(query)) return emptyDenseList;
      const found = await store.nearest(query, Math.min(depth, APPROXIMATE_ROWS));
      const best = new Map<number, number>();
      const windowOf = new Map<number, number>();
      found.similarities.forEach((similarity, i) => {
        const owner = numbers.get(rowKey(found.batches[i] ?? 0, found.chunks[i] ?? 0));
        if (owner === undefined || similarity <= (best.get(owner) ?? -Infinity)) return;
        best.set(owner, similarity);
        windowOf.set(owner, found.windows[i] ?? 0);
      });
      const list = orderedList(best);
      return { ...list, windows: Int32Array.from(list.documents, (document) => windowOf.get(document) ?? 0) };
    },
  };
}

const CHUNKS_PER_BATCH = 2 ** 20; // far above what a batch holds
const rowKey = (batch: number, chunk: number): number => batch * CHUNKS_PER_BATCH + chunk;

type LanguageGroup = { readonly language: string | null; readonly isLatin: boolean; readonly size: number };

function languageGroups(chunks: readonly StoredChunk[], languages: readonly (string | null)[]): readonly LanguageGroup[] {
  return [...new Set(languages)].map((language) => {
    const texts = chunks.filter((_, i) => languages[i] === language).map(({ text }) => text);
    return { language, isLatin: isMostlyLatin(texts), size: texts.length };
  });
}

type SearchContext = SearchRequest & {
  readonly encoder: Encoder;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex;
  readonly chunks: readonly StoredChunk[];
  readonly files: ReadonlyMap<string, IndexedFile>;
  readonly languages: readonly (string | null)[];
  readonly groups: readonly LanguageGroup[];
};

async function search(context: SearchContext): Promise<SearchAnswer> {
  const { query, k = DEFAULT_HITS, method = 'hybrid', encoder, languages, chunks } = context;
  const queryLanguage = context.queryLanguage ?? guessLanguage(query, encoder);
  const plans = new Map(context.groups.map((group) => [group.language, planFor(context, group, queryLanguage)]));
  if (method === 'translated' && [...plans.values()].every(({ table }) => table === null)) {
    throw new InputError('search.no-translation', `Method "translated" needs words that the model learned to translate from ${queryLanguage ?? 'the language of the query (not recognised)'}; it has none into the language of the documents. Say the query's language, or choose another method.`, { data: { method } });
  }
  const needsVector = [...plans.values()].some(({ weights }) => weights.dense !== 0);
  const queryVector = needsVector ? await encoder.encode([query], 'query') : null;
  const ranked = await rankCollection(context, { query, queryVector, plans: [...plans.values()], depth: k });
  const hits = Array.from(ranked.documents, (document, place): Hit | null => {
    const chunk = chunks[document];
    const plan = plans.get(languages[document] ?? null);
    return chunk === undefined || plan === undefined ? null : hitOf({ context, chunk, plan, nearest: ranked.nearest.get(document) ?? null, score: ranked.scores[place] ?? 0 });
  });
  return { hits: hits.filter((hit) => hit !== null), queryLanguage };
}

function planFor({ query, method = 'hybrid', encoder, languages, groups }: SearchContext, group: LanguageGroup, queryLanguage: string | null): RankPlan {
  const weights = chooseWeights({ method, queryLanguage, documentLanguage: group.language, isQueryLatin: isMostlyLatin([query]), areDocumentsLatin: group.isLatin, encoder });
  const table = queryLanguage === null || group.language === null ? null : encoder.translation(queryLanguage, group.language);
  return { weights, table, ...(groups.length === 1 ? {} : { holds: (document: number) => (languages[document] ?? null) === group.language }) };
}

function hitOf({ context, chunk, plan, nearest, score }: { readonly context: SearchContext; readonly chunk: StoredChunk; readonly plan: RankPlan; readonly nearest: NearestPart | null; readonly score: number }): Hit {
  const file = context.files.get(chunk.path);
  const language = file?.language ?? null;
  const { highlights, reasons } = explainHit({ query: context.query, nearest, text: chunk.text, weights: plan.weights, table: plan.table, lexical: context.lexical, encoder: context.encoder, documentsInLanguage: context.groups.find((group) => group.language === language)?.size ?? 0 });
  return {
    chunkId: `${chunk.batch}.${chunk.chunk}`,
    score,
    path: chunk.path,
    title: file?.title ?? chunk.path,
    location: { line: chunk.line, row: chunk.row, heading: chunk.headings.length === 0 ? null : chunk.headings.join(' › '), start: chunk.start, end: chunk.end },
    text: chunk.text,
    language,
    direction: scriptDirection(dominantScript(chunk.text.slice(0, DIRECTION_SAMPLE))),
    highlights,
    reasons,
  };
}
