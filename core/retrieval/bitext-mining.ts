/** Which sentences of two texts translate each other? Pairs by margin: how much nearer they stand to each other than to their neighbours. */

/** Similarities of some sources to all targets: float32 [rows, M], row-major; `firstSource` is the number of the first row. */
export type SimilarityBlock = { readonly firstSource: number; readonly similarities: Float32Array };

/** `score` is the margin, without unit, about 1 for a pair that is no nearer than its neighbours; `similarity` is the cosine (or the sum that was given). */
export type MinedPair = { readonly source: number; readonly target: number; readonly score: number; readonly similarity: number };

export type MineBitextOptions = {
  /** All sources, in order, in blocks. */
  readonly blocks: AsyncIterable<SimilarityBlock> | Iterable<SimilarityBlock>;
  /** M, the number of targets. */
  readonly targets: number;
  /** k, neighbours on each side. Default 2: the best of 1, 2, 3, 4, 8, 16 on the train splits of es-en and sw-en, two models (2026-11-20). */
  readonly neighbours?: number;
};

const DEFAULT_NEIGHBOURS = 2;
/** Margins of neighbourhoods that have nothing in common with a sentence would divide by 0. */
const LEAST_MEAN = 1e-6;

/**
 * The candidates of both directions, best first, before any threshold: for every source the target of its k nearest with the
 * largest margin, and for every target the source of its k nearest; each sentence in one pair at most, the better margin first.
 *
 *   score(x, y) = cos(x, y) / ( sum over z in NN_k(x) of cos(x, z) / 2k + sum over z in NN_k(y) of cos(y, z) / 2k )
 *
 * NN_k(x) are the k targets nearest to source x, NN_k(y) the k sources nearest to target y (fewer when there are fewer).
 * Ties go to the lower number. Memory: O(k (N + M)) beside one block.
 * @see Hu et al. 2023, equation 5; Artetxe and Schwenk 2019, section 3 (ratio margin), 3.2 (maximum of both directions).
 */
export async function mineBitext({ blocks, targets, neighbours = DEFAULT_NEIGHBOURS }: MineBitextOptions): Promise<readonly MinedPair[]> {
  const forward: Neighbours[] = [];
  const backward = Array.from({ length: targets }, () => nearestOf(neighbours));
  for await (const { firstSource, similarities } of blocks) {
    for (let row = 0; (row + 1) * targets <= similarities.length; row += 1) {
      const own = nearestOf(neighbours);
      for (let target = 0; target < targets; target += 1) {
        const similarity = similarities[row * targets + target] ?? 0;
        if (similarity > own.least) own.offer(target, similarity);
        const other = backward[target];
        if (other !== undefined && similarity > other.least) other.offer(firstSource + row, similarity);
      }
      forward[firstSource + row] = own;
    }
  }
  const sourceMeans = forward.map((own) => own.mean());
  const targetMeans = backward.map((own) => own.mean());
  const margin = (source: number, target: number, similarity: number): number => similarity / Math.max(LEAST_MEAN, ((sourceMeans[source] ?? 0) + (targetMeans[target] ?? 0)) / 2);
  const best = new Map<string, MinedPair>();
  const keep = (pairs: readonly MinedPair[]): void => {
    const [first] = [...pairs].sort(byScore);
    if (first !== undefined) best.set(`${String(first.source)} ${String(first.target)}`, first);
  };
  forward.forEach((own, source) => keep(own.list().map(({ index, similarity }) => ({ source, target: index, similarity, score: margin(source, index, similarity) }))));
  backward.forEach((own, target) => keep(own.list().map(({ index, similarity }) => ({ source: index, target, similarity, score: margin(index, target, similarity) }))));
  return oneToOne([...best.values()].sort(byScore));
}

/** Best first; equal scores by the lower source, then the lower target. */
function byScore(a: MinedPair, b: MinedPair): number {
  return b.score - a.score || a.source - b.source || a.target - b.target;
}

function oneToOne(pairs: readonly MinedPair[]): readonly MinedPair[] {
  const sources = new Set<number>();
  const targets = new Set<number>();
  return pairs.filter(({ source, target }) => {
    if (sources.has(source) || targets.has(target)) return false;
    sources.add(source);
    targets.add(target);
    return true;
  });
}

type Neighbours = {
  /** Only what is larger changes anything; -Infinity while there is room. */
  least: number;
  readonly offer: (index: number, similarity: number) => void;
  readonly mean: () => number;
  readonly list: () => readonly { readonly index: number; readonly similarity: number }[];
};

/** The k largest so far, in order; of equal ones the first that came. */
function nearestOf(k: number): Neighbours {
  const indices = new Uint32Array(k);
  const similarities = new Float64Array(k).fill(-Infinity);
  let count = 0;
  const self: Neighbours = {
    least: -Infinity,
    offer: (index, similarity) => {
      let place = Math.min(count, k - 1);
      while (place > 0 && (similarities[place - 1] ?? 0) < similarity) {
        similarities[place] = similarities[place - 1] ?? 0;
        indices[place] = indices[place - 1] ?? 0;
        place -= 1;
      }
      similarities[place] = similarity;
      indices[place] = index;
      count = Math.min(k, count + 1);
      if (count === k) self.least = similarities[k - 1] ?? 0;
    },
    mean: () => (count === 0 ? 0 : similarities.subarray(0, count).reduce((sum, similarity) => sum + similarity, 0) / count),
    list: () => Array.from(indices.subarray(0, count), (index, place) => ({ index, similarity: similarities[place] ?? 0 })),
  };
  return self;
}
