import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../base/random.ts';
import { chanceWeights } from '../../encoding/chance-weights.ts';
import { lowRankNames, maskedLanguageModelParameters, transformerParameters, type TransformerShape } from '../../modules/index.ts';
import { ADAMW_DEFAULTS } from '../../optimizers/adamw.ts';
import { maskTokens } from '../masked-tokens.ts';
import type { MaskedPart, VectorPart } from '../trainable-encoder.ts';
import { createTransformerTrainable, type EncoderStart, type TransformerTrainable, type TransformerTrainableOptions } from './transformer-trainable.ts';

const SHAPE: TransformerShape = { vocabularySize: 60, width: 16, layers: 2, heads: 2, feedForwardWidth: 24, positions: 20, positionOffset: 2, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 1 };
const PARAMETERS = transformerParameters(SHAPE);
const HEAD = maskedLanguageModelParameters(SHAPE);

/** Weights large enough that every part matters. */
function weights(seed: number, withHead = false): Map<string, Float32Array> {
  const start = chanceWeights([...PARAMETERS, ...(withHead ? HEAD : [])], seed);
  for (const [name, values] of start) if (!/norm/i.test(name)) values.forEach((value, i) => { values[i] = 10 * value; });
  return start;
}

const all = (names: Iterable<string> = PARAMETERS.map(({ name }) => name)): ReadonlySet<string> => new Set(names);
const startOf = (seed: number, changes: Partial<EncoderStart> = {}): EncoderStart => ({ start: () => Promise.resolve(weights(seed)), trained: all(), ...changes });

function trainable(changes: Partial<TransformerTrainableOptions> = {}): Promise<TransformerTrainable> {
  return createTransformerTrainable({
    shape: SHAPE, pooling: { layers: 2, mode: 'mean', dense: null, normalise: false }, lowRank: null, dropout: { hidden: 0.2, attention: 0.2 }, encoders: { document: startOf(1), query: null }, tokens: () => new Uint32Array(0),
    optimizer: { ...ADAMW_DEFAULTS, clipping: 1e6, sliceTokens: 10_000 }, guesses: false, decays: (name) => name.endsWith('.weight'), seed: 5, threads: 1, device: 'cpu', ...changes,
  });
}

/** Texts of many lengths, special tokens 0 and 2 around them. */
function texts(count: number, seed = 3): Uint32Array[] {
  const random = seededRandom(seed, 'trainable test');
  return Array.from({ length: count }, () => Uint32Array.from([0, ...Array.from({ length: 1 + random.integer(14) }, () => 4 + random.integer(55)), 2]));
}

/** Pulls every vector towards a point of its own: a loss that is a mean over texts. */
function pull(some: readonly Uint32Array[], { queries = 0, share = 1 }: { readonly queries?: number; readonly share?: number } = {}): VectorPart {
  return {
    kind: 'vectors', name: 'semantic', texts: some, queries,
    evaluate: (vectors) => {
      const target = (i: number): number => Math.sin(i % SHAPE.width);
      return Promise.resolve({ loss: vectors.reduce((sum, x, i) => sum + (x - target(i)) ** 2 / 2, 0) / some.length, gradient: vectors.map((x, i) => (share * (x - target(i))) / some.length) });
    },
  };
}

const flat = (encoder: TransformerTrainable): Map<string, number[]> => new Map([...encoder.values].map(([name, array]) => [name, [...array]]));

function farthest(a: ReadonlyMap<string, readonly number[]>, b: ReadonlyMap<string, readonly number[]>): number {
  return Math.max(...[...a].map(([name, values]) => Math.max(...values.map((value, i) => Math.abs(value - (b.get(name)?.[i] ?? Number.NaN))))));
}

/** Gradients alone: the first moments after a step at rate 0 are (1 - beta1) times them. */
async function momentsAfter(encoder: TransformerTrainable, parts: readonly (VectorPart | MaskedPart)[]): Promise<Map<string, number[]>> {
  await encoder.step({ parts, step: 7, learningRate: 0 });
  return new Map([...encoder.arrays].filter(([name]) => name.endsWith('.means')).map(([name, array]) => [name, [...array]]));
}

