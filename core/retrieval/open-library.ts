/** How does an index become searchable? Store, segments and files are opened and compared; what cannot be used is made again, and told. */
import type { Encoder } from '../encoding/encoder.ts';
import type { TokenSums } from '../encoding/token-sums.ts';
import { emptyDenseList, exactDenseIndex, isUsable } from './dense-index.ts';
import type { DenseIndex } from './dense-index.ts';
import { orderedList } from './fusion.ts';
import { openLexicalIndex } from './lexical-index.ts';
import type { LexicalIndex } from './lexical-index.ts';
import { numberDocuments } from './library-documents.ts';
import type { LibraryDocuments, UncoveredPart } from './library-documents.ts';
import { noMatchingRules } from './matching-rules.ts';
import type { MatchingRules } from './matching-rules.ts';
import type { SearchableCollection } from './rank-collection.ts';
import { openSegments, segmentMaking, segmentOfChunks } from './segments/segment-folder.ts';
import type { Segment } from './segments/segment.ts';
import { expectModel, expectPresentVersion, journalPath, readIndexManifest } from './store/index-manifest.ts';
import type { IndexManifest } from './store/index-manifest.ts';
import { readJournal } from './store/journal.ts';
import type { IndexedFile } from './store/journal.ts';
import { openStore, storeShapeOf } from './store/lance-store.ts';
import type { LanceStore, StoredChunk } from './store/lance-store.ts';
import { readSeal } from './store/seal.ts';
import { readStoredFiles, sealedFiles } from './store/stored-files.ts';
import { createThreadedDenseSearch } from './threaded-dense-search.ts';
import { createTokenDenseSearch, denseIndexOf, EXACT_DOCUMENTS } from './token-dense-index.ts';
import type { TokenDenseSearch } from './token-dense-index.ts';

export type OpenLibraryOptions = {
  /** With more numbers in its vectors than this, the index is searched approximately; Infinity compares all. */
  readonly exactNumbers?: number;
  /** Other matching rules than those it was built with: search files are then made for these, in memory. */
  readonly rules?: MatchingRules;
};

/** Documents of one language. */
export type LanguageGroup = { readonly language: string | null; readonly isLatin: boolean; readonly size: number };

/** What was found wrong and mended. `search-files-rebuilt`: damaged or missing copies were made again; `damaged-version`: LanceDB's newest version was, and an older one serves. */
export type LibraryNotice = { readonly kind: 'search-files-rebuilt' | 'damaged-version' | 'not-yet-searchable'; readonly names: readonly string[]; readonly message: string };

export type Library = SearchableCollection & {
  readonly manifest: IndexManifest;
  readonly store: LanceStore;
  readonly documents: LibraryDocuments;
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex;
  readonly files: ReadonlyMap<string, IndexedFile>;
  readonly missing: readonly string[];
  readonly groups: readonly LanguageGroup[];
  /** Place in `groups` of a document. */
  readonly groupOf: (document: number) => number;
  readonly notices: readonly LibraryNotice[];
  readonly close: () => void;
};

/** Up to this many numbers (128 MB as float32) vectors are kept in memory and compared exactly. */
const EXACT_NUMBERS = 32 * 1024 * 1024;
/** Rows asked of an approximate index; a chunk has several. */
const APPROXIMATE_ROWS = 400;
/** Of an index that is still being built so many chunks are made searchable at opening; the rest comes with its segments. */
const MOST_PENDING = 8192;

