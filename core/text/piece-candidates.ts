/** Which substrings might become pieces? The frequent, maximal substrings of the runs, counted one length at a time. */
import type { EncodedRuns } from './encoded-runs.ts';

/** Longest piece in characters, `▁` included. */
export const LONGEST_PIECE = 16;

const LEAST_SIGHTINGS = 2;

/** Candidate i is `lengths[i]` symbols from `starts[i]` of the symbols of the runs. */
export type Candidates = { readonly starts: Int32Array; readonly lengths: Uint8Array; readonly scores: Float64Array };

/**
 * The `most` substrings of 2..LONGEST_PIECE characters with the largest weight * length.
 *
 * Level by level: the substring of length L at a position is named by (name of its first L - 1 symbols, last symbol), so each
 * level is one pass with a hash table of whole numbers, over the positions whose prefix was seen at least twice. Kept only if
 * maximal to the right (SentencePiece's suffix-tree nodes): not always followed by one same symbol.
 * A candidate never starts with a mark, and occurrences that would cut an accent from its letter do not count.
 * Ties are broken by first position. Memory about 40 bytes per symbol.
 */
export function findCandidates(text: EncodedRuns, most: number): Candidates {
  const { symbols, weights, sightings, runOf, length } = text;
  const names = new Int32Array(length); // name of the (L-1)-gram that begins here
  let live = new Int32Array(length);
  let liveCount = 0;
  for (let at = 0; at < length; at += 1) {
    const symbol = symbols[at] ?? 0;
    if (symbol === 0 || text.isMark[symbol] === 1) continue;
    names[at] = symbol;
    live[liveCount] = at;
    liveCount += 1;
  }
  const starts: number[] = [];
  const lengths: number[] = [];
  const scores: number[] = [];
  let parents: Level | null = null;
  for (let size = 2; size <= LONGEST_PIECE + 1 && liveCount > 0; size += 1) {
    const level: Level = countLevel({ symbols, weights, sightings, runOf, names, live, liveCount, size });
    if (parents !== null) collect(parents, level, size - 1);
    let kept = 0;
    const next = new Int32Array(liveCount);
    for (let i = 0; i < liveCount; i += 1) {
      const at = live[i] ?? 0;
      const name = names[at] ?? -1;
      if (name >= 0 && (level.sightings[name] ?? 0) >= LEAST_SIGHTINGS) {
        next[kept] = at;
        kept += 1;
      }
    }
    live = next;
    liveCount = kept;
    parents = level;
  }
  return best({ starts, lengths, scores, most });

  function collect(grams: Level, children: Level, size: number): void {
    const usable = grams.weights.slice(0, grams.count);
    const redundant = new Uint8Array(grams.count);
    for (let child = 0; child < children.count; child += 1) {
      const parent = children.parents[child] ?? 0;
      const weight = children.weights[child] ?? 0;
      if (text.isAccent[children.lasts[child] ?? 0] === 1) usable[parent] = (usable[parent] ?? 0) - weight;
      else if (size < LONGEST_PIECE && weight === grams.weights[parent]) redundant[parent] = 1;
    }
    for (let gram = 0; gram < grams.count; gram += 1) {
      const weight = usable[gram] ?? 0;
      if ((grams.sightings[gram] ?? 0) < LEAST_SIGHTINGS || redundant[gram] === 1 || weight <= 0) continue;
      starts.push(grams.firsts[gram] ?? 0);
      lengths.push(size);
      scores.push(weight * size);
    }
  }
}

/** The grams of one length: where each was first seen, its prefix, its last symbol, how often it counts and was seen. */
type Level = {
  readonly count: number;
  readonly firsts: Int32Array;
  readonly parents: Int32Array;
  readonly lasts: Int32Array;
  readonly weights: Float64Array;
  readonly sightings: Float64Array;
};

const EMPTY = -1;

/** Names every gram of `size` symbols that begins at a live position, in order of first sight; `names` is rewritten. */
function countLevel(input: {
  readonly symbols: Int32Array;
  readonly weights: Float64Array;
  readonly sightings: Float64Array;
  readonly runOf: Int32Array;
  readonly names: Int32Array;
  readonly live: Int32Array;
  readonly liveCount: number;
  readonly size: number;
}): Level {
  const { symbols, weights, sightings, runOf, names, live, liveCount, size } = input;
  let bits = 10;
  while (2 ** bits < 2 * liveCount) bits += 1;
  const table = new Int32Array(2 ** bits).fill(EMPTY);
  const mask = 2 ** bits - 1;
  const firsts = new Int32Array(liveCount);
  const parents = new Int32Array(liveCount);
  const lasts = new Int32Array(liveCount);
  const gramWeights = new Float64Array(liveCount);
  const gramSightings = new Float64Array(liveCount);
  let count = 0;
  for (let i = 0; i < liveCount; i += 1) {
    const at = live[i] ?? 0;
    const last = symbols[at + size - 1] ?? 0;
    if (last === 0) {
      names[at] = EMPTY;
      continue;
    }
    const parent = names[at] ?? 0;
    const mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b);
    let slot = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    slot = (slot ^ (slot >>> 13)) & mask;
    let gram = table[slot] ?? EMPTY;
    while (gram !== EMPTY && (parents[gram] !== parent || lasts[gram] !== last)) {
      slot = (slot + 1) & mask;
      gram = table[slot] ?? EMPTY;
    }
    if (gram === EMPTY) {
      gram = count;
      table[slot] = gram;
      firsts[gram] = at;
      parents[gram] = parent;
      lasts[gram] = last;
      count += 1;
    }
    const run = runOf[at] ?? 0;
    gramWeights[gram] = (gramWeights[gram] ?? 0) + (weights[run] ?? 0);
    gramSightings[gram] = (gramSightings[gram] ?? 0) + (sightings[run] ?? 0);
    names[at] = gram;
  }
  return { count, firsts, parents, lasts, weights: gramWeights, sightings: gramSightings };
}

function best(found: { readonly starts: number[]; readonly lengths: number[]; readonly scores: number[]; readonly most: number }): Candidates {
  const scores = Float64Array.from(found.scores);
  const ordered = scores.slice().sort();
  const threshold = found.most >= scores.length ? -Infinity : (ordered[scores.length - found.most] ?? -Infinity);
  const above: number[] = [];
  const equal: number[] = [];
  for (let i = 0; i < scores.length; i += 1) {
    const score = scores[i] ?? 0;
    if (score > threshold) above.push(i);
    else if (score === threshold) equal.push(i);
  }
  equal.sort((a, b) => (found.starts[a] ?? 0) - (found.starts[b] ?? 0) || (found.lengths[a] ?? 0) - (found.lengths[b] ?? 0));
  const chosen = above.concat(equal.slice(0, Math.max(0, found.most - above.length)));
  return {
    starts: Int32Array.from(chosen, (i) => found.starts[i] ?? 0),
    lengths: Uint8Array.from(chosen, (i) => found.lengths[i] ?? 0),
    scores: Float64Array.from(chosen, (i) => found.scores[i] ?? 0),
  };
}
