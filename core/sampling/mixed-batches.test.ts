/** Are batches a pure function of the step, complete over an epoch, without repetition, and mixed as asked? */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { keysOfTexts, NO_KEY } from './keys.ts';
import { createBatchSampler, type Batch, type BatchSource } from './mixed-batches.ts';

const STEPS_PER_ROUND = 64;

/** `size` pairs whose sentences are drawn from so few that many repeat. */
function repetitiveSources(sizes: readonly number[], sentences: number): readonly BatchSource[] {
  const random = seededRandom(5, 'sentences');
  const texts = sizes.flatMap((size) => [0, 1].map(() => Array.from({ length: size }, () => `sentence ${random.integer(sentences)}`)));
  const keys = keysOfTexts(texts);
  return sizes.map((size, source) => ({ size, keys: keys.slice(2 * source, 2 * source + 2) }));
}

function distinctSources(sizes: readonly number[]): readonly BatchSource[] {
  return sizes.map((size, source) => ({ size, keys: [Int32Array.from({ length: size }, (_, index) => source * 1_000_000 + index)] }));
}

function keysInBatch(batch: Batch, sources: readonly BatchSource[]): readonly number[] {
  return [...batch.indices].flatMap((index, i) => [...new Set(sources[batch.sources[i] ?? 0]?.keys.map((list) => list[index] ?? NO_KEY))]);
}

/** How often each record of a source came in the first steps. */
function visits(batchAt: (step: number) => Batch, options: { readonly steps: number; readonly source: number; readonly size: number }): readonly number[] {
  const counts = new Array<number>(options.size).fill(0);
  for (let step = 0; step < options.steps; step += 1) {
    const batch = batchAt(step);
    batch.indices.forEach((index, i) => {
      if (batch.sources[i] === options.source) counts[index] = (counts[index] ?? 0) + 1;
    });
  }
  return counts;
}

