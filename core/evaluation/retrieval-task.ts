/** How well are the judged documents found? Searches an in-memory collection, exactly, on the path that searches take. */
import { InputError } from '../base/errors.ts';
import { ignoreProgress } from '../base/progress.ts';
import type { ReportProgress } from '../base/progress.ts';
import { encoderIn, type Encoder } from '../encoding/encoder.ts';
import { evaluateRun } from '../metrics/ranking.ts';
import type { Qrels, RankingMetrics, Run } from '../metrics/ranking.ts';
import type { ScoredDocument } from '../metrics/order.ts';
import { defaultBm25Parameters } from '../retrieval/bm25.ts';
import type { Bm25Parameters } from '../retrieval/bm25.ts';
import { exactDenseIndex, expectVectors } from '../retrieval/dense-index.ts';
import type { DenseIndex } from '../retrieval/dense-index.ts';
import { prepareLexicalIndex } from '../retrieval/lexical-index.ts';
import type { LexicalIndex } from '../retrieval/lexical-index.ts';
import { chooseWeights } from '../retrieval/method-weights.ts';
import type { ComponentWeights, SearchMethod } from '../retrieval/method-weights.ts';
import { rankCollection } from '../retrieval/rank-collection.ts';
import { isMostlyLatin } from '../retrieval/scripts.ts';

export type TaskDocument = { readonly id: string; readonly title: string; readonly text: string };
export type TaskQuery = { readonly id: string; readonly text: string };

/** A collection made ready once, for any number of methods. */
export type TaskCollection = {
  readonly ids: readonly string[];
  readonly lexical: LexicalIndex;
  readonly dense: DenseIndex | null;
  readonly encoder: Encoder | null;
  readonly isLatin: boolean;
};

