/** Which losses does a step compute, on which texts? A function of (seed, step) only, so a resumed run sees the same batches. */
import { seededRandom, type Random } from '../base/random.ts';
import { keysOfTexts } from '../sampling/keys.ts';
import type { BatchSampler } from '../sampling/mixed-batches.ts';
import { createParallelSampler } from '../sampling/parallel-batches.ts';
import { createQuestionSampler, sameDocumentMask } from '../sampling/question-batches.ts';
import { randomCrop } from '../sampling/random-crop.ts';
import { createSentenceSampler } from '../sampling/sentence-batches.ts';
import type { Distillation } from './distillation.ts';
import { fusedLosses } from './fused-losses.ts';
import { answersByQuestion, type NegativesOf } from './hard-negatives.ts';
import type { LossSessions } from './loss-sessions.ts';
import type { PreparedTexts } from './prepare.ts';
import { isStatic, type Recipe } from './recipe-schema.ts';
import type { StepPart, VectorPart } from './trainable-encoder.ts';

/** Non-parallel sentences beside the pairs of a step, for the language contrastive loss. */
const OTHERS_PER_PAIR = 0.5;

export type StepBatches = {
  readonly partsAt: (step: number) => StepPart[];
  /** The questions of a step, or of those steps: for mining negatives beforehand. */
  readonly questionsAt: (step: number) => Int32Array;
};

/**
 * The loss parts of each step. A loss takes part when its weight is above 0 and its data is there:
 *  retrieval: questions with a random window of their passage, then hard negatives; semantic: pairs of mixed languages; language: the
 *  same pairs and sentences without a translation; distillation: pairs with the teacher's language.
 * With `accumulation` n a step has n batches, and each gradient counts 1/n.
 */
export function createStepBatches(options: { readonly recipe: Recipe; readonly texts: PreparedTexts; readonly sessions: LossSessions; readonly negativesOf?: NegativesOf | undefined; readonly distilledAt?: Distillation['partAt'] | undefined }): StepBatches {
  const { recipe } = options;
  const batches = createBatches(options);
  const accumulation = recipe.optimizer.accumulation ?? 1;
  const places = (step: number): readonly number[] => Array.from({ length: accumulation }, (_, k) => step * accumulation + k);
  return {
    partsAt: (step) => (accumulation === 1 ? batches.partsAt(step, step) : places(step).flatMap((place) => batches.partsAt(place, step).map((part) => shareOf(part, accumulation)))),
    questionsAt: (step) => Int32Array.from(places(step).flatMap((place) => [...batches.questionsAt(place)])),
  };
}

function shareOf(part: VectorPart, accumulation: number): VectorPart {
  return {
    ...part,
    fused: undefined,
    evaluate: async (vectors) => {
      const { loss, gradient } = await part.evaluate(vectors);
      return { loss, gradient: gradient.map((value) => value / accumulation) };
    },
  };
}

type Batches = { readonly partsAt: (place: number, step: number) => VectorPart[]; readonly questionsAt: (place: number) => Int32Array };