const LARGEST = (moments: ReadonlyMap<string, readonly number[]>): number => Math.max(...[...moments.values()].flat().map(Math.abs));

describe('a step of a transformer', () => {
  it('lowers the loss, and is the same bits again', async () => {
    const runOf = async (): Promise<{ losses: number[]; values: Map<string, number[]> }> => {
      await using encoder = await trainable();
      const losses: number[] = [];
      for (let step = 0; step < 12; step += 1) losses.push((await encoder.step({ parts: [pull(texts(9))], step, learningRate: 0.01 })).losses.semantic);
      return { losses, values: flat(encoder) };
    };
    const [one, again] = [await runOf(), await runOf()];
    expect(one.losses.at(-1) ?? 1).toBeLessThan(0.7 * (one.losses[0] ?? 0));
    expect(again.values).toEqual(one.values);
  });

  it.each([17, 40, 90])('has the same gradients in slices of %i tokens as in one piece, with dropout', async (sliceTokens) => {
    const parts = [pull(texts(11)), pull(texts(5, 9))];
    await using whole = await trainable();
    await using sliced = await trainable({ optimizer: { ...ADAMW_DEFAULTS, clipping: 1e6, sliceTokens } });
    const [a, b] = [await momentsAfter(whole, parts), await momentsAfter(sliced, parts)];
    expect(LARGEST(a)).toBeGreaterThan(1e-3);
    expect(farthest(a, b)).toBeLessThan(1e-6 + 1e-5 * LARGEST(a));
  });

  it('accumulates: two halves with half their gradient each are the whole batch', async () => {
    const some = texts(10);
    await using whole = await trainable({ dropout: null });
    await using halves = await trainable({ dropout: null });
    const a = await momentsAfter(whole, [pull(some)]);
    const b = await momentsAfter(halves, [pull(some.slice(0, 5), { share: 0.5 }), pull(some.slice(5), { share: 0.5 })]);
    expect(LARGEST(a)).toBeGreaterThan(1e-3);
    expect(farthest(a, b)).toBeLessThan(1e-6 + 1e-5 * LARGEST(a));
  });

  it('takes less at once when asked to, down to a limit, with the same update', async () => {
    await using whole = await trainable();
    await using smaller = await trainable();
    const parts = [pull(texts(40))];
    await smaller.step({ parts, step: 7, learningRate: 0 }); // now it knows how much stood in the encoder
    await smaller.restart();
    expect(smaller.shrink()).toBe(true);
    const [a, b] = [await momentsAfter(whole, parts), await momentsAfter(smaller, parts)];
    expect(farthest(a, b)).toBeLessThan(1e-6 + 1e-5 * LARGEST(a));
    expect(farthest(a, b)).toBeGreaterThan(0); // summed in another order
    let times = 0;
    while (smaller.shrink()) times += 1;
    expect(times).toBeLessThan(12);
  });

  it('changes nothing when a loss is not a number', async () => {
    await using encoder = await trainable();
    const before = flat(encoder);
    const result = await encoder.step({ parts: [pull(texts(4)), { ...pull(texts(4)), evaluate: (vectors) => Promise.resolve({ loss: Number.NaN, gradient: vectors }) }], step: 0, learningRate: 0.1 });
    expect(result.isFinite).toBe(false);
    expect(flat(encoder)).toEqual(before);
    expect(encoder.areFinite()).toBe(true);
  });

  it('leaves frozen parameters as they are to the bit, and what is not in a batch', async () => {
    const frozen = (name: string): boolean => name.startsWith('embeddings.') || name.startsWith('layer.0.');
    await using encoder = await trainable({ encoders: { document: startOf(1, { trained: all(PARAMETERS.map(({ name }) => name).filter((name) => !frozen(name))) }), query: null } });
    for (let step = 0; step < 3; step += 1) await encoder.step({ parts: [pull(texts(6))], step, learningRate: 0.1 });
    for (const [name, start] of weights(1)) {
      const now = encoder.weightsOf('document').get(name) ?? new Float32Array(0);
      if (frozen(name)) expect(now).toEqual(start);
      else if (name.endsWith('weight')) expect(now).not.toEqual(start);
    }
    await using free = await trainable();
    await free.step({ parts: [pull([Uint32Array.of(0, 10, 11, 2)])], step: 0, learningRate: 0.1 });
    const [table, start] = [free.weightsOf('document').get('embeddings.token'), weights(1).get('embeddings.token')];
    for (let row = 0; row < SHAPE.vocabularySize; row += 1) {
      const isUsed = [0, 2, 10, 11].includes(row);
      expect(table?.subarray(row * 16, row * 16 + 16).every((value, i) => value === start?.[row * 16 + i])).toBe(!isUsed);
    }
  });

  it('goes back to its start', async () => {
    await using encoder = await trainable();
    const before = new Map([...encoder.arrays].map(([name, array]) => [name, [...array]]));
    await encoder.step({ parts: [pull(texts(6))], step: 0, learningRate: 0.1 });
    expect(flat(encoder)).not.toEqual(new Map([...before].filter(([name]) => encoder.values.has(name))));
    await encoder.restart();
    expect(new Map([...encoder.arrays].map(([name, array]) => [name, [...array]]))).toEqual(before);
  });

  it('trains thin matrices beside frozen weights', async () => {
    const thin = ['layer.0.query.weight', 'layer.1.up.weight'].flatMap((name) => { const { down, up } = lowRankNames(name); return [{ name: down, length: 3 * 16 }, { name: up, length: 3 * (name.includes('up') ? 24 : 16) }]; });
    const start = (): Promise<Map<string, Float32Array>> => Promise.resolve(new Map([...weights(1), ...thin.map(({ name, length }) => [name, new Float32Array(length).map((_, i) => (name.endsWith('up') ? 0 : Math.sin(i)))] as const)]));
    await using encoder = await trainable({ lowRank: { rank: 3, alpha: 6 }, encoders: { document: { start, trained: all(thin.map(({ name }) => name)) }, query: null } });
    const losses: number[] = [];
    for (let step = 0; step < 20; step += 1) losses.push((await encoder.step({ parts: [pull(texts(9))], step, learningRate: 0.05 })).losses.semantic);
    expect(losses.at(-1) ?? 1).toBeLessThan(losses[0] ?? 0);
    expect([...encoder.values.keys()].sort()).toEqual(thin.map(({ name }) => name).sort());
    for (const [name, values] of weights(1)) expect(encoder.weightsOf('document').get(name)).toEqual(values);
  });
});

