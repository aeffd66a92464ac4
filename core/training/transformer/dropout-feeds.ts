/** Which masks does a graph with dropout need for a batch? One per input "dropout.<place>", by the place and the shape it has there. */
import { InvariantError } from '../../base/errors.ts';
import type { Graph } from '../../graph/builder.ts';
import { probabilityMask, rowMask, tokenMask, type DropoutRates, type PackedBatch, type TransformerShape } from '../../modules/index.ts';
import { elementCount, type Shape } from '../../tensor/shape.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';

/** Elements left out in one step: with equal seed and keys, `encode` and `gradients` leave out the same. */
export type DropoutDraw = {
  /** One number per step. */
  readonly seed: number;
  /** A number per sequence that names it within the step, so that slices of a batch draw as the whole; 0, 1, ... when left out. */
  readonly keys?: ArrayLike<number>;
};

const PLACE = /^dropout\.(.+)$/;
const PROBABILITIES = /^(.+\.probabilities)\.(\d+)$/;

/** The tensors of every dropout input of the graph. @throws InvariantError 'training.dropout' when there are no rates. */
export function dropoutFeeds({ graph, batch, shape, draw, rates }: { readonly graph: Graph; readonly batch: PackedBatch; readonly shape: TransformerShape; readonly draw: DropoutDraw; readonly rates: DropoutRates | null }): Record<string, Tensor> {
  if (rates === null) throw new InvariantError('training.dropout', 'Elements are to be left out, but no rate was given.');
  const keys = draw.keys ?? Int32Array.from({ length: batch.count }, (_, i) => i);
  const feeds: Record<string, Tensor> = {};
  for (const { name, shape: size } of graph.inputs) {
    const place = PLACE.exec(name)?.[1];
    if (place === undefined) continue;
    const common = { batch, seed: draw.seed, keys };
    const [, where, group] = PROBABILITIES.exec(place) ?? [];
    if (where !== undefined) {
      const firstOnly = size[2] === 1;
      const { from, to, length } = batch.groups[Number(group)] ?? { from: 0, to: 0, length: 0 };
      const mask = probabilityMask({ ...common, place: where, rate: rates.attention, group: Number(group), heads: shape.heads, firstOnly });
      feeds[name] = bools([to - from, shape.heads, firstOnly ? 1 : length, length], mask);
    } else if (isPerSequence(size, graph)) {
      feeds[name] = bools([batch.count, shape.width], rowMask({ ...common, place, rate: rates.hidden, width: shape.width }));
    } else {
      const tokenRows = elementCount(batch.feeds['tokens']?.shape ?? []);
      feeds[name] = bools([tokenRows, shape.width], tokenMask({ ...common, place, rate: rates.hidden, width: shape.width, tokenRows }));
    }
  }
  return feeds;
}

/** Masks of pooled rows have the first axis of "restore", which counts sequences. */
function isPerSequence(size: Shape, graph: Graph): boolean {
  return size[0] === graph.inputs.find(({ name }) => name === 'restore')?.shape[0];
}

function bools(shape: readonly number[], data: Uint8Array): Tensor {
  return tensorOf('bool', shape, data);
}