function createBatches({ recipe, texts, sessions, negativesOf, distilledAt }: Parameters<typeof createStepBatches>[0]): Batches {
  const { retrieval, parallel } = texts;
  const { losses, seed } = recipe;
  const { passageTokens, tokenDropout } = isStatic(recipe) ? recipe.optimizer : WHOLE_TEXTS;
  const { questions, pairs, others, sentencesOf } = createSamplers(recipe, texts);
  const answersOf = negativesOf === undefined ? () => NOTHING : answersByQuestion(texts);
  const fused = isStatic(recipe) ? null : fusedLosses(losses);
  const bothEncoders = !isStatic(recipe) && recipe.encoder.encoders === 'separate' && recipe.losses.contrastiveOn === 'both';

  const questionPart = (place: number, step: number): VectorPart | null => {
    if (questions === null) return null;
    const { indices } = questions.batchAt(place);
    const random = seededRandom(seed, 'crop', place);
    const answers = Int32Array.from(indices, (index) => retrieval.passageOf[index] ?? 0);
    const negatives = negativesOf === undefined ? [] : newPassages(answers, [...indices].flatMap((question) => [...negativesOf({ question, step })]));
    const documents = Int32Array.from([...answers, ...negatives]);
    const queries = [...indices].map((index) => retrieval.queries[index] ?? new Uint32Array(0));
    const passages = [...documents].map((document) => dropTokens(randomCrop(retrieval.passages[document] ?? new Uint32Array(0), passageTokens, random), tokenDropout, random));
    const leaveOut = sameDocumentMask({ queryDocuments: answers, documents });
    indices.forEach((question, i) => {
      for (let j = answers.length; j < documents.length; j += 1) if (answersOf(question).has(documents[j] ?? -1)) leaveOut[i * documents.length + j] = 1;
    });
    return { kind: 'vectors', name: 'retrieval', texts: [...queries, ...passages], queries: queries.length, evaluate: (vectors) => sessions.retrieval(vectors, leaveOut), fused: fused?.retrieval(queries.length, passages.length, leaveOut) };
  };

  const pairTexts = (place: number): { sources: Uint32Array[]; targets: Uint32Array[] } => {
    const batch = pairs?.batchAt(place);
    const sources: Uint32Array[] = [];
    const targets: Uint32Array[] = [];
    const random = seededRandom(seed, 'token dropout', place);
    const thinned = (ids: Uint32Array | undefined): Uint32Array => dropTokens(ids ?? new Uint32Array(0), tokenDropout, random);
    batch?.indices.forEach((index, i) => {
      const corpus = parallel[batch.sources[i] ?? 0];
      sources.push(thinned(corpus?.sources[index]));
      targets.push(thinned(corpus?.targets[index]));
    });
    return { sources, targets };
  };

  return {
    questionsAt: (place) => questions?.batchAt(place).indices ?? new Int32Array(0),
    partsAt: (place, step) => {
      const parts: VectorPart[] = [];
      const question = questionPart(place, step);
      if (question !== null) parts.push(question);
      if (distilledAt !== undefined) parts.push(distilledAt(place));
      if (pairs === null) return parts;
      const { sources, targets } = pairTexts(place);
      const contrast = (part: Omit<VectorPart, 'kind' | 'queries'>): void => {
        parts.push({ ...part, kind: 'vectors', queries: 0 });
        if (bothEncoders) parts.push({ ...part, kind: 'vectors', queries: part.texts.length });
      };
      if (losses.semantic.weight > 0) contrast({ name: 'semantic', texts: [...sources, ...targets], evaluate: (vectors) => sessions.semantic(vectors), fused: fused?.semantic(sources.length) });
      if (losses.language.weight > 0) {
        const batch = others?.batchAt(place);
        const rest = batch === undefined ? [] : [...batch.indices].map((index, i) => sentencesOf[batch.sources[i] ?? 0]?.[index] ?? new Uint32Array(0));
        const count = sources.length;
        if (2 * count + rest.length > 2) contrast({ name: 'language', texts: [...sources, ...targets, ...rest], evaluate: (vectors) => sessions.language(vectors, count) });
      }
      return parts;
    },
  };
}

const NOTHING: ReadonlySet<number> = new Set();

/** Transformers read texts as their tokenizer cut them, begin and end marks included. */
const WHOLE_TEXTS = { passageTokens: Number.MAX_SAFE_INTEGER, tokenDropout: 0 };

type Samplers = {
  readonly questions: BatchSampler | null;
  readonly pairs: BatchSampler | null;
  readonly others: BatchSampler | null;
  readonly sentencesOf: readonly (readonly Uint32Array[])[];
};

function createSamplers(recipe: Recipe, { retrieval, parallel, monolingual, corpora }: PreparedTexts): Samplers {
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
  return { questions, pairs, others, sentencesOf };
}

/** Each passage once, without those that the batch holds as answers. */
function newPassages(answers: Int32Array, passages: readonly number[]): readonly number[] {
  const known = new Set(answers);
  return [...new Set(passages)].filter((passage) => !known.has(passage));
}

/** Leaves out each token with probability `share`; a text that would lose all keeps all. */
export function dropTokens(ids: Uint32Array, share: number, random: Pick<Random, 'next'>): Uint32Array {
  if (share === 0) return ids;
  const kept = ids.filter(() => random.next() >= share);
  return kept.length === 0 ? ids : kept;
}
