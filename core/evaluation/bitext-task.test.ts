/** Is the threshold of mining found on the training split alone, and does it decide on the test split? */
import { describe, expect, it } from 'vitest';
import type { BitextSet } from '../corpus/bitext-set.ts';
import { createHashEncoder } from '../retrieval/hash-encoder.ts';
import { evaluateBitext } from './bitext-task.ts';

const words = ['lake', 'goat', 'hill', 'road', 'song', 'milk', 'rain', 'boat', 'fish', 'herd', 'barn', 'net'];
const encoder = createHashEncoder({ width: 64 });

/** Sentences of three words; the target of a pair has one word of another sentence in place of its last. */
function splitOf(seed: number, pairs: number, gold: (i: number) => boolean = () => true): BitextSet {
  const sentence = (i: number, k: number): string => words[(i * (k + 2) * 5 + seed * (k + 1) + k * 3) % words.length] ?? '';
  const texts = Array.from({ length: pairs }, (_, i) => [0, 1, 2].map((k) => sentence(i, k)));
  return {
    sources: texts.map((three, i) => ({ id: `s${i}`, text: `${three.join(' ')} ${i}` })),
    targets: texts.map((three, i) => ({ id: `t${i}`, text: `${three.slice(0, 2).join(' ')} ${sentence(i + 7, 2)} ${i}` })),
    gold: texts.flatMap((_, i) => (gold(i) ? [{ source: i, target: i }] : [])),
    problems: [],
  };
}

const task = { encoder, sourceLanguage: 'sw', targetLanguage: 'en', neighbours: 2, lexicalWeight: 0, lengthWeight: 0 };

describe('evaluateBitext', () => {
  it('finds its threshold on the training split: whatever the test split holds, it is the same; another training split gives another', async () => {
    const train = splitOf(1, 24, (i) => i % 2 === 0);
    const first = await evaluateBitext({ ...task, train, test: splitOf(2, 20) });
    for (const test of [splitOf(2, 20, (i) => i < 2), splitOf(3, 31)]) expect(await evaluateBitext({ ...task, train, test })).toMatchObject({ threshold: first.threshold, train: first.train });
    const fewer = await evaluateBitext({ ...task, train: splitOf(1, 24, (i) => i === 4), test: splitOf(2, 20) });
    expect(fewer.threshold).not.toBe(first.threshold);
    expect(first.threshold).toBeGreaterThan(0);
  });

  it('scores the test split by that threshold, also where another one would be better', async () => {
    const train = splitOf(1, 24, (i) => i % 2 === 0);
    const test = splitOf(2, 20, (i) => i < 3);
    const found = await evaluateBitext({ ...task, train, test });
    const tuned = await evaluateBitext({ ...task, train: test, test });
    expect(tuned.F1).toBe(tuned.train.F1);
    expect(found.F1).toBeLessThan(tuned.F1);
    const sum = (of: (unit: (typeof found.units)[number]) => number): number => found.units.reduce((total, unit) => total + of(unit), 0);
    expect(found.precision).toBeCloseTo(sum(({ right }) => right) / sum((unit) => unit.found), 12);
    expect(found.recall).toBeCloseTo(sum(({ right }) => right) / 3, 12);
  });
});
