/** Does the command line look at brought models, and give trained ones out? */
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBackboneModelFolder } from '../../core/encoding/backbone-model-folder.ts';
import { openTransformerFolder } from '../../core/encoding/backbones/open-backbone.ts';
import { inRepository, resultOf, runHere } from './test-program.ts';

const fixtures = inRepository('test/reference/backbones');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isogloss-cli-backbone-'));
  const languages = [{ tag: 'en', pairs: 0, sentences: 0 }, { tag: 'sw', pairs: 9, sentences: 0 }];
  for (const [name, query] of [['labse', null], ['bert', null], ['minilm', 'minilm']] as const) {
    const backbone = await openTransformerFolder(join(fixtures, name));
    await writeBackboneModelFolder(join(folder, name), { backbone, queryBackbone: query === null ? null : backbone, pivot: 'en', languages, translations: [], training: {} });
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('isogloss backbone', () => {
  it('--inspect prints one JSON answer', async () => {
    expect(resultOf(await runHere(['backbone', '--inspect', join(fixtures, 'roberta'), '--pairs-per-step', '16', '--json']))).toMatchObject({ status: 'usable', facts: { family: 'roberta' }, cost: { pairsPerStep: 16 } });
  });

  it('--inspect says the same to people', async () => {
    const { code, stdout } = await runHere(['backbone', '--inspect', join(fixtures, 'multilingual-e5')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^xlm-roberta model: 2 layers of width 8.*\n.*Licence: mit\.\nTraining \(48 pairs a step\): about \d+ MB of \d+ MB; 1,000 steps take about/);
  });

  it('--export writes what other programs load, in safetensors, in ONNX, or in both', async () => {
    expect(resultOf(await runHere(['backbone', '--export', join(folder, 'labse'), '--out', join(folder, 'out'), '--format', 'both', '--json']))).toMatchObject({ folders: [join(folder, 'out')] });
    expect((await readdir(join(folder, 'out'))).toSorted()).toEqual(['1_Pooling', '2_Dense', 'README.md', 'config.json', 'config_sentence_transformers.json', 'model.safetensors', 'modules.json', 'onnx', 'sentence_bert_config.json', 'special_tokens_map.json', 'tokenizer.json', 'tokenizer_config.json', 'vocab.txt']);
    expect(await readFile(join(folder, 'out', 'README.md'), 'utf8')).toMatch(/^---\nlicense: apache-2\.0\n[^]*language:\n- en\n- sw\n/);
    expect((await openTransformerFolder(join(folder, 'out'))).parameters).toEqual((await openTransformerFolder(join(fixtures, 'labse'))).parameters);
  });

  it('--export writes over nothing', async () => {
    const taken = join(folder, 'taken');
    await mkdir(taken);
    await writeFile(join(taken, 'notes.txt'), 'mine');
    const refused = await runHere(['backbone', '--export', join(folder, 'labse'), '--out', taken]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/taken: expected a name that is free.*Nothing was overwritten/)]);
    expect(await readdir(taken)).toEqual(['notes.txt']);
  });

  it('--export asks for a licence that nobody said, and writes two encoders as two folders', async () => {
    const out = join(folder, 'pair');
    const refused = await runHere(['backbone', '--export', join(folder, 'bert'), '--out', out]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/licence .* not known.*--licence-unknown/)]);
    expect(resultOf(await runHere(['backbone', '--export', join(folder, 'minilm'), '--out', out, '--licence', 'mit', '--dtype', 'f16', '--json']))).toMatchObject({ folders: [join(out, 'document'), join(out, 'query')] });
    expect((await openTransformerFolder(join(out, 'query'))).origin?.licence).toBe('mit');
  });
});
