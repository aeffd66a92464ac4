/** Which k1 and b suit BM25 best on a development set? Every setting of a grid is tried; the test set is never seen. */
import { InputError } from '../../base/errors.ts';
import { ignoreProgress, type ReportProgress } from '../../base/progress.ts';
import type { Qrels, RankingMetricName } from '../../metrics/ranking.ts';
import { defaultBm25Parameters, type Bm25Parameters } from '../../retrieval/bm25.ts';
import { prepareLexicalIndex } from '../../retrieval/lexical-index.ts';
import { isMostlyLatin } from '../../retrieval/scripts.ts';
import { evaluateRetrieval, searchedText, type TaskCollection, type TaskDocument, type TaskQuery } from '../retrieval-task.ts';

export type Bm25Grid = { readonly k1: readonly number[]; readonly b: readonly number[] };

export type TuneBm25Options = {
  readonly documents: readonly TaskDocument[];
  readonly queries: readonly TaskQuery[];
  readonly qrels: Qrels;
  /** Over words or over character n-grams: each has its own best setting. */
  readonly method?: 'bm25' | 'bm25-char';
  readonly grid?: Bm25Grid;
  readonly metric?: RankingMetricName;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

export type TriedBm25 = Bm25Parameters & { readonly score: number };

export type TunedBm25 = {
  readonly parameters: Bm25Parameters;
  readonly metric: RankingMetricName;
  /** Of the development queries: with the chosen setting, and with the default. */
  readonly score: number;
  readonly defaultScore: number;
  /** Judged development queries. */
  readonly queries: number;
  readonly documents: number;
  /** Every setting, k1 after k1. */
  readonly tried: readonly TriedBm25[];
};

const TENTH = 10;
const tenths = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => (first + i) / TENTH);

/** k1 .1 to 1.6 and b .1 to 1 in steps of .1, by MRR@100: 160 settings, as usual with Anserini on Mr. TyDi (Zhang et al. 2021, section 4). */
export const usualBm25Grid: Bm25Grid = { k1: tenths(1, 16), b: tenths(1, 10) };

/** More would be asked of a search engine's settings than they can answer. */
const MOST_SETTINGS = 10_000;

/**
 * The setting of the grid whose mean `metric` over the development queries is largest. Of equal ones the one nearest to the default
 * (|k1 - .9| + |b - .4|; see bestBm25): a development set that decides nothing changes nothing needlessly.
 * The documents are cut into terms once.
 * @throws InputError 'evaluation.bad-grid'; what `evaluateRetrieval` throws; the signal's reason once aborted.
 */
export async function tuneBm25(options: TuneBm25Options): Promise<TunedBm25> {
  const { documents, queries, qrels, method = 'bm25', grid = usualBm25Grid, metric = 'MRR@100', signal, report = ignoreProgress } = options;
  const settings = settingsOf(grid);
  const texts = documents.map(searchedText);
  const lexicalWith = prepareLexicalIndex(texts);
  const collection: Omit<TaskCollection, 'lexical'> = { ids: documents.map(({ id }) => id), dense: null, encoder: null, isLatin: isMostlyLatin(texts) };
  const measure = async (parameters: Bm25Parameters): Promise<{ readonly score: number; readonly judged: number }> => {
    const { metrics, queries: judged } = await evaluateRetrieval({ collection: { ...collection, lexical: lexicalWith(parameters) }, queries, qrels, method, ...(signal === undefined ? {} : { signal }) });
    return { score: metrics[metric], judged };
  };
  const tried: TriedBm25[] = [];
  for (const [i, setting] of settings.entries()) {
    report({ phase: 'tuning', done: i, total: settings.length, unit: 'settings' });
    tried.push({ ...setting, score: (await measure(setting)).score });
  }
  const byDefault = await measure(defaultBm25Parameters);
  const { k1, b, score } = bestBm25(tried) ?? { ...defaultBm25Parameters, score: byDefault.score };
  return { parameters: { k1, b }, metric, score, defaultScore: byDefault.score, queries: byDefault.judged, documents: documents.length, tried };
}

/** Of settings that were tried: the best, of equal ones the nearest to the default, then the smaller k1, then the smaller b; undefined of none. */
export function bestBm25(tried: readonly TriedBm25[]): TriedBm25 | undefined {
  return tried.toSorted((x, y) => y.score - x.score || distance(x) - distance(y) || x.k1 - y.k1 || x.b - y.b)[0];
}

function distance({ k1, b }: Bm25Parameters): number {
  return Math.abs(k1 - defaultBm25Parameters.k1) + Math.abs(b - defaultBm25Parameters.b);
}

function settingsOf({ k1: k1s, b: bs }: Bm25Grid): readonly Bm25Parameters[] {
  const count = k1s.length * bs.length;
  const isSane = k1s.every((k1) => Number.isFinite(k1) && k1 >= 0) && bs.every((b) => b >= 0 && b <= 1);
  if (count === 0 || count > MOST_SETTINGS || !isSane) throw new InputError('evaluation.bad-grid', `A grid of BM25: expected 1 to ${MOST_SETTINGS} settings with k1 of at least 0 and b from 0 to 1, found k1 ${k1s.join(', ')} and b ${bs.join(', ')}.`);
  return k1s.flatMap((k1) => bs.map((b) => ({ k1, b })));
}
