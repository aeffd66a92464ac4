/** Is every layout read as it was meant, and written so that reading it again gives the same bytes? */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import tokenizers from '../../../test/reference/pretrained-tokenizers.json' with { type: 'json' };
import { writeBackboneModelFolder, readBackboneModelFolder } from '../backbone-model-folder.ts';
import type { TransformerBackbone } from '../backbone.ts';
import { readModelFolder } from '../model-folder.ts';
import { openTransformerFolder } from './open-backbone.ts';
import { openSafetensors, readTensor } from './safetensors.ts';
import { fixtureFolder, layouts, temporaryFolder } from './test-backbones.ts';
import { writeBackboneFolder } from './write-backbone.ts';

type Facts = { readonly family: string; readonly mode: string; readonly normalise: boolean; readonly dense: number; readonly maxTokens: number; readonly prefixes: readonly [string, string]; readonly licence: string | null; readonly head: boolean; readonly kept: number; readonly ids: keyof typeof tokenizers.cases };

const facts: { readonly [Name in (typeof layouts)[number]]: Facts } = {
  bert: { family: 'bert', mode: 'mean', normalise: true, dense: 0, maxTokens: 16, prefixes: ['', ''], licence: null, head: true, kept: 2, ids: 'bert-uncased' },
  roberta: { family: 'roberta', mode: 'mean', normalise: true, dense: 0, maxTokens: 22, prefixes: ['', ''], licence: null, head: true, kept: 0, ids: 'byte-level' },
  'xlm-roberta': { family: 'xlm-roberta', mode: 'mean', normalise: true, dense: 0, maxTokens: 22, prefixes: ['', ''], licence: null, head: false, kept: 0, ids: 'unigram' },
  distilbert: { family: 'distilbert', mode: 'mean', normalise: true, dense: 0, maxTokens: 24, prefixes: ['', ''], licence: null, head: true, kept: 0, ids: 'bert-cased' },
  labse: { family: 'bert', mode: 'cls', normalise: true, dense: 6, maxTokens: 20, prefixes: ['', ''], licence: 'apache-2.0', head: false, kept: 2, ids: 'bert-cased' },
  'multilingual-e5': { family: 'xlm-roberta', mode: 'mean', normalise: true, dense: 0, maxTokens: 22, prefixes: ['query: ', 'passage: '], licence: 'mit', head: false, kept: 0, ids: 'unigram' },
  minilm: { family: 'bert', mode: 'mean', normalise: false, dense: 0, maxTokens: 12, prefixes: ['find: ', 'text: '], licence: null, head: false, kept: 0, ids: 'unigram' },
};

/** The same numbers, bit by bit. */
function expectSame(found: TransformerBackbone, expected: TransformerBackbone): void {
  expect(found.shape).toEqual(expected.shape);
  expect([...found.parameters.keys()]).toEqual([...expected.parameters.keys()]);
  for (const [name, values] of expected.parameters) expect(Buffer.from(found.parameters.get(name)?.buffer ?? new ArrayBuffer(0)).equals(Buffer.from(values.buffer)), name).toBe(true);
  expect(found.pooling).toEqual(expected.pooling);
  expect(found.prefixes).toEqual(expected.prefixes);
  expect(found.maxTokens).toBe(expected.maxTokens);
  expect(found.origin?.kept).toEqual(expected.origin?.kept);
  expect(found.origin?.licence).toBe(expected.origin?.licence);
  expect(found.tokenizer.files.get('tokenizer.json')).toEqual(expected.tokenizer.files.get('tokenizer.json'));
}

