/** In which order does a collection answer a query? The one path by which searches and evaluations score. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { emptyDenseList } from './dense-index.ts';
import type { DenseIndex, DenseList } from './dense-index.ts';
import { FUSION_DEPTH, fuse, orderedList } from './fusion.ts';
import type { LexicalIndex } from './lexical-index.ts';
import { componentNames } from './method-weights.ts';
import type { ComponentName, ComponentWeights } from './method-weights.ts';
import { translateQuery } from './query-translation.ts';
import { emptyList } from './scored-list.ts';
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
  /** 1 for each document that may be found; null or left out: all. */
  readonly allowed?: Uint8Array | null;
};

/** The part of a document that is nearest to the query. */
export type NearestPart = { readonly similarity: number; /** 0 = the whole text, then its windows. */ readonly window: number };

/** The order, and for documents that dense search also found, their nearest part. */
export type Ranking = ScoredList & { readonly nearest: ReadonlyMap<number, NearestPart> };

/** What a query must have at least one of: punctuation and marks alone ask nothing. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * Ranks the documents.
 * One method alone: its own scores (BM25: without documents of score 0; dense: cosine).
 * Several methods: z-scores over the best 1,000 of each in the whole collection, fused with the weights of the document's plan;
 * documents that share no term count there with their score of 0. Sums are divided by the plan's sum of weights, so that
 * documents of several plans can stand in one order. A query without any word finds nothing.
 */
export async function rankCollection(collection: SearchableCollection, request: RankRequest): Promise<Ranking> {
  if (!LETTER_OR_DIGIT.test(request.query)) return { ...emptyList, nearest: new Map() };
  const isSingle = request.plans.every(({ weights }) => activeComponents(weights).length <= 1);
  const depth = isSingle ? Math.max(FUSION_DEPTH, request.depth) : FUSION_DEPTH;
  const usesDense = request.plans.some(({ weights }) => weights.dense !== 0);
  const asked = usesDense && collection.dense !== null && request.queryVector !== null ? collection.dense.nearest(request.queryVector, depth, request.allowed ?? null) : Promise.resolve(emptyDenseList);
  asked.catch(() => undefined); // thrown below, also when what runs beside it throws first
  const lexicalLists = rememberedLists({ collection, request, depth });
  for (const { weights, table } of request.plans) for (const name of activeComponents(weights)) if (name !== 'dense') lexicalLists(name, table); // while vectors may be compared in another thread
  const dense = await asked;
  const listOf: ListOf = (name, table) => (name === 'dense' ? dense : lexicalLists(name, table));
  const merged = new Map<number, number>();
  for (const plan of request.plans) {
    const list = isSingle ? singleList(plan, listOf) : fusedList(plan, listOf);
    list.documents.forEach((document, i) => merged.set(document, list.scores[i] ?? 0));
  }
  const { documents, scores } = orderedList(merged);
  const kept = documents.subarray(0, request.depth);
  return { documents: kept, scores: scores.subarray(0, request.depth), nearest: nearestParts(dense, new Set(kept)) };
}

function nearestParts({ documents, scores, windows }: DenseList, kept: ReadonlySet<number>): ReadonlyMap<number, NearestPart> {
  const parts = new Map<number, NearestPart>();
  documents.forEach((document, i) => {
    if (kept.has(document)) parts.set(document, { similarity: scores[i] ?? 0, window: windows[i] ?? 0 });
  });
  return parts;
}

type ListOf = (name: ComponentName, table: TranslationTable | null) => ScoredList;

const activeComponents = (weights: ComponentWeights): readonly ComponentName[] => componentNames.filter((name) => weights[name] !== 0);

function singleList({ weights, table, holds }: RankPlan, listOf: ListOf): ScoredList {
  const [only] = activeComponents(weights);
  if (only === undefined) return emptyList;
  const list = listOf(only, table);
  const kept = new Map<number, number>();
  list.documents.forEach((document, i) => {
    const score = list.scores[i] ?? 0;
    if ((only === 'dense' || score > 0) && (holds === undefined || holds(document))) kept.set(document, score);
  });
  return orderedList(kept);
}

function fusedList({ weights, table, holds }: RankPlan, listOf: ListOf): ScoredList {
  const active = activeComponents(weights);
  const { documents, scores } = fuse(active.map((name) => ({ list: listOf(name, table), weight: weights[name] })), holds);
  const total = active.reduce((sum, name) => sum + weights[name], 0);
  return { documents, scores: scores.map((score) => score / total) };
}

type LexicalName = Exclude<ComponentName, 'dense'>;
type ListSources = { readonly collection: SearchableCollection; readonly request: RankRequest; readonly depth: number };

/** Each component's list is computed once, whichever plans ask for it. */
function rememberedLists(sources: ListSources): (name: LexicalName, table: TranslationTable | null) => ScoredList {
  const known = new Map<string, ScoredList>();
  return (name, table) => {
    const key = name === 'translated' ? `${name} ${table?.sourceLanguage ?? ''} ${table?.targetLanguage ?? ''}` : name;
    const found = known.get(key) ?? componentList(sources, name, table);
    known.set(key, found);
    return found;
  };
}

function componentList({ collection, request, depth }: ListSources, name: LexicalName, table: TranslationTable | null): ScoredList {
  const allowed = request.allowed ?? null;
  switch (name) {
    case 'words':
      return collection.lexical.byWords(request.query, depth, allowed);
    case 'characters':
      return collection.lexical.byCharacters(request.query, depth, allowed);
    case 'translated':
      return table === null ? emptyList : collection.lexical.byTranslation(translateQuery(request.query, table).terms, depth, allowed);
  }
}
