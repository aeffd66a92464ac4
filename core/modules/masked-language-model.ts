/** How well does a transformer guess hidden tokens? */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { layerNorm } from './layer-norm.ts';
import { linear } from './linear.ts';
import { activated, needed, type TransformerValues } from './transformer-encoder.ts';
import type { TransformerShape } from './transformer-shape.ts';

export type MaskedLanguageModelArguments = {
  readonly shape: TransformerShape;
  /** Holds `embeddings.token` whole, [V, H] (the decoder is tied to it), and `mlm.*`. */
  readonly parameters: TransformerValues;
  /** float [T, H]: states of all tokens. */
  readonly states: Value;
  /** int32 [M]: the rows of the hidden tokens; only they enter the head. */
  readonly places: Value;
  /** int32 [M]: what stood there. */
  readonly labels: Value;
};

/**
 * −log p(label) of every hidden token, p = softmax(norm(act(x Wᵀ + b)) Eᵀ + c), E the token table.
 *
 * @returns float [M], nats; their mean is the loss.
 * @see Devlin et al. 2019, arXiv:1810.04805, section 3.1.
 */
export function maskedTokenLosses(g: GraphBuilder, { shape, parameters, states, places, labels }: MaskedLanguageModelArguments): Value {
  expectShapes([[states, 'T H'], [places, 'M'], [labels, 'M']]);
  const table = needed(parameters, 'embeddings.token'); // [V, H]
  const hidden = g.gather(states, places); // [M, H]
  const transformed = activated(g, linear(g, hidden, { weight: needed(parameters, 'mlm.transform.weight'), bias: needed(parameters, 'mlm.transform.bias') }), shape.activation);
  const normed = layerNorm(g, transformed, { scale: needed(parameters, 'mlm.norm.scale'), bias: needed(parameters, 'mlm.norm.bias'), epsilon: shape.layerNormEpsilon });
  const logits = linear(g, normed, { weight: table, bias: needed(parameters, 'mlm.bias') }); // [M, V]
  const right = g.add(g.reduceSum(g.mul(normed, g.gather(table, labels)), { axis: 1 }), g.gather(needed(parameters, 'mlm.bias'), labels)); // [M]
  return g.sub(g.reduceLogSumExp(logits, { axis: 1 }), right);
}
