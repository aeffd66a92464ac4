import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { readTokenizer } from '../text/tokenizer.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { createBlockForms, FORMS_PER_ROW, plainBlockForms } from './block-forms.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { TEST_SENTENCES, testModel } from './test-models.ts';
import { bestWindow } from './token-sums.ts';

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
    const factors = tokenSums.factors(tokens);
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

  it('know whether the parts between spaces can be cut alone', async () => {
    const model = await testModel();
    const { tokenSums } = createStaticEncoder(model, 'test');
    expect(tokenSums?.isWordLocal).toBe(true);
    const text = ' the  river, wide\tafter\u00a0rain ';
    expect(text.trim().split(/\s+/u).flatMap((part) => [...readTokenizer(model.tokenizer).encode(part)])).toEqual([...(tokenSums?.tokens(text) ?? [])]);
  });
});

describe('products of neighbouring rows', () => {
  it('are the same in WebAssembly and in plain JavaScript', () => {
    const random = seededRandom(1, 'forms');
    const [width, count] = [24, 5];
    const memory = createKernelMemory(2 ** 16);
    const rows = memory.float32((count + 1) * width).map(() => 0);
    const inMemory = (values: Float32Array): Float32Array => {
      const array = memory.float32(values.length);
      array.set(values);
      return array;
    };
    const given = inMemory(rows.map(() => random.normal()));
    const squaredScale = inMemory(new Float32Array(width).map(() => random.next()));
    const fast = memory.float32(count * FORMS_PER_ROW);
    const plain = new Float32Array(count * FORMS_PER_ROW);
    createBlockForms(memory, width)({ rows: given, count, squaredScale, forms: fast, width });
    plainBlockForms({ rows: given, count, squaredScale, forms: plain, width });
    expect(Math.hypot(...plain)).toBeGreaterThan(1);
    plain.forEach((value, i) => expect(fast[i]).toBeCloseTo(value, 4));
  });
});
