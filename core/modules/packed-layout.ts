/**
 * Where do packed tokens stand? One interface for batches of one length (reshapes) and of many lengths (gathers); the modules
 * above see [T, H] for everything that works token by token, and [b, heads, L, D] per group for attention.
 */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';
import { tensorFrom } from '../tensor/tensor.ts';
import { addDimensions, type Dimension } from '../tensor/dimension.ts';
import { sumDimensions } from '../tensor/shape.ts';
import type { PackedKind } from './packed-tokens.ts';
import type { TransformerShape } from './transformer-shape.ts';

export type PackedLayout = {
  /** B, the number of sequences: a symbol, or the sum of the groups' symbols. */
  readonly sequences: Dimension;
  /** int32: for every token its row among the rows of the table that were fed; [T] or [B, L]. */
  readonly tokens: Value;
  /** [P, H] -> [T, H] (or [1, L, H] to be stretched over sequences): the vector of each token's position. */
  readonly positionsOf: (table: Value) => Value;
  /** [.., H] -> [T, H]: token vectors as one matrix. */
  readonly flat: (x: Value) => Value;
  /** [T, H] -> one [b, heads, L, D] per group. */
  readonly toHeads: (x: Value) => readonly Value[];
  /** The way back: [T, H]. */
  readonly fromHeads: (groups: readonly Value[]) => Value;
  /** Per group bool [b, 1, 1, L], true at real tokens; null where nothing is padded. */
  readonly masks: readonly (Value | null)[];
  /** [T, H] -> [B, H] in packed order: the first token of each sequence. */
  readonly firstOf: (x: Value) => Value;
  /** [T, H] -> [B, H] in packed order: the mean of each sequence's tokens. */
  readonly meanOf: (x: Value) => Value;
  /** [T, H] -> one [b, L, H] per group. */
  readonly toSequences: (x: Value) => readonly Value[];
  /** [B, ...] in packed order -> one [b, ...] per group, and back. */
  readonly toGroups: (x: Value) => readonly Value[];
  readonly fromGroups: (groups: readonly Value[]) => Value;
  /** [B, H] in packed order -> in the caller's order. */
  readonly restored: (x: Value) => Value;
};

/** The inputs that `packTokens` feeds, and what can be done with them. */
export function packedLayout(g: GraphBuilder, { kind, shape }: { readonly kind: PackedKind; readonly shape: TransformerShape }): PackedLayout {
  return kind.kind === 'equal' ? equalLayout(g, shape) : groupedLayout(g, kind.groups, shape);
}

function equalLayout(g: GraphBuilder, { heads, width, positionOffset }: TransformerShape): PackedLayout {
  const [B, L, size] = ['B', 'L', width / heads] as const;
  const tokens = g.input('tokens', 'int32', [B, L]);
  const rows = (x: Value): Value => g.reshape(x, ['B.L', width]); // [T, H]
  const sequences = (x: Value): Value => g.reshape(x, [B, L, width]);
  return {
    sequences: B,
    tokens,
    positionsOf: (table) => g.unsqueeze(g.slice(table, { axis: 0, start: positionOffset, end: positionOffset === 0 ? L : `${L}+${positionOffset}` }), [0]), // [1, L, H]
    flat: rows,
    toHeads: (x) => [g.transpose(g.reshape(x, [B, L, heads, size]), [0, 2, 1, 3])],
    fromHeads: ([x]) => g.reshape(g.transpose(only(x), [0, 2, 1, 3]), ['B.L', width]),
    masks: [null],
    firstOf: (x) => g.squeeze(g.slice(sequences(x), { axis: 1, start: 0, end: 1 }), [1]), // [B, H]
    meanOf: (x) => g.reduceMean(sequences(x), { axis: 1 }), // [B, H]
    toSequences: (x) => [sequences(x)],
    toGroups: (x) => [x],
    fromGroups: ([x]) => only(x),
    restored: restoredBy(g, B),
  };
}