describe('separate encoders', () => {
  it('each learn from their own texts', async () => {
    await using encoder = await trainable({ encoders: { document: startOf(1), query: startOf(1) } });
    const [query, document] = [Uint32Array.of(0, 20, 21, 2), Uint32Array.of(0, 30, 31, 2)];
    await encoder.step({ parts: [pull([query, document], { queries: 1 })], step: 0, learningRate: 0.1 });
    const rowOf = (role: 'query' | 'document', row: number): Float32Array | undefined => encoder.weightsOf(role).get('embeddings.token')?.slice(row * 16, row * 16 + 16);
    const start = weights(1).get('embeddings.token');
    expect(rowOf('query', 30)).toEqual(start?.slice(480, 496));
    expect(rowOf('document', 20)).toEqual(start?.slice(320, 336));
    expect(rowOf('query', 20)).not.toEqual(start?.slice(320, 336));
    expect(rowOf('document', 30)).not.toEqual(start?.slice(480, 496));
    expect([...encoder.arrays.keys()].filter((name) => name.endsWith('embeddings.token'))).toEqual(['document.embeddings.token', 'query.embeddings.token']);
  });

  it('losses of documents alone leave the query encoder as it is, weight decay included', async () => {
    await using encoder = await trainable({ encoders: { document: startOf(1), query: startOf(1) } });
    for (let step = 0; step < 3; step += 1) await encoder.step({ parts: [pull(texts(4))], step, learningRate: 0.1 });
    for (const [name, start] of weights(1)) expect(encoder.weightsOf('query').get(name)).toEqual(start);
    expect(encoder.weightsOf('document').get('layer.0.query.weight')).not.toEqual(weights(1).get('layer.0.query.weight'));
  });
});

