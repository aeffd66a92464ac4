/** How many pairs of a corpus are not translated, or do not belong together? Judged on a sample of it. */
import { sameText } from './fingerprints.ts';
import type { ParallelPair } from './records.ts';

/** Gives each pair a score of how well its words translate each other, and the share of pairs that do not; null: too few pairs to tell. */
export type ScorePairs = (pairs: readonly { readonly source: string; readonly target: string }[], signal: AbortSignal) => Promise<{ readonly scores: Float64Array; readonly misalignedShare: number; readonly threshold: number } | null>;

export type DoubtfulPair = { readonly line: number; readonly source: string; readonly target: string; readonly why: 'untranslated' | 'length' | 'words' };

export type PairQuality = {
  /** Pairs of the sample the shares are of. */
  readonly sampled: number;
  /** Share with the same text on both sides, 0-1. */
  readonly untranslatedShare: number;
  /** Characters of the target for one of the source, in the middle of the sample. */
  readonly lengthRatio: number;
  /** Share whose lengths fit so badly that they are hardly translations, 0-1. */
  readonly lengthOutlierShare: number;
  /** Share whose words do not translate each other (IBM Model 1 against shuffled pairs), 0-1; null where there are too few pairs to tell. */
  readonly misalignedShare: number | null;
  readonly examples: readonly DoubtfulPair[];
};

export type PairSample = { readonly add: (pair: ParallelPair) => void; readonly judge: (score: ScorePairs | null, signal: AbortSignal) => Promise<PairQuality | null> };

const SAMPLE = 3000;
const TEXT_CHARACTERS = 600; // of each side kept
const EXAMPLES = 10;
/** Added to both lengths, so that short pairs are not judged by their length. */
const LENGTH_FLOOR = 15;
/** Gale and Church 1993 measured a variance of 6.8 characters for one; this many deviations from the middle is hardly a translation. */
const VARIANCE = 6.8;
const DEVIATIONS = 5;
const SEED = 0x2545f491;

/** A reservoir of the pairs of a corpus, the same for the same corpus. */
export function samplePairs(): PairSample {
  const kept: { source: string; target: string; line: number }[] = [];
  let seen = 0;
  let state = SEED;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  return {
    add: ({ source, target, line }) => {
      seen += 1;
      const at = kept.length < SAMPLE ? kept.length : below(seen);
      if (at < SAMPLE) kept[at] = { source: ownCopy(source), target: ownCopy(target), line };
    },
    judge: async (score, signal) => (kept.length === 0 ? null : await judgePairs(kept, score, signal)),
  };
}

/** A slice of a string keeps the whole string it was cut from (here a quarter of a megabyte of the file) in memory; a copy does not. */
function ownCopy(text: string): string {
  return Buffer.from(text.slice(0, TEXT_CHARACTERS), 'utf16le').toString('utf16le');
}

async function judgePairs(pairs: readonly { readonly source: string; readonly target: string; readonly line: number }[], score: ScorePairs | null, signal: AbortSignal): Promise<PairQuality> {
  const doubtful = new Map<number, DoubtfulPair['why']>();
  const ratios = pairs.map(({ source, target }) => target.length / source.length).sort((a, b) => a - b);
  const lengthRatio = ratios[ratios.length >> 1] ?? 1;
  let outliers = 0;
  let untranslated = 0;
  pairs.forEach(({ source, target }, i) => {
    const same = sameText(source);
    if (same === sameText(target) && /\p{L}{2}/u.test(same)) {
      untranslated += 1;
      doubtful.set(i, 'untranslated');
      return;
    }
    const expected = source.length * lengthRatio;
    const deviation = Math.abs(target.length - expected) / Math.sqrt((expected + LENGTH_FLOOR) * VARIANCE * Math.max(1, lengthRatio));
    if (deviation <= DEVIATIONS) return;
    outliers += 1;
    doubtful.set(i, 'length');
  });
  const scored = score === null ? null : await score(pairs, signal);
  if (scored !== null) {
    const worst = [...scored.scores.keys()].sort((a, b) => (scored.scores[a] ?? 0) - (scored.scores[b] ?? 0));
    for (const i of worst.slice(0, EXAMPLES)) if (!doubtful.has(i) && (scored.scores[i] ?? 0) <= scored.threshold) doubtful.set(i, 'words');
  }
  const order: readonly DoubtfulPair['why'][] = ['words', 'length', 'untranslated'];
  const examples = [...doubtful]
    .sort((a, b) => order.indexOf(a[1]) - order.indexOf(b[1]) || a[0] - b[0])
    .flatMap(([i, why]): DoubtfulPair[] => {
      const pair = pairs[i];
      return pair === undefined ? [] : [{ ...pair, why }];
    });
  return {
    sampled: pairs.length,
    untranslatedShare: untranslated / pairs.length,
    lengthRatio,
    lengthOutlierShare: outliers / pairs.length,
    misalignedShare: scored?.misalignedShare ?? null,
    examples: order.flatMap((why) => examples.filter((one) => one.why === why).slice(0, EXAMPLES)),
  };
}
