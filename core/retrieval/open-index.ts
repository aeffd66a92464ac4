/** What in the folder answers this query? An index opened for searching. */
import { InputError } from '../base/errors.ts';
import type { AlignedText, DocumentPlace } from '../documents/parsed-document.ts';
import { encoderIn, type Encoder } from '../encoding/encoder.ts';
import { dominantScript, scriptDirection } from '../text/scripts.ts';
import type { Direction } from '../text/scripts.ts';
import { explainHit } from './explain.ts';
import type { Highlight, Reason } from './explain.ts';
import { guessLanguage } from './guess-language.ts';
import { openLibrary } from './open-library.ts';
import type { Library, OpenLibraryOptions } from './open-library.ts';
import { componentNames, explainWeights } from './method-weights.ts';
import type { ComponentName, SearchMethod, WeightChoice } from './method-weights.ts';
import { rankCollection } from './rank-collection.ts';
import type { NearestPart, RankPlan, Ranking } from './rank-collection.ts';
import { isMostlyLatin } from './scripts.ts';
import type { SearchFilter } from './search-filter.ts';
import { telling } from './telling-words.ts';
import type { IndexManifest } from './store/index-manifest.ts';
import type { IndexedFile } from './store/journal.ts';
import type { StoredChunk } from './store/lance-store.ts';

/** Where a hit stands: the chunker's location, with the headings above it joined; null where its source has no such thing. */
export type HitLocation = { readonly [Field in keyof Required<DocumentPlace>]: Required<DocumentPlace>[Field] | null } & { readonly heading: string | null; readonly start: number; readonly end: number; readonly last: DocumentPlace | null };

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
  /** Translations and glosses that its source has beside it. */
  readonly aligned: readonly AlignedText[];
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
  /** Left out: every document. */
  readonly filter?: SearchFilter;
};

/** How the documents of one language were searched, and why so. */
export type SearchChoice = { readonly documentLanguage: string | null; readonly documents: number; readonly situation: WeightChoice['situation']; readonly components: readonly ComponentName[] };

export type SearchAnswer = { readonly hits: readonly Hit[]; readonly queryLanguage: string | null; readonly choices: readonly SearchChoice[] };

export type SearchIndex = {
  readonly manifest: IndexManifest;
  readonly files: ReadonlyMap<string, IndexedFile>;
  /** Files whose rows were lost (damage, power cut): build the index again to have them back. */
  readonly missing: readonly string[];
  readonly chunks: number;
  /** Speakers and tiers that filters can name, in order. */
  readonly labels: { readonly speakers: readonly string[]; readonly tiers: readonly string[] };
  /** What was repaired when the index was opened. */
  readonly notices: Library['notices'];
  /** @throws InputError 'search.no-translation' for method 'translated' without a table. */
  readonly search: (request: SearchRequest) => Promise<SearchAnswer>;
  /** Chunks that are like this one, by its telling words and its vector, itself left out. @throws InputError 'search.unknown-chunk'. */
  readonly moreLikeThis: (request: { readonly chunkId: string; readonly k?: number; readonly filter?: SearchFilter }) => Promise<SearchAnswer>;
  readonly dispose: () => void;
};

const DEFAULT_HITS = 10;
/** A longer query is cut here: some 300 words say what is wanted, a hundred thousand would only take long. */
const LONGEST_QUERY = 2000;
/** Characters of a chunk that decide its direction. */
const DIRECTION_SAMPLE = 200;

/**
 * Opens an index. What does not change with a query lies on the disk; a million chunks open in a second (test/bench).
 * @throws InputError 'index.missing', 'index.not-an-index', 'index.newer-version', 'index.older-version', 'index.other-model'; EnvironmentError 'index.damaged'.
 */
export async function openIndex(indexFolder: string, encoder: Encoder, options: OpenLibraryOptions = {}): Promise<SearchIndex> {
  const library = await openLibrary(indexFolder, encoder, options);
  const context: Context = { encoder, library };
  return {
    manifest: library.manifest,
    files: library.files,
    missing: library.missing,
    chunks: library.documents.liveDocuments,
    labels: library.documents.labels,
    notices: library.notices,
    search: (request) => search({ ...context, ...request, query: request.query.slice(0, LONGEST_QUERY).toWellFormed() }),
    moreLikeThis: (request) => moreLikeThis(context, request),
    dispose: library.close,
  };
}

type Context = { readonly encoder: Encoder; readonly library: Library };
type SearchContext = Context & SearchRequest & { /** Instead of the query's own. */ readonly vector?: Float32Array };

async function search(context: SearchContext): Promise<SearchAnswer> {
  const { query, k = DEFAULT_HITS, method = 'hybrid', encoder, library, filter = null } = context;
  const queryLanguage = context.queryLanguage ?? guessLanguage(query, encoder);
  const plans = library.groups.map((group, number) => planFor(context, number, queryLanguage, group));
  if (method === 'translated' && plans.every(({ plan }) => plan.table === null)) {
    throw new InputError('search.no-translation', `Method "translated" needs words that the model learned to translate from ${queryLanguage ?? 'the language of the query (not recognised)'}; it has none into the language of the documents. Say the query's language, or choose another method.`, { data: { method } });
  }
  const needsVector = plans.some(({ plan }) => plan.weights.dense !== 0);
  const queryVector = needsVector ? (context.vector ?? (await encoderIn(encoder, queryLanguage).encode([query], 'query'))) : null;
  const ranked = await rankCollection(library, { query, queryVector, plans: plans.map(({ plan }) => plan), depth: k, allowed: library.documents.allowed(filter) });
  const choices = plans.map(({ plan, situation }, number) => ({ documentLanguage: library.groups[number]?.language ?? null, documents: library.groups[number]?.size ?? 0, situation, components: componentNames.filter((name) => plan.weights[name] !== 0) }));
  return { hits: await hitsOf(context, ranked, plans.map(({ plan }) => plan)), queryLanguage, choices };
}

