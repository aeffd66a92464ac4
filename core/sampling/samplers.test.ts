/** Do the samplers of questions, pairs and sentences, the mask and the crop do what the losses rely on? */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { keysOfTexts, NO_KEY } from './keys.ts';
import { createParallelSampler } from './parallel-batches.ts';
import { createQuestionSampler, sameDocumentMask } from './question-batches.ts';
import { randomCrop } from './random-crop.ts';
import { createSentenceSampler } from './sentence-batches.ts';

describe('keys', () => {
  it('are equal exactly where texts are equal, over all lists', () => {
    expect(keysOfTexts([['a', 'b', 'a'], ['b', null, 'c']]).map((list) => [...list])).toEqual([[0, 1, 0], [1, NO_KEY, 2]]);
  });
});

describe('question batches', () => {
  it('hold each passage and each question once, with five questions to a passage', () => {
    const passages = Array.from({ length: 400 }, (_, pair) => `passage ${Math.floor(pair / 5)}`);
    const queries = Array.from({ length: 400 }, (_, pair) => (pair % 40 === 0 ? 'who was he?' : `question ${pair}`));
    const [passageKeys = new Int32Array(), queryKeys = new Int32Array()] = keysOfTexts([passages, queries]);
    const { batchAt } = createQuestionSampler({ sources: [{ passageKeys, queryKeys }], batchSize: 50, seed: 1 });
    for (let step = 0; step < 64; step += 1) {
      const { indices } = batchAt(step);
      expect(indices.length).toBeGreaterThan(40);
      expect(new Set([...indices].map((index) => passages[index])).size).toBe(indices.length);
      expect(new Set([...indices].map((index) => queries[index])).size).toBe(indices.length);
    }
  });

  it('take several corpora in proportion to their size', () => {
    const [a = new Int32Array(), b = new Int32Array()] = keysOfTexts([Array.from({ length: 900 }, (_, i) => `a${i}`), Array.from({ length: 300 }, (_, i) => `b${i}`)]);
    expect([...createQuestionSampler({ sources: [a, b].map((keys) => ({ passageKeys: keys, queryKeys: new Int32Array(keys.length).fill(NO_KEY) })), batchSize: 40, seed: 1 }).places]).toEqual([30, 10]);
  });
});

describe('the mask of passages of the same document', () => {
  it('is set off the diagonal where documents are equal, and never for unknown ones', () => {
    const mask = sameDocumentMask({ queryDocuments: Int32Array.of(7, 8, 7, NO_KEY), documents: Int32Array.of(7, 8, 7, NO_KEY, 8, NO_KEY) });
    expect([...mask]).toEqual([
      0, 0, 1, 0, 0, 0,
      0, 0, 0, 0, 1, 0,
      1, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0,
    ]);
  });
});

describe('parallel batches', () => {
  it('mix the language pairs by the square root of their sizes and hold an English sentence of two corpora once', () => {
    const english = Array.from({ length: 400 }, (_, i) => `verse ${i}`);
    const swahili = Array.from({ length: 400 }, (_, i) => `mstari ${i}`);
    const spanish = Array.from({ length: 100 }, (_, i) => `verso ${i}`);
    const [enSw = new Int32Array(), sw = new Int32Array(), enEs = new Int32Array(), es = new Int32Array()] = keysOfTexts([english, swahili, english.slice(0, 100), spanish]);
    const { batchAt, places } = createParallelSampler({ sources: [{ sourceKeys: enSw, targetKeys: sw }, { sourceKeys: enEs, targetKeys: es }], batchSize: 60, seed: 1 });
    expect([...places]).toEqual([40, 20]);
    for (let step = 0; step < 64; step += 1) {
      const { sources, indices } = batchAt(step);
      expect(new Set(sources)).toEqual(new Set([0, 1]));
      expect(new Set([...indices].map((index) => english[index])).size).toBe(indices.length);
    }
  });
});

describe('sentence batches', () => {
  it('take as many sentences of each language', () => {
    const [yoruba = new Int32Array(), thai = new Int32Array()] = keysOfTexts([Array.from({ length: 30 }, (_, i) => `y${i}`), Array.from({ length: 3000 }, (_, i) => `t${i}`)]);
    expect([...createSentenceSampler({ languages: [yoruba, thai], batchSize: 20, seed: 1 }).places]).toEqual([10, 10]);
  });
});

describe('a random crop', () => {
  const ids = Uint32Array.from({ length: 10 }, (_, i) => i);

  it('is the text itself when that is short enough', () => {
    expect(randomCrop(ids, 10, seededRandom(1, 'crop'))).toBe(ids);
  });

  it('is a window of the asked length; every start comes, about equally often', () => {
    const random = seededRandom(1, 'crop');
    const starts = new Array<number>(7).fill(0);
    const draws = 7000;
    for (let draw = 0; draw < draws; draw += 1) {
      const crop = randomCrop(ids, 4, random);
      const first = crop[0] ?? -1;
      expect([...crop]).toEqual([first, first + 1, first + 2, first + 3]);
      starts[first] = (starts[first] ?? 0) + 1;
    }
    for (const count of starts) expect(Math.abs(count - 1000)).toBeLessThan(150); // five standard deviations
  });

  it('is the same for the same seed and position', () => {
    expect(randomCrop(ids, 4, seededRandom(1, 'crop', 17))).toEqual(randomCrop(ids, 4, seededRandom(1, 'crop', 17)));
  });
});
