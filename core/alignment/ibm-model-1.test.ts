import { describe, expect, it } from 'vitest';
import { digamma } from '../base/digamma.ts';
import { seededRandom } from '../base/random.ts';
import { trainIbmModel1, type IbmModel1Options } from './ibm-model-1.ts';
import type { SparseTable } from './sparse-table.ts';

const EMPTY_WORD_SHARE = 0.08;
const BINS = 128;

/** The corpus of the textbooks: la casa - the house, la casa verde - the green house, casa verde - green house ... */
const WORDS = { la: 0, casa: 1, verde: 2, gato: 3 } as const;
const ENGLISH = { the: 0, house: 1, green: 2, cat: 3 } as const;
const TOY: IbmModel1Options['pairs'] = {
  sources: [[WORDS.la, WORDS.casa], [WORDS.la, WORDS.casa, WORDS.verde], [WORDS.casa], [WORDS.la, WORDS.gato], [WORDS.gato, WORDS.verde]].map((ids) => Uint32Array.from(ids)),
  targets: [[ENGLISH.the, ENGLISH.house], [ENGLISH.the, ENGLISH.green, ENGLISH.house], [ENGLISH.house], [ENGLISH.the, ENGLISH.cat], [ENGLISH.green, ENGLISH.cat]].map((ids) => Uint32Array.from(ids)),
};
const toyOptions = { pairs: TOY, sourceSize: 4, targetSize: 4, iterations: 40, maximumTokens: 40, prior: 0, diagonal: 0 };

const probability = (table: SparseTable, source: number, target: number): number => {
  for (let k = table.offsets[source] ?? 0; k < (table.offsets[source + 1] ?? 0); k += 1) if (table.targets[k] === target) return table.probabilities[k] ?? 0;
  return 0;
};

/** The definition, in float64, with maps and without any cleverness. */
function slowModel1({ pairs, sourceSize, iterations, maximumTokens, prior, diagonal }: IbmModel1Options): Map<string, number> {
  const t = new Map<string, number>();
  const empty = sourceSize;
  const sentences = pairs.sources.map((source, n) => ({ f: [...source.subarray(0, maximumTokens)], e: [...(pairs.targets[n]?.subarray(0, maximumTokens) ?? [])], weight: pairs.weights?.[n] ?? 1 }));
  for (const { f, e } of sentences) for (const source of [...f, empty]) for (const target of e) t.set(`${source} ${target}`, 1);
  for (let round = 0; round < iterations; round += 1) {
    const counts = new Map<string, number>();
    for (const { f, e, weight } of sentences) {
      e.forEach((target, j) => {
        const preference = f.map((_, i) => (diagonal === 0 ? 1 : Math.exp((-diagonal * Math.floor(Math.abs((i + 0.5) / f.length - (j + 0.5) * (1 / e.length)) * BINS)) / BINS)));
        const sum = preference.reduce((a, b) => a + b, 0);
        const shares = f.map((source, i) => ({ source, share: ((1 - EMPTY_WORD_SHARE) * (preference[i] ?? 0) * (t.get(`${source} ${target}`) ?? 0)) / sum }));
        shares.push({ source: empty, share: EMPTY_WORD_SHARE * (t.get(`${empty} ${target}`) ?? 0) });
        const total = shares.reduce((a, { share }) => a + share, 0);
        for (const { source, share } of shares) counts.set(`${source} ${target}`, (counts.get(`${source} ${target}`) ?? 0) + (weight * share) / total);
      });
    }
    for (let source = 0; source <= sourceSize; source += 1) {
      const row = [...t.keys()].filter((key) => key.startsWith(`${source} `));
      const total = row.reduce((a, key) => a + (counts.get(key) ?? 0), 0);
      for (const key of row) {
        const count = counts.get(key) ?? 0;
        t.set(key, prior === 0 ? count / total : Math.exp(digamma(count + prior) - digamma(total + prior * row.length)));
      }
    }
  }
  return t;
}

function randomOptions(changes: Partial<IbmModel1Options>): IbmModel1Options {
  const random = seededRandom(5, 'alignment test');
  const sentence = (size: number): Uint32Array => Uint32Array.from({ length: 1 + random.integer(9) }, () => random.integer(size));
  const pairs = Array.from({ length: 60 }, () => ({ source: sentence(15), target: sentence(12) }));
  return {
    pairs: { sources: pairs.map(({ source }) => source), targets: pairs.map(({ target }) => target), weights: Float32Array.from(pairs, (_, i) => (i % 3 === 0 ? 0.3 : 1)) },
    sourceSize: 17, // two sources are never seen
    targetSize: 12,
    iterations: 6,
    maximumTokens: 7,
    prior: 0,
    diagonal: 0,
    ...changes,
  };
}

