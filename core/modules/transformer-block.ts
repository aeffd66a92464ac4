/** What is one layer of a transformer encoder? */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';
import { attention, type AttentionParameters } from './attention.ts';
import { layerNorm, type LayerNormParameters } from './layer-norm.ts';
import { linear, type LinearParameters } from './linear.ts';

export type TransformerBlockParameters = AttentionParameters & {
  readonly attentionNorm: LayerNormParameters;
  readonly up: LinearParameters;
  readonly down: LinearParameters;
  readonly outputNorm: LayerNormParameters;
};

/**
 * A layer with normalisation after each residual sum (BERT, XLM-R):
 *
 *   h = norm(x + attention(x)),   y = norm(h + W_down gelu(W_up h))
 *
 * @param x      float [B, L, H];  @param mask  bool [B, L], true for real tokens.
 * @param heads  divides H;  up: [F, H], down: [H, F].
 * @returns float [B, L, H].
 * @see Devlin et al. 2019, arXiv:1810.04805. Dropout is left out: the graphs here are the same in training and use.
 */
export function transformerBlock(g: GraphBuilder, x: Value, { mask, heads, parameters, epsilon }: { readonly mask: Value; readonly heads: number; readonly parameters: TransformerBlockParameters; readonly epsilon?: number }): Value {
  const options = epsilon === undefined ? {} : { epsilon };
  const attended = layerNorm(g, g.add(x, attention(g, x, { mask, heads, parameters })), { ...parameters.attentionNorm, ...options });
  const inner = linear(g, g.gelu(linear(g, attended, parameters.up)), parameters.down);
  return layerNorm(g, g.add(attended, inner), { ...parameters.outputNorm, ...options });
}

/** The parameters of a layer of width H and inner width F as named inputs ("<prefix>.query.weight", ...). */
export function transformerBlockInputs(g: GraphBuilder, { prefix, width, innerWidth, dtype = 'float32' }: { readonly prefix: string; readonly width: number; readonly innerWidth: number; readonly dtype?: DType }): { readonly [Part in keyof TransformerBlockParameters]: Omit<TransformerBlockParameters[Part], 'lowRank'> } {
  const input = (name: string, shape: Shape): Value => g.input(`${prefix}.${name}`, dtype, shape);
  const linearInputs = (name: string, [out, into]: readonly [number, number]): LinearParameters => ({ weight: input(`${name}.weight`, [out, into]), bias: input(`${name}.bias`, [out]) });
  const normInputs = (name: string): LayerNormParameters => ({ scale: input(`${name}.scale`, [width]), bias: input(`${name}.bias`, [width]) });
  return {
    query: linearInputs('query', [width, width]),
    key: linearInputs('key', [width, width]),
    value: linearInputs('value', [width, width]),
    output: linearInputs('output', [width, width]),
    attentionNorm: normInputs('attentionNorm'),
    up: linearInputs('up', [innerWidth, width]),
    down: linearInputs('down', [width, innerWidth]),
    outputNorm: normInputs('outputNorm'),
  };
}
