/** Which sizes has a transformer encoder, and which parameters follow from them? */
import { ShapeError } from '../tensor/shape-error.ts';

/** The sizes and choices of an encoder of the BERT family (bert, roberta, xlm-roberta, distilbert): normalisation after each residual sum. */
export type TransformerShape = {
  /** V: pieces of the vocabulary. */
  readonly vocabularySize: number;
  /** H: width of a token's vector; a multiple of `heads`. */
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** F: inner width of the feed-forward part. */
  readonly feedForwardWidth: number;
  /** P: rows of the position table, `positionOffset` unused ones included. */
  readonly positions: number;
  /** Row of the first token's position: padding id + 1 for the roberta family, else 0. */
  readonly positionOffset: number;
  /** Rows of the token type table; 0: there is none (distilbert). Every token has type 0. */
  readonly tokenTypes: number;
  readonly activation: 'gelu' | 'gelu-tanh' | 'relu';
  /** ε of every normalisation: 1e-12 for bert, 1e-5 for xlm-roberta. */
  readonly layerNormEpsilon: number;
  readonly padTokenId: number;
};

/** One named array of an encoder, row-major; matrices are [Out, In] as in PyTorch. */
export type TransformerParameter = {
  readonly name: string;
  readonly shape: readonly number[];
  /** Biases and norms are left out of weight decay. */
  readonly kind: 'weight' | 'bias' | 'norm' | 'embedding';
  /** The layer it belongs to, from 0; null for embeddings and heads. */
  readonly layer: number | null;
};

/** Every parameter of the encoder in canonical order: embeddings first, then the layers from the bottom. */
export function transformerParameters(shape: TransformerShape): readonly TransformerParameter[] {
  checkTransformerShape(shape);
  const { width, feedForwardWidth, tokenTypes } = shape;
  const embedding = (name: string, rows: number): TransformerParameter => ({ name: `embeddings.${name}`, shape: [rows, width], kind: 'embedding', layer: null });
  const embeddings = [embedding('token', shape.vocabularySize), embedding('position', shape.positions), ...(tokenTypes === 0 ? [] : [embedding('type', tokenTypes)]), ...norm('embeddings.norm', width, null)];
  const layers = Array.from({ length: shape.layers }, (_, layer) => {
    const prefix = `layer.${layer}`;
    const square = ['query', 'key', 'value', 'output'].flatMap((part) => affine(`${prefix}.${part}`, [width, width], layer));
    return [
      ...square,
      ...norm(`${prefix}.attentionNorm`, width, layer),
      ...affine(`${prefix}.up`, [feedForwardWidth, width], layer),
      ...affine(`${prefix}.down`, [width, feedForwardWidth], layer),
      ...norm(`${prefix}.outputNorm`, width, layer),
    ];
  });
  return [...embeddings, ...layers.flat()];
}

/** The parameters of the masked language model's head; its decoder is `embeddings.token` itself. */
export function maskedLanguageModelParameters(shape: TransformerShape): readonly TransformerParameter[] {
  const { width } = shape;
  return [...affine('mlm.transform', [width, width], null), ...norm('mlm.norm', width, null), { name: 'mlm.bias', shape: [shape.vocabularySize], kind: 'bias', layer: null }];
}

/** The number of tokens that the position table has room for. */
export function longestSequence({ positions, positionOffset }: TransformerShape): number {
  return positions - positionOffset;
}

/** @throws ShapeError 'transformer.shape' naming the size that is impossible. */
export function checkTransformerShape(shape: TransformerShape): void {
  const { width, heads, positionOffset, tokenTypes, layerNormEpsilon, padTokenId } = shape;
  const counts = ['vocabularySize', 'width', 'layers', 'heads', 'feedForwardWidth', 'positions'] as const;
  for (const name of counts) if (!Number.isSafeInteger(shape[name]) || shape[name] < 1) throw wrong(`${name} should be a whole number from 1 on, is ${shape[name]}`);
  for (const [name, value] of Object.entries({ positionOffset, tokenTypes, padTokenId })) if (!Number.isSafeInteger(value) || value < 0) throw wrong(`${name} should be a whole number from 0 on, is ${value}`);
  if (width % heads !== 0) throw wrong(`${heads} heads do not divide a width of ${width}`);
  if (longestSequence(shape) < 1) throw wrong(`${shape.positions} positions leave no place after an offset of ${positionOffset}`);
  if (!(Number.isFinite(layerNormEpsilon) && layerNormEpsilon > 0)) throw wrong(`layerNormEpsilon should be a finite number > 0, is ${layerNormEpsilon}`);
}

function wrong(reason: string): ShapeError {
  return new ShapeError('transformer.shape', `This transformer is impossible: ${reason}.`);
}

function affine(name: string, [out, into]: readonly [number, number], layer: number | null): readonly TransformerParameter[] {
  return [{ name: `${name}.weight`, shape: [out, into], kind: 'weight', layer }, { name: `${name}.bias`, shape: [out], kind: 'bias', layer }];
}

function norm(name: string, width: number, layer: number | null): readonly TransformerParameter[] {
  return [{ name: `${name}.scale`, shape: [width], kind: 'norm', layer }, { name: `${name}.bias`, shape: [width], kind: 'norm', layer }];
}
