/** How does a transformer begin that nobody has trained? A vocabulary of the corpora with special tokens, and weights by chance. */
import type { BackboneTokenizer, TransformerBackbone } from '../../encoding/backbone.ts';
import { chanceWeights } from '../../encoding/chance-weights.ts';
import { maskedLanguageModelParameters, transformerParameters, type TransformerShape } from '../../modules/transformer-shape.ts';
import { readPretrainedTokenizer } from '../../text/pretrained/pretrained-tokenizer.ts';
import { writeTokenizer } from '../../text/tokenizer.ts';
import type { UnigramModel } from '../../text/unigram-trainer.ts';
import type { FromScratchRecipe } from '../recipe-schema.ts';

/** XLM-R's specials in XLM-R's places, so that its tokenizer class and its positions fit what is exported. */
const SPECIALS_BEFORE = ['<s>', '<pad>', '</s>', '<unk>'] as const;
const MASK = '<mask>';
const IDS = { cls: 0, pad: 1, sep: 2, unknown: 3 } as const;

/** How many pieces of a vocabulary are special tokens, the unknown piece among them. */
export const SPECIAL_PIECES = SPECIALS_BEFORE.length + 1;

const LAYER_NORM_EPSILON = 1e-5;

/** The tokenizer.json of a trained vocabulary: XLM-R's special tokens around it. */
export function scratchTokenizer(vocabulary: UnigramModel): BackboneTokenizer {
  const plain = writeTokenizer(vocabulary);
  const pieces = plain.model.vocab.filter((_, id) => id !== vocabulary.unknownId);
  const vocab = [...SPECIALS_BEFORE.map((piece) => [piece, 0] as const), ...pieces, [MASK, 0] as const];
  const mask = vocab.length - 1;
  const special = (content: string, id: number): object => ({ id, content, single_word: false, lstrip: content === MASK, rstrip: false, normalized: false, special: true });
  const json = {
    ...plain,
    added_tokens: [...SPECIALS_BEFORE.map((piece, id) => special(piece, id)), special(MASK, mask)],
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
      pair: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }, { Sequence: { id: 'B', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
      special_tokens: { '<s>': { id: '<s>', ids: [IDS.cls], tokens: ['<s>'] }, '</s>': { id: '</s>', ids: [IDS.sep], tokens: ['</s>'] } },
    },
    model: { ...plain.model, unk_id: IDS.unknown, vocab },
  };
  const text = JSON.stringify(json);
  const { encode, vocabularySize } = readPretrainedTokenizer(text);
  return { vocabularySize, encode, ids: { ...IDS, mask }, files: new Map([['tokenizer.json', Buffer.from(text)]]) };
}

/** The shape that a recipe asks for, over a vocabulary. */
export function scratchShape({ layers, width, heads, feedForward, positions }: FromScratchRecipe['encoder'], vocabularySize: number): TransformerShape {
  const positionOffset = IDS.pad + 1;
  return { vocabularySize, width, layers, heads, feedForwardWidth: feedForward, positions: positions + positionOffset, positionOffset, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: LAYER_NORM_EPSILON, padTokenId: IDS.pad };
}

/** A backbone of chance: matrices and embeddings N(0, .02), biases 0, scales 1; with a head for guessing hidden tokens. Always the same for a seed. */
export function scratchBackbone(options: { readonly recipe: Pick<FromScratchRecipe, 'encoder' | 'seed'>; readonly vocabulary: UnigramModel }): TransformerBackbone {
  const { recipe, vocabulary } = options;
  const { encoder, seed } = recipe;
  const tokenizer = scratchTokenizer(vocabulary);
  const shape = scratchShape(encoder, tokenizer.vocabularySize);
  const parameters = chanceWeights([...transformerParameters(shape), ...maskedLanguageModelParameters(shape)], seed);
  const { mode, layer = encoder.layers } = encoder.pooling;
  return { kind: 'transformer', shape, parameters, tokenizer, pooling: { mode, layer, dense: null, normalise: true }, prefixes: { query: '', document: '' }, maxTokens: encoder.positions, origin: null };
}
