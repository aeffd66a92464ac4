/** Does a folder from elsewhere get an answer before anything starts: its cost, or every fault by name? */
import { cp, mkdir, readFile, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { changeJson, copyOf, fixtureFolder, layouts, temporaryFolder } from '../../encoding/backbones/test-backbones.ts';
import { cardLanguages } from '../../encoding/backbones/sentence-transformers.ts';
import { trimVocabulary } from '../../encoding/backbones/trim-vocabulary.ts';
import { openBackbone } from '../../encoding/backbones/open-backbone.ts';
import { inspectBackbone } from './inspect-backbone.ts';
import { measureProductRate } from './measure-speed.ts';
import { stepOperations } from './step-cost.ts';

const RATE = 1e9;
const inspect = (folder: string) => inspectBackbone(folder, { productRate: RATE });

/** What a spoilt copy of a layout is refused for: inspecting and opening say the same. */
async function refusal(name: (typeof layouts)[number], spoil: (folder: string) => Promise<unknown>): Promise<{ readonly code: string; readonly message: string; readonly missing: readonly string[]; readonly count: number }> {
  await using folder = await temporaryFolder();
  const copy = await copyOf(name, folder.path);
  await spoil(copy);
  const found = await inspect(copy);
  if (found.status !== 'refused') throw new Error('Expected a refusal.');
  const [first] = found.problems;
  await expect(openBackbone(copy)).rejects.toMatchObject({ family: 'input', code: first?.code });
  return { code: first?.code ?? '', message: first?.message ?? '', missing: first?.missing ?? [], count: found.problems.length };
}

describe('a model that can be trained', () => {
  it.each(layouts)('%s: its facts, its memory and the time of 1,000 steps', async (name) => {
    const found = await inspect(fixtureFolder(name));
    if (found.status !== 'usable') throw new Error(JSON.stringify(found));
    const backbone = await openBackbone(fixtureFolder(name));
    if (backbone.kind !== 'transformer') throw new Error('A transformer.');
    const count = [...backbone.parameters].filter(([key]) => !key.startsWith('mlm.')).reduce((sum, [, values]) => sum + values.length, 0);
    expect(found.facts).toMatchObject({ kind: 'transformer', family: backbone.origin?.family, layers: 2, width: 8, heads: 2, parameters: count, maxTokens: backbone.maxTokens, hasMaskedLanguageHead: backbone.parameters.has('mlm.bias') });
    const tokens = { queryTokens: Math.min(24, backbone.maxTokens), documentTokens: Math.min(160, backbone.maxTokens) };
    expect(found.cost).toMatchObject({ pairsPerStep: 48, ...tokens, gigaflopsMeasured: 1 });
    const operations = stepOperations(backbone.shape, { texts: 48, tokens: tokens.queryTokens }) + stepOperations(backbone.shape, { texts: 48, tokens: tokens.documentTokens });
    expect(found.cost.secondsPer1000Steps).toBeCloseTo((1000 * operations) / (0.45 * RATE), 9);
    expect(found.cost.memoryBytes).toBeGreaterThan(16 * count);
    expect(found.advice.includes('backbone.unknown-licence')).toBe(backbone.origin?.licence === null);
  });

  it('counts the operations of a step by hand', () => {
    const shape = { vocabularySize: 10, width: 4, layers: 3, heads: 2, feedForwardWidth: 8, positions: 9, positionOffset: 0, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 0 } as const;
    expect(stepOperations(shape, { texts: 5, tokens: 7 })).toBe(3 * 2 * 5 * 7 * (3 * (4 * 16 + 2 * 32) + 3 * 2 * 7 * 4));
  });

  it('measures this machine when no rate is given', async () => {
    expect(await measureProductRate({ threads: 1 })).toBeGreaterThan(RATE / 10);
    const found = await inspectBackbone(fixtureFolder('bert'), { threads: 1 });
    expect(found.status === 'usable' && (found.cost.gigaflopsMeasured ?? 0) > 0.1).toBe(true);
  });

  it('says what a vocabulary of only the pieces that given texts use would save, as training then finds it', async () => {
    const texts = ['abc abc', 'xyz'];
    const found = await inspectBackbone(fixtureFolder('xlm-roberta'), { productRate: RATE, texts: () => Promise.resolve(texts) });
    if (found.status !== 'usable' || found.trimming === null) throw new Error(JSON.stringify(found));
    const backbone = await openBackbone(fixtureFolder('xlm-roberta'));
    if (backbone.kind !== 'transformer') throw new Error('A transformer.');
    const { report } = trimVocabulary(backbone, texts);
    expect(found.trimming.pieces).toBe(report.piecesAfter);
    expect(found.trimming.savedBytes).toBe(report.bytesBefore - report.bytesAfter);
    expect(found.trimming.memoryBytes).toBeLessThan(found.cost.memoryBytes);
    const between = Math.ceil((found.trimming.memoryBytes + found.cost.memoryBytes) / 2);
    const tight = await inspectBackbone(fixtureFolder('xlm-roberta'), { productRate: RATE, memoryBytes: between, texts: () => Promise.resolve(texts) });
    expect(tight.status === 'usable' && tight.advice.includes('backbone.must-trim')).toBe(true);
    expect(await inspectBackbone(fixtureFolder('xlm-roberta'), { productRate: RATE, memoryBytes: between })).toMatchObject({ status: 'refused', problems: [{ code: 'backbone.too-little-memory' }] });
  });

  it('names the languages that its card names, in either notation', () => {
    expect(cardLanguages('---\nlicense: mit\nlanguage:\n- sw\n- "en"\ntags:\n- x\n---\n# A\n')).toEqual(['sw', 'en']);
    expect(cardLanguages('---\nlanguage: [sw, en]\n---\n')).toEqual(['sw', 'en']);
    expect(cardLanguages('---\nlanguage: multilingual\n---\n')).toEqual(['multilingual']);
    for (const none of ['', '# language: sw', '---\nlicense: mit\n---\nlanguage: sw\n']) expect(cardLanguages(none)).toEqual([]);
  });

  it('of kind ONNX is known as well, but for its time', async () => {
    const found = await inspect(fileURLToPath(new URL('../../../test/reference/onnx/bert-opset14', import.meta.url)));
    expect(found).toMatchObject({ status: 'usable', facts: { kind: 'onnx', width: 8 }, cost: { secondsPer1000Steps: null } });
  });
});

describe('a model that cannot be trained is refused by name:', () => {
  it('too little memory, with what it would take and what there is', async () => {
    const found = await inspectBackbone(fixtureFolder('bert'), { productRate: RATE, memoryBytes: 64 * 2 ** 20 });
    expect(found).toMatchObject({ status: 'refused', problems: [{ code: 'backbone.too-little-memory', message: expect.stringMatching(/about [\d,]+ MB of memory; 64 MB are there/) }], facts: { family: 'bert' } });
    const two = await inspectBackbone(fixtureFolder('bert'), { productRate: RATE, setup: { encoders: 2 } });
    const one = await inspectBackbone(fixtureFolder('bert'), { productRate: RATE });
    expect((two.cost?.memoryBytes ?? 0) - (one.cost?.memoryBytes ?? 0)).toBeGreaterThan(0);
  });

  it('a folder that is not there, or empty: every missing file at once', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'empty'));
    const found = await inspect(join(folder.path, 'empty'));
    expect(found.status === 'refused' ? found.problems.flatMap(({ missing }) => missing) : []).toEqual(['config.json', 'tokenizer.json', 'model.safetensors']);
    expect(await inspect(join(folder.path, 'nowhere'))).toMatchObject({ status: 'refused', problems: expect.arrayContaining([expect.objectContaining({ code: 'file.missing' })]) });
  });

  it('missing safetensors, saying that a pickle stands there instead', async () => {
    expect(await refusal('bert', (folder) => rename(join(folder, 'model.safetensors'), join(folder, 'pytorch_model.bin')))).toMatchObject({ code: 'backbone.missing-file', missing: ['model.safetensors'], message: expect.stringContaining('pytorch_model.bin, which Isogloss does not open') });
  });

  it('a missing part of a model in parts, and an index that leads elsewhere', async () => {
    const part = 'model-00002-of-00002.safetensors';
    expect(await refusal('xlm-roberta', (folder) => unlink(join(folder, part)))).toMatchObject({ code: 'backbone.missing-file', missing: [part] });
    expect(await refusal('xlm-roberta', (folder) => changeJson(join(folder, 'model.safetensors.index.json'), { weight_map: { x: '../bert/model.safetensors' } }))).toMatchObject({ code: 'backbone.wrong-index' });
  });

  it('truncated safetensors, wherever they end', async () => {
    for (const bytes of [0, 5, 40, 3000, 26_000]) expect((await refusal('bert', (folder) => truncate(join(folder, 'model.safetensors'), bytes))).code).toMatch(/backbone\.(truncated|not-safetensors)/);
    expect(await refusal('bert', (folder) => truncate(join(folder, 'model.safetensors'), 26_000))).toMatchObject({ code: 'backbone.truncated', message: expect.stringMatching(/at least \d+ bytes of weights, found 26000/) });
  });

  it('bytes that are no safetensors, and headers that lie', async () => {
    const write = (header: string, length = header.length) => async (folder: string): Promise<void> => {
      const start = Buffer.alloc(8);
      start.writeBigUInt64LE(BigInt(length));
      await writeFile(join(folder, 'model.safetensors'), Buffer.concat([start, Buffer.from(header), Buffer.alloc(64)]));
    };
    for (const spoil of [write('not json'), write('[]'), write('['.repeat(1000)), write('{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,8]}}'), write('{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}'), write('{"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}}'), write('{"a":null}'), write('{}', 2 ** 40), write('{"a":{"dtype":"F32","shape":[1099511627776,1099511627776],"data_offsets":[0,4]}}')]) {
      expect(await refusal('bert', spoil)).toMatchObject({ code: 'backbone.not-safetensors' });
    }
  });

  it('wrong shapes, with both', async () => {
    expect(await refusal('bert', (folder) => changeJson(join(folder, 'config.json'), { intermediate_size: 16 }))).toMatchObject({ code: 'backbone.wrong-shape', message: expect.stringMatching(/intermediate\.dense\.weight" should have the shape \[16, 8\].*found \[12, 8\]/) });
    expect(await refusal('labse', (folder) => changeJson(join(folder, '2_Dense', 'config.json'), { in_features: 9 }))).toMatchObject({ code: 'backbone.wrong-shape' });
  });

  it('tensors that are missing, named', async () => {
    expect(await refusal('distilbert', (folder) => changeJson(join(folder, 'config.json'), { n_layers: 3 }))).toMatchObject({ code: 'backbone.missing-tensor', message: expect.stringContaining('"distilbert.transformer.layer.2.attention.q_lin.weight"') });
  });

  it('a vocabulary that does not fit, with both numbers', async () => {
    expect(await refusal('bert', async (folder) => writeFile(join(folder, 'vocab.txt'), `${await readFile(join(folder, 'vocab.txt'), 'utf8')}${Array.from({ length: 300 }, (_, i) => `zz${i}`).join('\n')}\n`))).toMatchObject({ code: 'backbone.vocabulary-mismatch', message: expect.stringMatching(/720 pieces.*420 rows/) });
  });

  it('NaN weights, with the tensor and the place, in 32 and in 16 bits', async () => {
    for (const [name, bytes] of [['bert', [0, 0, 192, 127]], ['roberta', [0, 124]], ['multilingual-e5', [0, 126]]] as const) {
      expect(await refusal(name, async (folder) => {
        const file = await readFile(join(folder, 'model.safetensors'));
        const start = 8 + Number(file.readBigUInt64LE(0));
        file.set(bytes, start + 6 * bytes.length);
        await writeFile(join(folder, 'model.safetensors'), file);
      })).toMatchObject({ code: 'backbone.not-finite', message: expect.stringMatching(/word_embeddings\.weight", found (NaN|Infinity) at position 6/) });
    }
  });

  it('a tokenizer.json of 1 GB, without reading it', async () => {
    const begun = performance.now();
    expect(await refusal('roberta', (folder) => truncate(join(folder, 'tokenizer.json'), 2 ** 30))).toMatchObject({ code: 'backbone.file-too-large', message: expect.stringMatching(/at most 64 MB, found 1024 MB/) });
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('tokenizers that are too deep, too sly, repeat ids, or are none', async () => {
    const spoil = (text: string) => (folder: string): Promise<void> => writeFile(join(folder, 'tokenizer.json'), text);
    const pieces = (vocab: string): string => `{"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":${vocab}}}`;
    const rows: readonly (readonly [string, string, RegExp])[] = [
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'tokenizer.invalid', /nesting/],
      ['{"__proto__":{"x":1},"model":{}}', 'tokenizer.invalid', /__proto__/],
      [pieces('{"[UNK]":0,"a":1,"b":1}'), 'tokenizer.invalid', /"b".*id of its own \("a" has it too\), found 1/],
      [pieces('{"[UNK]":0,"a":99999999}'), 'tokenizer.invalid', /whole number/],
      [pieces('{"a":1}'), 'tokenizer.invalid', /\[UNK\].*missing/],
      ['{"normalizer":{"type":"Replace","pattern":{"Regex":"(a+)+$"},"content":""},"model":{"type":"WordPiece","vocab":{"[UNK]":0}}}', 'tokenizer.unsupported', /forever/],
      ['{"model":{"type":"Mystery","vocab":{}}}', 'tokenizer.unsupported', /Mystery/],
      ['not json', 'tokenizer.not-json', /JSON/],
    ];
    for (const [text, code, message] of rows) expect(await refusal('distilbert', spoil(text))).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await refusal('distilbert', (folder) => rm(join(folder, 'tokenizer.json')))).missing).toEqual(['tokenizer.json']);
  });

  it('an unknown family, and things that these layers do not do', async () => {
    expect(await refusal('bert', (folder) => changeJson(join(folder, 'config.json'), { model_type: 'mamba' }))).toMatchObject({ code: 'backbone.unknown-family', message: expect.stringMatching(/bert, roberta, xlm-roberta, distilbert; found "mamba"/) });
    for (const change of [{ position_embedding_type: 'relative_key' }, { hidden_act: 'swish' }, { is_decoder: true }, { embedding_size: 4 }]) expect(await refusal('bert', (folder) => changeJson(join(folder, 'config.json'), change))).toMatchObject({ code: 'backbone.unsupported' });
    for (const change of [{ num_attention_heads: 3 }, { hidden_size: '8' }, { num_hidden_layers: -1 }, { max_position_embeddings: 0 }]) expect(await refusal('bert', (folder) => changeJson(join(folder, 'config.json'), change))).toMatchObject({ code: 'backbone.wrong-config' });
    expect(await refusal('minilm', (folder) => changeJson(join(folder, '1_Pooling', 'config.json'), { pooling_mode_mean_tokens: false, pooling_mode_max_tokens: true }))).toMatchObject({ code: 'backbone.unsupported', message: expect.stringContaining('max') });
    expect(await refusal('minilm', (folder) => writeFile(join(folder, 'modules.json'), '[{"type":"x.Transformer","path":"../../etc"}]'))).toMatchObject({ code: 'backbone.wrong-config' });
  });

  it('config.json that is missing or no JSON', async () => {
    expect(await refusal('bert', (folder) => rm(join(folder, 'config.json')))).toMatchObject({ missing: ['config.json'] });
    expect(await refusal('bert', (folder) => writeFile(join(folder, 'config.json'), '{"model_type": '))).toMatchObject({ code: 'file.not-json' });
    expect(await refusal('bert', (folder) => writeFile(join(folder, 'config.json'), `{"a":${'['.repeat(100_000)}`))).toMatchObject({ code: 'file.not-json', message: expect.stringContaining('nesting') });
  });

  it('several faults in one answer', async () => {
    await using folder = await temporaryFolder();
    const copy = join(folder.path, 'bert');
    await cp(fixtureFolder('bert'), copy, { recursive: true });
    await rm(join(copy, 'vocab.txt'));
    await changeJson(join(copy, 'config.json'), { hidden_act: 'swish' });
    const found = await inspect(copy);
    expect(found.status === 'refused' ? found.problems.map(({ code }) => code) : []).toEqual(['backbone.unsupported', 'backbone.missing-file']);
  });
});
