/** Which passages are mistaken for the answer? Those that somebody said are wrong, then those that BM25 or the model itself ranks high though they answer another question. */
import { pauseFor } from '../base/pause.ts';
import { seededPermutation, seededRandom } from '../base/random.ts';
import { buildLexicalIndex } from '../retrieval/lexical-index.ts';
import { CANDIDATES_PER_NEGATIVE } from './corpora.ts';
import type { PreparedTexts } from './prepare.ts';
import { similaritiesOf } from './similarities.ts';
import type { TrainableEncoder } from './trainable-encoder.ts';

/** Passages that the model ranks when it mines; a larger collection is sampled anew each time. */
const MOST_RANKED_PASSAGES = 20_000;
/** Questions ranked at once. */
const QUESTIONS_AT_ONCE = 256;

/** Which passages (numbers of the retrieval data) are hard to tell from the answer of a question; none of them answers it. */
export type NegativesOf = (options: { readonly question: number; readonly step: number }) => readonly number[];

/** All passages that answer a question: its own and those of questions with the same words. */
export function answersByQuestion({ corpora, retrieval }: PreparedTexts): (question: number) => ReadonlySet<number> {
  const byText = new Map<string, Set<number>>();
  const keyOf = (question: number): string => (corpora.retrieval[question]?.query ?? '').trim().toLowerCase();
  retrieval.passageOf.forEach((passage, question) => {
    const answers = byText.get(keyOf(question)) ?? new Set();
    byText.set(keyOf(question), answers.add(passage));
  });
  return (question) => byText.get(keyOf(question)) ?? new Set();
}

/** A draw of `count` of the candidates that a step makes; always the same for a seed. */
function drawn(candidates: readonly number[], options: { readonly count: number; readonly seed: number; readonly question: number; readonly step: number }): readonly number[] {
  const { count, seed, question, step } = options;
  if (candidates.length <= count) return candidates;
  const order = seededPermutation(candidates.length, { seed, purpose: `hard negatives ${question}`, position: step });
  return [...order.subarray(0, count)].map((place) => candidates[place] ?? 0);
}

/** Negatives that the corpora name (a person's judgements, hard negatives of DPR or MS MARCO), without those that answer the question elsewhere; null when they name none. */
export function saidNegatives({ texts, count, seed }: { readonly texts: PreparedTexts; readonly count: number; readonly seed: number }): NegativesOf | null {
  const { negativesOf } = texts.retrieval;
  if (negativesOf.every(({ length }) => length === 0)) return null;
  const answersOf = answersByQuestion(texts);
  return ({ question, step }) => {
    const said = negativesOf[question] ?? [];
    if (said.length === 0) return [];
    const answers = answersOf(question);
    return drawn([...new Set(said)].filter((passage) => !answers.has(passage)), { count, seed, question, step });
  };
}

/** At most `count` for a question: what was said first, then what was mined. */
export function saidBeforeMined(said: NegativesOf | null, mined: NegativesOf | null, count: number): NegativesOf | undefined {
  if (said === null || mined === null) return said ?? mined ?? undefined;
  return (asked) => [...new Set([...said(asked), ...mined(asked)])].slice(0, count);
}

/** Negatives by BM25 over character n-grams, which needs no language: a function of (question, step) without a state. */
export function bm25Negatives(options: { readonly texts: PreparedTexts; readonly count: number; readonly seed: number }): NegativesOf {
  const { texts, count, seed } = options;
  const answersOf = answersByQuestion(texts);
  const { corpora, retrieval } = texts;
  const passages: string[] = [];
  corpora.retrieval.forEach((example, question) => {
    passages[retrieval.passageOf[question] ?? 0] ??= example.passage;
  });
  const index = buildLexicalIndex(passages);
  const known = new Map<number, readonly number[]>();
  return ({ question, step }) => {
    let candidates = known.get(question);
    if (candidates === undefined) {
      const answers = answersOf(question);
      const { documents, scores } = index.byCharacters(corpora.retrieval[question]?.query ?? '', CANDIDATES_PER_NEGATIVE * count + answers.size, null);
      candidates = [...documents].filter((passage, place) => (scores[place] ?? 0) > 0 && !answers.has(passage)).slice(0, CANDIDATES_PER_NEGATIVE * count);
      known.set(question, candidates);
    }
    return drawn(candidates, { count, seed, question, step });
  };
}

