/** In which order does a collection answer a query? The one path by which searches and evaluations score. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import { emptyList } from './dense-index.ts';
import type { DenseIndex } from './dense-index.ts';
import { FUSION_DEPTH, fuse } from './fusion.ts';
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

export type RankRequest = {
  readonly query: string;
  /** float32 [H]; null when dense search has no part. */
  readonly queryVector: Float32Array | null;
  readonly table: TranslationTable | null;
  readonly weights: ComponentWeights;
  /** How many documents to return. */
  readonly depth: number;
  /** When given, only these documents (numbers, ascending). */
  readonly members?: Uint32Array;
};

/**
 * Ranks the documents. One method alone: its own scores (BM25: without documents of score 0; dense: cosine). Several: z-scores
 * over the best 1,000 of each, fused with the weights; there, documents that share no term count with their score of 0.
 */
export async function rankCollection(collection: SearchableCollection, request: RankRequest): Promise<ScoredList> {
  const { weights, depth } = request;
  const active = componentNames.filter((name) => weights[name] !== 0);
  const [only] = active;
  if (only === undefined) return emptyList;
  if (active.length === 1) return componentList(collection, only, request, { depth, isZeroKept: false });
  const lists = [];
  for (const name of active) lists.push({ list: await componentList(collection, name, request, { depth: FUSION_DEPTH, isZeroKept: true }), weight: weights[name] });
  const fused = fuse(lists);
  return { documents: fused.documents.subarray(0, depth), scores: fused.scores.subarray(0, depth) };
}

async function componentList(collection: SearchableCollection, name: ComponentName, request: RankRequest, options: { readonly depth: number; readonly isZeroKept: boolean }): Promise<ScoredList> {
  const { members } = request;
  if (name === 'dense') {
    if (collection.dense === null || request.queryVector === null) return emptyList;
    return collection.dense.nearest(request.queryVector, options.depth, members);
  }
  const scores = lexicalScores(collection.lexical, name, request);
  if (scores === null) return emptyList;
  const list = topDocuments(scores, options.depth, members);
  return options.isZeroKept ? list : withoutZeros(list);
}

function lexicalScores(lexical: LexicalIndex, name: Exclude<ComponentName, 'dense'>, { query, table }: RankRequest): Float64Array | null {
  switch (name) {
    case 'words':
      return lexical.wordScores(query);
    case 'characters':
      return lexical.characterScores(query);
    case 'translated':
      return table === null ? null : lexical.translatedScores(translateQuery(query, table).terms);
  }
}

function withoutZeros({ documents, scores }: ScoredList): ScoredList {
  const matched = scores.findIndex((score) => score <= 0);
  return matched < 0 ? { documents, scores } : { documents: documents.subarray(0, matched), scores: scores.subarray(0, matched) };
}