describe('trainIbmModel1', () => {
  it('after one round gives the counts worked out by hand', async () => {
    const pairs = { sources: [Uint32Array.of(0, 1), Uint32Array.of(1)], targets: [Uint32Array.of(0, 1), Uint32Array.of(1)] };
    const table = await trainIbmModel1({ ...toyOptions, pairs, sourceSize: 2, targetSize: 2, iterations: 1 });
    // "la casa" - "the house", "casa" - "house": all t = 1, so each word of the first pair gives .46 to either word, "casa" .92 in the second
    expect(probability(table, 0, 0)).toBeCloseTo(0.5, 6);
    expect(probability(table, 0, 1)).toBeCloseTo(0.5, 6);
    expect(probability(table, 1, 0)).toBeCloseTo(0.46 / (0.46 + 0.46 + 0.92), 6);
    expect(probability(table, 1, 1)).toBeCloseTo(1.38 / 1.84, 6);
  });

  it('finds that casa is house, verde green, gato cat and la the', async () => {
    const table = await trainIbmModel1(toyOptions);
    for (const [source, target] of [[WORDS.la, ENGLISH.the], [WORDS.casa, ENGLISH.house], [WORDS.verde, ENGLISH.green], [WORDS.gato, ENGLISH.cat]] as const) {
      expect(probability(table, source, target)).toBeGreaterThan(0.95);
    }
  });

  it('has rows that sum to 1 without a prior, ascend, and are empty for words never seen', async () => {
    const table = await trainIbmModel1(randomOptions({}));
    expect(table.offsets).toHaveLength(18);
    expect(table.targets).toHaveLength(table.probabilities.length);
    let rows = 0;
    for (let source = 0; source < table.sourceSize; source += 1) {
      const [start, end] = [table.offsets[source] ?? 0, table.offsets[source + 1] ?? 0];
      if (start === end) continue;
      rows += 1;
      expect(table.probabilities.subarray(start, end).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
      expect([...table.targets.subarray(start, end)]).toEqual([...new Set(table.targets.subarray(start, end))].sort((a, b) => a - b));
    }
    expect(rows).toBe(15);
  });

  it.each([
    ['Model 1', {}],
    ['with the diagonal', { diagonal: 3 }],
    ['with a prior', { prior: 0.01 }],
    ['with both', { prior: 0.1, diagonal: 6 }],
  ])('equals a slow float64 implementation within 1e-5: %s', async (_name, changes) => {
    const options = randomOptions(changes);
    const table = await trainIbmModel1(options);
    const reference = slowModel1(options);
    let compared = 0;
    for (let source = 0; source < options.sourceSize; source += 1) {
      for (let target = 0; target < options.targetSize; target += 1) {
        expect(Math.abs(probability(table, source, target) - (reference.get(`${source} ${target}`) ?? 0))).toBeLessThan(1e-5);
        compared += reference.has(`${source} ${target}`) ? 1 : 0;
      }
    }
    expect(compared).toBeGreaterThan(100);
    expect(compared).toBe(table.targets.length);
  });

  it('counts a pair of weight 2 as that pair twice', async () => {
    const weighted = await trainIbmModel1({ ...toyOptions, iterations: 5, pairs: { ...TOY, weights: Float32Array.of(2, 1, 1, 1, 1) } });
    const repeated = await trainIbmModel1({ ...toyOptions, iterations: 5, pairs: { sources: [...TOY.sources, ...TOY.sources.slice(0, 1)], targets: [...TOY.targets, ...TOY.targets.slice(0, 1)] } });
    const single = await trainIbmModel1({ ...toyOptions, iterations: 5 });
    expect(weighted.targets).toEqual(repeated.targets);
    weighted.probabilities.forEach((value, k) => { expect(value).toBeCloseTo(repeated.probabilities[k] ?? 0, 5); });
    expect(Math.max(...weighted.probabilities.map((value, k) => Math.abs(value - (single.probabilities[k] ?? 0))))).toBeGreaterThan(0.001);
  });

  it('lets the empty word explain what no word does, so a particle does not stick to rare words', async () => {
    // "do" (target 9) stands in every sentence, whatever its words: each sentence has one word of its own
    const sources = Array.from({ length: 9 }, (_, i) => Uint32Array.of(i));
    const targets = Array.from({ length: 9 }, (_, i) => Uint32Array.of(i, 9));
    const table = await trainIbmModel1({ ...toyOptions, pairs: { sources, targets }, sourceSize: 9, targetSize: 10, iterations: 60 });
    for (let i = 0; i < 9; i += 1) {
      expect(probability(table, i, i)).toBeGreaterThan(0.5);
      expect(probability(table, i, 9)).toBeLessThan(probability(table, i, i));
    }
  });

  it('cuts long sentences, and lives with empty ones', async () => {
    const pairs = { sources: [Uint32Array.of(0, 1, 2), new Uint32Array(0), Uint32Array.of(1)], targets: [Uint32Array.of(0, 1, 2), Uint32Array.of(2), new Uint32Array(0)] };
    const table = await trainIbmModel1({ ...toyOptions, pairs, sourceSize: 3, targetSize: 3, maximumTokens: 2, diagonal: 2 });
    expect(probability(table, 2, 2)).toBe(0);
    expect(table.probabilities.every(Number.isFinite)).toBe(true);
    expect(table.probabilities.length).toBeGreaterThan(0);
  });

  it('gives the same bits again', async () => {
    expect((await trainIbmModel1(randomOptions({ diagonal: 3 }))).probabilities).toEqual((await trainIbmModel1(randomOptions({ diagonal: 3 }))).probabilities);
  });

  it('stops soon after a cancel that arrives while it works', async () => {
    const random = seededRandom(1, 'long alignment');
    const list = Array.from({ length: 4000 }, () => Uint32Array.from({ length: 30 }, () => random.integer(2000)));
    const controller = new AbortController();
    setImmediate(() => { controller.abort(); });
    const work = trainIbmModel1({ ...toyOptions, pairs: { sources: list, targets: list }, sourceSize: 2000, targetSize: 2000, iterations: 1_000_000, signal: controller.signal });
    await expect(work).rejects.toThrow(/abort/i);
  });

  it('refuses sources and targets of different number', async () => {
    await expect(trainIbmModel1({ ...toyOptions, pairs: { sources: TOY.sources, targets: [] } })).rejects.toMatchObject({ code: 'alignment.length', family: 'invariant' });
  });
});
