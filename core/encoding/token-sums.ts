/**
 * How are texts compared whose vectors are sums over their tokens, without keeping the vectors? By their tokens and two numbers a vector.
 *
 *   v = n((p / |p| - mean) * scale),  p = sum_t w_t row_t,  u = |(p / |p| - mean) * scale|
 *   cos(q, v) = a * sum_t s_t - b * o,   s_t = w_t (q * scale) . row_t,   o = (q * scale) . mean,   a = 1 / (|p| u),   b = 1 / u
 *
 * A text of 130 tokens with its windows takes 350 bytes so, where nine vectors of 1,024 16-bit numbers take 18,000; and comparing it
 * with a query is a sum over its tokens, of full precision.
 */
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';
import { createBlockKernels, FORMS_PER_BLOCK } from './block-forms.ts';
import { WINDOW_STRIDE_TOKENS, WINDOW_TOKENS, windowCount } from './windows.ts';

export type TokenSums = {
  /** Ids are below it. */
  readonly vocabularySize: number;
  readonly tokens: (text: string) => Uint32Array;
  /** The same for a text without white space; nothing of it is remembered. */
  readonly tokensOfPart: (part: string) => Uint32Array;
  /** Whether the tokens of a text are those of its parts between white space, one after another. */
  readonly isWordLocal: boolean;
  /** For a document, given by its tokens: (a, b) of the whole text, then of its windows; float32 [2 (1 + windows)], valid until the next call. (0, 0): no vector. */
  readonly factors: (tokens: Uint32Array) => Float32Array;
  /** For a query vector [H]: s of every token, float32 [V], valid until the next call, and o. */
  readonly scores: (query: Float32Array) => { readonly tokens: Float32Array; readonly offset: number };
};

export type TokenSumsParts = {
  readonly width: number;
  /** In `memory`: float32 [V, H] and [V]. */
  readonly table: Float32Array;
  readonly weights: Float32Array;
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  readonly memory: KernelMemory;
  readonly kernels: Kernels;
  readonly tokens: (text: string) => Uint32Array;
  readonly tokensOfPart: (part: string) => Uint32Array;
  readonly isWordLocal: boolean;
};

/** Blocks summed at once. */
const BLOCKS_AT_ONCE = 256;
const LEAST_SQUARED_LENGTH = 1e-24;
const BLOCKS_PER_WINDOW = WINDOW_TOKENS / WINDOW_STRIDE_TOKENS;
const LANES = 4;

/** Lengths of the float32 and int32 arrays that token sums take from the kernels' memory. */
export const tokenSumsLengths = (width: number, vocabularySize: number): readonly number[] => [width, width, width, width, vocabularySize, BLOCKS_AT_ONCE * FORMS_PER_BLOCK, BLOCKS_AT_ONCE * WINDOW_STRIDE_TOKENS];

