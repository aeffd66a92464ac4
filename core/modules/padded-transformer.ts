/** What is a transformer encoder over padded texts, as other programs run it? For export; training packs its tokens instead. */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { attention } from './attention.ts';
import { layerNorm } from './layer-norm.ts';
import { linear, type LinearParameters } from './linear.ts';
import { l2Normalise } from './l2-normalise.ts';
import { clsPooling, meanPooling } from './pooling.ts';
import { activated, DENSE, needed, type TransformerPooling, type TransformerValues } from './transformer-encoder.ts';
import type { TransformerShape } from './transformer-shape.ts';

export type PaddedTransformerArguments = {
  readonly shape: TransformerShape;
  /** int64 [B, L]. */
  readonly tokens: Value;
  /** bool [B, L], true for real tokens; padding stands on the right. */
  readonly mask: Value;
  /** int64 [B, L]; null: every token has type 0. */
  readonly types: Value | null;
  /** By canonical name, `embeddings.token` whole. */
  readonly parameters: TransformerValues;
};

/**
 * Hidden states after `layers` layers; the formulas are those of `transformerStates`.
 * @returns float [B, L, H]; what stands at padding is meaningless.
 */
export function paddedTransformerStates(g: GraphBuilder, { shape, tokens, mask, types, parameters, layers = shape.layers }: PaddedTransformerArguments & { readonly layers?: number }): Value {
  const { L = 0 } = expectShapes([[tokens, 'B L'], [mask, 'B L']]);
  const norm = (x: Value, name: string): Value => layerNorm(g, x, { scale: needed(parameters, `${name}.scale`), bias: needed(parameters, `${name}.bias`), epsilon: shape.layerNormEpsilon });
  const part = (name: string): LinearParameters => ({ weight: needed(parameters, `${name}.weight`), bias: needed(parameters, `${name}.bias`) });
  const rows = g.add(g.range(L), g.scalar(shape.positionOffset, 'int64')); // [L]
  const placed = g.add(g.gather(needed(parameters, 'embeddings.token'), tokens), g.gather(needed(parameters, 'embeddings.position'), rows)); // [B, L, H]
  const typed = shape.tokenTypes === 0 ? placed : g.add(placed, types === null ? g.slice(needed(parameters, 'embeddings.type'), { axis: 0, start: 0, end: 1 }) : g.gather(needed(parameters, 'embeddings.type'), types)); // [B, L, H]
  let x = norm(typed, 'embeddings.norm');
  for (let layer = 0; layer < layers; layer += 1) {
    const prefix = `layer.${layer}`;
    const attended = attention(g, x, { mask, heads: shape.heads, parameters: { query: part(`${prefix}.query`), key: part(`${prefix}.key`), value: part(`${prefix}.value`), output: part(`${prefix}.output`) } });
    const h = norm(g.add(x, attended), `${prefix}.attentionNorm`);
    const inner = linear(g, activated(g, linear(g, h, part(`${prefix}.up`)), shape.activation), part(`${prefix}.down`));
    x = norm(g.add(h, inner), `${prefix}.outputNorm`);
  }
  return x;
}

/** The vectors of texts from their states: pooled, mapped by `dense.weight` and `dense.bias`, to length 1, as far as asked: float [B, O]. */
export function paddedEmbeddings(g: GraphBuilder, { states, mask, pooling, parameters }: { readonly states: Value; readonly mask: Value; readonly pooling: TransformerPooling; readonly parameters: TransformerValues }): Value {
  const pooled = pooling.mode === 'cls' ? clsPooling(g, states) : meanPooling(g, { states, mask }); // [B, H]
  const mapped = pooling.dense === null ? pooled : linear(g, pooled, { weight: needed(parameters, DENSE.weight), bias: needed(parameters, DENSE.bias) }); // [B, O]
  const shaped = pooling.dense === 'tanh' ? g.tanh(mapped) : mapped;
  return pooling.normalise ? l2Normalise(g, shaped) : shaped;
}