describe.each(layouts)('the layout of %s', (name) => {
  const expected = facts[name];

  it('is read with its sizes, pooling, prompts, special ids and tokenizer', async () => {
    const backbone = await openTransformerFolder(fixtureFolder(name));
    const { shape, pooling, origin, tokenizer } = backbone;
    expect({ layers: shape.layers, width: shape.width, heads: shape.heads, inner: shape.feedForwardWidth }).toEqual({ layers: 2, width: 8, heads: 2, inner: 12 });
    expect(origin?.family).toBe(expected.family);
    expect([pooling.mode, pooling.normalise, pooling.dense?.bias.length ?? 0, pooling.layer]).toEqual([expected.mode, expected.normalise, expected.dense, 2]);
    expect([backbone.maxTokens, origin?.licence, backbone.prefixes.query, backbone.prefixes.document]).toEqual([expected.maxTokens, expected.licence, ...expected.prefixes]);
    expect(backbone.parameters.has('mlm.bias')).toBe(expected.head);
    expect(origin?.kept.size).toBe(expected.kept);
    expect(shape.positionOffset).toBe(expected.family.includes('roberta') ? 2 : 0);
    const ids: Readonly<Record<string, readonly number[]>> = tokenizers.cases[expected.ids];
    for (const [text, all] of Object.entries(ids)) expect([...tokenizer.encode(text, 1000)], text).toEqual(all);
    const one = tokenizer.encode('water', 10);
    expect([one[0], one.at(-1)]).toEqual([tokenizer.ids.cls, tokenizer.ids.sep]);
    expect(tokenizer.vocabularySize).toBeLessThanOrEqual(shape.vocabularySize);
  });

  it('holds the numbers that PyTorch put there', async () => {
    const { parameters } = await openTransformerFolder(fixtureFolder(name));
    const reference = await openSafetensors(`${fixtureFolder(name)}.reference.safetensors`);
    const compared = [...reference.tensors.keys()].filter((key) => key.startsWith('parameter.'));
    expect(compared.length).toBe(expected.head ? 7 : 2);
    for (const key of compared) expect(parameters.get(key.slice('parameter.'.length)), key).toEqual(await readTensor(reference, key));
  });

  it('comes back the same from an export, in 32 and (where it came in 16) in 16 bits', async () => {
    await using folder = await temporaryFolder();
    const backbone = await openTransformerFolder(fixtureFolder(name));
    await writeBackboneFolder(join(folder.path, 'once'), backbone);
    const again = await openTransformerFolder(join(folder.path, 'once'));
    expectSame(again, backbone);
    await writeBackboneFolder(join(folder.path, 'twice'), again, { dtype: 'F16' });
    expectSame(await openTransformerFolder(join(folder.path, 'twice')), backbone);
    await writeBackboneFolder(join(folder.path, 'thrice'), again);
    expect((await readFile(join(folder.path, 'thrice', 'model.safetensors'))).equals(await readFile(join(folder.path, 'once', 'model.safetensors')))).toBe(true);
  });

  it('comes back the same from a model folder, whole and as a pair, also with an inner layer pooled', async () => {
    await using folder = await temporaryFolder();
    const opened = await openTransformerFolder(fixtureFolder(name));
    const backbone = { ...opened, pooling: { ...opened.pooling, layer: 1 }, maxTokens: 9 };
    const facts = { pivot: 'en', languages: [{ tag: 'sw', pairs: 5, sentences: 0 }], translations: [], training: { steps: 3 } };
    const manifest = await writeBackboneModelFolder(join(folder.path, 'model'), { backbone, queryBackbone: opened, ...facts }, { 'report.json': '{}' });
    const found = await readBackboneModelFolder(join(folder.path, 'model'));
    expect(found.manifest).toEqual(manifest);
    expect(manifest.files['report.json']).toHaveLength(64);
    expect(manifest.encoder).toMatchObject({ kind: 'transformer', width: expected.dense === 0 ? 8 : 6, query: 'query-backbone' });
    const { backbone: document, queryBackbone: query, ...rest } = found.model;
    expect(rest).toEqual(facts);
    if (document.kind !== 'transformer' || query?.kind !== 'transformer') throw new Error('Two transformers.');
    expectSame(document, backbone);
    expectSame(query, opened);
  });
});

describe('a model folder around a backbone', () => {
  it('names the file that is damaged or leads elsewhere, and is no static model', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'model');
    await writeBackboneModelFolder(path, { backbone: await openTransformerFolder(fixtureFolder('bert')), queryBackbone: null, pivot: 'en', languages: [], translations: [], training: {} });
    await expect(readModelFolder(path)).rejects.toMatchObject({ code: 'model.other-kind' });
    const manifest = await readFile(join(path, 'model.json'), 'utf8');
    await writeFile(join(path, 'model.json'), manifest.replace('"backbone/vocab.txt"', '"../../etc/passwd"'));
    await expect(readBackboneModelFolder(path)).rejects.toMatchObject({ code: 'model.not-a-model', message: expect.stringContaining('../../etc/passwd') });
    await writeFile(join(path, 'model.json'), manifest);
    const weights = await readFile(join(path, 'backbone', 'model.safetensors'));
    weights[weights.length - 1] = (weights.at(-1) ?? 0) ^ 1;
    await writeFile(join(path, 'backbone', 'model.safetensors'), weights);
    await expect(readBackboneModelFolder(path)).rejects.toMatchObject({ code: 'model.damaged', message: expect.stringContaining('model.safetensors') });
  });
});

describe('an export', () => {
  it('leaves out the layers above the pooled one', async () => {
    await using folder = await temporaryFolder();
    const opened = await openTransformerFolder(fixtureFolder('bert'));
    await writeBackboneFolder(join(folder.path, 'short'), { ...opened, pooling: { ...opened.pooling, layer: 1 } });
    const short = await openTransformerFolder(join(folder.path, 'short'));
    expect([short.shape.layers, short.pooling.layer]).toEqual([1, 1]);
    expect([...short.parameters.keys()].some((key) => key.startsWith('layer.1') || key.startsWith('mlm.'))).toBe(false);
  });
});
