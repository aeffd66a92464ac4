/** Are mBERT, XLM-R, InfoXLM and LaBSE taken as they were published, as baselines and as the beginning of a training? Tiny weights, their own files and keys. */
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeJson, copyOf, temporaryFolder, type layouts } from '../../../core/encoding/backbones/test-backbones.ts';
import { openAsItIs } from '../../../core/encoding/open-as-it-is.ts';
import { openEncoder } from '../../../core/encoding/open-encoder.ts';
import { parseRecipe } from '../../../core/training/recipe.ts';
import { runTraining } from '../../../core/training/run-training.ts';

type Published = { readonly like: (typeof layouts)[number]; readonly config: Readonly<Record<string, unknown>>; readonly tokenizer: Readonly<Record<string, unknown>>; readonly width: number; /** Files of the fixture that this publication does not have. */ readonly without: readonly string[] };

/** The keys beside the sizes, as the config.json of each has them. */
const published: Readonly<Record<string, Published>> = {
  'bert-base-multilingual-cased': {
    like: 'bert',
    config: { architectures: ['BertForMaskedLM'], attention_probs_dropout_prob: 0.1, directionality: 'bidi', hidden_dropout_prob: 0.1, initializer_range: 0.02, layer_norm_eps: 1e-12, pooler_fc_size: 768, pooler_num_attention_heads: 12, pooler_num_fc_layers: 3, pooler_size_per_head: 128, pooler_type: 'first_token_transform', transformers_version: '4.6.0.dev0', use_cache: true },
    tokenizer: { do_lower_case: false, model_max_length: 512 },
    width: 8,
    without: [],
  },
  'xlm-roberta-base': {
    like: 'xlm-roberta',
    config: { architectures: ['XLMRobertaForMaskedLM'], attention_probs_dropout_prob: 0.1, bos_token_id: 0, eos_token_id: 2, hidden_dropout_prob: 0.1, initializer_range: 0.02, output_past: true, transformers_version: '4.17.0.dev0', use_cache: true },
    tokenizer: { model_max_length: 512 },
    width: 8,
    without: [],
  },
  'infoxlm-base': {
    like: 'xlm-roberta',
    config: { architectures: ['XLMRobertaModel'], attention_probs_dropout_prob: 0.1, bos_token_id: 0, eos_token_id: 2, gradient_checkpointing: false, hidden_dropout_prob: 0.1, initializer_range: 0.02, output_past: true, use_cache: true },
    tokenizer: { model_max_length: 512 },
    width: 8,
    without: [],
  },
  LaBSE: {
    like: 'labse',
    config: { _name_or_path: 'somewhere/else', architectures: ['BertModel'], attention_probs_dropout_prob: 0.1, classifier_dropout: null, directionality: 'bidi', gradient_checkpointing: false, initializer_range: 0.02, pooler_fc_size: 768, pooler_num_attention_heads: 12, pooler_num_fc_layers: 3, pooler_size_per_head: 128, pooler_type: 'first_token_transform', transformers_version: '4.7.0', use_cache: true },
    tokenizer: { do_lower_case: false, unk_token: '[UNK]', sep_token: '[SEP]', pad_token: '[PAD]', cls_token: '[CLS]', mask_token: '[MASK]', tokenize_chinese_chars: true, strip_accents: null, do_basic_tokenize: true, never_split: null, special_tokens_map_file: null, full_tokenizer_file: null },
    width: 6,
    without: ['tokenizer.json'],
  },
};

const sentences = ['the river is wide', 'water', ''];

describe.each(Object.entries(published))('%s', (_, { like, config, tokenizer, width, without }) => {
  it('gives vectors as it is, from any layer, and can be trained further', async () => {
    await using folder = await temporaryFolder();
    const path = await copyOf(like, folder.path);
    await changeJson(join(path, 'config.json'), config);
    await writeFile(join(path, 'tokenizer_config.json'), JSON.stringify({ ...readOr(join(path, 'tokenizer_config.json')), ...tokenizer }));
    for (const name of without) await rm(join(path, name));
    const asItIs = await openAsItIs(path, { threads: 1 });
    expect(asItIs.width).toBe(width);
    const vectors = await asItIs.encode(sentences, 'sentence');
    for (let i = 0; i < 2; i += 1) expect(Math.hypot(...vectors.subarray(i * width, (i + 1) * width))).toBeCloseTo(1, 5);
    const middle = await openAsItIs(path, { threads: 1, pooling: { mode: 'mean', layer: 1 } });
    expect(middle.width).toBe(8); // hidden states, before LaBSE's dense map
    expect(await middle.encode(sentences, 'sentence')).not.toEqual(vectors);
    await expect(openAsItIs(path, { pooling: { layer: 3 } })).rejects.toMatchObject({ code: 'backbone.no-such-layer' });

    await writeFile(join(folder.path, 'pairs.tsv'), Array.from({ length: 40 }, (__, i) => `the river ${String(i)}\twater ${String(i)}`).join('\n'));
    const recipe = await parseRecipe({ text: JSON.stringify({ encoder: { kind: 'backbone', path, dropout: 0 }, parallel: [{ path: 'pairs.tsv', source: 'en', target: 'sw' }], optimizer: { parallelBatch: 8, learningRate: 0.01 }, budget: { steps: 1 } }), recipePath: 'recipe.json', folder: folder.path });
    await runTraining({ recipe, outputFolder: join(folder.path, 'tuned'), starterFolder: '', threads: 1, device: 'cpu', resume: false, signal: new AbortController().signal, report: () => undefined });
    const tuned = await openEncoder(join(folder.path, 'tuned'), { threads: 1 });
    expect(tuned.width).toBe(width);
    expect(await tuned.encode(sentences, 'sentence')).not.toEqual(vectors);
  });
});

function readOr(path: string): object {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as object;
  } catch {
    return {}; // some layouts do without
  }
}
