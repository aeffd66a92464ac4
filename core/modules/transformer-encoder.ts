/** What is the vector of each sequence of a packed batch, by a transformer encoder? */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import { ShapeError } from '../tensor/shape-error.ts';
import type { DType } from '../tensor/dtype.ts';
import { dropout } from './dropout.ts';
import { lowRankNames } from './low-rank.ts';
import { layerNorm, type LayerNormParameters } from './layer-norm.ts';
import { linear, type LinearParameters } from './linear.ts';
import { firstTokenAttention, packedAttention, type PackedAttentionArguments } from './packed-attention.ts';
import type { PackedLayout } from './packed-layout.ts';
import type { TransformerBlockParameters } from './transformer-block.ts';
import { transformerParameters, type TransformerShape } from './transformer-shape.ts';

/** The input that stands for `embeddings.token`: the rows of the batch's distinct tokens, [U, H]. */
export const TOKEN_ROWS = 'embeddings.token.rows';

/** Parts of elements left out while training, in [0, 1). */
export type DropoutRates = { readonly hidden: number; readonly attention: number };

/** Parameters by canonical name; `embeddings.token.rows` instead of `embeddings.token`. */
export type TransformerValues = ReadonlyMap<string, Value>;

export type TransformerEncoderArguments = {
  readonly shape: TransformerShape;
  readonly layout: PackedLayout;
  readonly parameters: TransformerValues;
  /** null: nothing is left out (in use). */
  readonly dropout: DropoutRates | null;
  /** α / R of thin matrices that stand beside weights (low-rank.ts); a weight has them when `parameters` does. */
  readonly lowRankScale?: number;
};

/**
 * The parameters that the hidden state after `layers` layers depends on, as inputs of the graph.
 *
 * @param layers  0 (embeddings only) to shape.layers.
 */
export function transformerInputs(g: GraphBuilder, { shape, layers = shape.layers, dtype = 'float32' }: { readonly shape: TransformerShape; readonly layers?: number; readonly dtype?: DType }): TransformerValues {
  const values = new Map<string, Value>();
  for (const { name, shape: size, layer } of transformerParameters(shape)) {
    if (layer !== null && layer >= layers) continue;
    if (name === 'embeddings.token') values.set(TOKEN_ROWS, g.input(TOKEN_ROWS, dtype, ['U', shape.width]));
    else values.set(name, g.input(name, dtype, size));
  }
  return values;
}

/**
 * Hidden state of every token after `layers` layers: embeddings of token, position and type 0, normalised; then per layer
 *
 *   h = norm(x + attention(x)),   y = norm(h + W_down act(W_up h))
 *
 * @returns float [T, H], in packed order.
 * @see Devlin et al. 2019, arXiv:1810.04805; Liu et al. 2019 (positions from the padding id on).
 */
export function transformerStates(g: GraphBuilder, options: TransformerEncoderArguments & { readonly layers: number }): Value {
  if (options.layers < 0 || options.layers > options.shape.layers) throw new ShapeError('transformer.layer', `A hidden layer should be 0 to ${options.shape.layers}, found ${options.layers}.`);
  let x = embeddings(g, options);
  for (let layer = 0; layer < options.layers; layer += 1) x = transformerLayer(g, x, { ...options, layer });
  return x;
}

/** How the states of a sequence become its vector: `layers` layers, first token or mean, then a dense map and normalisation if there are. */
export type TransformerPooling = { readonly layers: number; readonly mode: 'cls' | 'mean'; readonly dense: 'identity' | 'tanh' | null; readonly normalise: boolean };

/** The parameters of the dense map after pooling. */
export const DENSE = { weight: 'dense.weight', bias: 'dense.bias' };

/** `transformerPooled`, then act(x Wᵀ + b) with `dense.weight` [O, H] and `dense.bias` [O], then rows of length 1, as far as asked: float [B, O]. */
export function transformerEmbeddings(g: GraphBuilder, { pooling, ...options }: TransformerEncoderArguments & { readonly pooling: TransformerPooling }): Value {
  const pooled = transformerPooled(g, { ...options, layers: pooling.layers, pooling: pooling.mode });
  const mapped = pooling.dense === null ? pooled : linear(g, pooled, { weight: needed(options.parameters, DENSE.weight), bias: needed(options.parameters, DENSE.bias) });
  const shaped = pooling.dense === 'tanh' ? g.tanh(mapped) : mapped;
  return pooling.normalise ? g.l2Normalise(shaped, { axis: 1 }) : shaped;
}

/**
 * One vector per sequence, float [B, H], in the caller's order: the first token's state or the mean of all tokens' after `layers` layers.
 * For the first token's, the last layer calculates queries, output and feed-forward for those rows only; the rest has no influence on
 * them, so values and gradients are those of the whole layer.
 */
export function transformerPooled(g: GraphBuilder, options: TransformerEncoderArguments & { readonly layers: number; readonly pooling: 'cls' | 'mean' }): Value {
  const { layout, layers, pooling } = options;
  if (pooling === 'mean') return layout.restored(layout.meanOf(transformerStates(g, options)));
  if (layers === 0) return layout.restored(layout.firstOf(transformerStates(g, options)));
  const below = transformerStates(g, { ...options, layers: layers - 1 });
  return layout.restored(firstTokenLayer(g, below, { ...options, layer: layers - 1 }));
}

