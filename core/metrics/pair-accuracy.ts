/** How often is the nearest sentence the translation? Accuracy over n parallel pairs, in both directions. */

export type PairAccuracy = {
  readonly pairs: number;
  /** Share of sources whose most similar target is their own, in [0, 1]. */
  readonly forward: number;
  /** Share of targets whose most similar source is their own. */
  readonly backward: number;
  /** Mean of both. */
  readonly accuracy: number;
  /** uint8 [2n]: 1 where the answer was right; the n sources, then the n targets. */
  readonly right: Uint8Array;
  /** int32 [2n]: the row of the other side that was answered; of the n sources, then of the n targets. */
  readonly answers: Int32Array;
};

/**
 * Tatoeba accuracy: row i of `sources` translates row i of `targets`; the answer of a row is the row of the other side with the
 * largest inner product (cosine, as rows are L2-normalised). Ties go to the lower index, so identical vectors score 1/n, not 1.
 *
 * @param sources float32 [n, width], L2-normalised.  @param targets float32 [n, width], L2-normalised.
 * @throws RangeError when the lengths are not both n * width.
 * @see Artetxe and Schwenk 2019, section 4.3.
 */
export function pairAccuracy(options: { readonly sources: Float32Array; readonly targets: Float32Array; readonly width: number }): PairAccuracy {
  const { sources, targets, width } = options;
  const pairs = sources.length / width;
  if (!Number.isInteger(pairs) || targets.length !== sources.length) throw new RangeError(`Expected two [n, ${width}] arrays of one size, found ${sources.length} and ${targets.length} numbers.`);
  const bestTargets = new Float64Array(pairs).fill(-Infinity);
  const bestSources = new Float64Array(pairs).fill(-Infinity);
  const targetOf = new Int32Array(pairs);
  const sourceOf = new Int32Array(pairs);
  for (let i = 0; i < pairs; i += 1) {
    for (let j = 0; j < pairs; j += 1) {
      const similarity = innerProduct(sources, i * width, targets, j * width, width);
      if (similarity > (bestTargets[i] ?? 0)) {
        bestTargets[i] = similarity;
        targetOf[i] = j;
      }
      if (similarity > (bestSources[j] ?? 0)) {
        bestSources[j] = similarity;
        sourceOf[j] = i;
      }
    }
  }
  const right = Uint8Array.from([...targetOf.map((target, i) => (target === i ? 1 : 0)), ...sourceOf.map((source, i) => (source === i ? 1 : 0))]);
  const share = (answers: Uint8Array): number => (pairs === 0 ? 0 : answers.reduce((sum, answer) => sum + answer, 0) / pairs);
  const forward = share(right.subarray(0, pairs));
  const backward = share(right.subarray(pairs));
  return { pairs, forward, backward, accuracy: (forward + backward) / 2, right, answers: Int32Array.of(...targetOf, ...sourceOf) };
}

/** Four sums in place of one, so that the additions need not wait for each other. */
function innerProduct(a: Float32Array, aStart: number, b: Float32Array, bStart: number, width: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < width; i += 4) {
    s0 += (a[aStart + i] ?? 0) * (b[bStart + i] ?? 0);
    s1 += (a[aStart + i + 1] ?? 0) * (b[bStart + i + 1] ?? 0);
    s2 += (a[aStart + i + 2] ?? 0) * (b[bStart + i + 2] ?? 0);
    s3 += (a[aStart + i + 3] ?? 0) * (b[bStart + i + 3] ?? 0);
  }
  for (; i < width; i += 1) s0 += (a[aStart + i] ?? 0) * (b[bStart + i] ?? 0);
  return s0 + s1 + s2 + s3;
}