describe('guessing hidden tokens', () => {
  const masking = { probability: 0.3, mask: 3, vocabularySize: SHAPE.vocabularySize, special: new Set([0, 1, 2, 3]) };
  function hidden(some: readonly Uint32Array[], seed: number, weight = 1): MaskedPart {
    const masked = some.map((ids, i) => maskTokens(ids, masking, seededRandom(seed, 'hidden', i)));
    return { kind: 'masked', name: 'maskedLanguage', texts: masked.map(({ ids }) => ids), places: masked.map(({ places }) => places), labels: masked.map(({ labels }) => labels), weight };
  }
  const guessing = (changes: Partial<TransformerTrainableOptions> = {}): Promise<TransformerTrainable> =>
    trainable({ guesses: true, encoders: { document: { start: () => Promise.resolve(weights(1, true)), trained: all([...PARAMETERS, ...HEAD].map(({ name }) => name)) }, query: null }, ...changes });

  it('starts at the logarithm of the vocabulary when weights are small, and falls', async () => {
    const small = (): Promise<Map<string, Float32Array>> => Promise.resolve(chanceWeights([...PARAMETERS, ...HEAD], 1));
    await using encoder = await guessing({ encoders: { document: { start: small, trained: all([...PARAMETERS, ...HEAD].map(({ name }) => name)) }, query: null } });
    const losses: number[] = [];
    for (let step = 0; step < 40; step += 1) losses.push((await encoder.step({ parts: [hidden(texts(12), step)], step, learningRate: 0.01 })).losses.maskedLanguage ?? Number.NaN);
    expect(losses[0]).toBeCloseTo(Math.log(SHAPE.vocabularySize), 1);
    expect(losses.at(-1) ?? 9).toBeLessThan(0.85 * (losses[0] ?? 0));
  });

  it('has the gradient that difference quotients have', async () => {
    const part = hidden(texts(6), 2, 0.7);
    await using frozen = await guessing({ dropout: null });
    const lossWith = async (name: string, index: number, step: number): Promise<number> => {
      const values = frozen.weightsOf('document').get(name) ?? new Float32Array(0);
      const before = values[index] ?? 0;
      values[index] = before + step;
      const { losses } = await frozen.step({ parts: [part], step: 0, learningRate: 0 });
      values[index] = before;
      return losses.maskedLanguage ?? Number.NaN;
    };
    await using encoder = await guessing({ dropout: null });
    const moments = await momentsAfter(encoder, [part]);
    const label = part.labels.flatMap((some) => [...some])[0] ?? 0;
    for (const [name, index] of [['embeddings.token', label * 16 + 3], ['embeddings.token', 3 * 16 + 5], ['mlm.transform.weight', 20], ['mlm.bias', label], ['layer.1.up.weight', 40], ['embeddings.position', 3 * 16]] as const) {
      const width = 0.02;
      const quotient = (0.7 * ((await lossWith(name, index, width)) - (await lossWith(name, index, -width)))) / (2 * width);
      const gradient = (moments.get(`${name}.means`)?.[index] ?? Number.NaN) / (1 - ADAMW_DEFAULTS.beta1);
      expect(Math.abs(gradient - quotient)).toBeLessThan(2e-3 + 0.02 * Math.abs(quotient));
    }
    expect(LARGEST(moments)).toBeGreaterThan(1e-3);
  });

  it('is the same in slices, and beside another loss', async () => {
    const parts = [hidden(texts(10), 4), pull(texts(7))]; // in any order
    await using whole = await guessing();
    await using sliced = await guessing({ optimizer: { ...ADAMW_DEFAULTS, clipping: 1e6, sliceTokens: 30 } });
    const [a, b] = [await momentsAfter(whole, parts), await momentsAfter(sliced, parts)];
    expect(LARGEST(a)).toBeGreaterThan(1e-3);
    expect(farthest(a, b)).toBeLessThan(1e-6 + 1e-5 * LARGEST(a));
    await using without = await guessing();
    await without.step({ parts: [pull(texts(7))], step: 0, learningRate: 0.1 });
    for (const { name } of HEAD) expect(without.weightsOf('document').get(name)).toEqual(weights(1, true).get(name)); // a head that was not asked keeps still
  });
});
