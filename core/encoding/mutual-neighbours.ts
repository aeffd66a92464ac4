/** Which vectors of two sets are each other's nearest, once those that are near to everything are held back? */
import { pauseFor } from '../base/pause.ts';
import { seededRandom } from '../base/random.ts';
import { openMatrixProduct } from '../runtime/matrix-product.ts';

export type CslsOptions = {
  /** float32 [n, H] and float32 [m, H], rows of length 1. */
  readonly sources: Float32Array;
  readonly targets: Float32Array;
  readonly width: number;
  /** k of the neighbourhoods; Conneau et al. take 10. */
  readonly neighbours?: number;
  /** Considers each pair with this probability only, by chance of `seed`: shakes a search loose (Artetxe et al. 2018, section 3.3). Default 1. */
  readonly share?: number;
  readonly seed?: number;
  readonly signal?: AbortSignal;
};

/** For each source the target of the largest CSLS, and the other way round; -1 where the other side is empty. */
export type CslsNeighbours = { readonly targetOf: Int32Array; readonly sourceOf: Int32Array; readonly targetScores: Float32Array };

const DEFAULT_NEIGHBOURS = 10;
const ROWS_AT_ONCE = 512;

/**
 * Cross-domain similarity local scaling:
 *
 *   csls(x, y) = 2 cos(x, y) − r(x) − r(y),   r(x) = mean of the cosines of x and its k nearest on the other side
 *
 * @returns the nearest of each row under csls; equal scores go to the lower number. Memory: O(n + m) beside one block of rows.
 * @see Conneau et al. 2018, section 2.3.
 */
export async function cslsNeighbours({ sources, targets, width, neighbours = DEFAULT_NEIGHBOURS, share = 1, seed = 0, signal }: CslsOptions): Promise<CslsNeighbours> {
  const count = { sources: sources.length / width, targets: targets.length / width };
  const nearest = { sources: createMeansOfLargest(count.sources, neighbours), targets: createMeansOfLargest(count.targets, neighbours) };
  await using product = await openMatrixProduct({ transposeRight: true });
  const scan = async (visit: (source: number, row: Float32Array) => void): Promise<void> => {
    for (let start = 0; start < count.sources && count.targets > 0; start += ROWS_AT_ONCE) {
      await pauseFor(signal);
      const end = Math.min(count.sources, start + ROWS_AT_ONCE);
      const cosines = await product.multiply(sources.subarray(start * width, end * width), targets, width); // [rows, m]
      for (let source = start; source < end; source += 1) visit(source, cosines.subarray((source - start) * count.targets, (source - start + 1) * count.targets));
    }
  };
  await scan((source, row) => {
    for (let target = 0; target < row.length; target += 1) {
      const cosine = row[target] ?? 0;
      nearest.sources.offer(source, cosine);
      nearest.targets.offer(target, cosine);
    }
  });
  const density = { sources: nearest.sources.means(), targets: nearest.targets.means() };
  const best = { targetOf: new Int32Array(count.sources).fill(-1), sourceOf: new Int32Array(count.targets).fill(-1) };
  const targetScores = new Float32Array(count.sources).fill(-Infinity);
  const sourceScores = new Float32Array(count.targets).fill(-Infinity);
  const isConsidered = share >= 1 ? () => true : thinning(share, seed);
  await scan((source, row) => {
    for (let target = 0; target < row.length; target += 1) {
      if (!isConsidered()) continue;
      const score = 2 * (row[target] ?? 0) - (density.sources[source] ?? 0) - (density.targets[target] ?? 0);
      if (score > (targetScores[source] ?? 0)) {
        targetScores[source] = score;
        best.targetOf[source] = target;
      }
      if (score > (sourceScores[target] ?? 0)) {
        sourceScores[target] = score;
        best.sourceOf[target] = source;
      }
    }
  });
  return { ...best, targetScores };
}

/** The pairs that choose each other: [source, target] numbers, in the order of the sources. */
export function mutualPairs({ targetOf, sourceOf }: Pick<CslsNeighbours, 'targetOf' | 'sourceOf'>): readonly (readonly [source: number, target: number])[] {
  const pairs: [number, number][] = [];
  targetOf.forEach((target, source) => {
    if (target >= 0 && sourceOf[target] === source) pairs.push([source, target]);
  });
  return pairs;
}

/** True with probability `share` at each call: a 32-bit xorshift, since it is asked once for every pair. @see Marsaglia 2003 */
function thinning(share: number, seed: number): () => boolean {
  let state = Math.floor(seededRandom(seed, 'thinning').next() * (2 ** 32 - 1)) + 1;
  const limit = share * 2 ** 32;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0 < limit;
  };
}

/** Keeps the k largest values offered to each of n rows, and gives their means (of fewer when fewer came; 0 of none). */
function createMeansOfLargest(rows: number, k: number): { readonly offer: (row: number, value: number) => void; readonly means: () => Float32Array } {
  const largest = new Float32Array(rows * k).fill(-Infinity); // each row in falling order
  return {
    offer: (row, value) => {
      const last = (row + 1) * k - 1;
      if (value <= (largest[last] ?? 0)) return;
      let at = last;
      for (; at > row * k && (largest[at - 1] ?? 0) < value; at -= 1) largest[at] = largest[at - 1] ?? 0;
      largest[at] = value;
    },
    means: () =>
      Float32Array.from({ length: rows }, (_, row) => {
        const kept = largest.subarray(row * k, (row + 1) * k).filter((value) => value !== -Infinity);
        return kept.length === 0 ? 0 : kept.reduce((sum, value) => sum + value, 0) / kept.length;
      }),
  };
}
