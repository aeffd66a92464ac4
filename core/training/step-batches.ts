/** Which losses does a step compute, on which texts? A function of (seed, step) only, so a resumed run sees the same batches. */
import { seededRandom, type Random } from '../base/random.ts';
import { keysOfTexts } from '../sampling/keys.ts';
import { createParallelSampler } from '../sampling/parallel-batches.ts';
import { createQuestionSampler, sameDocumentMask } from '../sampling/question-batches.ts';
import { randomCrop } from '../sampling/random-crop.ts';
import { createSentenceSampler } from '../sampling/sentence-batches.ts';
import type { LossName, LossSessions } from './loss-sessions.ts';
import type { PreparedTraining } from './prepare.ts';
import { packBags, type LossPart } from './static-parameters.ts';

export type NamedLossPart = LossPart & { readonly name: LossName };

/** Non-parallel sentences beside the pairs of a step, for the language contrastive loss. */
const OTHERS_PER_PAIR = 0.5;

/**
 * The loss parts of each step. A loss takes part when its weight is above 0 and its data is there:
 *  retrieval: questions with a random window of their passage; semantic: pairs of mixed languages; language: the same pairs and
 *  sentences without a translation.
 */
export function createStepBatches(prepared: PreparedTraining, sessions: LossSessions): { readonly partsAt: (step: number) => NamedLossPart[] } {
  const { recipe, retrieval, parallel, monolingual, corpora } = prepared;
  const { losses, optimizer, seed } = recipe;
  const [queryKeys, passageKeys] = keysOfTexts([corpora.retrieval.map((example) => `q ${example.query}`), corpora.retrieval.map((example) => `p ${example.passage}`)]);
  const questions =
    losses.retrieval.weight > 0 && retrieval.queries.length > 1 && queryKeys !== undefined && passageKeys !== undefined
      ? createQuestionSampler({ sources: [{ passageKeys, queryKeys }], batchSize: optimizer.retrievalBatch, seed })
      : null;
  const pairKeys = keysOfTexts(parallel.flatMap(({ corpus }) => [corpus.pairs.map((pair) => pair.source), corpus.pairs.map((pair) => pair.target)]));
  const usesPairs = losses.semantic.weight > 0 || losses.language.weight > 0;
  const pairs =
    usesPairs && parallel.length > 0
      ? createParallelSampler({ sources: parallel.map((_, i) => ({ sourceKeys: pairKeys[2 * i] ?? new Int32Array(0), targetKeys: pairKeys[2 * i + 1] ?? new Int32Array(0) })), batchSize: Math.max(optimizer.parallelBatch, parallel.length), seed })
      : null;
  const languages = [...new Set(monolingual.map(({ language }) => language))];
  const sentencesOf = languages.map((language) => monolingual.filter((entry) => entry.language === language).flatMap(({ sentences }) => [...sentences]));
  const others =
    losses.language.weight > 0 && languages.length > 0
      ? createSentenceSampler({
          languages: keysOfTexts(languages.map((language) => corpora.monolingual.filter((corpus) => corpus.language === language).flatMap((corpus) => [...corpus.sentences]))),
          batchSize: Math.max(languages.length, Math.round(optimizer.parallelBatch * OTHERS_PER_PAIR)),
          seed,
        })
      : null;

  const questionPart = (step: number): NamedLossPart | null => {
    if (questions === null) return null;
    const { indices } = questions.batchAt(step);
    const random = seededRandom(seed, 'crop', step);
    const documents = Int32Array.from(indices, (index) => retrieval.passageOf[index] ?? 0);
    const queries = [...indices].map((index) => retrieval.queries[index] ?? new Uint32Array(0));
    const passages = [...documents].map((document) => dropTokens(randomCrop(retrieval.passages[document] ?? new Uint32Array(0), optimizer.passageTokens, random), optimizer.tokenDropout, random));
    const leaveOut = sameDocumentMask({ queryDocuments: documents, documents });
    return { name: 'retrieval', bags: packBags([...queries, ...passages]), evaluate: (pooled) => sessions.retrieval(pooled, leaveOut) };
  };

  const pairBags = (step: number): { sources: Uint32Array[]; targets: Uint32Array[] } => {
    const batch = pairs?.batchAt(step);
    const sources: Uint32Array[] = [];
    const targets: Uint32Array[] = [];
    const random = seededRandom(seed, 'token dropout', step);
    const thinned = (ids: Uint32Array | undefined): Uint32Array => dropTokens(ids ?? new Uint32Array(0), optimizer.tokenDropout, random);
    batch?.indices.forEach((index, i) => {
      const corpus = parallel[batch.sources[i] ?? 0];
      sources.push(thinned(corpus?.sources[index]));
      targets.push(thinned(corpus?.targets[index]));
    });
    return { sources, targets };
  };

  return {
    partsAt: (step) => {
      const parts: NamedLossPart[] = [];
      const question = questionPart(step);
      if (question !== null) parts.push(question);
      if (pairs === null) return parts;
      const { sources, targets } = pairBags(step);
      if (losses.semantic.weight > 0) parts.push({ name: 'semantic', bags: packBags([...sources, ...targets]), evaluate: (pooled) => sessions.semantic(pooled) });
      if (losses.language.weight > 0) {
        const batch = others?.batchAt(step);
        const rest = batch === undefined ? [] : [...batch.indices].map((index, i) => sentencesOf[batch.sources[i] ?? 0]?.[index] ?? new Uint32Array(0));
        const count = sources.length;
        if (2 * count + rest.length > 2) parts.push({ name: 'language', bags: packBags([...sources, ...targets, ...rest]), evaluate: (pooled) => sessions.language(pooled, count) });
      }
      return parts;
    },
  };
}

/** Leaves out each token with probability `share`; a text that would lose all keeps all. */
function dropTokens(ids: Uint32Array, share: number, random: Pick<Random, 'next'>): Uint32Array {
  if (share === 0) return ids;
  const kept = ids.filter(() => random.next() >= share);
  return kept.length === 0 ? ids : kept;
}
