import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { readTokenizer } from '../text/tokenizer.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { createBlockKernels, FORMS_PER_BLOCK, plainBlockKernels } from './block-forms.ts';
import type { BlockFormsRoom, BlockKernels } from './block-forms.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { TEST_SENTENCES, testModel } from './test-models.ts';
import { bestWindow } from './token-sums.ts';
import { windowCount, windowRanges } from './windows.ts';

const longText = (words: number): string => Array.from({ length: words }, (_, i) => (TEST_SENTENCES[i % 8] ?? '').split(' ')[(i * 3) % 5] ?? '').join(' ');

describe('token sums', () => {
  it.each([16, 10])('give the cosines of the vectors they stand for, whole text and windows (width %i)', async (width) => {
    const encoder = createStaticEncoder(await testModel({ width }), 'test');
    const { tokenSums } = encoder;
    if (tokenSums === undefined) throw new Error('a static encoder has token sums');
    const texts = ['mto', longText(20), longText(61), longText(200), longText(3000), ''];
    const query = await encoder.encode(['the wide river after the rain'], 'query');
    const vectors = await encoder.encodeDocuments(texts);
    const tokens = texts.map(tokenSums.tokens);
    const factors = tokens.map((own) => tokenSums.factors(own).slice());
    const scores = tokenSums.scores(query);
    let windows = 0;
    texts.forEach((text, i) => {
      const rows = vectors[i] ?? new Float32Array(0);
      const cosines = Array.from({ length: rows.length / width }, (_, r) => query.reduce((sum, value, k) => sum + value * (rows[r * width + k] ?? 0), 0));
      expect(factors[i]?.length).toBe(2 * cosines.length);
      windows += cosines.length;
      const best = bestWindow({ ids: tokens[i] ?? [], from: 0, to: tokens[i]?.length ?? 0, factors: factors[i] ?? new Float32Array(0), factorsAt: 0, scores: scores.tokens, offset: scores.offset });
      if (text === '') expect(best.similarity).toBe(-Infinity);
      else {
        expect(best.similarity).toBeCloseTo(Math.max(...cosines), 4);
        expect(cosines[best.window]).toBeCloseTo(Math.max(...cosines), 4);
      }
    });
    expect(windows).toBeGreaterThan(300);
  });

  it('are those of vectors summed number by number in double precision, to 1e-6', async () => {
    const model = await testModel({ width: 16 });
    const { tokenSums } = createStaticEncoder(model, 'test');
    if (tokenSums === undefined) throw new Error('a static encoder has token sums');
    const { width, table, weights, mean, scale } = model;
    let compared = 0;
    for (const words of [1, 20, 61, 3000]) {
      const tokens = tokenSums.tokens(longText(words));
      const found = tokenSums.factors(tokens);
      [{ start: 0, end: tokens.length }, ...windowRanges(tokens.length)].forEach(({ start, end }, place) => {
        const sum = Array.from({ length: width }, (_, k) => tokens.subarray(start, end).reduce((total, id) => total + (weights[id] ?? 0) * (table[id * width + k] ?? 0), 0));
        const length = Math.hypot(...sum);
        const u = Math.hypot(...sum.map((value, k) => (value / length - (mean[k] ?? 0)) * (scale[k] ?? 0)));
        for (const [i, expected] of [1 / (length * u), 1 / u].entries()) expect(Math.abs((found[2 * place + i] ?? NaN) / expected - 1)).toBeLessThan(1e-6);
        compared += 1;
      });
    }
    expect(compared).toBeGreaterThan(300);
  });

  it('know whether the parts between spaces can be cut alone', async () => {
    const model = await testModel();
    const { tokenSums } = createStaticEncoder(model, 'test');
    expect(tokenSums?.isWordLocal).toBe(true);
    const text = ' the  river, wide\tafter\u00a0rain ';
    expect(text.trim().split(/\s+/u).flatMap((part) => [...readTokenizer(model.tokenizer).encode(part)])).toEqual([...(tokenSums?.tokens(text) ?? [])]);
  });
});

describe('products of neighbouring blocks', () => {
  it.each([64 + 8, 4])('are the same in WebAssembly and in plain JavaScript, at once or in parts (width %i)', (width) => {
    const random = seededRandom(1, 'forms');
    const [rows, tokens, blockTokens] = [20, 27, 6];
    const memory = createKernelMemory(2 ** 18);
    const drawn = (length: number, draw: () => number): Float32Array => {
      const array = memory.float32(length);
      array.set(array.map(draw));
      return array;
    };
    const [table, weights, squaredScale] = [drawn(rows * width, random.normal), drawn(rows, random.next), drawn(width, random.next)];
    const all = Int32Array.from({ length: tokens }, () => random.integer(rows));
    const blocks = Math.ceil(tokens / blockTokens);
    const formsOf = (make: (room: BlockFormsRoom) => BlockKernels, parts: readonly Int32Array[]): number[] => {
      const room = { table, weights, squaredScale, ids: memory.int32(tokens), forms: memory.float32(blocks * FORMS_PER_BLOCK), last: memory.float32(width), whole: memory.float32(width) };
      const { blockForms, wholeForms } = make(room);
      const found = parts.flatMap((part) => {
        room.ids.set(part);
        blockForms(part.length);
        return Array.from(room.forms.subarray(0, Math.ceil(part.length / blockTokens) * FORMS_PER_BLOCK));
      });
      return [...found, wholeForms().plain, wholeForms().scaled];
    };
    const fast = (room: BlockFormsRoom): BlockKernels => createBlockKernels(memory, room, blockTokens);
    const expected = formsOf((room) => plainBlockKernels(room, blockTokens), [all]);
    expect(expected).toHaveLength(blocks * FORMS_PER_BLOCK + 2);
    expect(Math.hypot(...expected)).toBeGreaterThan(1);
    const inParts = formsOf(fast, [all.subarray(0, 2 * blockTokens), all.subarray(2 * blockTokens)]);
    formsOf(fast, [all]).forEach((value, i) => {
      expect(Math.abs(value - (expected[i] ?? NaN))).toBeLessThan(1e-5 * (1 + Math.abs(value)));
      expect(inParts[i]).toBe(value);
    });
  });
});

describe('windows', () => {
  it('are counted without being listed', () => {
    for (let tokens = 0; tokens < 200; tokens += 1) expect(windowCount(tokens)).toBe(windowRanges(tokens).length);
  });
});
