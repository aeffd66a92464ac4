/** How does a static model turn text into vectors? Token rows weighted and summed; for search centred and scaled along principal axes. */
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../optimizers/kernel-memory.ts';
import { readTokenizer } from '../text/tokenizer.ts';
import type { Encoder, TextKind } from './encoder.ts';
import { WINDOW_STRIDE_TOKENS, windowRanges } from './windows.ts';
import type { StaticModel } from './model-folder.ts';
import { modelTranslations } from './model-translations.ts';
import { PLAIN_READING, createProjection } from './phrase-reading.ts';
import { noSuchLayer, tokensInUse, vectorsOfPhrases } from './phrase-vectors.ts';
import { tokenSpans } from './token-spans.ts';
import { createTokenSums, tokenSumsLengths } from './token-sums.ts';

/** Bags that the kernel sums at once, and the tokens they may hold (a longer text is summed in parts): bounds the memory set aside. */
const BAGS_AT_ONCE = 512;
const TOKENS_AT_ONCE = 65_536;
const LEAST_SQUARED_LENGTH = 1e-24;
const NO_TOKENS = new Uint32Array(0);

/**
 * The encoder of a static model.
 *   p = sum_t w_t row_t over the tokens;   sentence vector = p / |p|;
 *   search vector = n((p / |p| - mean) * scale), n(.) to length 1, in the basis of the principal axes.
 */
export function createStaticEncoder(model: StaticModel, modelId: string): Encoder {
  const { width, mean, scale, pivot, languages, translations, phrases: reading = PLAIN_READING } = model; // not the table: the encoder keeps one copy of it, in its own memory
  const tokenizer = readTokenizer(model.tokenizer);
  const memory = createKernelMemory(kernelMemoryBytes([model.table.length, model.weights.length, BAGS_AT_ONCE * width, TOKENS_AT_ONCE, BAGS_AT_ONCE + 1, ...tokenSumsLengths(width, model.weights.length)]));
  const kernels = createKernels(memory);
  const table = memory.float32(model.table.length);
  table.set(model.table);
  const weights = memory.float32(model.weights.length);
  weights.set(model.weights);
  const pooledRoom = memory.float32(BAGS_AT_ONCE * width);
  const tokenSums = createTokenSums({ width, table, weights, mean, scale, memory, kernels, tokens: tokenizer.encode, tokensOfPart: tokenizer.encodePart, isWordLocal: tokenizer.isWordLocal });

  /** Sums of bags of tokens: float32 [bags, H]. */
  const sumBags = (bags: readonly Uint32Array[]): Float32Array => {
    const sums = new Float32Array(bags.length * width);
    for (const parts of groupsThatFit(bags)) {
      const offsets = new Int32Array(parts.length + 1);
      parts.forEach(({ ids }, p) => {
        offsets[p + 1] = (offsets[p] ?? 0) + ids.length;
      });
      const ids = new Int32Array(offsets[parts.length] ?? 0);
      parts.forEach((part, p) => {
        ids.set(part.ids, offsets[p]);
      });
      const pooled = pooledRoom.subarray(0, parts.length * width);
      kernels.embeddingBagForward({ table, weights, ids, offsets, pooled, width });
      parts.forEach(({ bag }, p) => {
        addBlocks({ sum: sums.subarray(bag * width, (bag + 1) * width), blockSums: pooled, from: p, to: p + 1, width });
      });
    }
    return sums;
  };

  const finish = (rows: Float32Array, kind: TextKind): Float32Array => {
    for (let start = 0; start < rows.length; start += width) {
      const row = rows.subarray(start, start + width);
      normalise(row);
      if (kind === 'sentence') continue;
      if (isZero(row)) continue;
      for (let i = 0; i < width; i += 1) row[i] = ((row[i] ?? 0) - (mean[i] ?? 0)) * (scale[i] ?? 1);
      normalise(row);
    }
    return rows;
  };

  /** One text's vectors: float32 [1 + windows, H]. */
  const windowVectors = (text: string): Float32Array => {
    const ids = tokenizer.encode(text);
    const blocks: Uint32Array[] = [];
    for (let start = 0; start < ids.length; start += WINDOW_STRIDE_TOKENS) blocks.push(ids.subarray(start, start + WINDOW_STRIDE_TOKENS));
    const blockSums = sumBags(blocks);
    const windows = windowRanges(ids.length);
    const rows = new Float32Array((1 + windows.length) * width);
    addBlocks({ sum: rows.subarray(0, width), blockSums, from: 0, to: blocks.length, width });
    windows.forEach((window, w) => {
      addBlocks({ sum: rows.subarray((1 + w) * width, (2 + w) * width), blockSums, from: window.start / WINDOW_STRIDE_TOKENS, to: Math.ceil(window.end / WINDOW_STRIDE_TOKENS), width });
    });
    return finish(rows, 'document');
  };

  const projection = createProjection({ threads: 1 });
  const reader = { ...reading, tokens: tokenizer.encode, begin: NO_TOKENS, end: NO_TOKENS, maxTokens: reading.maxTokens ?? Number.MAX_SAFE_INTEGER };

  return {
    width,
    modelId,
    pivot,
    languages,
    tokenSums,
    encode: (texts, kind) => Promise.resolve(finish(sumBags(texts.map((text) => tokenizer.encode(text))), kind)),
    encodeDocuments: (texts) => Promise.resolve(texts.map(windowVectors)),
    windowSpans: (text) => {
      const spans = tokenSpans(text, (run) => tokenizer.encode(run).length);
      const whole = { start: 0, end: text.length };
      return [whole, ...windowRanges(spans.length).map(({ start, end }) => ({ start: spans[start]?.start ?? 0, end: spans[end - 1]?.end ?? text.length }))];
    },
    translation: modelTranslations(translations),
    phrases: {
      width: reading.head?.out ?? width,
      layers: null,
      vectors: async (phrases, { layer } = {}) => {
        if (layer !== undefined) throw noSuchLayer(layer, null);
        return vectorsOfPhrases({
          phrases,
          read: (phrase) => tokensInUse(phrase, reader),
          tokenRows: (spans) => Promise.resolve(sumBags(spans.flatMap(({ ids, from, to }) => Array.from({ length: to - from }, (_, token) => ids.subarray(from + token, from + token + 1))))),
          width,
          reading,
          projection,
        });
      },
    },
  };
}

