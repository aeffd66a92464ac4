/** How often is each piece expected in the runs, and what would its removal cost? Forward, backward and Viterbi over all runs. */
import { buildPieceTrie, stepTrie, type PieceTrie } from './piece-trie.ts';
import type { EncodedRuns } from './encoded-runs.ts';

/** Piece i: `lengths[i]` symbols from position `starts[i]` of the runs, with probability `probabilities[i]`. */
export type PieceTable = {
  readonly count: number;
  readonly starts: Int32Array;
  readonly lengths: Uint8Array;
  readonly probabilities: Float64Array;
};

/** Below this a double loses its precision. */
const LEAST_PROBABILITY = 1e-290;

/** The pieces as a prefix tree over symbols. */
export function makeLattice(runs: EncodedRuns, pieces: PieceTable): PieceTrie {
  const { symbols } = runs;
  const { starts, lengths } = pieces;
  return buildPieceTrie({ count: pieces.count, length: (i) => lengths[i] ?? 0, symbol: (i, k) => symbols[(starts[i] ?? 0) + k] ?? 0 });
}

/**
 * E step: the expected number of times each piece is used,
 *   c_i = sum over runs w_r * sum over edges (s, e) of i: alpha(s) p_i beta(e) / alpha(end),
 * in plain probabilities: a run has at most about 50 characters, so no product leaves the range of a double.
 * @returns float64 [pieces.count].
 */
export function expectedCounts(runs: EncodedRuns, trie: PieceTrie, pieces: PieceTable): Float64Array {
  const { symbols, runStarts, weights } = runs;
  const { probabilities } = pieces;
  const counts = new Float64Array(pieces.count);
  const widest = longestRun(runs) + 1;
  const forward = new Float64Array(widest);
  const backward = new Float64Array(widest);
  const edgeStarts = new Int32Array(widest * widest);
  const edgeEnds = new Int32Array(widest * widest);
  const edgePieces = new Int32Array(widest * widest);
  for (let run = 0; run < weights.length; run += 1) {
    const base = runStarts[run] ?? 0;
    const length = (runStarts[run + 1] ?? 0) - base - 1;
    forward.fill(0, 0, length + 1);
    backward.fill(0, 0, length + 1);
    forward[0] = 1;
    let edges = 0;
    for (let start = 0; start < length; start += 1) {
      const reached = forward[start] ?? 0;
      let node = 0;
      for (let end = start; end < length; ) {
        node = stepTrie(trie, node, symbols[base + end] ?? 0);
        if (node < 0) break;
        end += 1;
        const piece = trie.pieceOf[node] ?? -1;
        if (piece < 0) continue;
        forward[end] = (forward[end] ?? 0) + reached * (probabilities[piece] ?? 0);
        edgeStarts[edges] = start;
        edgeEnds[edges] = end;
        edgePieces[edges] = piece;
        edges += 1;
      }
    }
    const whole = forward[length] ?? 0;
    if (whole < LEAST_PROBABILITY) continue; // dozens of the rarest characters in a row: too improbable to count
    const scale = (weights[run] ?? 0) / whole;
    backward[length] = scale;
    for (let edge = edges - 1; edge >= 0; edge -= 1) {
      const start = edgeStarts[edge] ?? 0;
      const piece = edgePieces[edge] ?? 0;
      const flow = (probabilities[piece] ?? 0) * (backward[edgeEnds[edge] ?? 0] ?? 0);
      backward[start] = (backward[start] ?? 0) + flow;
      counts[piece] = (counts[piece] ?? 0) + flow * (forward[start] ?? 0);
    }
  }
  return counts;
}

/** The most probable cutting of symbols [from, to): ids into `out`, last piece first; `forbidden` (or -1) may not be used. Returns how many. */
type Cutter = (from: number, to: number, forbidden: number, out: Int32Array) => number;

function makeCutter(runs: EncodedRuns, trie: PieceTrie, pieces: PieceTable, logs: Float64Array): Cutter {
  const { symbols } = runs;
  const { lengths } = pieces;
  const widest = longestRun(runs) + 1;
  const best = new Float64Array(widest);
  const through = new Int32Array(widest);
  return (from, to, forbidden, out) => {
    const length = to - from;
    best.fill(-Infinity, 0, length + 1);
    best[0] = 0;
    for (let start = 0; start < length; start += 1) {
      const reached = best[start] ?? 0;
      let node = 0;
      for (let end = start; end < length; ) {
        node = stepTrie(trie, node, symbols[from + end] ?? 0);
        if (node < 0) break;
        end += 1;
        const piece = trie.pieceOf[node] ?? -1;
        if (piece < 0 || piece === forbidden) continue;
        const score = reached + (logs[piece] ?? 0);
        if (score > (best[end] ?? 0)) {
          best[end] = score;
          through[end] = piece;
        }
      }
    }
    let used = 0;
    for (let end = length; end > 0; end -= lengths[out[used - 1] ?? 0] ?? 1) {
      out[used] = through[end] ?? 0;
      used += 1;
    }
    return used;
  };
}

/**
 * What the likelihood would lose without each piece (SentencePiece's estimate): with c_i the Viterbi counts, N their sum and
 * a the best cutting of the piece into k other pieces,
 *   loss_i = c_i * ( log(c_i / N) - sum over a of log((c_a + c_i) / (N + c_i (k - 1))) ).
 * A piece that no best cutting uses has -Infinity.
 * @returns float64 [pieces.count], in nats times weight.
 */
export function leastLosses(runs: EncodedRuns, trie: PieceTrie, pieces: PieceTable): Float64Array {
  const logs = pieces.probabilities.map(Math.log);
  const cut = makeCutter(runs, trie, pieces, logs);
  const counts = new Float64Array(pieces.count);
  const out = new Int32Array(longestRun(runs) + 1);
  let total = 0;
  for (let run = 0; run < runs.weights.length; run += 1) {
    const weight = runs.weights[run] ?? 0;
    const used = cut(runs.runStarts[run] ?? 0, (runs.runStarts[run + 1] ?? 0) - 1, -1, out);
    total += weight * used;
    for (let k = 0; k < used; k += 1) {
      const piece = out[k] ?? 0;
      counts[piece] = (counts[piece] ?? 0) + weight;
    }
  }
  const losses = new Float64Array(pieces.count).fill(-Infinity);
  for (let piece = 0; piece < pieces.count; piece += 1) {
    const count = counts[piece] ?? 0;
    const length = pieces.lengths[piece] ?? 0;
    if (count <= 0 || length < 2) continue;
    const start = pieces.starts[piece] ?? 0;
    const used = cut(start, start + length, piece, out);
    const sumWithout = Math.log(total + count * (used - 1));
    let without = 0;
    for (let k = 0; k < used; k += 1) without += Math.log((counts[out[k] ?? 0] ?? 0) + count) - sumWithout;
    losses[piece] = count * (Math.log(count / total) - without);
  }
  return losses;
}

function longestRun(runs: EncodedRuns): number {
  let longest = 0;
  for (let run = 0; run < runs.weights.length; run += 1) longest = Math.max(longest, (runs.runStarts[run + 1] ?? 0) - (runs.runStarts[run] ?? 0));
  return longest;
}