function planFor({ query, method = 'hybrid', encoder, library }: SearchContext, number: number, queryLanguage: string | null, group: Library['groups'][number]): { readonly plan: RankPlan; readonly situation: WeightChoice['situation'] } {
  const { weights, situation } = explainWeights({ method, queryLanguage, documentLanguage: group.language, isQueryLatin: isMostlyLatin([query]), areDocumentsLatin: group.isLatin, encoder });
  const table = queryLanguage === null || group.language === null ? null : encoder.translation(queryLanguage, group.language);
  return { plan: { weights, table, ...(library.groups.length === 1 ? {} : { holds: (document: number) => library.groupOf(document) === number }) }, situation };
}

async function hitsOf(context: SearchContext, ranked: Ranking, plans: readonly RankPlan[]): Promise<readonly Hit[]> {
  const { library } = context;
  const keys = Array.from(ranked.documents, (document) => library.documents.keyOf(document));
  const chunks = new Map((await library.store.readChunks(keys.filter((key) => key !== null))).map((chunk) => [`${chunk.batch}.${chunk.chunk}`, chunk]));
  return keys.flatMap((key, place): Hit[] => {
    const document = ranked.documents[place] ?? 0;
    const chunk = key === null ? undefined : chunks.get(`${key.batch}.${key.chunk}`);
    const group = library.groupOf(document);
    const plan = plans[group];
    const file = library.documents.files[library.documents.fileOf[document] ?? -1];
    if (chunk === undefined || plan === undefined || file === undefined) return [];
    return [hitOf({ context, chunk, file, plan, documentsInLanguage: library.groups[group]?.size ?? 0, nearest: ranked.nearest.get(document) ?? null, score: ranked.scores[place] ?? 0 })];
  });
}

function hitOf({ context, chunk, file, plan, documentsInLanguage, nearest, score }: { readonly context: SearchContext; readonly chunk: StoredChunk; readonly file: IndexedFile; readonly plan: RankPlan; readonly documentsInLanguage: number; readonly nearest: NearestPart | null; readonly score: number }): Hit {
  const { library, encoder, query } = context;
  const back = plan.table === null ? null : encoder.translation(plan.table.targetLanguage, plan.table.sourceLanguage);
  const { highlights, reasons } = explainHit({ query, nearest, text: chunk.text, weights: plan.weights, table: plan.table, back, lexical: library.lexical, encoder, documentsInLanguage });
  return {
    chunkId: `${chunk.batch}.${chunk.chunk}`,
    score,
    path: file.path,
    title: file.title,
    location: { ...NO_PLACE, ...placeOf(chunk.location) },
    text: chunk.text,
    aligned: chunk.aligned ?? [],
    language: file.language,
    direction: scriptDirection(dominantScript(chunk.text.slice(0, DIRECTION_SAMPLE))),
    highlights,
    reasons,
  };
}

const NO_PLACE = { line: null, row: null, paragraph: null, page: null, verse: null, timeMs: null, speaker: null, tier: null, sheet: null, slide: null, last: null };

function placeOf({ headings, ...place }: StoredChunk['location']): Omit<StoredChunk['location'], 'headings'> & { readonly heading: string | null } {
  return { ...place, heading: headings.length === 0 ? null : headings.map((heading) => heading.replace(/\s+/g, ' ')).join(' › ') };
}

async function moreLikeThis(context: Context, { chunkId, k = DEFAULT_HITS, filter }: { readonly chunkId: string; readonly k?: number; readonly filter?: SearchFilter }): Promise<SearchAnswer> {
  const { library, encoder } = context;
  const [batch, chunk] = /^(\d+)\.(\d+)$/.exec(chunkId)?.slice(1).map(Number) ?? [];
  const document = batch === undefined || chunk === undefined ? null : library.documents.numberOf({ batch, chunk });
  const [found] = document === null || batch === undefined || chunk === undefined ? [] : await library.store.readChunks([{ batch, chunk }]);
  if (found === undefined || document === null) throw new InputError('search.unknown-chunk', `Expected a passage of this library, found "${chunkId}", which is not in it (any more). Search again.`, { data: { chunkId } });
  const file = library.documents.files[library.documents.fileOf[document] ?? -1];
  const vector = await encoderIn(encoder, file?.language ?? null).encode([found.text], 'document');
  const answer = await search({ ...context, query: telling(found.text, library.lexical), k: k + 1, queryLanguage: file?.language ?? null, vector, ...(filter === undefined ? {} : { filter }) });
  return { ...answer, hits: answer.hits.filter((hit) => hit.chunkId !== chunkId).slice(0, k) };
}
