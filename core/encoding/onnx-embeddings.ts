/** What is the vector of each text of a padded batch, by an encoder that exists as an ONNX graph? The graph, repeated, with pooling behind it. */
import type { GraphBuilder, Value } from '../graph/builder.ts';
import { inlineGraph } from '../graph/inline.ts';
import { clsPooling, DENSE, l2Normalise, linear, lowRankNames, meanPooling } from '../modules/index.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import type { OnnxBackbone } from './backbone.ts';

/** Thin matrices beside weights of the graph, all of one rank: W + scale · up down for each of these names (low-rank.ts). */
export type GraphLowRank = { readonly weights: ReadonlySet<string>; readonly rank: number; readonly scale: number };

/** What of such a backbone the graph depends on. */
export type OnnxEncoder = Pick<OnnxBackbone, 'graph' | 'output' | 'pooling' | 'width'> & { readonly lowRank?: GraphLowRank | null };

const IDS = 'input_ids';
const MASK = 'attention_mask';
const TYPES = 'token_type_ids';
const FED: ReadonlySet<string> = new Set([IDS, MASK, TYPES]);

/** Width of the vectors. */
export function onnxWidth({ pooling, width }: Pick<OnnxEncoder, 'pooling' | 'width'>): number {
  return pooling.dense?.bias.length ?? width;
}

/**
 * Vectors float [B, O] of B texts, in the builder. Parameters are inputs by the names that they have in the graph, `dense.weight` and
 * `dense.bias` behind a pooling with a dense map.
 * @returns the vectors, and the parameters as values.
 * @throws as `inlineGraph`.
 */
export function onnxEmbeddings(g: GraphBuilder, { graph, output, pooling, width, lowRank = null }: OnnxEncoder): { readonly embeddings: Value; readonly parameters: ReadonlyMap<string, Value> } {
  const { result, mask, parameters } = repeated(g, { graph, output, lowRank });
  if (output === 'sentence_embedding') return { embeddings: pooling.normalise ? l2Normalise(g, result) : result, parameters };
  const states = g.reshape(result, ['B', 'L', width]);
  let vectors = pooling.mode === 'cls' ? clsPooling(g, states) : meanPooling(g, { states, mask });
  if (pooling.dense !== null) {
    const out = pooling.dense.bias.length;
    parameters.set(DENSE.weight, g.input(DENSE.weight, 'float32', [out, width])).set(DENSE.bias, g.input(DENSE.bias, 'float32', [out]));
    const [weight, bias] = [parameters.get(DENSE.weight), parameters.get(DENSE.bias)];
    if (weight !== undefined && bias !== undefined) vectors = linear(g, vectors, { weight, bias });
    if (pooling.dense.activation === 'tanh') vectors = g.tanh(vectors);
  }
  return { embeddings: pooling.normalise ? l2Normalise(g, vectors) : vectors, parameters };
}

/** The hidden states float [B, L, H] of such an encoder whose output they are; parameters as above, without a dense map. @throws as `inlineGraph`. */
export function onnxStates(g: GraphBuilder, { graph, output, lowRank = null }: Pick<OnnxEncoder, 'graph' | 'output' | 'lowRank'>): { readonly states: Value; readonly parameters: ReadonlyMap<string, Value> } {
  const { result, parameters } = repeated(g, { graph, output, lowRank });
  return { states: result, parameters };
}

/** The graph once more in the builder, its parameters as inputs, thin matrices among them. */
function repeated(g: GraphBuilder, { graph, output, lowRank }: Pick<OnnxEncoder, 'graph' | 'output'> & { readonly lowRank: GraphLowRank | null }): { readonly result: Value; readonly mask: Value; readonly parameters: Map<string, Value> } {
  const parameters = new Map<string, Value>();
  const bindings: Record<string, Value> = {};
  for (const { name, dtype, shape } of graph.inputs) {
    if (FED.has(name)) {
      bindings[name] = g.input(name, dtype, ['B', 'L']);
      continue;
    }
    const value = g.input(name, dtype, shape);
    parameters.set(name, value);
    bindings[name] = value;
    if (lowRank?.weights.has(name) !== true) continue;
    const names = lowRankNames(name);
    const down = g.input(names.down, dtype, [lowRank.rank, shape[1] ?? 0]);
    const up = g.input(names.up, dtype, [shape[0] ?? 0, lowRank.rank]);
    parameters.set(names.down, down).set(names.up, up);
    bindings[name] = g.gemm(up, down, { alpha: lowRank.scale, bias: value });
  }
  const result = inlineGraph(g, graph, bindings)[output];
  const mask = bindings[MASK];
  if (result === undefined || mask === undefined) throw new TypeError(`The graph has no ${output} or no ${MASK}; opening it should have refused it.`);
  return { result, mask, parameters };
}

/** The inputs of a batch: ids padded to the longest text, with their mask; only those that the graph reads. */
export function onnxFeeds({ graph }: Pick<OnnxEncoder, 'graph'>, sequences: readonly Uint32Array[], padId: number): Record<string, Tensor> {
  const length = sequences.reduce((most, ids) => Math.max(most, ids.length), 1);
  const ids = new BigInt64Array(sequences.length * length).fill(BigInt(padId));
  const mask = new BigInt64Array(sequences.length * length);
  sequences.forEach((own, row) => {
    own.forEach((id, place) => {
      ids[row * length + place] = BigInt(id);
      mask[row * length + place] = 1n;
    });
  });
  const size = [sequences.length, length];
  const all: Record<string, Tensor> = { [IDS]: tensorOf('int64', size, ids), [MASK]: tensorOf('int64', size, mask), [TYPES]: tensorOf('int64', size, new BigInt64Array(ids.length)) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => graph.inputs.some((input) => input.name === name)));
}
