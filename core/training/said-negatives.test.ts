/** Facts about negatives that the corpora name: read, numbered, and put before those that are mined. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { collect } from '../corpus/records.ts';
import { readQuestionPairs } from '../corpus/question-pairs.ts';
import { sameDocumentKeys } from './document-keys.ts';
import { answersByQuestion, bm25Negatives, saidBeforeMined, saidNegatives } from './hard-negatives.ts';
import { openLossSessions } from './loss-sessions.ts';
import { prepareTraining, type PreparedTraining } from './prepare.ts';
import { smallRecipe } from './test-recipes.ts';
import { createTrainingBatches } from './training-batches.ts';
import type { TrainableEncoder } from './trainable-encoder.ts';

const never = new AbortController().signal;

/** The sample's questions, and `judged` of its own with these negatives. */
async function prepared(folder: string, changes: Readonly<Record<string, unknown>> = {}): Promise<PreparedTraining> {
  const lines = [
    { question: 'where do the fishermen cross', positive: 'they cross the river at the ford', negatives: ['they cross the desert by truck', 'nobody crosses anything', 'they cross the river at the ford'] },
    { question: 'who carries water', positive: 'the women carry water', negatives: ['they cross the desert by truck'] },
    { question: 'who carries water', positive: 'nobody crosses anything', negatives: ['the women carry water'] },
  ];
  writeFileSync(join(folder, 'judged.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const recipe = await smallRecipe(folder, { retrieval: [{ pairs: 'questions.jsonl' }, { pairs: 'judged.jsonl' }], losses: { semantic: { weight: 0 }, language: { weight: 0 } }, ...changes });
  return prepareTraining({ recipe, starter: null, signal: never, report: () => undefined });
}

const numberOf = (texts: PreparedTraining, query: string, place = 0): number => texts.corpora.retrieval.flatMap((example, i) => (example.query === query ? [i] : []))[place] ?? -1;

describe('question pairs', () => {
  it('carry the passages that do not answer; a list of something else is a problem of its line', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a.jsonl');
    writeFileSync(path, ['{"question":"q","positive":"p","negatives":["a"," ","b "]}', '{"query":"q","positive":"p","negative":"one"}', '{"query":"q","positive":"p","negatives":[1]}', '{"query":"q","positive":"p","negatives":null}', '{"query":"q","positive":"p","negatives":{"a":1}}'].join('\n'));
    const { records, problems } = await collect(readQuestionPairs(path, never));
    expect(records.map(({ negatives }) => negatives)).toEqual([['a', 'b'], ['one'], undefined]);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([[3, 'corpus.wrong-type'], [5, 'corpus.wrong-type']]);
  });

  it('share passages: a negative that answers another question is that passage, others stand behind all answers', () => {
    const { passages, passageOf, negativesOf } = sameDocumentKeys([
      { query: '1', passage: 'a', documentKey: 'a', negatives: ['b', 'x', 'a'] },
      { query: '2', passage: 'b', documentKey: 'b' },
      { query: '3', passage: 'c', documentKey: 'c', negatives: ['x', 'y'] },
    ]);
    expect(passages).toEqual(['a', 'b', 'c', 'x', 'y']);
    expect([...passageOf]).toEqual([0, 1, 2]);
    expect(negativesOf).toEqual([[1, 3], [], [3, 4]]);
  });
});

describe('negatives that were said', () => {
  it('are those of the question, never what answers the same words elsewhere, drawn anew for each step', async () => {
    using folder = temporaryFolder();
    const texts = await prepared(folder.path);
    const said = saidNegatives({ texts, count: 1, seed: 1 });
    const crossing = numberOf(texts, 'where do the fishermen cross');
    const own = texts.retrieval.negativesOf[crossing] ?? [];
    expect(own).toHaveLength(2);
    const drawn = new Set(Array.from({ length: 40 }, (_, step) => said?.({ question: crossing, step })).flatMap((one) => [...(one ?? [])]));
    expect(drawn).toEqual(new Set(own));
    expect(said?.({ question: crossing, step: 5 })).toEqual(saidNegatives({ texts, count: 1, seed: 1 })?.({ question: crossing, step: 5 }));
    const again = numberOf(texts, 'who carries water', 1); // its only negative answers the same question
    expect(texts.retrieval.negativesOf[again]).toHaveLength(1);
    expect(said?.({ question: again, step: 0 })).toEqual([]);
    expect(said?.({ question: 0, step: 0 })).toEqual([]);
  });

  it('come before those that are mined, which fill what is left', async () => {
    using folder = temporaryFolder();
    const texts = await prepared(folder.path);
    const answersOf = answersByQuestion(texts);
    const mined = bm25Negatives({ texts, count: 3, seed: 1 });
    const both = saidBeforeMined(saidNegatives({ texts, count: 3, seed: 1 }), mined, 3);
    const crossing = numberOf(texts, 'where do the fishermen cross');
    const found = both?.({ question: crossing, step: 2 }) ?? [];
    expect(found.slice(0, 2)).toEqual(texts.retrieval.negativesOf[crossing]);
    expect(found).toHaveLength(3);
    expect(found.some((passage) => answersOf(crossing).has(passage))).toBe(false);
    expect(both?.({ question: 0, step: 2 })).toEqual(mined({ question: 0, step: 2 }));
  });

  it('are there or not there', async () => {
    using folder = temporaryFolder();
    const texts = await prepared(folder.path, { retrieval: [{ pairs: 'questions.jsonl' }] });
    expect(saidNegatives({ texts, count: 1, seed: 1 })).toBeNull();
    expect(saidBeforeMined(null, null, 1)).toBeUndefined();
  });

  it('stand in the batches of a recipe that says nothing of hard negatives', async () => {
    using folder = temporaryFolder();
    const texts = await prepared(folder.path);
    await using sessions = openLossSessions({ settings: texts.recipe.losses, width: 32, threads: 1, device: 'cpu' });
    const encoder = { width: 32 } as unknown as TrainableEncoder; // nothing is mined, so it is not asked
    const { partsAt } = createTrainingBatches({ recipe: { ...texts.recipe, optimizer: { ...texts.recipe.optimizer, tokenDropout: 0 } }, texts, sessions, encoder, maskedAt: null, steps: () => 40, signal: never });
    const crossing = numberOf(texts, 'where do the fishermen cross');
    const negatives = (texts.retrieval.negativesOf[crossing] ?? []).map((number) => texts.retrieval.passages[number]);
    let asked = 0;
    for (let step = 0; step < 40; step += 1) {
      const [part] = partsAt(step);
      if (part?.texts.includes(texts.retrieval.queries[crossing] ?? new Uint32Array()) !== true) continue;
      asked += 1;
      expect(negatives.some((negative) => negative !== undefined && part.texts.includes(negative))).toBe(true);
    }
    expect(asked).toBeGreaterThan(0);
  });
});
