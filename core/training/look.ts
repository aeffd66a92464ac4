/** Is it getting better? Between steps: at which rank held-back sentences find their translation, and questions their passage. */
import type { HeldBackSentence, ReportTraining } from './events.ts';
import type { HeldOutPairs } from './held-out.ts';
import type { HeldOutQuestions } from './held-out-questions.ts';
import { meanPairAccuracy, rankOfPartners } from './pair-ranks.ts';
import { createSentenceMap, type MapEntry } from './sentence-map.ts';
import { similaritiesOf } from './similarities.ts';
import type { TrainableEncoder } from './trainable-encoder.ts';

const SHOWN_SENTENCES = 10;
const MOST_QUESTIONS = 200;
const MOST_DOCUMENT_TOKENS = 128;
const DEEPEST_RANK = 100; // MRR@100

export type LookOptions = {
  readonly pivot: string;
  readonly heldOut: readonly HeldOutPairs[];
  readonly heldOutQuestions: HeldOutQuestions | null;
  readonly encoder: Pick<TrainableEncoder, 'tokens' | 'vectors' | 'width'>;
  readonly report: ReportTraining;
};

/** What a look saw; both 0 to 1. */
export type LookResult = {
  /** By foreign language: how often a translation is found first, mean of both directions. */
  readonly pairAccuracy: Readonly<Record<string, number>>;
  /** MRR@100 of held-back questions; null without any. */
  readonly retrievalMRR: number | null;
};

/**
 * Makes the look that `coTrain` takes now and then: reports 'held-back' (ten sentences, spread over the language pairs), 'map' (sentence-map.ts) and 'evaluation'
 * (accuracy of finding translations per foreign language, mean of both directions; MRR@100 of held-back questions). Changes nothing.
 */
export function createLook(options: LookOptions): (step: number) => Promise<LookResult> {
  const { pivot, encoder, report } = options;
  const languages = options.heldOut.map((entry) => ({
    ...entry,
    language: entry.source === pivot ? entry.target : entry.source,
    sourceIds: entry.pairs.map((pair) => encoder.tokens(pair.source, 'document')),
    targetIds: entry.pairs.map((pair) => encoder.tokens(pair.target, 'document')),
  }));
  const questions = options.heldOutQuestions;
  const queryIds = questions?.queries.slice(0, MOST_QUESTIONS).map((query) => encoder.tokens(query, 'query')) ?? [];
  const documentIds = questions?.documents.map((document) => encoder.tokens(document, 'document').subarray(0, MOST_DOCUMENT_TOKENS)) ?? [];
  const mapOf = createSentenceMap({ pivot, width: encoder.width });
  return async (step) => {
    const pairAccuracy: Record<string, number> = {};
    const perLanguage: { readonly entry: (typeof languages)[number]; readonly ranks: readonly number[] }[] = [];
    const mapped: MapEntry[] = [];
    for (const entry of languages) {
      const [sources, targets] = [await encoder.vectors(entry.sourceIds, 'document'), await encoder.vectors(entry.targetIds, 'document')];
      mapped.push({ source: entry.source, target: entry.target, pairs: entry.pairs, sources: sources.slice(), targets: targets.slice() });
      const scores = similaritiesOf({ left: sources, right: targets, width: encoder.width });
      const forward = rankOfPartners(scores, entry.pairs.length, 'rows');
      const backward = rankOfPartners(scores, entry.pairs.length, 'columns');
      pairAccuracy[entry.language] = meanPairAccuracy(forward, backward);
      perLanguage.push({ entry, ranks: entry.source === pivot ? backward : forward });
    }
    const shown: HeldBackSentence[] = [];
    for (let place = 0; shown.length < SHOWN_SENTENCES && perLanguage.some(({ ranks }) => place < ranks.length); place += 1) {
      for (const { entry, ranks } of perLanguage) {
        const pair = entry.pairs[place];
        const rank = ranks[place];
        if (pair === undefined || rank === undefined || shown.length >= SHOWN_SENTENCES) continue;
        const foreignFirst = entry.source === pivot;
        shown.push({
          source: foreignFirst ? pair.target : pair.source,
          target: foreignFirst ? pair.source : pair.target,
          sourceLanguage: foreignFirst ? entry.target : entry.source,
          targetLanguage: foreignFirst ? entry.source : entry.target,
          rank,
          of: ranks.length,
        });
      }
    }
    if (shown.length > 0) report({ kind: 'held-back', step, sentences: shown });
    const map = mapOf(step, mapped);
    if (map !== null) report(map);
    const retrievalMRR =
      questions === null
        ? null
        : questionMrr(similaritiesOf({ left: await encoder.vectors(queryIds, 'query'), right: await encoder.vectors(documentIds, 'document'), width: encoder.width }), questions.documentOf, queryIds.length);
    report({ kind: 'evaluation', step, pairAccuracy, retrievalMRR });
    return { pairAccuracy, retrievalMRR };
  };
}

/** Mean of 1 / rank of the right document, 0 beyond rank 100. scores float32 [queries, documents]. */
function questionMrr(scores: Float32Array, documentOf: readonly number[], queries: number): number {
  const documents = queries === 0 ? 0 : scores.length / queries;
  let sum = 0;
  for (let q = 0; q < queries; q += 1) {
    const right = documentOf[q] ?? 0;
    const own = scores[q * documents + right] ?? 0;
    let rank = 1;
    for (let d = 0; d < documents; d += 1) if (d !== right && (scores[q * documents + d] ?? 0) >= own) rank += 1;
    if (rank <= DEEPEST_RANK) sum += 1 / rank;
  }
  return queries === 0 ? 0 : sum / queries;
}
