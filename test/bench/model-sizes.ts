/** Which encoders does the training benchmark compare, and what does a step of them cost? */
import type { TransformerShape } from '../../core/modules/index.ts';

export type ModelSize = { readonly shape: TransformerShape; readonly sequences: number };

const POSITIONS = 512;

const bert = (layers: number, width: number, heads: number, feedForwardWidth: number, vocabularySize: number): TransformerShape => ({
  vocabularySize, width, layers, heads, feedForwardWidth, positions: POSITIONS, positionOffset: 0, tokenTypes: 2, activation: 'gelu', layerNormEpsilon: 1e-12, padTokenId: 0,
});

/** The configurations of the issue "Training core". */
export const MODEL_SIZES = {
  a: { shape: bert(4, 256, 4, 1024, 16_384), sequences: 64 },
  b: { shape: bert(6, 384, 12, 1536, 32_768), sequences: 32 },
  c: { shape: bert(12, 768, 12, 3072, 32_768), sequences: 8 },
} satisfies Readonly<Record<string, ModelSize>>;

export type SizeName = keyof typeof MODEL_SIZES;
export const sizeNames = Object.keys(MODEL_SIZES) as readonly SizeName[]; // boundary: the keys of the table on the lines above

/** Trained numbers of an encoder. */
export function parameterCount({ vocabularySize, positions, tokenTypes, width, layers, feedForwardWidth }: TransformerShape): number {
  const perLayer = 4 * width * (width + 1) + feedForwardWidth * (width + 1) + width * (feedForwardWidth + 1) + 4 * width;
  return (vocabularySize + positions + tokenTypes + 2) * width + layers * perLayer;
}

/**
 * Multiplications and additions (2 per product) of the matrix products of a step, as Isogloss calculates it: forward once, backward twice that;
 * the last layer's queries, output and feed-forward for first tokens only.
 */
export function stepOperations({ shape, lengths, pooling, backward }: { readonly shape: TransformerShape; readonly lengths: readonly number[]; readonly pooling: 'cls' | 'mean'; readonly backward: boolean }): number {
  const { width, layers, feedForwardWidth } = shape;
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const cells = lengths.reduce((sum, length) => sum + length * length, 0);
  const rowwise = 2 * width * width + 2 * width * feedForwardWidth; // query, output, feed-forward
  const whole = tokens * (rowwise + 2 * width * width) + 2 * cells * width;
  const last = pooling === 'mean' ? whole : lengths.length * rowwise + tokens * (2 * width * width + 2 * width);
  return 2 * ((layers - 1) * whole + last) * (backward ? 3 : 1);
}
