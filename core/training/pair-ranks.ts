/** At which rank does each sentence find its partner? From a square matrix of similarities whose diagonal holds the partners. */

/**
 * Ranks of the diagonal: among its row ('rows': sources search targets) or its column ('columns'). 1 = first; equal scores count as before it.
 * @param scores float32 [n, n].
 */
export function rankOfPartners(scores: Float32Array, count: number, direction: 'rows' | 'columns'): number[] {
  return Array.from({ length: count }, (_, i) => {
    const own = scores[i * count + i] ?? 0;
    let rank = 1;
    for (let j = 0; j < count; j += 1) {
      const score = direction === 'rows' ? (scores[i * count + j] ?? 0) : (scores[j * count + i] ?? 0);
      if (j !== i && score >= own) rank += 1;
    }
    return rank;
  });
}

/** Share of ranks that are 1, mean of both directions; 0 of nothing. */
export function meanPairAccuracy(forward: readonly number[], backward: readonly number[]): number {
  const share = (ranks: readonly number[]): number => (ranks.length === 0 ? 0 : ranks.filter((rank) => rank === 1).length / ranks.length);
  return (share(forward) + share(backward)) / 2;
}
