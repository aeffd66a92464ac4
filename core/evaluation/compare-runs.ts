/** Is one run better than another, query by query, and could that be chance? */
import { metricsPerQuery } from '../metrics/ranking.ts';
import type { Qrels, RankingMetricName, Run } from '../metrics/ranking.ts';
import { comparePaired } from '../metrics/significance.ts';
import type { PairedComparison } from '../metrics/significance.ts';

/** Compares run B with run A by one metric over all judged queries; see comparePaired. */
export function compareRuns(options: { readonly a: Run; readonly b: Run; readonly qrels: Qrels; readonly metric: RankingMetricName; readonly seed: number }): PairedComparison {
  const { a, b, qrels, metric, seed } = options;
  const values = (run: Run): number[] => [...metricsPerQuery(run, qrels).values()].map((metrics) => metrics[metric]);
  return comparePaired({ a: values(a), b: values(b), seed });
}
