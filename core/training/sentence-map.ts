/** Do the sentences of two languages come to lie in one place? A flat map of held-back pairs, each continuing the one before. */
import { principalPlane, turnedTowards } from '../metrics/principal-plane.ts';
import type { MapPair, TrainingEvent } from './events.ts';

/** Sentences of one language pair with their vectors, float32 [n, H] of length 1; the pivot language may stand on either side. */
export type MapEntry = {
  readonly source: string;
  readonly target: string;
  readonly pairs: readonly { readonly source: string; readonly target: string }[];
  readonly sources: Float32Array;
  readonly targets: Float32Array;
};

/** More points than this cannot be told apart on a small map. */
const MOST_PAIRS = 64;
const DECIMALS = 10_000;
const LONGEST_TEXT = 200;

/**
 * Makes maps of at most 64 pairs, spread evenly over the languages and always the same ones. All sentences share one plane (PCA over
 * both sides); a map is turned towards the map before, so that only what was learned moves.
 *   nearness = mean |a_i − b_i| / mean over i, j of |a_i − b_j|, in the whole space, per language, then averaged
 */
export function createSentenceMap({ pivot, width }: { readonly pivot: string; readonly width: number }): (step: number, entries: readonly MapEntry[]) => Extract<TrainingEvent, { kind: 'map' }> | null {
  let before = new Float64Array(0);
  return (step, entries) => {
    const chosen = entries.map((entry) => ({ entry, count: Math.min(entry.pairs.length, Math.ceil(MOST_PAIRS / entries.length)) }));
    const places = chosen.flatMap(({ entry, count }) => Array.from({ length: count }, (_, i) => ({ entry, i }))).slice(0, MOST_PAIRS);
    if (places.length < 2) return null;
    const vectors = new Float32Array(2 * places.length * width);
    places.forEach(({ entry, i }, p) => {
      const isForeignFirst = entry.source !== pivot;
      vectors.set(rowOf(isForeignFirst ? entry.sources : entry.targets, i, width), 2 * p * width);
      vectors.set(rowOf(isForeignFirst ? entry.targets : entry.sources, i, width), (2 * p + 1) * width);
    });
    const { points, share } = principalPlane({ vectors, width });
    before = Float64Array.from(turnedTowards(points, before));
    const placeOf = (point: number): readonly [number, number] => [rounded(before[2 * point] ?? 0), rounded(before[2 * point + 1] ?? 0)];
    const pairs = places.map(({ entry, i }, p): MapPair => {
      const pair = entry.pairs[i] ?? { source: '', target: '' };
      const isForeignFirst = entry.source !== pivot;
      return {
        source: shortened(isForeignFirst ? pair.source : pair.target),
        target: shortened(isForeignFirst ? pair.target : pair.source),
        sourceLanguage: isForeignFirst ? entry.source : entry.target,
        targetLanguage: isForeignFirst ? entry.target : entry.source,
        from: placeOf(2 * p),
        to: placeOf(2 * p + 1),
      };
    });
    const nearness = chosen.reduce((sum, { entry, count }) => sum + nearnessOf(entry, count, width), 0) / chosen.length;
    return { kind: 'map', step, share: rounded(share), nearness: rounded(nearness), pairs };
  };
}

/** 1: translations are no nearer than any two sentences; 0: they coincide. */
function nearnessOf({ sources, targets }: MapEntry, count: number, width: number): number {
  let [own, all] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    for (let j = 0; j < count; j += 1) {
      const distance = distanceOf(rowOf(sources, i, width), rowOf(targets, j, width));
      all += distance / count;
      if (i === j) own += distance;
    }
  }
  return all === 0 ? 1 : own / all;
}

function distanceOf(a: Float32Array, b: Float32Array): number {
  let squares = 0;
  for (let h = 0; h < a.length; h += 1) squares += ((a[h] ?? 0) - (b[h] ?? 0)) ** 2;
  return Math.sqrt(squares);
}

const rowOf = (rows: Float32Array, i: number, width: number): Float32Array => rows.subarray(i * width, (i + 1) * width);
const rounded = (value: number): number => Math.round(value * DECIMALS) / DECIMALS;
const shortened = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed().replace(/\uFFFD$/u, '')}…` : text);
