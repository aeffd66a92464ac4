/** How does a model around a backbone turn text into vectors? Each text with its prefix through the encoder of its kind; long ones in windows. */
import { DENSE, type TransformerPooling } from '../modules/index.ts';
import { defaultThreads } from '../runtime/threads.ts';
import type { Backbone, Pooling, TransformerBackbone } from './backbone.ts';
import { embeddingWidth, type BackboneModel } from './backbone-model-folder.ts';
import type { Encoder, PhraseEncoder } from './encoder.ts';
import { modelTranslations } from './model-translations.ts';
import { createOnnxVectors } from './onnx-vectors.ts';
import { createProjection, PLAIN_READING, type PhraseReading } from './phrase-reading.ts';
import { noSuchLayer, tokensInUse, vectorsOfPhrases, type PhraseReader } from './phrase-vectors.ts';
import { tokenSpans } from './token-spans.ts';
import { createTransformerVectors, type TransformerVectors } from './transformer-vectors.ts';

const LEAST_SQUARED_LENGTH = 1e-24;

/** The pooling of a backbone in the words of the graph. */
export function graphPooling({ mode, layer, dense, normalise }: Pooling): TransformerPooling {
  return { layers: layer, mode, dense: dense === null ? null : dense.activation, normalise };
}

/** The parameters of a backbone by name, with those of its dense map after pooling. */
export function graphParameters({ parameters, pooling }: Pick<TransformerBackbone, 'parameters' | 'pooling'>): ReadonlyMap<string, Float32Array> {
  return pooling.dense === null ? parameters : new Map([...parameters, [DENSE.weight, pooling.dense.weight], [DENSE.bias, pooling.dense.bias]]);
}

/**
 * The encoder of such a model. Queries go through the query encoder where there is one; documents, and sentences that are compared with
 * their translations, through the document encoder (Hu et al. 2023, section 4: that is the one the contrastive losses train).
 * A text of more than `maxTokens` tokens has the vector of its beginning and of windows that overlap by half; a shorter one has one vector.
 */
export function createBackboneEncoder(model: BackboneModel, { modelId, threads = defaultThreads() }: { readonly modelId: string; readonly threads?: number }): Encoder {
  const { backbone, queryBackbone, pivot, languages, translations, phrases = PLAIN_READING } = model;
  const document = textReader(backbone, threads, phrases);
  const query = queryBackbone === null ? document : textReader(queryBackbone, threads, phrases);
  const documentPrefix = backbone.prefixes.document;
  const queryPrefix = (queryBackbone ?? backbone).prefixes.query;
  const width = embeddingWidth(backbone);
  /** Room for the text's own tokens beside the special ones and the prefix. */
  const specials = document.countTokens('');
  const room = Math.max(1, backbone.maxTokens - specials - Math.max(0, document.countTokens(documentPrefix) - specials));

  const windowSpans: Encoder['windowSpans'] = (text) => {
    const spans = tokenSpans(text, (run) => document.countTokens(run) - specials);
    return [{ start: 0, end: text.length }, ...rangesOf(spans.length, room).map(({ start, end }) => ({ start: spans[start]?.start ?? 0, end: spans[end - 1]?.end ?? text.length }))];
  };

  return {
    width,
    modelId,
    pivot,
    languages,
    encode: async (texts, kind) => (kind === 'query' ? query.vectors(texts.map((text) => queryPrefix + text)) : document.vectors(texts.map((text) => documentPrefix + text))),
    encodeDocuments: async (texts) => {
      const parts = texts.map((text) => windowSpans(text).map(({ start, end }) => documentPrefix + text.slice(start, end)));
      const vectors = await document.vectors(parts.flat());
      let at = 0;
      return parts.map(({ length }) => {
        const own = vectors.slice(at * width, (at + length) * width);
        at += length;
        return own;
      });
    },
    windowSpans,
    translation: modelTranslations(translations),
    ...(document.phrases === null ? {} : { phrases: document.phrases }),
  };
}

type TextReader = { /** null: the encoder gives no states of tokens. */ readonly phrases: PhraseEncoder | null; readonly vectors: (texts: readonly string[]) => Promise<Float32Array>; /** With the special ones. */ readonly countTokens: (text: string) => number };

function textReader(backbone: Backbone, threads: number, reading: PhraseReading): TextReader {
  const { tokenizer, maxTokens } = backbone;
  const { embed, width, states } = backbone.kind === 'onnx' ? createOnnxVectors(backbone, { threads }) : createTransformerVectors({ shape: backbone.shape, pooling: graphPooling(backbone.pooling), parameters: graphParameters(backbone), threads });
  return {
    vectors: async (texts) => {
      const vectors = await embed(texts.map((text) => tokenizer.encode(text, maxTokens)));
      for (let start = 0; start < vectors.length; start += width) normalise(vectors.subarray(start, start + width));
      return vectors;
    },
    countTokens: (text) => tokenizer.encode(text, Number.MAX_SAFE_INTEGER).length,
    phrases: states === null ? null : phraseEncoder(backbone, states, { reading, threads }),
  };
}

/** What reads phrases with a backbone's tokenizer: sentences without a prefix (what was learned of it concerns whole texts). */
export function phraseReader({ tokenizer, maxTokens }: Pick<Backbone, 'tokenizer' | 'maxTokens'>, reading: PhraseReading): PhraseReader {
  const specials = tokenizer.encode('', Number.MAX_SAFE_INTEGER);
  const lead = specials[0] === tokenizer.ids.cls ? 1 : 0; // one mark begins a text in every family that is read
  const [begin, end] = [specials.subarray(0, lead), specials.subarray(lead)];
  const tokens = (text: string): Uint32Array => {
    const whole = tokenizer.encode(text, Number.MAX_SAFE_INTEGER);
    return whole.subarray(begin.length, whole.length - end.length);
  };
  return { ...reading, tokens, begin, end, maxTokens: Math.min(maxTokens, reading.maxTokens ?? maxTokens) };
}

function phraseEncoder(backbone: Backbone, { width, layers, ofSpans }: NonNullable<TransformerVectors['states']>, { reading, threads }: { readonly reading: PhraseReading; readonly threads: number }): PhraseEncoder {
  const reader = phraseReader(backbone, reading);
  const projection = createProjection({ threads });
  const usual = reading.layer ?? backbone.pooling.layer;
  return {
    width: reading.head?.out ?? width,
    layers,
    vectors: async (phrases, { layer = usual } = {}) => {
      if (layers === null ? layer !== usual : !Number.isInteger(layer) || layer < 0 || layer > layers) throw noSuchLayer(layer, layers);
      return vectorsOfPhrases({ phrases, read: (phrase) => tokensInUse(phrase, reader), tokenRows: (spans) => ofSpans(spans, layer), width, reading, projection });
    },
  };
}

/** Windows of `room` tokens that overlap by half; none when one would hold all. */
function rangesOf(tokens: number, room: number): readonly { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  if (tokens <= room) return ranges;
  const stride = Math.max(1, Math.floor(room / 2));
  for (let start = 0; start < tokens - (room - stride); start += stride) ranges.push({ start, end: Math.min(tokens, start + room) });
  return ranges;
}

function normalise(row: Float32Array): void {
  let squares = 0;
  for (const value of row) squares += value * value;
  if (squares < LEAST_SQUARED_LENGTH) {
    row.fill(0);
    return;
  }
  const factor = 1 / Math.sqrt(squares);
  for (let i = 0; i < row.length; i += 1) row[i] = (row[i] ?? 0) * factor;
}
