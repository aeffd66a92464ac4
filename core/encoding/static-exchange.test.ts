/** Do other programs get the same vectors from an exported static model? Its files are read as they read them, and run in ONNX Runtime. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../test/reference/compare.ts';
import { temporaryFolder } from '../base/test-disks.ts';
import { createSession } from '../runtime/session.ts';
import { numbersOf, tensorFrom } from '../tensor/tensor.ts';
import { openSafetensors, readTensor } from './backbones/safetensors.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { writeStaticFolder } from './static-exchange.ts';
import { TEST_SENTENCES, testModel } from './test-models.ts';

const TOLERANCE = 1e-4;
const TEXTS = [...TEST_SENTENCES, 'Maji safi!', 'the the the', 'ΟΔΟΣ'];
const readJsonFile = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

/** Ids as Hugging Face's own tokenizer gives them from the written file. */
async function idsOf(folder: string): Promise<readonly (readonly number[])[]> {
  const tokenizer = new Tokenizer(Object(await readJsonFile(join(folder, 'tokenizer.json'))), {});
  return TEXTS.map((text) => tokenizer.encode(text, { add_special_tokens: false }).ids);
}
const unit = (row: readonly number[]): number[] => {
  const length = Math.hypot(...row);
  return row.map((value) => value / Math.max(length, 1e-12));
};

describe('a static model in the layout of sentence-transformers', () => {
  it('gives the vectors of Isogloss: mean of the bag, Normalize, Dense, Normalize', async () => {
    using place = temporaryFolder();
    const model = await testModel();
    await writeStaticFolder(join(place.path, 'out'), model, { formats: ['safetensors'], licence: 'cc-by-4.0', title: 'Ziwa' });
    const folder = join(place.path, 'out');
    const modules = await readJsonFile(join(folder, 'modules.json'));
    expect(modules).toMatchObject([{ idx: 0, path: '0_StaticEmbedding', type: 'sentence_transformers.models.StaticEmbedding' }, { path: '1_Normalize' }, { path: '2_Dense', type: 'sentence_transformers.models.Dense' }, { path: '3_Normalize' }]);
    const rows = await readTensor(await openSafetensors(join(folder, '0_StaticEmbedding', 'model.safetensors')), 'embedding.weight');
    const dense = await openSafetensors(join(folder, '2_Dense', 'model.safetensors'));
    const [weight, bias] = [await readTensor(dense, 'linear.weight'), await readTensor(dense, 'linear.bias')];
    expect(await readJsonFile(join(folder, '2_Dense', 'config.json'))).toMatchObject({ in_features: 16, out_features: 16, bias: true });
    const { width } = model;
    const pairs = (await idsOf(join(folder, '0_StaticEmbedding'))).map((ids) => unit(Array.from({ length: width }, (_, h) => ids.reduce((sum, id) => sum + (rows[id * width + h] ?? 0), 0) / Math.max(1, ids.length))));
    const search = pairs.map((row) => unit(Array.from({ length: width }, (_, out) => (bias[out] ?? 0) + row.reduce((sum, value, h) => sum + value * (weight[out * width + h] ?? 0), 0))));
    const encoder = createStaticEncoder(model, 'test');
    const shape = [TEXTS.length, width];
    expect(pairs.flat().filter((value) => value !== 0).length).toBeGreaterThan(100);
    expectClose({ shape, data: pairs.flat() }, { shape, data: [...(await encoder.encode(TEXTS, 'sentence'))] }, 'pairs', TOLERANCE);
    expectClose({ shape, data: search.flat() }, { shape, data: [...(await encoder.encode(TEXTS, 'query'))] }, 'search', TOLERANCE);
    const card = await readFile(join(folder, 'README.md'), 'utf8');
    expect(card).toMatch(/^---\nlicense: cc-by-4.0\n[^]*- sw\n[^]*# Ziwa\n/);
    expect(await stat(join(folder, 'onnx')).catch(() => null)).toBeNull();
  });
});

describe('a static model as ONNX', () => {
  it('gives the same vectors in ONNX Runtime, zeros for a text without tokens, and does not mind padding', async () => {
    using place = temporaryFolder();
    const model = await testModel();
    await writeStaticFolder(join(place.path, 'out'), model, { formats: ['onnx'] });
    const ids = [...(await idsOf(join(place.path, 'out', 'onnx'))), []];
    const longest = Math.max(...ids.map(({ length }) => length)) + 2;
    const padded = (value: (row: readonly number[], i: number) => number) => tensorFrom('int64', [ids.length, longest], ids.flatMap((row) => Array.from({ length: longest }, (_, i) => value(row, i))));
    await using session = await createSession(await readFile(join(place.path, 'out', 'onnx', 'model.onnx')), { threads: 1 });
    const found = await session.run({ input_ids: padded((row, i) => row[i] ?? 3), attention_mask: padded((row, i) => (i < row.length ? 1 : 0)) });
    const encoder = createStaticEncoder(model, 'test');
    const shape = [ids.length, model.width];
    for (const [name, kind] of [['sentence_embedding', 'document'], ['pair_embedding', 'sentence']] as const) {
      const output = found[name];
      if (output === undefined) throw new Error(`no ${name}`);
      expectClose({ shape, data: [...numbersOf(output)] }, { shape, data: [...(await encoder.encode([...TEXTS, ''], kind))] }, name, TOLERANCE);
    }
  });
});
