/** Do contexts come from their own window, and negatives from their own language? */
import { describe, expect, it } from 'vitest';
import { contextWindow, createContextSampler } from './context-batches.ts';
import { createMemoryBank } from './memory-bank.ts';

/** Documents of the given lengths, one after the other. */
const documents = (...lengths: number[]): Int32Array => Int32Array.from(lengths.flatMap((length, document) => new Array<number>(length).fill(document)));

describe('createContextSampler', () => {
  const languages = [{ documents: documents(40, 1, 60, 2, 90) }, { documents: documents(30, 30, 30, 30) }];
  const window = 5;
  const reach = 2;
  const sampler = createContextSampler({ languages, batchSize: 8, window, seed: 1 });
  const batches = Array.from({ length: 60 }, (_, step) => sampler.batchAt(step));

  it('pairs each centre with another sentence of its document, at most the reach of the window away', () => {
    for (const { language, centres, contexts } of batches) {
      expect(centres.length).toBeGreaterThan(3);
      centres.forEach((centre, i) => {
        const context = contexts[i] ?? -1;
        expect(context).not.toBe(centre);
        expect(Math.abs(context - centre)).toBeLessThanOrEqual(reach);
        expect(languages[language]?.documents[context]).toBe(languages[language]?.documents[centre]);
      });
    }
  });

  it('has one language a batch, each in turn', () => {
    expect(batches.slice(0, 4).map(({ language }) => language)).toEqual([0, 1, 0, 1]);
  });

  it('never puts two centres whose windows overlap into one batch', () => {
    for (const { language, centres } of batches) {
      for (const a of centres) for (const b of centres) if (a !== b && languages[language]?.documents[a] === languages[language]?.documents[b]) expect(Math.abs(a - b)).toBeGreaterThan(2 * reach);
    }
  });

  it('uses every place of the window, and no sentence that is alone in its document', () => {
    const distances = new Set(batches.flatMap(({ centres, contexts }) => [...centres].map((centre, i) => (contexts[i] ?? 0) - centre)));
    expect([...distances].sort((a, b) => a - b)).toEqual([-2, -1, 1, 2]);
    expect(batches.every(({ language, centres }) => language !== 0 || !centres.includes(40))).toBe(true);
  });

  it('of two sentences pairs each centre with the next one, of three with either side', () => {
    const distancesOf = (sentences: number): number[] => {
      const { batchAt } = createContextSampler({ languages, batchSize: 8, window: sentences, seed: 1 });
      const found = new Set(Array.from({ length: 40 }, (_, step) => batchAt(step)).flatMap(({ centres, contexts }) => [...centres].map((centre, i) => (contexts[i] ?? 0) - centre)));
      return [...found].sort((a, b) => a - b);
    };
    expect(distancesOf(2)).toEqual([1]);
    expect(distancesOf(3)).toEqual([-1, 1]);
    expect(distancesOf(4)).toEqual([-1, 1, 2]);
    expect(() => contextWindow(1)).toThrow(/2 or more/);
  });

  it('never puts two centres of the same text into one batch', () => {
    const keys = Int32Array.from({ length: 120 }, (_, i) => i % 12);
    const { batchAt } = createContextSampler({ languages: [{ documents: documents(30, 30, 30, 30), keys }], batchSize: 6, window: 3, seed: 1 });
    for (let step = 0; step < 40; step += 1) {
      const { centres } = batchAt(step);
      expect(centres.length).toBeGreaterThan(2);
      expect(new Set([...centres].map((centre) => keys[centre])).size).toBe(centres.length);
    }
  });

  it('is a function of seed and step', () => {
    const again = createContextSampler({ languages, batchSize: 8, window, seed: 1 });
    expect(again.batchAt(17)).toEqual(batches[17]);
    expect(createContextSampler({ languages, batchSize: 8, window, seed: 2 }).batchAt(17)).not.toEqual(batches[17]);
  });

  it('leaves out a language without contexts, and refuses when none has any', () => {
    expect(createContextSampler({ languages: [{ documents: documents(1, 1) }, { documents: documents(9) }], batchSize: 4, window: 3, seed: 1 }).batchAt(0).language).toBe(1);
    expect(() => createContextSampler({ languages: [{ documents: documents(1, 1) }], batchSize: 4, window: 3, seed: 1 })).toThrow(/two sentences/);
  });
});

describe('createMemoryBank', () => {
  it('keeps the newest rows of each language and forgets the oldest', () => {
    const bank = createMemoryBank({ capacities: [3, 3], width: 2 });
    expect(bank.negatives(0).vectors).toHaveLength(0);
    bank.add(0, Float32Array.of(1, 1, 2, 2));
    expect([...bank.negatives(0).vectors]).toEqual([1, 1, 2, 2]);
    bank.add(0, Float32Array.of(3, 3, 4, 4));
    expect([...bank.negatives(0).vectors].sort()).toEqual([2, 2, 3, 3, 4, 4]);
  });

  it('never shows a language the rows of another', () => {
    const bank = createMemoryBank({ capacities: [4, 4, 4], width: 1 });
    for (let i = 0; i < 20; i += 1) bank.add(i % 3, Float32Array.of(i));
    expect([0, 1, 2].map((language) => [...bank.negatives(language).vectors].map((value) => value % 3))).toEqual([[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2]]);
    expect(() => bank.negatives(3)).toThrow(/languages 0 to 2/);
  });

  it('keeps as many rows of each language as that one may have', () => {
    const bank = createMemoryBank({ capacities: [3, 1, 0], width: 1 });
    for (let i = 0; i < 15; i += 1) bank.add(i % 3, Float32Array.of(i));
    expect([0, 1, 2].map((language) => [...bank.negatives(language).vectors].sort((a, b) => a - b))).toEqual([[6, 9, 12], [13], []]);
    expect(bank.rows).toHaveLength(4);
  });

  it('goes on from what a checkpoint held', () => {
    const bank = createMemoryBank({ capacities: [3], width: 1 });
    bank.add(0, Float32Array.of(1, 2, 3, 4));
    const resumed = createMemoryBank({ capacities: [3], width: 1 });
    resumed.rows.set(bank.rows);
    resumed.counts.set(bank.counts);
    bank.add(0, Float32Array.of(5));
    resumed.add(0, Float32Array.of(5));
    expect(resumed.negatives(0)).toEqual(bank.negatives(0));
    expect([...resumed.negatives(0).vectors].sort()).toEqual([3, 4, 5]);
  });

  it('shows rows that wait as if they had been added, without adding them', () => {
    for (const [before, waiting] of [[0, 2], [2, 2], [5, 1], [5, 3], [4, 7]] as const) {
      const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
      const [seen, added] = [createMemoryBank({ capacities: [3, 3], width: 1 }), createMemoryBank({ capacities: [3, 3], width: 1 })];
      for (const bank of [seen, added]) bank.add(1, Float32Array.from(numbers(1, before)), Int32Array.from(numbers(1, before)));
      const rows = { vectors: Float32Array.from(numbers(100, waiting)), labels: Int32Array.from(numbers(100, waiting)) };
      const found = seen.negatives(1, rows);
      added.add(1, rows.vectors, rows.labels);
      expect([...found.vectors].sort()).toEqual([...added.negatives(1).vectors].sort());
      expect([...found.labels]).toEqual([...found.vectors]);
      expect(seen.counts[1]).toBe(before);
      expect(seen.negatives(0).labels).toHaveLength(0);
    }
  });
});