export function createTokenSums(parts: TokenSumsParts): TokenSums {
  const { width, table, weights, mean, scale, memory, kernels } = parts;
  const vocabularySize = weights.length;
  const whole = memory.float32(width);
  const last = memory.float32(width);
  const squaredScale = memory.float32(width);
  squaredScale.set(scale.map((value) => value * value));
  const scaledQuery = memory.float32(width);
  const tokenScores = memory.float32(vocabularySize);
  const ids = memory.int32(BLOCKS_AT_ONCE * WINDOW_STRIDE_TOKENS);
  const forms = memory.float32(BLOCKS_AT_ONCE * FORMS_PER_BLOCK);
  const { blockForms, wholeForms } = createBlockKernels(memory, { table, weights, squaredScale, ids, forms, last, whole }, WINDOW_STRIDE_TOKENS);
  let factorRoom = new Float32Array(2 * BLOCKS_AT_ONCE);
  const meanSquared = mean.reduce((sum, value, k) => sum + value * value * (squaredScale[k] ?? 0), 0);
  let meanShares: Float64Array | null = null; // of each token: w_t sum_k scale_k^2 mean_k row_tk

  const meanShareOf = (): Float64Array => {
    if (meanShares !== null) return meanShares;
    const direction = mean.map((value, k) => value * (squaredScale[k] ?? 0));
    meanShares = Float64Array.from(dotsWithTable(direction));
    return meanShares;
  };

  /** w_t direction . row_t of every token, in `tokenScores`. */
  function dotsWithTable(direction: Float32Array): Float32Array {
    scaledQuery.set(direction);
    if (width % LANES === 0) kernels.scoreMatrix({ queries: scaledQuery, documents: table, width, scores: tokenScores });
    else for (let t = 0; t < vocabularySize; t += 1) tokenScores[t] = kernels.dot(scaledQuery, table.subarray(t * width, (t + 1) * width));
    for (let t = 0; t < vocabularySize; t += 1) tokenScores[t] = (tokenScores[t] ?? 0) * (weights[t] ?? 0);
    return tokenScores;
  }

  /** (a, b) of a sum of which p.p, p.Sp and the share of the mean are known, put at a place of `factorRoom`. */
  const setFactors = (place: number, plain: number, scaled: number, share: number): void => {
    factorRoom[2 * place] = 0;
    factorRoom[2 * place + 1] = 0;
    if (plain < LEAST_SQUARED_LENGTH) return;
    const length = Math.sqrt(plain);
    const squared = scaled / plain - (2 * share) / length + meanSquared;
    if (!(squared > LEAST_SQUARED_LENGTH)) return;
    const b = 1 / Math.sqrt(squared);
    factorRoom[2 * place] = b / length;
    factorRoom[2 * place + 1] = b;
  };

  /** Blocks come in parts of BLOCKS_AT_ONCE; a window is two neighbours, the second of which may be the first of the next part. */
  const factorsOf = (tokens: Uint32Array): Float32Array => {
    const shares = meanShareOf();
    const windows = windowCount(tokens.length);
    const length = 2 * (1 + windows);
    if (length > factorRoom.length) factorRoom = new Float32Array(2 * length);
    last.fill(0);
    whole.fill(0);
    let wholeShare = 0;
    let block = 0;
    let before = { plain: 0, scaled: 0, share: 0 };
    for (let from = 0; from < tokens.length; from += ids.length) {
      const part = tokens.subarray(from, from + ids.length);
      ids.set(part);
      blockForms(part.length);
      for (let first = 0, at = 0; first < part.length; first += WINDOW_STRIDE_TOKENS, at += FORMS_PER_BLOCK, block += 1) {
        let share = 0;
        for (let t = first, end = Math.min(part.length, first + WINDOW_STRIDE_TOKENS); t < end; t += 1) share += shares[part[t] ?? 0] ?? 0;
        const [plain, scaled] = [forms[at] ?? 0, forms[at + 1] ?? 0];
        if (block > 0 && block <= windows) setFactors(block, before.plain + plain + 2 * (forms[at + 2] ?? 0), before.scaled + scaled + 2 * (forms[at + 3] ?? 0), before.share + share);
        before = { plain, scaled, share };
        wholeShare += share;
      }
    }
    const { plain, scaled } = wholeForms();
    setFactors(0, plain, scaled, wholeShare);
    return factorRoom.subarray(0, length);
  };

  return {
    vocabularySize,
    tokens: parts.tokens,
    tokensOfPart: parts.tokensOfPart,
    isWordLocal: parts.isWordLocal,
    factors: factorsOf,
    scores: (query) => {
      const direction = query.map((value, k) => value * (scale[k] ?? 1));
      const offset = direction.reduce((total, value, k) => total + value * (mean[k] ?? 0), 0);
      return { tokens: dotsWithTable(direction), offset };
    },
  };
}

/**
 * The best vector of a document by its tokens: the largest cosine and which vector has it (0 = the whole text, then its windows).
 * @param ids, factors the document's tokens at [from, to) and its factors at `factorsAt`.
 */
export function bestWindow(options: { readonly ids: ArrayLike<number>; readonly from: number; readonly to: number; readonly factors: Float32Array; readonly factorsAt: number; readonly scores: Float32Array; readonly offset: number }): { readonly similarity: number; readonly window: number } {
  const { ids, from, to, factors, factorsAt, scores, offset } = options;
  let total = 0;
  let previous = 0; // sum of the block before
  let similarity = -Infinity;
  let window = 0;
  const hasWindows = to - from > WINDOW_TOKENS;
  let number = 2 - BLOCKS_PER_WINDOW;
  for (let start = from; start < to; start += WINDOW_STRIDE_TOKENS) {
    const end = Math.min(to, start + WINDOW_STRIDE_TOKENS);
    let block = 0;
    for (let t = start; t < end; t += 1) block += scores[ids[t] ?? 0] ?? 0;
    total += block;
    if (hasWindows && number >= 1) {
      const at = factorsAt + 2 * number;
      const a = factors[at] ?? 0;
      if (a !== 0) {
        const found = a * (previous + block) - (factors[at + 1] ?? 0) * offset;
        if (found > similarity) {
          similarity = found;
          window = number;
        }
      }
    }
    previous = block;
    number += 1;
  }
  const a = factors[factorsAt] ?? 0;
  const found = a === 0 ? -Infinity : a * total - (factors[factorsAt + 1] ?? 0) * offset;
  return found >= similarity ? { similarity: found, window: 0 } : { similarity, window };
}
