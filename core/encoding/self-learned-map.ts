/** Which rotation brings one space of vectors onto another when nobody says which vectors belong together? */
import { CancellationError, InputError } from '../base/errors.ts';
import { ignoreProgress, type ReportProgress } from '../base/progress.ts';
import { openMatrixProduct } from '../runtime/matrix-product.ts';
import { cslsNeighbours, type CslsNeighbours } from './mutual-neighbours.ts';
import { applyMap, orthogonalMap } from './orthogonal-map.ts';

export type SelfLearnedMapOptions = {
  /** float32 [n, H] and [m, H], rows of length 1. For words: the most frequent first. */
  readonly sources: Float32Array;
  readonly targets: Float32Array;
  readonly width: number;
  /**
   * 'as they are': the spaces already lie near each other (one encoder for both languages); mutual neighbours refine.
   * 'profile': nothing is known; each vector is first known by its sorted similarities to its own language.
   * or pairs to begin with, [source, target] row numbers (a seed dictionary).
   */
  readonly start: 'as they are' | 'profile' | readonly (readonly [source: number, target: number])[];
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly report?: ReportProgress;
};

export type SelfLearnedMap = {
  /** float32 [H, H], orthogonal: x is mapped to x W. */
  readonly map: Float32Array;
  /** Mean CSLS of each source and its nearest target at the end: larger is better; compare runs of the same data only. */
  readonly objective: number;
  readonly iterations: number;
};

const MOST_ITERATIONS = 120;
/** The first share of pairs that a search from a profile considers; doubled whenever it gets stuck. VecMap's values. */
const FIRST_SHARE = 0.1;
const SHARE_GROWTH = 2;
const STUCK_AFTER = 5;
const LEAST_GAIN = 1e-5;
const LEAST_VECTORS = 10;
const PROFILE_LENGTH = 512;

/**
 * Self-learning: pair every vector with its nearest under CSLS in both directions, rotate by Procrustes, repeat until the mean
 * CSLS no longer grows; a search that starts from profiles considers a growing random share of the pairs.
 * @throws InputError 'calibration.too-few-vectors'; CancellationError.
 * @see Artetxe et al. 2018 (VecMap), sections 3.2 and 3.3; Conneau et al. 2018, sections 2.2 and 2.3 (refinement with CSLS).
 */
export async function learnMapWithoutPairs({ sources, targets, width, start, seed, signal, report = ignoreProgress }: SelfLearnedMapOptions): Promise<SelfLearnedMap> {
  if (Math.min(sources.length, targets.length) < LEAST_VECTORS * width) throw new InputError('calibration.too-few-vectors', `Bringing two languages together needs at least ${LEAST_VECTORS} vectors each, found ${Math.min(sources.length, targets.length) / width}. Add more text.`);
  const neighboursUnder = async (map: Float32Array | null, share: number, iteration: number): Promise<CslsNeighbours> =>
    cslsNeighbours({ sources: map === null ? sources : await applyMap(sources, map, width), targets, width, share, seed: seed + iteration, ...(signal === undefined ? {} : { signal }) });
  let share = start === 'profile' ? FIRST_SHARE : 1;
  let pairs = typeof start === 'string' ? (start === 'profile' ? bothWays(await profileNeighbours({ sources, targets, width, ...(signal === undefined ? {} : { signal }) })) : bothWays(await neighboursUnder(null, 1, 0))) : start;
  let best: SelfLearnedMap = { map: identity(width), objective: -Infinity, iterations: 0 };
  let sinceGain = 0;
  for (let iteration = 1; iteration <= MOST_ITERATIONS; iteration += 1) {
    if (signal?.aborted === true) throw new CancellationError(undefined, { cause: signal.reason });
    report({ phase: 'calibrating', done: iteration - 1, total: MOST_ITERATIONS, unit: 'rounds' });
    const map = await orthogonalMap({ sources: rowsOf(sources, pairs.map(([source]) => source), width), targets: rowsOf(targets, pairs.map(([, target]) => target), width), width });
    const found = await neighboursUnder(map, share, iteration);
    const objective = meanOf(found.targetScores);
    pairs = bothWays(found);
    if (objective > best.objective + LEAST_GAIN) {
      best = { map, objective, iterations: iteration };
      sinceGain = 0;
      continue;
    }
    sinceGain += 1;
    if (sinceGain < STUCK_AFTER) continue;
    if (share >= 1) break;
    share = Math.min(1, share * SHARE_GROWTH);
    best = { ...best, objective: -Infinity }; // objectives of different shares do not compare
    sinceGain = 0;
  }
  return best;
}

