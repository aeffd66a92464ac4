import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { answersByQuestion, bm25Negatives, modelNegatives } from './hard-negatives.ts';
import { openLossSessions } from './loss-sessions.ts';
import { prepareTraining, type PreparedTraining } from './prepare.ts';
import { createStepBatches } from './step-batches.ts';
import { smallRecipe } from './test-recipes.ts';

const never = new AbortController().signal;
let texts: PreparedTraining;

/** The sample's questions, three of which are asked twice, with other answers. */
beforeAll(async () => {
  using folder = temporaryFolder();
  const prepared = await prepareTraining({ recipe: await smallRecipe(folder.path), starter: null, signal: never, report: () => undefined });
  const retrieval = prepared.corpora.retrieval.map((example, i) => (i < 3 ? { ...example, query: prepared.corpora.retrieval[i + 20]?.query ?? '' } : example));
  texts = { ...prepared, corpora: { ...prepared.corpora, retrieval } };
});

const questions = (): number[] => [...texts.retrieval.queries.keys()];

/** Every passage has a direction of its own and each question that of the passage after its answer: the model is always a bit wrong. */
function wrongModel(): Parameters<typeof modelNegatives>[0]['encoder'] {
  const width = texts.retrieval.passages.length;
  const unit = (directions: readonly number[]): Float32Array => {
    const vectors = new Float32Array(directions.length * width);
    directions.forEach((direction, i) => { vectors[i * width + (direction % width)] = 1; });
    return vectors;
  };
  return {
    width,
    vectors: (ids, role) => Promise.resolve(unit(ids.map((own) => (role === 'query' ? (texts.retrieval.passageOf[texts.retrieval.queries.indexOf(own)] ?? 0) + 1 : texts.retrieval.passages.indexOf(own))))),
  };
}

describe('hard negatives', () => {
  it('of BM25 share words with the question, and never answer it', () => {
    const negativesOf = bm25Negatives({ texts, count: 2, seed: 1 });
    const answersOf = answersByQuestion(texts);
    let found = 0;
    for (const question of questions()) {
      for (const passage of negativesOf({ question, step: 3 })) {
        found += 1;
        expect(answersOf(question).has(passage)).toBe(false);
      }
    }
    expect(found).toBeGreaterThan(questions().length);
    expect(answersOf(0).size).toBe(2); // its own, and that of the same words
    const word = 'water';
    const asked = questions().find((question) => ` ${texts.corpora.retrieval[question]?.query ?? ''} `.includes(` ${word} `)) ?? -1;
    expect(asked).toBeGreaterThan(-1);
  });

  it('are drawn anew for each step, the same for a seed', () => {
    const [one, again, other] = [bm25Negatives({ texts, count: 1, seed: 1 }), bm25Negatives({ texts, count: 1, seed: 1 }), bm25Negatives({ texts, count: 1, seed: 2 })];
    const drawn = (of: typeof one, step: number): number[] => questions().flatMap((question) => [...of({ question, step })]);
    expect(drawn(one, 4)).toEqual(drawn(again, 4));
    expect(drawn(one, 4)).not.toEqual(drawn(one, 5));
    expect(drawn(one, 4)).not.toEqual(drawn(other, 4));
  });

  it('of the model are what it mistakes for the answer, mined for the questions of a round', async () => {
    const mined = modelNegatives({ texts, count: 1, refreshEvery: 2, seed: 1, encoder: wrongModel(), questionsAt: (step) => Int32Array.of(4 * step, 4 * step + 1, 4 * step + 2), steps: () => 3, signal: never });
    expect(mined.negativesOf({ question: 0, step: 0 })).toEqual([]);
    await mined.refresh(0, 0);
    const answersOf = answersByQuestion(texts);
    for (const question of [0, 1, 2, 4, 5, 6]) {
      const first = (mined.table[question * 4] ?? 0) - 1;
      const wrong = ((texts.retrieval.passageOf[question] ?? 0) + 1) % texts.retrieval.passages.length;
      if (!answersOf(question).has(wrong)) expect(first).toBe(wrong);
      for (const passage of mined.negativesOf({ question, step: 1 })) expect(answersOf(question).has(passage)).toBe(false);
    }
    expect(mined.negativesOf({ question: 8, step: 2 })).toEqual([]); // of the next round
    await mined.refresh(1, 1); // within a round nothing is mined
    expect(mined.negativesOf({ question: 8, step: 2 })).toEqual([]);
    await mined.refresh(2, 2);
    expect(mined.negativesOf({ question: 8, step: 2 })).toHaveLength(1);
  });

  it('stand behind the answers of a batch, each passage once, and count against no question that they answer', async () => {
    const leaveOuts: Uint8Array[] = [];
    await using sessions = openLossSessions({ settings: texts.recipe.losses, width: 32, threads: 1, device: 'cpu' });
    const watched = { ...sessions, retrieval: (vectors: Float32Array, leaveOut: Uint8Array) => { leaveOuts.push(leaveOut); return sessions.retrieval(vectors, leaveOut); } };
    const recipe = { ...texts.recipe, losses: { ...texts.recipe.losses, semantic: { weight: 0, temperature: 1 }, language: { weight: 0, temperature: 1 } }, optimizer: { ...texts.recipe.optimizer, tokenDropout: 0 } };
    const { partsAt, questionsAt } = createStepBatches({ recipe, texts, sessions: watched, negativesOf: bm25Negatives({ texts, count: 2, seed: 1 }) });
    const plain = createStepBatches({ recipe, texts, sessions: watched });
    const answersOf = answersByQuestion(texts);
    for (const step of [0, 3, 8]) {
      const [part] = partsAt(step);
      const asked = questionsAt(step);
      const [bare] = plain.partsAt(step);
      expect(part?.texts.slice(0, 2 * asked.length)).toEqual(bare?.texts);
      const added = part?.texts.slice(2 * asked.length) ?? [];
      expect(added.length).toBeGreaterThan(asked.length / 2);
      const numbers = added.map((ids) => texts.retrieval.passages.indexOf(ids));
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const question of asked) expect(numbers).not.toContain(texts.retrieval.passageOf[question]);
      if (part?.kind !== 'vectors') throw new Error('expected a loss of vectors');
      const vectors = Float32Array.from({ length: part.texts.length * 32 }, (_, i) => Math.sin(i * i));
      expect((await part.evaluate(vectors)).gradient).toHaveLength(vectors.length);
      const mask = leaveOuts.at(-1) ?? new Uint8Array(0);
      const columns = asked.length + numbers.length;
      asked.forEach((question, i) => { numbers.forEach((passage, j) => { expect(mask[i * columns + asked.length + j]).toBe(answersOf(question).has(passage) ? 1 : 0); }); });
    }
  });
});