/** Bags, or parts of long ones, in groups of at most BAGS_AT_ONCE parts and TOKENS_AT_ONCE tokens; `bag` is where a part's sum belongs. */
function* groupsThatFit(bags: readonly Uint32Array[]): Generator<readonly { readonly bag: number; readonly ids: Uint32Array }[]> {
  let group: { bag: number; ids: Uint32Array }[] = [];
  let tokens = 0;
  for (const [bag, ids] of bags.entries()) {
    for (let start = 0; start < ids.length; start += TOKENS_AT_ONCE) {
      const part = ids.subarray(start, start + TOKENS_AT_ONCE);
      if (group.length === BAGS_AT_ONCE || tokens + part.length > TOKENS_AT_ONCE) {
        yield group;
        group = [];
        tokens = 0;
      }
      group.push({ bag, ids: part });
      tokens += part.length;
    }
  }
  if (group.length > 0) yield group;
}

function addBlocks(options: { readonly sum: Float32Array; readonly blockSums: Float32Array; readonly from: number; readonly to: number; readonly width: number }): void {
  const { sum, blockSums, from, to, width } = options;
  for (let block = from; block < to; block += 1) for (let i = 0; i < width; i += 1) sum[i] = (sum[i] ?? 0) + (blockSums[block * width + i] ?? 0);
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

function isZero(row: Float32Array): boolean {
  return row.every((value) => value === 0);
}