export type RetrievalTask = {
  readonly collection: TaskCollection;
  readonly queries: readonly TaskQuery[];
  readonly qrels: Qrels;
  readonly method: SearchMethod;
  /** BCP-47; null = not said: query and documents then count as one language. */
  readonly queryLanguage?: string | null;
  readonly documentLanguage?: string | null;
  /** Other weights than the table of methods gives; for experiments. */
  readonly weights?: ComponentWeights;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

export type RetrievalResult = {
  readonly method: SearchMethod;
  /** Judged queries. */
  readonly queries: number;
  readonly documents: number;
  readonly metrics: RankingMetrics;
  /** The best 1,000 documents of each judged query, scores as float32. */
  readonly run: Run;
  readonly weights: ComponentWeights;
};

/** Documents of each query in a run: enough for every metric here, and what TREC runs hold. */
export const RUN_DEPTH = 1000;
const YIELD_EVERY = 64; // queries or documents between two looks at the signal

/** Judgements by query. */
export function qrelsOf(judgements: readonly { readonly queryId: string; readonly documentId: string; readonly relevance: number }[]): Qrels {
  const qrels = new Map<string, Map<string, number>>();
  for (const { queryId, documentId, relevance } of judgements) qrels.set(queryId, (qrels.get(queryId) ?? new Map<string, number>()).set(documentId, relevance));
  return qrels;
}

/** The text of a document that is searched: its title, if any, and its text. */
export function searchedText({ title, text }: Pick<TaskDocument, 'title' | 'text'>): string {
  return title === '' ? text : `${title}\n${text}`;
}

/**
 * Makes a collection ready; with an encoder each document gets its vectors (whole text and windows), scanned exactly. `bm25`: other than the defaults.
 * @throws InputError 'index.bad-vector'; the signal's reason once aborted.
 */
export async function prepareCollection(options: { readonly documents: readonly TaskDocument[]; readonly encoder: Encoder | null; readonly bm25?: Bm25Parameters; readonly signal?: AbortSignal; readonly report?: ReportProgress }): Promise<TaskCollection> {
  const { documents, encoder, bm25 = defaultBm25Parameters, signal, report = ignoreProgress } = options;
  const texts = documents.map(searchedText);
  return {
    ids: documents.map(({ id }) => id),
    lexical: prepareLexicalIndex(texts)(bm25),
    dense: encoder === null ? null : await denseIndexOf(texts, encoder, { signal, report }),
    encoder,
    isLatin: isMostlyLatin(texts),
  };
}

/** The vectors of texts as an index that is scanned exactly. @throws as prepareCollection. */
export async function denseIndexOf(texts: readonly string[], encoder: Encoder, options: { readonly signal: AbortSignal | undefined; readonly report: ReportProgress }): Promise<DenseIndex> {
  const blocks: Float32Array[] = [];
  const owners: number[] = [];
  const windows: number[] = [];
  for (let start = 0; start < texts.length; start += YIELD_EVERY) {
    await breathe(options, { phase: 'encoding', done: start, total: texts.length, unit: 'documents' });
    for (const [i, vectors] of (await encoder.encodeDocuments(texts.slice(start, start + YIELD_EVERY))).entries()) {
      expectVectors(vectors, encoder.width, `document ${start + i + 1}`);
      blocks.push(vectors);
      for (let row = 0; row < vectors.length / encoder.width; row += 1) {
        owners.push(start + i);
        windows.push(row);
      }
    }
  }
  return exactDenseIndex({ width: encoder.width, blocks, owners: Uint32Array.from(owners), windows: Int32Array.from(windows), size: texts.length });
}

/**
 * Runs every judged query against the collection.
 * @throws InputError 'evaluation.needs-model', 'evaluation.no-translation', 'evaluation.no-queries'; the signal's reason once aborted.
 */
export async function evaluateRetrieval(task: RetrievalTask): Promise<RetrievalResult> {
  const { collection, qrels, method, queryLanguage = null, documentLanguage = null, signal, report = ignoreProgress } = task;
  const { encoder } = collection;
  const queries = task.queries.filter(({ id }) => qrels.has(id));
  if (queries.length === 0) throw new InputError('evaluation.no-queries', `Expected queries that the judgements know, found none among ${task.queries.length}. Check that queries and qrels belong together.`);
  const table = encoder === null || queryLanguage === null || documentLanguage === null ? null : encoder.translation(queryLanguage, documentLanguage);
  expectPossible(method, { encoder, table, queryLanguage, documentLanguage });
  const isQueryLatin = isMostlyLatin(queries.map(({ text }) => text));
  const weights = task.weights ?? chooseWeights({ method, queryLanguage, documentLanguage, isQueryLatin, areDocumentsLatin: collection.isLatin, encoder });
  const vectors = encoder === null || weights.dense === 0 ? null : await encoderIn(encoder, queryLanguage).encode(queries.map(({ text }) => text), 'query');
  const run = new Map<string, readonly ScoredDocument[]>();
  for (const [i, query] of queries.entries()) {
    if (i % YIELD_EVERY === 0) await breathe({ signal, report }, { phase: 'searching', done: i, total: queries.length, unit: 'queries' });
    const queryVector = vectors === null || encoder === null ? null : vectors.subarray(i * encoder.width, (i + 1) * encoder.width);
    const list = await rankCollection(collection, { query: query.text, queryVector, plans: [{ weights, table }], depth: RUN_DEPTH });
    run.set(query.id, Array.from(list.documents, (document, place) => ({ documentId: collection.ids[document] ?? '', score: Math.fround(list.scores[place] ?? 0) })));
  }
  return { method, queries: queries.length, documents: collection.ids.length, metrics: evaluateRun(run, restrict(qrels, run)), run, weights };
}

/** Judgements of the queries that were run; judgements of queries that are not in the query file cannot be answered. */
function restrict(qrels: Qrels, run: Run): Qrels {
  return new Map([...qrels].filter(([queryId]) => run.has(queryId)));
}

function expectPossible(method: SearchMethod, known: { readonly encoder: Encoder | null; readonly table: unknown; readonly queryLanguage: string | null; readonly documentLanguage: string | null }): void {
  if (known.encoder === null && (method === 'dense' || method === 'translated')) {
    throw new InputError('evaluation.needs-model', `Method "${method}" needs a model; bm25, bm25-char and hybrid can do without. Give one with --model.`, { data: { method } });
  }
  if (method === 'translated' && known.table === null) {
    throw new InputError('evaluation.no-translation', `Method "translated" needs a translation table from ${known.queryLanguage ?? 'the query language (not given)'} to ${known.documentLanguage ?? 'the document language (not given)'}; the model has none. Give both languages, or choose another method.`, { data: { method } });
  }
}

async function breathe(options: { readonly signal: AbortSignal | undefined; readonly report: ReportProgress }, progress: Parameters<ReportProgress>[0]): Promise<void> {
  options.signal?.throwIfAborted();
  options.report(progress);
  await new Promise((resolve) => setImmediate(resolve));
}