export async function openLibrary(indexFolder: string, encoder: Encoder, { exactNumbers = EXACT_NUMBERS, rules }: OpenLibraryOptions): Promise<Library> {
  const manifest = await readIndexManifest(indexFolder);
  expectModel(indexFolder, manifest, encoder);
  expectPresentVersion(indexFolder, manifest);
  const store = await openStore(indexFolder, storeShapeOf(encoder, manifest.location ?? null));
  const segments: Segment[] = [];
  const closing: (() => void)[] = [];
  const close = (): void => {
    for (const end of closing) end();
    for (const segment of segments) segment.close();
    store.close();
  };
  try {
    const journal = await readJournal(journalPath(indexFolder));
    const seal = await readSeal(indexFolder, await store.version());
    const stored = seal === null ? await readStoredFiles(store, journal) : sealedFiles(journal, seal);
    const making = segmentMaking(encoder, rules ?? manifest.rules ?? noMatchingRules);
    const found = await openSegments(indexFolder, making);
    segments.push(...found.segments.map(({ segment }) => segment));
    const { uncovered } = numberDocuments(segments, stored.files);
    const now = seal === null ? firstChunks(uncovered, MOST_PENDING) : uncovered;
    if (now.length > 0) {
      const keys = new Set(now.map(({ batch, path }) => `${batch} ${path}`));
      segments.push(await segmentOfChunks(onlyParts(store.readBatches([...new Set(now.map(({ batch }) => batch))]), keys), making));
    }
    const documents = numberDocuments(segments, stored.files);
    const later = [...new Set(documents.uncovered.map(({ file }) => file))];
    const { groups, groupOf } = languageGroups(documents);
    const openTokens = (tokenSums: TokenSums): DenseIndex => {
      const exactDocuments = exactNumbers === EXACT_NUMBERS ? EXACT_DOCUMENTS : exactNumbers;
      const here = (): TokenDenseSearch => createTokenDenseSearch(segments, { exactDocuments });
      if (documents.size <= exactDocuments || found.segments.length < segments.length) return denseIndexOf(here(), tokenSums); // small, or in part in memory
      const apart = createThreadedDenseSearch({ paths: found.segments.map(({ path }) => path), exactDocuments, here });
      closing.push(apart.close);
      return denseIndexOf(apart, tokenSums);
    };
    const dense = encoder.tokenSums === undefined ? await openVectors(store, documents, exactNumbers) : openTokens(encoder.tokenSums);
    return {
      manifest,
      store,
      documents,
      lexical: openLexicalIndex(segments, making.form),
      dense,
      files: stored.files,
      missing: stored.missing,
      groups,
      groupOf,
      notices: notices({ store, damaged: found.damaged, isRebuilt: seal !== null && now.length > 0, later }),
      close,
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

function notices({ store, damaged, isRebuilt, later }: { readonly store: LanceStore; readonly damaged: readonly string[]; readonly isRebuilt: boolean; readonly later: readonly string[] }): LibraryNotice[] {
  return [
    ...(store.quarantined.length === 0 ? [] : [{ kind: 'damaged-version' as const, names: store.quarantined, message: 'The newest version of the index was damaged; the one before it serves. Index the folder again to have everything back.' }]),
    ...(damaged.length === 0 && !isRebuilt ? [] : [{ kind: 'search-files-rebuilt' as const, names: damaged, message: 'Search files of the index were damaged or missing and were made again in memory from the stored texts. Index the folder again to keep them.' }]),
    ...(later.length === 0 ? [] : [{ kind: 'not-yet-searchable' as const, names: later, message: `${later.length} files are indexed but not searchable yet. Open the library again when indexing has gone on.` }]),
  ];
}

/** Parts up to a number of chunks. */
function firstChunks(parts: readonly UncoveredPart[], most: number): readonly UncoveredPart[] {
  let sum = 0;
  return parts.filter(({ chunks }) => (sum += chunks) <= most);
}

async function* onlyParts(pieces: AsyncIterable<readonly StoredChunk[]>, keys: ReadonlySet<string>): AsyncGenerator<readonly StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for await (const piece of pieces) chunks.push(...piece.filter(({ batch, path }) => keys.has(`${batch} ${path}`)));
  yield chunks.sort((a, b) => a.batch - b.batch || a.chunk - b.chunk);
}

function languageGroups({ files, fileOf }: LibraryDocuments): { readonly groups: readonly LanguageGroup[]; readonly groupOf: (document: number) => number } {
  const places = new Map<string | null, number>();
  const groupOfFile = files.map(({ language }) => {
    const place = places.get(language) ?? places.size;
    places.set(language, place);
    return place;
  });
  const languages = [...places.keys()];
  const sizes = languages.map(() => 0);
  const latin = languages.map(() => 0);
  for (const file of fileOf) {
    const group = groupOfFile[file] ?? -1;
    if (group < 0) continue;
    sizes[group] = (sizes[group] ?? 0) + 1;
    if (files[file]?.isLatin === true) latin[group] = (latin[group] ?? 0) + 1;
  }
  return { groups: languages.map((language, g) => ({ language, isLatin: 2 * (latin[g] ?? 0) > (sizes[g] ?? 0), size: sizes[g] ?? 0 })), groupOf: (document) => groupOfFile[fileOf[document] ?? -1] ?? -1 };
}

/** Dense search over stored vectors: all in memory, or by LanceDB's index. */
async function openVectors(store: LanceStore, documents: LibraryDocuments, exactNumbers: number): Promise<DenseIndex> {
  const rows = await store.countVectors();
  if (rows * store.width > exactNumbers) return approximateDenseIndex(store, documents);
  const blocks: Float32Array[] = [];
  const owners: number[] = [];
  const windows: number[] = [];
  for await (const piece of store.readVectors()) {
    for (let row = 0; row < piece.batches.length; row += 1) {
      const owner = documents.numberOf({ batch: piece.batches[row] ?? 0, chunk: piece.chunks[row] ?? 0 });
      if (owner === null) continue; // of a batch that does not count
      blocks.push(piece.vectors.subarray(row * store.width, (row + 1) * store.width));
      owners.push(owner);
      windows.push(piece.windows[row] ?? 0);
    }
  }
  return exactDenseIndex({ width: store.width, blocks, owners: Uint32Array.from(owners), windows: Int32Array.from(windows), size: documents.size });
}

function approximateDenseIndex(store: LanceStore, documents: LibraryDocuments): DenseIndex {
  return {
    isExact: false,
    nearest: async (query, depth, allowed = null) => {
      if (!isUsable(query)) return emptyDenseList;
      const found = await store.nearest(query, Math.min(depth, APPROXIMATE_ROWS));
      const best = new Map<number, number>();
      const windowOf = new Map<number, number>();
      found.similarities.forEach((similarity, i) => {
        const owner = documents.numberOf({ batch: found.batches[i] ?? 0, chunk: found.chunks[i] ?? 0 });
        if (owner === null || allowed?.[owner] === 0 || similarity <= (best.get(owner) ?? -Infinity)) return;
        best.set(owner, similarity);
        windowOf.set(owner, found.windows[i] ?? 0);
      });
      const list = orderedList(best);
      return { ...list, windows: Int32Array.from(list.documents, (document) => windowOf.get(document) ?? 0) };
    },
  };
}
