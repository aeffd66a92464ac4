/** Is the training of phrases algorithm 1 of Zheng et al. 2022? Against PyTorch float64 written from the equations, and by what the paper says of it. */
import { describe, expect, it } from 'vitest';
import reference from '../../../test/reference/phrase-training.json' with { type: 'json' };
import { HEAD } from '../../encoding/phrase-reading.ts';
import { HEAD_PLACEMENTS, type HeadPlacement } from '../../modules/index.ts';
import { STATIC_ADAMW } from '../static-parameters.ts';
import { followWithMomentum } from './momentum.ts';
import type { PhrasePart } from './phrase-batches.ts';
import { createPhraseObjective, lossGraph } from './phrase-objective.ts';
import { createStaticPhrases } from './static-phrases.ts';

const { temperature, rate, vocabulary, width, hidden, steps, cases } = reference;
const NAMES = ['table', 'log-weights', ...Object.values(HEAD)] as const;
const sizes = { width, hidden, out: width };

type Sentence = { readonly ids: readonly number[]; readonly from: number; readonly to: number };

/** A sentence stands in the file as [ids, from, to]. */
function sentenceOf(value: unknown): Sentence {
  if (!Array.isArray(value)) throw new Error('Expected [ids, from, to].');
  const [ids, from, to]: readonly unknown[] = value;
  if (!Array.isArray(ids) || typeof from !== 'number' || typeof to !== 'number') throw new Error('Expected [ids, from, to].');
  return { ids: ids.map(Number), from, to };
}

function partOf(step: (typeof steps)[number]): PhrasePart {
  const phrases = [...step.sources, ...step.targets].map((sentences) => sentences.map(sentenceOf));
  const all = phrases.flat();
  return { name: 'phrases', texts: all.map(({ ids }) => Uint32Array.from(ids)), spans: all, counts: Int32Array.from(phrases, ({ length }) => length), pairs: step.sources.length, share: 1 };
}

function placementOf(written: string): HeadPlacement {
  const found = HEAD_PLACEMENTS.find((placement) => placement === written);
  if (found === undefined) throw new Error(`No placement ${written}.`);
  return found;
}

type Case = Pick<(typeof cases)[number], 'placement' | 'queue' | 'start'> & { readonly momentum: number | null };

async function trainableOf({ placement: written, momentum, queue, start }: Case) {
  const placement = placementOf(written);
  const own = placement === 'none' ? null : sizes;
  const objective = createPhraseObjective({ tokenWidth: width, placement, sizes: own, temperature, hasMomentum: momentum !== null, threads: 1, device: 'cpu' });
  const trainable = await createStaticPhrases({ vocabularySize: vocabulary, width, start: () => Promise.resolve({ table: Float32Array.from(start.table), weights: Float32Array.from(start['log-weights'], Math.exp) }), objective, placement, sizes: own, momentum, queue, optimizer: STATIC_ADAMW, seed: 1 });
  for (const [name, values] of Object.entries(start)) {
    trainable.arrays.get(name)?.set(values);
    trainable.arrays.get(`slow.${name}`)?.set(values);
  }
  return { trainable, objective };
}

const close = (found: ArrayLike<number> | undefined, expected: readonly number[], what: string): void => {
  expect(found?.length, what).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(0);
  const worst = expected.reduce((most, value, i) => Math.max(most, Math.abs((found?.[i] ?? Number.NaN) - value) / Math.max(1, Math.abs(value))), 0);
  expect(worst, what).toBeLessThan(2e-5); // float32 over three steps
};

