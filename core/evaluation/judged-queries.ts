/** How well does a person's own library answer the questions that the person has judged? MRR over judged queries, method by method. */
import type { SearchMethod } from '../retrieval/method-weights.ts';
import type { SearchIndex } from '../retrieval/open-index.ts';

/** A passage that was judged, by its text and by its place; either finds it again. */
export type JudgedPlace = { readonly path: string; readonly start: number; readonly end: number; readonly text: string };

export type JudgedQuery = { readonly query: string; readonly queryLanguage: string | null; /** At least one. */ readonly right: readonly JudgedPlace[] };

/** The three that a person can tell apart, and the search method that each is. */
export const JUDGED_METHODS = { dense: 'dense', lexical: 'bm25-char', hybrid: 'hybrid' } as const satisfies Readonly<Record<string, SearchMethod>>;
export type JudgedScores = { readonly [Name in keyof typeof JUDGED_METHODS]: number };

const DEPTH = 100;

/** Whether a hit is the judged passage: the same text in the same file, or, in that file, at least half of the shorter one shared. */
export function isSamePassage(hit: JudgedPlace, judged: JudgedPlace): boolean {
  if (hit.text === judged.text) return true; // also after its file was renamed
  if (hit.path !== judged.path) return false;
  const shared = Math.min(hit.end, judged.end) - Math.max(hit.start, judged.start);
  return shared > 0 && 2 * shared >= Math.min(hit.end - hit.start, judged.end - judged.start);
}

/**
 * MRR@100 = mean over queries of 1 / rank of the first right passage among the best 100 (0 when there is none); what was not
 * judged counts as wrong, as in trec_eval. All 0 without queries.
 * @throws the signal's reason once aborted.
 */
export async function measureJudged({ index, queries, signal }: { readonly index: Pick<SearchIndex, 'search'>; readonly queries: readonly JudgedQuery[]; readonly signal?: AbortSignal }): Promise<JudgedScores> {
  const measure = async (method: SearchMethod): Promise<number> => {
    let sum = 0;
    for (const { query, queryLanguage, right } of queries) {
      signal?.throwIfAborted();
      const { hits } = await index.search({ query, queryLanguage, method, k: DEPTH });
      const place = hits.findIndex(({ path, text, location }) => right.some((judged) => isSamePassage({ path, text, start: location.start, end: location.end }, judged)));
      sum += place < 0 ? 0 : 1 / (place + 1);
    }
    return queries.length === 0 ? 0 : sum / queries.length;
  };
  return { dense: await measure(JUDGED_METHODS.dense), lexical: await measure(JUDGED_METHODS.lexical), hybrid: await measure(JUDGED_METHODS.hybrid) };
}

/**
 * One list of the best of several lists: the first of each in turn, then the seconds, and so on, each passage once.
 * @see Sparck Jones and van Rijsbergen 1975 (pooling): what is judged then favours no method.
 */
export function poolLists<Hit extends { readonly chunkId: string }>(lists: readonly (readonly Hit[])[]): readonly Hit[] {
  const pooled = new Map<string, Hit>();
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let place = 0; place < longest; place += 1) {
    for (const list of lists) {
      const hit = list[place];
      if (hit !== undefined && !pooled.has(hit.chunkId)) pooled.set(hit.chunkId, hit);
    }
  }
  return [...pooled.values()];
}