/** The nearest of each source and of each target, together: pairs that choose each other count twice. */
export function bothWays({ targetOf, sourceOf }: CslsNeighbours): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  targetOf.forEach((target, source) => {
    if (target >= 0) pairs.push([source, target]);
  });
  sourceOf.forEach((source, target) => {
    if (source >= 0) pairs.push([source, target]);
  });
  return pairs;
}

/** Neighbours by how similar each vector is to its own language: the sorted similarities, as a vector of length 1. @see Artetxe et al. 2018, section 3.2 */
async function profileNeighbours({ sources, targets, width, signal }: { readonly sources: Float32Array; readonly targets: Float32Array; readonly width: number; readonly signal?: AbortSignal }): Promise<CslsNeighbours> {
  const count = Math.min(sources.length, targets.length) / width; // profiles of one length compare
  const sides: Float32Array[] = [];
  for (const vectors of [sources.subarray(0, count * width), targets.subarray(0, count * width)]) sides.push(await profiles(vectors, width));
  const [left = new Float32Array(0), right = new Float32Array(0)] = sides;
  return cslsNeighbours({ sources: left, targets: right, width: left.length / count, ...(signal === undefined ? {} : { signal }) });
}

async function profiles(vectors: Float32Array, width: number): Promise<Float32Array> {
  const count = vectors.length / width;
  const length = Math.min(PROFILE_LENGTH, count);
  await using product = await openMatrixProduct({ transposeRight: true });
  const all = new Float32Array(count * length);
  for (let row = 0; row < count; row += 1) {
    const similarities = (await product.multiply(vectors.subarray(row * width, (row + 1) * width), vectors, width)).sort();
    const profile = all.subarray(row * length, (row + 1) * length);
    for (let i = 0; i < length; i += 1) profile[i] = similarities[Math.floor((i * (count - 1)) / Math.max(1, length - 1))] ?? 0; // evenly spaced order statistics
    toUnitLength(profile);
  }
  centreColumns(all, length);
  for (let row = 0; row < count; row += 1) toUnitLength(all.subarray(row * length, (row + 1) * length));
  return all;
}

function centreColumns(rows: Float32Array, width: number): void {
  const count = rows.length / width;
  const mean = new Float64Array(width);
  rows.forEach((value, i) => {
    mean[i % width] = (mean[i % width] ?? 0) + value / count;
  });
  for (let i = 0; i < rows.length; i += 1) rows[i] = (rows[i] ?? 0) - (mean[i % width] ?? 0);
}

function toUnitLength(row: Float32Array): void {
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) for (let i = 0; i < row.length; i += 1) row[i] = (row[i] ?? 0) / length;
}

/** Copies of some rows. vectors: float32 [n, H]; returns float32 [rows, H]. */
export function rowsOf(vectors: Float32Array, rows: readonly number[], width: number): Float32Array {
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    picked.set(vectors.subarray(row * width, (row + 1) * width), i * width);
  });
  return picked;
}

function meanOf(scores: Float32Array): number {
  const finite = scores.filter(Number.isFinite);
  return finite.length === 0 ? -Infinity : finite.reduce((sum, value) => sum + value, 0) / finite.length;
}

function identity(width: number): Float32Array {
  return Float32Array.from({ length: width * width }, (_, i) => (i % (width + 1) === 0 ? 1 : 0));
}