describe('three steps of algorithm 1', () => {
  it.each(cases.map((one) => [`${one.placement}, momentum ${one.momentum ?? 'none'}, queue ${one.queue}`, one] as const))('are PyTorch\'s: head %s', async (_, one) => {
    const { trainable, objective } = await trainableOf(one);
    const losses: (number | undefined)[] = [];
    for (const [step, written] of steps.entries()) losses.push((await trainable.step({ parts: [partOf(written)], step, learningRate: rate })).losses.phrases);
    close(losses.map((loss) => loss ?? Number.NaN), one.losses, 'losses');
    for (const [name, values] of Object.entries(one.end)) close(trainable.arrays.get(name), values, name);
    for (const [name, values] of Object.entries(one.slow ?? {})) close(trainable.arrays.get(`slow.${name}`), values, `slow ${name}`);
    if (one.slow === null) expect([...trainable.arrays.keys()].filter((name) => name.startsWith('slow.'))).toEqual([]);
    if (one.queue > 0) {
      // First in, first out: of the newest three rows of each side none is missing, whatever their order in the ring.
      const rows = trainable.arrays.get('queue') ?? new Float32Array(0);
      const ring = (side: number): string[] => Array.from({ length: one.queue }, (_, i) => Array.from(rows.subarray((side * one.queue + i) * width, (side * one.queue + i + 1) * width), (value) => value.toFixed(3)).join(' ')).toSorted();
      one.queues.forEach((side, i) => expect(ring(i)).toEqual(side.map((row) => row.map((value) => Math.fround(value).toFixed(3)).join(' ')).toSorted()));
      expect([...(trainable.arrays.get('queue-counts') ?? [])]).toEqual([6, 6]);
    }
    await trainable[Symbol.asyncDispose]();
    await objective[Symbol.asyncDispose]();
  });
});

describe('the momentum encoder', () => {
  it('moves by a share of the way: hand-worked', () => {
    const slow = Float32Array.of(1, -2, 0);
    followWithMomentum({ slow, trained: Float32Array.of(2, 2, 0), momentum: 0.75 });
    expect([...slow]).toEqual([1.25, -1, 0]);
    const equal = Float32Array.of(0.1, 0.7);
    followWithMomentum({ slow: equal, trained: equal.slice(), momentum: 0.999 });
    expect([...equal]).toEqual([...Float32Array.of(0.1, 0.7)]); // to the bit
  });

  it('receives no gradient: the graph of the loss has none for it, and with momentum 1 it never moves though the loss reads it', async () => {
    for (const placement of HEAD_PLACEMENTS) {
      const names = lossGraph({ tokenWidth: width, placement, sizes: placement === 'none' ? null : sizes, temperature, hasMomentum: true, width, hasQueue: true }).outputs.map(({ name }) => name);
      expect(names).toEqual(['loss', 'gradient.sourceTokens', 'gradient.targetTokens', ...(placement === 'none' ? [] : Object.values(HEAD).map((name) => `gradient.${name}`))]);
    }
    const [one] = cases;
    if (one === undefined) throw new Error('No case.');
    const losses: (number | undefined)[] = [];
    for (const change of [0, 0.5]) {
      const { trainable } = await trainableOf({ ...one, momentum: 1 });
      const slow = [...trainable.arrays].filter(([name]) => name.startsWith('slow.'));
      expect(slow).toHaveLength(NAMES.length);
      for (const [, values] of slow) values[0] = (values[0] ?? 0) + change;
      const before = slow.map(([, values]) => values.slice());
      for (const [step, written] of steps.entries()) {
        const { losses: found } = await trainable.step({ parts: [partOf(written)], step, learningRate: rate });
        if (step === 0) losses.push(found.phrases);
      }
      slow.forEach(([name, values], i) => expect(values, name).toEqual(before[i]));
    }
    expect(losses[0]).not.toBeCloseTo(losses[1] ?? 0, 3); // its vectors are the candidates all the same
  });
});

describe('a step', () => {
  it('of two batches is the mean of their gradients, and one that is not finite changes nothing', async () => {
    const [one] = cases;
    if (one === undefined) throw new Error('No case.');
    const { trainable } = await trainableOf(one);
    const [first] = steps;
    if (first === undefined) throw new Error('No step.');
    const half = { ...partOf(first), share: 0.5 };
    const twice = await trainable.step({ parts: [half, half], step: 0, learningRate: rate });
    const { trainable: other } = await trainableOf(one);
    const once = await other.step({ parts: [partOf(first)], step: 0, learningRate: rate });
    expect(twice.losses.phrases).toBeCloseTo(once.losses.phrases ?? Number.NaN, 5);
    close(trainable.arrays.get('table'), Array.from(other.arrays.get('table') ?? []), 'table');
    const before = [...trainable.arrays].map(([, values]) => values.slice());
    trainable.arrays.get('log-weights')?.fill(Number.NaN);
    const broken = [...trainable.arrays].map(([name, values]) => (name === 'log-weights' ? null : values));
    expect((await trainable.step({ parts: [half], step: 1, learningRate: rate })).isFinite).toBe(false);
    broken.forEach((values, i) => { if (values !== null) expect(values).toEqual(before[i]); });
  });
});
