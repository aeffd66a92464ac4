/** What did training change? The rows of the report beside a model: untrained, BM25, dense and hybrid, always together. */
import type { Encoder } from '../encoding/encoder.ts';
import type { Qrels, RankingMetrics } from '../metrics/ranking.ts';
import type { SearchMethod } from '../retrieval/method-weights.ts';
import { evaluatePairs } from './pairs-task.ts';
import { evaluateRetrieval, prepareCollection } from './retrieval-task.ts';
import type { RetrievalResult, TaskCollection, TaskDocument, TaskQuery } from './retrieval-task.ts';

/** Question and passage in one language; question in the language, passage in English; the reverse. */
export type ReportQuestion = 'within' | 'to-english' | 'from-english';

export type ReportRow = {
  readonly question: ReportQuestion;
  readonly language: string;
  readonly queries: number;
  readonly documents: number;
  readonly methods: Readonly<Record<'untrained' | 'bm25' | 'dense' | 'hybrid', RankingMetrics>>;
};

/** `trained` and `untrained`: the mean of both directions; `directions`: after training, from the language to the other and back. */
export type ReportPairs = { readonly language: string; readonly pairs: number; readonly untrained: number; readonly trained: number; readonly directions: { readonly forward: ReportDirection; readonly backward: ReportDirection } };
export type ReportDirection = { readonly untrained: number; readonly trained: number };

/** A question, and at which place each method puts its answer; null: not among the best 1,000. */
export type QuestionRanks = { readonly text: string } & Readonly<Record<'untrained' | 'bm25' | 'dense' | 'hybrid', number | null>>;

/** A question whose rank moved: the furthest up, or the furthest down. Ranks from 1; null = not among the best 1,000. */
export type ReportExample = {
  readonly kind: 'best' | 'worst';
  readonly language: string;
  readonly query: string;
  readonly expected: string;
  readonly found: string;
  readonly rankBefore: number | null;
  readonly rankNow: number | null;
};

export type EvaluationReport = { readonly rows: readonly ReportRow[]; readonly pairs: readonly ReportPairs[]; readonly examples: readonly ReportExample[] };

export type ReportTask = {
  readonly question: ReportQuestion;
  readonly language: string;
  readonly documents: readonly TaskDocument[];
  readonly queries: readonly TaskQuery[];
  readonly qrels: Qrels;
  readonly untrained: Encoder;
  readonly trained: Encoder;
  readonly queryLanguage: string;
  readonly documentLanguage: string;
  readonly signal?: AbortSignal;
};

/** One row. "bm25" is the stronger of words and character n-grams by MRR@100, so that the comparison is never flattering. */
export async function reportRow(task: ReportTask): Promise<ReportRow> {
  return (await reportRowWithExamples(task, 0)).row;
}

/**
 * One row, the `examples` questions whose rank by the hybrid rose and fell most against the untrained vectors, and the ranks of all questions.
 * @throws what evaluateRetrieval and prepareCollection throw.
 */
export async function reportRowWithExamples(task: ReportTask, examples: number): Promise<{ readonly row: ReportRow; readonly examples: readonly ReportExample[]; readonly ranks: readonly QuestionRanks[] }> {
  const { documents, signal } = task;
  const options = signal === undefined ? {} : { signal };
  const trained = await prepareCollection({ documents, encoder: task.trained, ...options });
  const untrained = await prepareCollection({ documents, encoder: task.untrained, ...options });
  const evaluate = (collection: TaskCollection, method: SearchMethod): Promise<RetrievalResult> =>
    evaluateRetrieval({ collection, queries: task.queries, qrels: task.qrels, method, queryLanguage: task.queryLanguage, documentLanguage: task.documentLanguage, ...options });
  const before = await evaluate(untrained, 'dense');
  const words = await evaluate(trained, 'bm25');
  const characters = await evaluate(trained, 'bm25-char');
  const dense = await evaluate(trained, 'dense');
  const hybrid = await evaluate(trained, 'hybrid');
  const bm25 = characters.metrics['MRR@100'] > words.metrics['MRR@100'] ? characters : words;
  const row: ReportRow = {
    question: task.question,
    language: task.language,
    queries: hybrid.queries,
    documents: hybrid.documents,
    methods: { untrained: before.metrics, bm25: bm25.metrics, dense: dense.metrics, hybrid: hybrid.metrics },
  };
  const ranks = task.queries.filter(({ id }) => hybrid.run.has(id)).map(({ id, text }): QuestionRanks => {
    const rank = (result: RetrievalResult): number | null => rankOf(task, result, id);
    return { text, untrained: rank(before), bm25: rank(bm25), dense: rank(dense), hybrid: rank(hybrid) };
  });
  return { row, examples: chooseExamples(task, { before, now: hybrid, examples }), ranks };
}

/** The place of the first right document; null: not found. */
function rankOf({ qrels }: ReportTask, { run }: RetrievalResult, id: string): number | null {
  const judged = qrels.get(id);
  const place = (run.get(id) ?? []).findIndex(({ documentId }) => (judged?.get(documentId) ?? 0) > 0);
  return place < 0 ? null : place + 1;
}

/** Accuracy on held-back pairs, before and after: mean of both directions, and each. `sources` are in `language`. */
export async function reportPairs(options: { readonly language: string; readonly sources: readonly string[]; readonly targets: readonly string[]; readonly untrained: Encoder; readonly trained: Encoder }): Promise<ReportPairs> {
  const { language, sources, targets } = options;
  const before = await evaluatePairs({ encoder: options.untrained, sources, targets });
  const now = await evaluatePairs({ encoder: options.trained, sources, targets });
  return {
    language,
    pairs: sources.length,
    untrained: before.accuracy,
    trained: now.accuracy,
    directions: { forward: { untrained: before.forward, trained: now.forward }, backward: { untrained: before.backward, trained: now.backward } },
  };
}

function chooseExamples(task: ReportTask, { before, now, examples }: { readonly before: RetrievalResult; readonly now: RetrievalResult; readonly examples: number }): ReportExample[] {
  const texts = new Map(task.documents.map(({ id, text }) => [id, text]));
  const moved = task.queries
    .filter(({ id }) => now.run.has(id))
    .map(({ id, text }) => {
      const relevant = [...(task.qrels.get(id) ?? [])].filter(([, grade]) => grade > 0).map(([documentId]) => documentId);
      const rankBefore = rankOf(task, before, id);
      const rankNow = rankOf(task, now, id);
      const gain = 1 / (rankNow ?? Infinity) - 1 / (rankBefore ?? Infinity);
      return { gain, query: text, expected: texts.get(relevant[0] ?? '') ?? '', found: texts.get(now.run.get(id)?.[0]?.documentId ?? '') ?? '', rankBefore, rankNow };
    })
    .sort((a, b) => b.gain - a.gain);
  const example = (kind: 'best' | 'worst', { query, expected, found, rankBefore, rankNow }: (typeof moved)[number]): ReportExample => ({ kind, language: task.language, query, expected, found, rankBefore, rankNow });
  const count = Math.min(examples, Math.floor(moved.length / 2));
  return [...moved.slice(0, count).map((question) => example('best', question)), ...moved.slice(moved.length - count).reverse().map((question) => example('worst', question))];
}