function groupedLayout(g: GraphBuilder, count: number, { heads, width }: TransformerShape): PackedLayout {
  const size = width / heads; // D
  const tokens = g.input('tokens', 'int32', ['T']);
  const positions = g.input('positions', 'int32', ['T']);
  const sequenceOf = g.input('sequenceOf', 'int32', ['T']);
  const cellOf = g.input('cellOf', 'int32', ['T']);
  const headStart = g.input('headStart', 'int32', ['T']);
  const headStep = g.input('headStep', 'int32', ['T']);
  const groups = Array.from({ length: count }, (_, i) => {
    const [b, L] = [`b${i}`, `L${i}`];
    return { b, L, sequenceCells: `${b}.${L}`, cells: `${heads === 1 ? '' : `${heads}*`}${b}.${L}`, rows: g.input(`group.${i}.rows`, 'int32', [b, L]), mask: g.input(`group.${i}.mask`, 'bool', [b, L]) };
  });
  const B = sumDimensions(groups.map(({ b }) => b));
  const first = g.input('first', 'int32', [B]);
  const lengths = g.input('lengths', 'float32', [B]);
  const head = g.constant(tensorFrom('int32', [heads], Array.from({ length: heads }, (_, i) => i)));
  const headsOf = (values: Value): Value => g.mul(values, g.constant(tensorFrom('int32', [], [heads])));
  // Every head of a token is a row of D numbers: [T, H] = [T * heads, D].
  const apart = g.concat(groups.map(({ b, L, cells, rows }) => g.reshape(g.add(headsOf(g.reshape(rows, [b, 1, L])), g.reshape(head, [1, heads, 1])), [cells])), { axis: 0 }); // [Σ b heads L]
  const together = g.reshape(g.add(g.unsqueeze(headStart, [1]), g.mul(g.unsqueeze(headStep, [1]), g.unsqueeze(head, [0]))), [heads === 1 ? 'T' : `${heads}*T`]); // [T heads]
  const perHead: Dimension = heads === 1 ? 'T' : `${heads}*T`;
  return {
    sequences: B,
    tokens,
    positionsOf: (table) => g.gather(table, positions), // [T, H]
    flat: (x) => x,
    toHeads: (x) => {
      const cells = g.rearrange(g.reshape(x, [perHead, size]), { places: apart, inverse: together }); // [Σ b heads L, D]
      return g.split(cells, { axis: 0, sizes: groups.map((group) => group.cells) }).map((part, i) => g.reshape(part, [groups[i]?.b ?? 0, heads, groups[i]?.L ?? 0, size]));
    },
    fromHeads: (parts) => {
      const cells = g.concat(parts.map((part, i) => g.reshape(part, [groups[i]?.cells ?? 0, size])), { axis: 0 }); // [Σ b heads L, D]
      return g.reshape(g.rearrange(cells, { places: together, inverse: apart }), ['T', width]);
    },
    masks: groups.map(({ mask }) => g.unsqueeze(mask, [1, 2])),
    firstOf: (x) => g.gather(x, first), // [B, H]
    meanOf: (x) => {
      const sums = g.scatterNd(g.filled([addDimensions(B, 1), width], 0, x.dtype), g.unsqueeze(g.cast(sequenceOf, 'int64'), [1]), x, 'add'); // [B + 1, H], the last row for what fills gaps
      return g.div(g.slice(sums, { axis: 0, start: 0, end: B }), g.unsqueeze(g.cast(lengths, x.dtype), [1])); // [B, H]
    },
    toSequences: (x) => {
      const rows = g.concat(groups.map((group) => g.reshape(group.rows, [group.sequenceCells])), { axis: 0 }); // [Σ b L]
      const padded = g.rearrange(x, { places: rows, inverse: cellOf }); // [Σ b L, H]
      return g.split(padded, { axis: 0, sizes: groups.map((group) => group.sequenceCells) }).map((part, i) => g.reshape(part, [groups[i]?.b ?? 0, groups[i]?.L ?? 0, width]));
    },
    toGroups: (x) => g.split(x, { axis: 0, sizes: groups.map(({ b }) => b) }),
    fromGroups: (parts) => g.concat(parts, { axis: 0 }),
    restored: restoredBy(g, B),
  };
}

function restoredBy(g: GraphBuilder, sequences: Dimension): (x: Value) => Value {
  const restore = g.input('restore', 'int32', [sequences]);
  return (x) => {
    expectShapes([[x, 'B H']]);
    return g.gather(x, restore);
  };
}

function only(x: Value | undefined): Value {
  if (x === undefined) throw new TypeError('A batch of one length has one group.');
  return x;
}
