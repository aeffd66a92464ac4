/** In which order does a collection answer a query? The one path by which searches and evaluations score. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { wordRuns } from './analysis.ts';
import { emptyList } from './dense-index.ts';
import type { DenseIndex } from './dense-index.ts';
import { FUSION_DEPTH, fuse, orderedList } from './fusion.ts';
import type { LexicalIndex } from './lexical-index.ts';
import { componentNames } from './method-weights.ts';
import type { ComponentName, ComponentWeights } from './method-weights.ts';
import { translateQuery } from './query-translation.ts';
import { topDocuments } from './scored-list.ts';
import type { ScoredList } from './scored-list.ts';

export type SearchableCollection = {
  readonly lexical: LexicalIndex;
  /** null: the collection has no vectors. */
  readonly dense: DenseIndex | null;
};

/** How documents of one language are scored. */
export type RankPlan = {
  readonly weights: ComponentWeights;
  /** From the query's language into these documents'; null when there is none. */
  readonly table: TranslationTable | null;
  /** Which documents the plan is for; left out: all. */
  readonly holds?: (document: number) => boolean;
};

export type RankRequest = {
  readonly query: string;
  /** float32 [H]; null when dense search has no part. */
  readonly queryVector: Float32Array | null;
  /** One plan, or one for the documents of each language; a document belongs to one plan. */
  readonly plans: readonly RankPlan[];
  /** How many documents to return. */
  readonly depth: number;
};

/**
 * Ranks the documents.
 * One method alone: its own scores (BM25: without documents of score 0; dense: cosine).
 * Several methods: z-scores over the best 1,000 of each in the whole collection, fused with the weights of the document's plan;
 * documents that share no term count there with their score of 0. Sums are divided by the plan's sum of weights, so that
 * documents of several plans can stand in one order. A query without any word finds nothing.
 */
export async function rankCollection(collection: SearchableCollection, request: RankRequest): Promise<ScoredList> {
  if (wordRuns(request.query).length === 0) return emptyList;
  const isSingle = request.plans.every(({ weights }) => activeComponents(weights).length <= 1);
  const listOf = rememberedLists(collection, request, isSingle);
  const merged = new Map<number, number>();
  for (const plan of request.plans) {
    const list = isSingle ? await singleList(plan, listOf) : await fusedList(plan, listOf);
    list.documents.forEach((document, i) => merged.set(document, list.scores[i] ?? 0));
  }
  const { documents, scores } = orderedList(merged);
  return { documents: documents.subarray(0, request.depth), scores: scores.subarray(0, request.depth) };
}

type ListOf = (name: ComponentName, table: TranslationTable | null) => Promise<ScoredList>;

const activeComponents = (weights: ComponentWeights): readonly ComponentName[] => componentNames.filter((name) => weights[name] !== 0);

async function singleList({ weights, table, holds }: RankPlan, listOf: ListOf): Promise<ScoredList> {
  const [only] = activeComponents(weights);
  if (only === undefined) return emptyList;
  const list = await listOf(only, table);
  const kept = new Map<number, number>();
  list.documents.forEach((document, i) => {
    const score = list.scores[i] ?? 0;
    if ((only === 'dense' || score > 0) && (holds === undefined || holds(document))) kept.set(document, score);
  });
  return orderedList(kept);
}

async function fusedList({ weights, table, holds }: RankPlan, listOf: ListOf): Promise<ScoredList> {
  const active = activeComponents(weights);
  const lists = [];
  for (const name of active) lists.push({ list: await listOf(name, table), weight: weights[name] });
  const { documents, scores } = fuse(lists, holds);
  const total = active.reduce((sum, name) => sum + weights[name], 0);
  return { documents, scores: scores.map((score) => score / total) };
}

/** Each component's list is computed once, whichever plans ask for it. */
function rememberedLists(collection: SearchableCollection, request: RankRequest, isSingle: boolean): ListOf {
  const depth = isSingle ? Math.max(FUSION_DEPTH, request.depth) : FUSION_DEPTH;
  const known = new Map<string, Promise<ScoredList>>();
  return (name, table) => {
    const key = name === 'translated' ? `${name} ${table?.sourceLanguage ?? ''} ${table?.targetLanguage ?? ''}` : name;
    const found = known.get(key) ?? componentList(collection, { name, table, request, depth });
    known.set(key, found);
    return found;
  };
}

async function componentList(collection: SearchableCollection, options: { readonly name: ComponentName; readonly table: TranslationTable | null; readonly request: RankRequest; readonly depth: number }): Promise<ScoredList> {
  const { name, table, request, depth } = options;
  switch (name) {
    case 'words':
      return topDocuments(collection.lexical.wordScores(request.query), depth);
    case 'characters':
      return topDocuments(collection.lexical.characterScores(request.query), depth);
    case 'translated':
      return table === null ? emptyList : topDocuments(collection.lexical.translatedScores(translateQuery(request.query, table).terms), depth);
    case 'dense':
      return collection.dense === null || request.queryVector === null ? emptyList : collection.dense.nearest(request.queryVector, depth);
  }
}