export type ModelNegatives = {
  readonly negativesOf: NegativesOf;
  /** int32 [questions, candidates]: number of a passage plus 1, 0 = none. Goes into checkpoints: it was made by weights that are gone. */
  readonly table: Int32Array;
  /** Mines anew when `round` (steps since the first that has questions) begins one, for the questions of that round, which starts at `step`. */
  readonly refresh: (round: number, step: number) => Promise<void>;
};

/** Negatives by the model as it was at the last refresh: ranks 1, 2 ... among the passages that do not answer. */
export function modelNegatives(options: {
  readonly texts: PreparedTexts;
  readonly count: number;
  readonly refreshEvery: number;
  readonly seed: number;
  readonly encoder: Pick<TrainableEncoder, 'vectors' | 'width'>;
  readonly questionsAt: (step: number) => Int32Array;
  readonly steps: () => number;
  readonly signal: AbortSignal;
}): ModelNegatives {
  const { texts, count, refreshEvery, seed, encoder, questionsAt, steps, signal } = options;
  const { queries, passages } = texts.retrieval;
  const answersOf = answersByQuestion(texts);
  const candidates = CANDIDATES_PER_NEGATIVE * count;
  const table = new Int32Array(queries.length * candidates);
  const mine = async (step: number): Promise<void> => {
    const asked = new Set<number>();
    for (let later = step; later < Math.min(steps(), step + refreshEvery); later += 1) for (const question of questionsAt(later)) asked.add(question);
    const ranked = rankedPassages(passages.length, seed, step);
    const right = await encoder.vectors([...ranked].map((passage) => passages[passage] ?? new Uint32Array(0)), 'document');
    const questions = [...asked];
    for (let start = 0; start < questions.length; start += QUESTIONS_AT_ONCE) {
      await pauseFor(signal);
      const some = questions.slice(start, start + QUESTIONS_AT_ONCE);
      const left = await encoder.vectors(some.map((question) => queries[question] ?? new Uint32Array(0)), 'query');
      const scores = similaritiesOf({ left, right, width: encoder.width });
      some.forEach((question, q) => {
        const answers = answersOf(question);
        const best = highest(scores.subarray(q * ranked.length, (q + 1) * ranked.length), candidates, (place) => !answers.has(ranked[place] ?? 0));
        const row = table.subarray(question * candidates, (question + 1) * candidates);
        row.fill(0);
        best.forEach((place, rank) => {
          row[rank] = (ranked[place] ?? 0) + 1;
        });
      });
    }
  };
  return {
    table,
    negativesOf: ({ question, step }) => {
      const row = [...table.subarray(question * candidates, (question + 1) * candidates)].filter((entry) => entry > 0);
      return drawn(row.map((entry) => entry - 1), { count, seed, question, step });
    },
    refresh: (round, step) => (round % refreshEvery === 0 ? mine(step) : Promise.resolve()),
  };
}

function rankedPassages(total: number, seed: number, step: number): Uint32Array {
  if (total <= MOST_RANKED_PASSAGES) return Uint32Array.from({ length: total }, (_, passage) => passage);
  const random = seededRandom(seed, 'ranked passages', step);
  const chosen = new Set<number>();
  while (chosen.size < MOST_RANKED_PASSAGES) chosen.add(random.integer(total));
  return Uint32Array.from(chosen);
}

/** The places of the highest scores that may be taken, best first; equal scores by place. */
function highest(scores: Float32Array, count: number, mayBeTaken: (place: number) => boolean): readonly number[] {
  const best: number[] = [];
  for (let place = 0; place < scores.length; place += 1) {
    const score = scores[place] ?? 0;
    const last = best.at(-1);
    if (best.length === count && last !== undefined && score <= (scores[last] ?? 0)) continue;
    if (!mayBeTaken(place)) continue;
    let at = best.length;
    while (at > 0 && (scores[best[at - 1] ?? 0] ?? 0) < score) at -= 1;
    best.splice(at, 0, place);
    if (best.length > count) best.pop();
  }
  return best;
}
