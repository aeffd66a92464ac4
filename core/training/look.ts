/** Is it getting better? Between steps: at which rank held-back sentences find their translation, and questions their passage. */
import type { HeldBackSentence, ReportTraining } from './events.ts';
import type { PreparedTraining } from './prepare.ts';
import { meanPairAccuracy, rankOfPartners } from './pair-ranks.ts';
import { packBags, type StaticParameters } from './static-parameters.ts';
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';

const SHOWN_SENTENCES = 10;
const MOST_QUESTIONS = 200;
const MOST_DOCUMENT_TOKENS = 128;
const DEEPEST_RANK = 100; // MRR@100

export type LookOptions = { readonly prepared: PreparedTraining; readonly kernels: Kernels; readonly memory: KernelMemory; readonly parameters: StaticParameters; readonly report: ReportTraining };

/**
 * Makes the look that `coTrain` takes now and then: reports 'held-back' (ten sentences, spread over the language pairs) and 'evaluation'
 * (accuracy of finding translations per foreign language, mean of both directions; MRR@100 of held-back questions). Changes nothing.
 */
export function createLook(options: LookOptions): (step: number) => void {
  const { prepared, report } = options;
  const { tokenizer, pivot } = prepared;
  const languages = prepared.heldOut.map((entry) => ({
    ...entry,
    language: entry.source === pivot ? entry.target : entry.source,
    sourceIds: entry.pairs.map((pair) => tokenizer.encode(pair.source)),
    targetIds: entry.pairs.map((pair) => tokenizer.encode(pair.target)),
  }));
  const questions = prepared.heldOutQuestions;
  const queryIds = questions?.queries.slice(0, MOST_QUESTIONS).map((query) => tokenizer.encode(query)) ?? [];
  const documentIds = questions?.documents.map((document) => tokenizer.encode(document).subarray(0, MOST_DOCUMENT_TOKENS)) ?? [];
  return (step) => {
    const pairAccuracy: Record<string, number> = {};
    const perLanguage = languages.map((entry) => {
      const scores = scoresOf(entry.sourceIds, entry.targetIds, options);
      const forward = rankOfPartners(scores, entry.pairs.length, 'rows');
      const backward = rankOfPartners(scores, entry.pairs.length, 'columns');
      pairAccuracy[entry.language] = meanPairAccuracy(forward, backward);
      return { entry, ranks: entry.source === pivot ? backward : forward };
    });
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
    report({ kind: 'evaluation', step, pairAccuracy, retrievalMRR: questions === null ? null : questionMrr(queryIds, documentIds, questions.documentOf, options) });
  };
}

function questionMrr(queries: readonly Uint32Array[], documents: readonly Uint32Array[], documentOf: readonly number[], options: LookOptions): number {
  const scores = scoresOf(queries, documents, options);
  let sum = 0;
  queries.forEach((_, q) => {
    const right = documentOf[q] ?? 0;
    const own = scores[q * documents.length + right] ?? 0;
    let rank = 1;
    for (let d = 0; d < documents.length; d += 1) if (d !== right && (scores[q * documents.length + d] ?? 0) >= own) rank += 1;
    if (rank <= DEEPEST_RANK) sum += 1 / rank;
  });
  return queries.length === 0 ? 0 : sum / queries.length;
}

/** Cosines [left, right] of the unwhitened vectors. */
function scoresOf(left: readonly Uint32Array[], right: readonly Uint32Array[], { kernels, memory, parameters }: LookOptions): Float32Array {
  const mark = memory.mark();
  try {
    const scores = memory.float32(left.length * right.length);
    kernels.scoreMatrix({ queries: unitVectors(left, { kernels, memory, parameters }), documents: unitVectors(right, { kernels, memory, parameters }), scores, width: parameters.width });
    return Float32Array.from(scores);
  } finally {
    memory.release(mark);
  }
}

/** Vectors of length 1 in the kernel memory, float32 [bags, H]; the caller releases them. */
export function unitVectors(bags: readonly Uint32Array[], { kernels, memory, parameters }: Pick<LookOptions, 'kernels' | 'memory' | 'parameters'>): Float32Array {
  const { width, vocabularySize, table, logWeights } = parameters;
  const pooled = memory.float32(bags.length * width);
  const mark = memory.mark();
  const weights = memory.float32(vocabularySize);
  for (let t = 0; t < vocabularySize; t += 1) weights[t] = Math.exp(logWeights[t] ?? 0);
  kernels.embeddingBagForward({ table, weights, ...packBags(bags), pooled, width });
  memory.release(mark);
  for (let b = 0; b < bags.length; b += 1) {
    const row = pooled.subarray(b * width, (b + 1) * width);
    const squares = kernels.dot(row, row);
    if (squares > 0) kernels.scale(row, 1 / Math.sqrt(squares));
  }
  return pooled;
}
