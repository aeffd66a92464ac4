import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/test-disks.ts';
import { createTokenizer, readTokenizer } from '../text/tokenizer.ts';
import type { Encoder } from './encoder.ts';
import { WINDOW_STRIDE_TOKENS, WINDOW_TOKENS, windowRanges } from './windows.ts';
import { writeModelFolder, type StaticModel } from './model-folder.ts';
import { openEncoder } from './open-encoder.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { TEST_SENTENCES, testModel, testVocabulary } from './test-models.ts';
import { openUntrainedEncoder } from './untrained-encoder.ts';

const row = (vectors: Float32Array, index: number, width: number): Float32Array => vectors.subarray(index * width, (index + 1) * width);
const length = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));
const longText = (words: number): string => Array.from({ length: words }, (_, i) => (TEST_SENTENCES[i % 8] ?? '').split(' ')[i % 5] ?? '').join(' ');

/** The definition, in float64. */
function reference(model: StaticModel, ids: Iterable<number>, kind: 'sentence' | 'search'): number[] {
  const { width, table, weights, mean, scale } = model;
  const sum = new Array<number>(width).fill(0);
  for (const id of ids) for (let i = 0; i < width; i += 1) sum[i] = (sum[i] ?? 0) + (weights[id] ?? 0) * (table[id * width + i] ?? 0);
  const unit = sum.map((value) => value / length(sum));
  if (kind === 'sentence') return unit;
  const whitened = unit.map((value, i) => (value - (mean[i] ?? 0)) * (scale[i] ?? 0));
  return whitened.map((value) => value / length(whitened));
}

async function windowsOf(encoder: Encoder, text: string): Promise<Float32Array> {
  const [vectors] = await encoder.encodeDocuments([text]);
  if (vectors === undefined) throw new Error('no vectors');
  return vectors;
}

function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(found.length).toBe(expected.length);
  expect(Math.max(...Array.from(found, (value, i) => Math.abs(value - (expected[i] ?? Number.NaN))))).toBeLessThan(1e-5);
}

describe('the static encoder', () => {
  it('gives for sentences, queries and documents what the formula says', async () => {
    const model = await testModel();
    const encoder = createStaticEncoder(model, 'test');
    const tokenizer = readTokenizer(model.tokenizer);
    const sentences = await encoder.encode(TEST_SENTENCES, 'sentence');
    const queries = await encoder.encode(TEST_SENTENCES, 'query');
    TEST_SENTENCES.forEach((text, i) => {
      expectClose(row(sentences, i, model.width), reference(model, tokenizer.encode(text), 'sentence'));
      expectClose(row(queries, i, model.width), reference(model, tokenizer.encode(text), 'search'));
    });
    expect(await encoder.encode(TEST_SENTENCES, 'document')).toEqual(await encoder.encode(TEST_SENTENCES, 'query'));
  });

  it('gives vectors of length 1, and zeros for a text without tokens', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    for (const kind of ['sentence', 'query', 'document'] as const) {
      const vectors = await encoder.encode(['mto', '', 'the river', '   '], kind);
      expect(vectors).toHaveLength(4 * 16);
      for (const i of [0, 2]) expect(length(row(vectors, i, 16))).toBeCloseTo(1, 5);
      for (const i of [1, 3]) expect([...row(vectors, i, 16)]).toEqual(new Array<number>(16).fill(0));
    }
    expect(await encoder.encode([], 'query')).toHaveLength(0);
  });

  it('gives a text the same bits alone, in a batch, and in a batch of more than it sums at once', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    const many = Array.from({ length: 1200 }, (_, i) => `${TEST_SENTENCES[i % 8] ?? ''} ${longText(i % 40)}`);
    const together = await encoder.encode(many, 'query');
    for (const i of [0, 1, 511, 512, 513, 1199]) expect(row(together, i, 16)).toEqual(await encoder.encode([many[i] ?? ''], 'query'));
  });

  it('encodes a text of hundreds of thousands of tokens, however small its memory is otherwise', async () => {
    const model = await testModel();
    const encoder = createStaticEncoder(model, 'test');
    const text = longText(200_000);
    const ids = readTokenizer(model.tokenizer).encode(text);
    expect(ids.length).toBeGreaterThan(200_000);
    const vectors = await encoder.encode(['mto', text, 'the river'], 'sentence');
    const found = row(vectors, 1, 16);
    const expected = reference(model, ids, 'sentence');
    expect(found.reduce((sum, value, i) => sum + value * (expected[i] ?? 0), 0)).toBeGreaterThan(0.9999); // float32 sums of so many rows drift a little
    expect(row(vectors, 2, 16)).toEqual(await encoder.encode(['the river'], 'sentence'));
  });
});

