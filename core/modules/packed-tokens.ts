/** How do the tokens of many sequences become one batch without padding? Sorted by length, one after another, in groups of like length. */
import { ShapeError } from '../tensor/shape-error.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import { longestSequence, type TransformerShape } from './transformer-shape.ts';

/** The sequences `from` to before `to` of the packed order, whose attention is calculated as [to − from, length, length]. */
export type PackedGroup = { readonly from: number; readonly to: number; readonly length: number };

/**
 * What a batch looks like to a graph:
 * - 'equal': every sequence has one length L; tokens are [B, L] and nothing is padded anywhere.
 * - 'grouped': T token rows in groups. Where a group holds several lengths, its attention is padded to the longest (and only there);
 *   what fills the gaps is one extra row of padding at the end of the T rows, which carries no gradient.
 */
export type PackedKind = { readonly kind: 'equal' } | { readonly kind: 'grouped'; readonly groups: number };

export type PackedBatch = {
  readonly kind: PackedKind;
  /** Sequences, B. */
  readonly count: number;
  /** Tokens of all sequences together. */
  readonly tokenCount: number;
  /** Cells of the attention products, Σ b L² over groups; `usefulCells` = Σ l² over sequences. */
  readonly attentionCells: number;
  readonly usefulCells: number;
  /** int32 [U]: the distinct token ids, rising; the graph sees only these rows of the table. */
  readonly rows: Int32Array;
  /** int32 [B]: which of the caller's sequences stands at each packed place. */
  readonly order: Int32Array;
  /** int32 [B]: lengths in packed order, rising. */
  readonly lengths: Int32Array;
  readonly groups: readonly PackedGroup[];
  /** The inputs of the graph that describe the batch, by name (packed-layout.ts reads them). */
  readonly feeds: Readonly<Record<string, Tensor>>;
};

/** How many groups a graph may have: few graphs serve all batches, since each size is another session. */
export const GROUP_COUNTS = [1, 2, 4, 8] as const;
/** More groups mean more, smaller products: a group has to save this many cells. */
const CELLS_PER_GROUP = 512;

/**
 * @param sequences  token ids with special tokens, at least one each, at most `longestSequence(shape)`.
 * @param mostGroups upper bound of groups, one of GROUP_COUNTS.
 * @throws ShapeError 'transformer.sequence' for no sequence, an empty one, one that is too long, or an id outside the vocabulary.
 */
export function packTokens(sequences: readonly Uint32Array[], { shape, mostGroups = 8 }: { readonly shape: TransformerShape; readonly mostGroups?: number }): PackedBatch {
  checkSequences(sequences, shape);
  const count = sequences.length;
  const order = Int32Array.from(sequences.keys()).sort((a, b) => lengthOf(sequences, a) - lengthOf(sequences, b) || a - b);
  const lengths = Int32Array.from(order, (i) => lengthOf(sequences, i));
  const tokenCount = lengths.reduce((sum, length) => sum + length, 0);
  const usefulCells = lengths.reduce((sum, length) => sum + length * length, 0);
  const isEqual = lengths[0] === lengths[count - 1];
  const groups = isEqual ? [{ from: 0, to: count, length: lengths[0] ?? 0 }] : groupsOf(lengths, mostGroups);
  const ids = new Int32Array(tokenCount);
  let at = 0;
  for (const i of order) {
    ids.set(sequences[i] ?? [], at);
    at += lengthOf(sequences, i);
  }
  const rows = distinct(ids, isExact(groups, lengths) ? [] : [shape.padTokenId]);
  const common = { count, tokenCount, usefulCells, attentionCells: groups.reduce((sum, { from, to, length }) => sum + (to - from) * length * length, 0), rows, order, lengths, groups };
  const restore = new Int32Array(count);
  order.forEach((caller, packed) => {
    restore[caller] = packed;
  });
  const restoreFeed = { restore: int32([count], restore) };
  if (isEqual) return { kind: { kind: 'equal' }, ...common, feeds: { tokens: int32([count, lengths[0] ?? 0], placesIn(rows, ids)), ...restoreFeed } };
  return { kind: { kind: 'grouped', groups: groups.length }, ...common, feeds: { ...groupedFeeds({ ids, rows, lengths, groups, shape }), ...restoreFeed } };
}