describe('the batch of a step', () => {
  const sources = repetitiveSources([700, 300, 90], 2000);
  const options = { sources, batchSize: 60, exponent: 0.5, seed: 1, purpose: 'test' };

  it('is the same whether one walks there or resumes there', () => {
    const walked = createBatchSampler(options);
    const batches = Array.from({ length: 3 * STEPS_PER_ROUND }, (_, step) => walked.batchAt(step));
    for (const step of [191, 0, 64, 63, 130]) expect(createBatchSampler(options).batchAt(step)).toEqual(batches[step]);
    expect(walked.batchAt(7)).toEqual(batches[7]);
  });

  it('differs between steps, seeds and purposes', () => {
    const first = createBatchSampler(options).batchAt(0);
    expect(createBatchSampler(options).batchAt(1)).not.toEqual(first);
    expect(createBatchSampler({ ...options, seed: 2 }).batchAt(0)).not.toEqual(first);
    expect(createBatchSampler({ ...options, purpose: 'other' }).batchAt(0)).not.toEqual(first);
  });

  it('holds no sentence twice, neither within a source nor across sources, though the sources repeat many', () => {
    const sampler = createBatchSampler(options);
    const all = sources.flatMap(({ keys }) => keys.flatMap((list) => [...list]));
    expect(new Set(all).size).toBeLessThan(all.length * 0.75); // the test is not vacuous
    for (let step = 0; step < 2 * STEPS_PER_ROUND; step += 1) {
      const keys = keysInBatch(sampler.batchAt(step), sources);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('has the usual size but for a few moved records', () => {
    const sampler = createBatchSampler(options);
    const sizes = Array.from({ length: 2 * STEPS_PER_ROUND }, (_, step) => sampler.batchAt(step).indices.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2 * STEPS_PER_ROUND * 60);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(55);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65);
  });

  it('draws from the sources as their places say, over a round', () => {
    const sampler = createBatchSampler(options);
    sources.forEach(({ size }, source) => {
      const drawn = visits(sampler.batchAt, { steps: STEPS_PER_ROUND, source, size }).reduce((sum, count) => sum + count, 0);
      expect(drawn).toBe(STEPS_PER_ROUND * (sampler.places[source] ?? 0));
    });
  });

  it('refuses steps before the first', () => {
    expect(() => createBatchSampler(options).batchAt(-1)).toThrow(InvariantError);
  });
});

describe('an epoch', () => {
  it('visits every record exactly once', () => {
    const [steps, places] = [STEPS_PER_ROUND, 25];
    const sources = distinctSources([steps * places]);
    const { batchAt, epochsAfter } = createBatchSampler({ sources, batchSize: places, exponent: 1, seed: 3, purpose: 'test' });
    expect(epochsAfter(steps)).toEqual([1]);
    expect(visits(batchAt, { steps, source: 0, size: steps * places })).toEqual(new Array(steps * places).fill(1));
    expect(visits(batchAt, { steps: 2 * steps, source: 0, size: steps * places })).toEqual(new Array(steps * places).fill(2));
  });

  it('visits every record once also where sentences repeat and the epoch ends within a round', () => {
    const sources = repetitiveSources([1003, 411], 1500);
    const { batchAt, epochsAfter } = createBatchSampler({ sources, batchSize: 40, exponent: 0.5, seed: 3, purpose: 'test' });
    for (const rounds of [1, 2, 5]) {
      const steps = rounds * STEPS_PER_ROUND;
      sources.forEach(({ size }, source) => {
        const epochs = epochsAfter(steps)[source] ?? 0;
        const counts = visits(batchAt, { steps, source, size });
        expect(new Set(counts)).toEqual(Number.isInteger(epochs) ? new Set([epochs]) : new Set([Math.floor(epochs), Math.ceil(epochs)]));
      });
    }
  });

  it('comes in another order than the one before', () => {
    const sources = distinctSources([30]);
    const { batchAt } = createBatchSampler({ sources, batchSize: 30, exponent: 1, seed: 3, purpose: 'test' });
    expect([...batchAt(0).indices].sort((a, b) => a - b)).toEqual([...batchAt(1).indices].sort((a, b) => a - b));
    expect(batchAt(0).indices).not.toEqual(batchAt(1).indices);
  });
});

describe('batches of odd sources', () => {
  it('hold all records when there are fewer than places', () => {
    const sources = distinctSources([3, 0, 2]);
    const { batchAt } = createBatchSampler({ sources, batchSize: 100, exponent: 0.5, seed: 1, purpose: 'test' });
    expect([...batchAt(9).sources]).toEqual([0, 0, 0, 2, 2]);
  });

  it('leave out what stands in every batch, and nothing else', () => {
    const keys = Int32Array.from({ length: 200 }, (_, index) => (index < 150 ? 0 : index)); // one sentence 150 times
    const { batchAt } = createBatchSampler({ sources: [{ size: 200, keys: [keys] }], batchSize: 4, exponent: 1, seed: 1, purpose: 'test' });
    const drawn = Array.from({ length: STEPS_PER_ROUND }, (_, step) => batchAt(step)).flatMap(({ indices }) => [...indices]);
    expect(drawn.filter((index) => index < 150)).toHaveLength(STEPS_PER_ROUND); // one in each batch
    expect(new Set(drawn.filter((index) => index >= 150)).size).toBe(50);
  });

  it('let records without a key meet', () => {
    const { batchAt } = createBatchSampler({ sources: [{ size: 5, keys: [new Int32Array(5).fill(NO_KEY)] }], batchSize: 5, exponent: 1, seed: 1, purpose: 'test' });
    expect(batchAt(0).indices).toHaveLength(5);
  });

  it('never repeat a key, whatever the sources', () => {
    const list = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), fc.integer({ min: 4, max: 20 }), fc.integer({ min: 0, max: 200 }), (lists, batchSize, step) => {
        const sources = lists.map((keys) => ({ size: keys.length, keys: [Int32Array.from(keys)] }));
        const keys = keysInBatch(createBatchSampler({ sources, batchSize, exponent: 0.5, seed: 1, purpose: 'test' }).batchAt(step), sources);
        return new Set(keys).size === keys.length;
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('refuse keys of another length', () => {
    expect(() => createBatchSampler({ sources: [{ size: 2, keys: [Int32Array.of(1)] }], batchSize: 1, exponent: 1, seed: 1, purpose: 'test' })).toThrow(InvariantError);
  });
});