describe('windows', () => {
  it('are none for a text that fits in one, then 32 tokens every 16, the last one up to the end', () => {
    expect(windowRanges(0)).toEqual([]);
    expect(windowRanges(WINDOW_TOKENS)).toEqual([]);
    expect(windowRanges(33)).toEqual([{ start: 0, end: 32 }, { start: 16, end: 33 }]);
    for (let tokens = WINDOW_TOKENS + 1; tokens < 300; tokens += 1) {
      const ranges = windowRanges(tokens);
      expect(ranges[0]?.start).toBe(0);
      expect(ranges.at(-1)?.end).toBe(tokens);
      ranges.forEach(({ start, end }, w) => {
        expect(start).toBe(w * WINDOW_STRIDE_TOKENS);
        expect(end - start).toBeGreaterThan(WINDOW_STRIDE_TOKENS);
      });
    }
  });

  it.each([1, 31, 32, 33, 48, 49, 100, 257])('of %i words have the vectors of their tokens alone, the whole text first', async (count) => {
    const model = await testModel();
    const encoder = createStaticEncoder(model, 'test');
    const text = longText(count);
    const ids = readTokenizer(model.tokenizer).encode(text);
    const vectors = await windowsOf(encoder, text);
    const ranges = windowRanges(ids.length);
    expect(vectors).toHaveLength((1 + ranges.length) * model.width);
    expectClose(row(vectors, 0, model.width), reference(model, ids, 'search'));
    ranges.forEach(({ start, end }, w) => { expectClose(row(vectors, 1 + w, model.width), reference(model, ids.subarray(start, end), 'search')); });
  });

  it('have as many places as vectors, in order, inside the text and around their words', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    const text = `  ${longText(120)}\n\u00a0the  end `;
    const spans = encoder.windowSpans(text);
    expect(spans).toHaveLength((await windowsOf(encoder, text)).length / 16);
    expect(spans.length).toBeGreaterThan(3);
    expect(spans[0]).toEqual({ start: 0, end: text.length });
    spans.slice(1).forEach(({ start, end }, w) => {
      expect(end).toBeGreaterThan(start);
      if (w > 0) expect(start).toBeGreaterThanOrEqual(spans[w]?.start ?? 0);
    });
    expect(text.slice(spans.at(-1)?.start, spans.at(-1)?.end).trimEnd()).toMatch(/the {2}end$/);
  });

  it('of an empty text are the whole text with a vector of zeros', async () => {
    const encoder = createStaticEncoder(await testModel(), 'test');
    expect([...await windowsOf(encoder, '')]).toEqual(new Array<number>(16).fill(0));
    expect(encoder.windowSpans('')).toEqual([{ start: 0, end: 0 }]);
  });
});

describe('openEncoder', () => {
  it('opens what was written: the same vectors, an id of its content, its translations', async () => {
    using folder = temporaryFolder();
    const model = await testModel();
    await writeModelFolder(join(folder.path, 'a'), model);
    await writeModelFolder(join(folder.path, 'same'), model);
    await writeModelFolder(join(folder.path, 'other'), { ...model, weights: model.weights.map((value) => value * 2) });
    const [a, same, other] = [await openEncoder(join(folder.path, 'a')), await openEncoder(join(folder.path, 'same')), await openEncoder(join(folder.path, 'other'))];
    expect(await a.encode(TEST_SENTENCES, 'query')).toEqual(await createStaticEncoder(model, 'test').encode(TEST_SENTENCES, 'query'));
    expect(a.modelId).toMatch(/^[0-9a-f]{64}$/);
    expect(same.modelId).toBe(a.modelId);
    expect(other.modelId).not.toBe(a.modelId);
    expect([a.pivot, a.width, a.languages]).toEqual([model.pivot, model.width, model.languages]);
    expect(a.translation('sw', 'en')?.translate('mto')).toEqual([{ token: 'river', probability: 0.75 }, { token: 'stream', probability: 0.25 }]);
    expect(a.translation('sw', 'en')).toBe(a.translation('sw', 'en'));
    expect(a.translation('sw', 'th')).toBeNull();
  });
});

describe('the untrained encoder', () => {
  it('is another one than the trained, and always the same', async () => {
    using folder = temporaryFolder();
    await writeModelFolder(folder.path + '/model', await testModel());
    const trained = await openEncoder(folder.path + '/model');
    const untrained = await openUntrainedEncoder(folder.path + '/model');
    const again = await openUntrainedEncoder(folder.path + '/model');
    expect(await untrained.encode(TEST_SENTENCES, 'query')).toEqual(await again.encode(TEST_SENTENCES, 'query'));
    expect(await untrained.encode(TEST_SENTENCES, 'query')).not.toEqual(await trained.encode(TEST_SENTENCES, 'query'));
    expect(await untrained.encode(TEST_SENTENCES, 'query')).toEqual(await untrained.encode(TEST_SENTENCES, 'sentence')); // nothing is whitened
    expect(untrained.modelId).not.toBe(trained.modelId);
    expect(untrained.translation('sw', 'en')).toBeNull();
    expect(length(row(await untrained.encode(['mto'], 'query'), 0, 16))).toBeCloseTo(1, 5);
  });
});

describe('the test vocabulary', () => {
  it('cuts the test sentences into more than one token each, so that windows and sums mean something', async () => {
    const tokenizer = createTokenizer(await testVocabulary());
    for (const sentence of TEST_SENTENCES) expect(tokenizer.encode(sentence).length).toBeGreaterThan(4);
  });
});