function groupedFeeds({ ids, rows, lengths, groups, shape }: { readonly ids: Int32Array; readonly rows: Int32Array; readonly lengths: Int32Array; readonly groups: readonly PackedGroup[]; readonly shape: TransformerShape }): Readonly<Record<string, Tensor>> {
  const { heads, positionOffset, padTokenId } = shape;
  const padding = isExact(groups, lengths) ? null : ids.length; // the row that fills gaps
  const tokenRows = ids.length + (padding === null ? 0 : 1);
  const tokens = new Int32Array(tokenRows).fill(padTokenId);
  tokens.set(ids);
  const positions = new Int32Array(tokenRows).fill(positionOffset);
  const sequenceOf = new Int32Array(tokenRows).fill(lengths.length);
  const cellOf = new Int32Array(tokenRows); // of each token row: its place among all [b, L] of all groups
  const headStart = new Int32Array(tokenRows); // of each token row: its place among all [b, heads, L] of all groups, head 0 ...
  const headStep = new Int32Array(tokenRows); // ... and the step from head to head
  const first = new Int32Array(lengths.length);
  const feeds: Record<string, Tensor> = {};
  let row = 0;
  let start = 0;
  groups.forEach(({ from, to, length }, group) => {
    const groupRows = new Int32Array((to - from) * length).fill(padding ?? 0);
    const mask = new Uint8Array((to - from) * length);
    for (let sequence = from; sequence < to; sequence += 1) {
      const own = lengths[sequence] ?? 0;
      const corner = start + (sequence - from) * length;
      const headCorner = start * heads + (sequence - from) * heads * length;
      first[sequence] = row;
      for (let token = 0; token < own; token += 1, row += 1) {
        positions[row] = positionOffset + token;
        sequenceOf[row] = sequence;
        cellOf[row] = corner + token;
        headStart[row] = headCorner + token;
        headStep[row] = length;
        groupRows[(sequence - from) * length + token] = row;
        mask[(sequence - from) * length + token] = 1;
      }
      if (own < length && padding !== null) {
        cellOf[padding] = corner + own;
        headStart[padding] = headCorner + own;
        headStep[padding] = length;
      }
    }
    start += (to - from) * length;
    feeds[`group.${group}.rows`] = int32([to - from, length], groupRows);
    feeds[`group.${group}.mask`] = tensorOf('bool', [to - from, length], mask);
  });
  return {
    tokens: int32([tokenRows], placesIn(rows, tokens)),
    positions: int32([tokenRows], positions),
    sequenceOf: int32([tokenRows], sequenceOf),
    lengths: tensorOf('float32', [lengths.length], Float32Array.from(lengths)),
    cellOf: int32([tokenRows], cellOf),
    headStart: int32([tokenRows], headStart),
    headStep: int32([tokenRows], headStep),
    first: int32([lengths.length], first),
    ...feeds,
  };
}

function isExact(groups: readonly PackedGroup[], lengths: Int32Array): boolean {
  return groups.every(({ from, length }) => lengths[from] === length);
}

/** Cuts rising lengths into 1, 2, 4 or 8 groups so that Σ b L² is least (dynamic programming over the distinct lengths). */
function groupsOf(lengths: Int32Array, mostGroups: number): readonly PackedGroup[] {
  const ends: number[] = []; // where a run of one length ends
  for (let i = 0; i < lengths.length; i += 1) if (lengths[i] !== lengths[i + 1]) ends.push(i + 1);
  const runs = ends.length;
  const most = GROUP_COUNTS.filter((count) => count <= Math.min(mostGroups, runs)).at(-1) ?? 1;
  const cost = (from: number, to: number): number => (to - from) * (lengths[to - 1] ?? 0) ** 2;
  // best[k][r]: least cells of the first r runs in k groups; cut[k][r]: how many runs stand before the last group.
  const best: number[][] = [Array.from({ length: runs + 1 }, (_, r) => (r === 0 ? 0 : Number.POSITIVE_INFINITY))];
  const cut: number[][] = [[]];
  for (let k = 1; k <= most; k += 1) {
    const row: number[] = [Number.POSITIVE_INFINITY];
    const cuts: number[] = [0];
    for (let r = 1; r <= runs; r += 1) {
      let least = Number.POSITIVE_INFINITY;
      let place = 0;
      for (let before = k - 1; before < r; before += 1) {
        const cells = (best[k - 1]?.[before] ?? 0) + cost(before === 0 ? 0 : (ends[before - 1] ?? 0), ends[r - 1] ?? 0);
        if (cells < least) [least, place] = [cells, before];
      }
      row.push(least);
      cuts.push(place);
    }
    best.push(row);
    cut.push(cuts);
  }
  const counts = GROUP_COUNTS.filter((count) => count <= most);
  const cells = (count: number): number => (best[count]?.[runs] ?? Number.POSITIVE_INFINITY) + count * CELLS_PER_GROUP;
  const chosen = counts.reduce((a, b) => (cells(b) < cells(a) ? b : a), counts[0] ?? 1);
  const groups: PackedGroup[] = [];
  let r = runs;
  for (let k = chosen; k > 0; k -= 1) {
    const before = cut[k]?.[r] ?? 0;
    const to = ends[r - 1] ?? 0;
    groups.unshift({ from: before === 0 ? 0 : (ends[before - 1] ?? 0), to, length: lengths[to - 1] ?? 0 });
    r = before;
  }
  return groups;
}

function checkSequences(sequences: readonly Uint32Array[], shape: TransformerShape): void {
  const longest = longestSequence(shape);
  const fault = (reason: string): ShapeError => new ShapeError('transformer.sequence', `A batch should be sequences of 1 to ${longest} tokens below ${shape.vocabularySize}: ${reason}.`);
  if (sequences.length === 0) throw fault('there is none');
  sequences.forEach((sequence, i) => {
    if (sequence.length < 1 || sequence.length > longest) throw fault(`sequence ${i} has ${sequence.length} tokens`);
    const strange = sequence.find((id) => id >= shape.vocabularySize);
    if (strange !== undefined) throw fault(`sequence ${i} holds ${strange}`);
  });
}

/** The distinct ids, rising. */
function distinct(ids: Int32Array, others: readonly number[]): Int32Array {
  return Int32Array.from(new Set([...ids, ...others])).sort();
}

/** The place of each id in the rising list of rows. */
function placesIn(rows: Int32Array, ids: Int32Array): Int32Array {
  const places = new Map<number, number>();
  rows.forEach((id, place) => places.set(id, place));
  return ids.map((id) => places.get(id) ?? 0);
}

function lengthOf(sequences: readonly Uint32Array[], i: number): number {
  return sequences[i]?.length ?? 0;
}

function int32(shape: readonly number[], data: Int32Array): Tensor {
  return tensorOf('int32', shape, data);
}