/** The names and shapes of a layer's parameters, looked up. @throws ShapeError 'transformer.parameter' naming one that is missing. */
function blockParameters(options: LayerArguments): TransformerBlockParameters {
  const { parameters, layer } = options;
  const prefix = `layer.${layer}`;
  const affine = (name: string): LinearParameters => affineOf(options, `${prefix}.${name}`);
  return { query: affine('query'), key: affine('key'), value: affine('value'), output: affine('output'), attentionNorm: normOf(parameters, `${prefix}.attentionNorm`), up: affine('up'), down: affine('down'), outputNorm: normOf(parameters, `${prefix}.outputNorm`) };
}

function embeddings(g: GraphBuilder, { shape, layout, parameters, dropout: rates }: TransformerEncoderArguments): Value {
  const tokens = g.gather(needed(parameters, TOKEN_ROWS), layout.tokens); // [.., H]
  const positions = layout.positionsOf(needed(parameters, 'embeddings.position'));
  const placed = shape.tokenTypes === 0 ? positions : g.add(positions, g.slice(needed(parameters, 'embeddings.type'), { axis: 0, start: 0, end: 1 }));
  const sum = layout.flat(g.add(tokens, placed)); // [T, H]
  return dropped(g, layerNorm(g, sum, { ...normOf(parameters, 'embeddings.norm'), epsilon: shape.layerNormEpsilon }), 'embeddings', rates?.hidden);
}

type LayerArguments = TransformerEncoderArguments & { readonly layer: number };

function attentionArguments(g: GraphBuilder, { shape, layout, dropout: rates, layer }: LayerArguments, parameters: TransformerBlockParameters): PackedAttentionArguments {
  return { layout, heads: shape.heads, parameters, drop: (probabilities, group) => dropped(g, probabilities, `layer.${layer}.probabilities.${group}`, rates?.attention) };
}

function transformerLayer(g: GraphBuilder, x: Value, options: LayerArguments): Value {
  const parameters = blockParameters(options);
  return rest(g, { x, attended: packedAttention(g, x, attentionArguments(g, options, parameters)), parameters, options });
}

/** [T, H] -> [B, H] in packed order. */
function firstTokenLayer(g: GraphBuilder, x: Value, options: LayerArguments): Value {
  const parameters = blockParameters(options);
  const first = options.layout.firstOf(x); // [B, H]
  return rest(g, { x: first, attended: firstTokenAttention(g, { x, first, ...attentionArguments(g, options, parameters) }), parameters, options });
}

/** What comes after attention: residual sum and norm, feed-forward, residual sum and norm. */
function rest(g: GraphBuilder, { x, attended, parameters, options: { shape, layer, dropout: rates } }: { readonly x: Value; readonly attended: Value; readonly parameters: TransformerBlockParameters; readonly options: LayerArguments }): Value {
  const norm = (sum: Value, scaleAndBias: LayerNormParameters): Value => layerNorm(g, sum, { ...scaleAndBias, epsilon: shape.layerNormEpsilon });
  const h = norm(g.add(x, dropped(g, attended, `layer.${layer}.attention`, rates?.hidden)), parameters.attentionNorm);
  const inner = linear(g, activated(g, linear(g, h, parameters.up), shape.activation), parameters.down);
  return norm(g.add(h, dropped(g, inner, `layer.${layer}.output`, rates?.hidden)), parameters.outputNorm);
}

/** The activation of the feed-forward part. */
export function activated(g: GraphBuilder, x: Value, activation: TransformerShape['activation']): Value {
  switch (activation) {
    case 'gelu':
      return g.gelu(x);
    case 'gelu-tanh':
      return g.gelu(x, 'tanh');
    case 'relu':
      return g.relu(x);
  }
}

function dropped(g: GraphBuilder, x: Value, place: string, rate = 0): Value {
  return rate === 0 ? x : dropout(g, x, { place, rate });
}

function normOf(parameters: TransformerValues, name: string): LayerNormParameters {
  return { scale: needed(parameters, `${name}.scale`), bias: needed(parameters, `${name}.bias`) };
}

function affineOf({ parameters, lowRankScale = 1 }: TransformerEncoderArguments, name: string): LinearParameters {
  const names = lowRankNames(`${name}.weight`);
  const [down, up] = [parameters.get(names.down), parameters.get(names.up)];
  const lowRank = down === undefined || up === undefined ? null : { down, up, scale: lowRankScale };
  return { weight: needed(parameters, `${name}.weight`), bias: needed(parameters, `${name}.bias`), lowRank };
}

/** A parameter by its name. @throws ShapeError "transformer.parameter" when it is missing. */
export function needed(parameters: TransformerValues, name: string): Value {
  const value = parameters.get(name);
  if (value === undefined) throw new ShapeError('transformer.parameter', `The parameter "${name}" is missing.`);
  return value;
}
