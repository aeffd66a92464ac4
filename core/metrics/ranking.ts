/** How good is a ranking? MRR@k, R@k and nDCG@k of one query and of a whole run. */
import { rankDocuments, type ScoredDocument } from './order.ts';

/** The metrics of every report, screen and file; the key strings are exactly these. */
export const rankingMetricNames = ['MRR@100', 'MRR@10', 'R@1', 'R@10', 'R@100', 'nDCG@10'] as const;
export type RankingMetricName = (typeof rankingMetricNames)[number];
export type RankingMetrics = Readonly<Record<RankingMetricName, number>>;

/** Judgements of one query: document id -> integer grade; 0 or less = not relevant. */
export type QueryJudgements = ReadonlyMap<string, number>;
/** Judgements of all queries. */
export type Qrels = ReadonlyMap<string, QueryJudgements>;
/** Scored documents of each query, in any order. */
export type Run = ReadonlyMap<string, readonly ScoredDocument[]>;

/** Grades of the ranked documents, best first, and of all judged documents of the query. */
type GradedRanking = { readonly grades: readonly number[]; readonly judged: readonly number[] };

/** 1 / rank of the first relevant document among the first k, in [0, 1]; 0 when there is none. (trec_eval: recip_rank, cut at k.) */
export function reciprocalRank({ grades }: GradedRanking, k: number): number {
  const place = grades.findIndex((grade) => grade > 0);
  return place < 0 || place >= k ? 0 : 1 / (place + 1);
}

/** Share of the relevant documents found among the first k, in [0, 1]; 0 when nothing is relevant. (trec_eval: recall_k.) */
export function recall({ grades, judged }: GradedRanking, k: number): number {
  const relevant = judged.filter((grade) => grade > 0).length;
  return relevant === 0 ? 0 : grades.slice(0, k).filter((grade) => grade > 0).length / relevant;
}

/**
 * DCG@k / ideal DCG@k, in [0, 1];  DCG@k = sum over ranks r <= k of grade(r) / log2(r + 1), negative grades as 0.
 * 0 when nothing is relevant. (trec_eval: ndcg_cut_k; the gain is the grade itself.)
 *
 * @see Järvelin and Kekäläinen 2002.
 */
export function ndcg({ grades, judged }: GradedRanking, k: number): number {
  const ideal = discountedGain(judged.toSorted((a, b) => b - a), k);
  return ideal === 0 ? 0 : discountedGain(grades, k) / ideal;
}

function discountedGain(grades: readonly number[], k: number): number {
  let sum = 0;
  for (let i = 0; i < Math.min(k, grades.length); i += 1) sum += Math.max(0, grades[i] ?? 0) / Math.log2(i + 2);
  return sum;
}

const metricTable: Readonly<Record<RankingMetricName, (ranking: GradedRanking) => number>> = {
  'MRR@100': (ranking) => reciprocalRank(ranking, 100),
  'MRR@10': (ranking) => reciprocalRank(ranking, 10),
  'R@1': (ranking) => recall(ranking, 1),
  'R@10': (ranking) => recall(ranking, 10),
  'R@100': (ranking) => recall(ranking, 100),
  'nDCG@10': (ranking) => ndcg(ranking, 10),
};

/** All metrics of one query. Documents are ordered here (see compareScored), so the order given does not matter. */
export function queryMetrics(documents: readonly ScoredDocument[], judgements: QueryJudgements): RankingMetrics {
  const grades = rankDocuments(documents).map(({ documentId }) => judgements.get(documentId) ?? 0);
  const ranking = { grades, judged: [...judgements.values()] };
  return mapMetrics((name) => metricTable[name](ranking));
}

/** Metrics of every judged query, in the order of the qrels. A query without results counts 0 everywhere (trec_eval -c). */
export function metricsPerQuery(run: Run, qrels: Qrels): Map<string, RankingMetrics> {
  const perQuery = new Map<string, RankingMetrics>();
  for (const [queryId, judgements] of qrels) perQuery.set(queryId, queryMetrics(run.get(queryId) ?? [], judgements));
  return perQuery;
}

/** Mean of each metric over all judged queries; results of queries that are not judged are left out. All 0 when there are none. */
export function evaluateRun(run: Run, qrels: Qrels): RankingMetrics {
  return meanMetrics([...metricsPerQuery(run, qrels).values()]);
}

/** The mean of each metric; all 0 for an empty list. */
export function meanMetrics(values: readonly RankingMetrics[]): RankingMetrics {
  return mapMetrics((name) => (values.length === 0 ? 0 : values.reduce((sum, metrics) => sum + metrics[name], 0) / values.length));
}

function mapMetrics(value: (name: RankingMetricName) => number): RankingMetrics {
  return {
    'MRR@100': value('MRR@100'),
    'MRR@10': value('MRR@10'),
    'R@1': value('R@1'),
    'R@10': value('R@10'),
    'R@100': value('R@100'),
    'nDCG@10': value('nDCG@10'),
  };
}
