/** How many pairs of each language are trained on? At most so many, drawn evenly from its corpora (Hu et al. 2023, 5.1.2: 50,000). */
import { seededPermutation } from '../base/random.ts';
import type { ParallelCorpus } from './corpora.ts';

/** Keeps at most `most` pairs of each language pair, from every corpus the same share, in their order; always the same for a seed. */
export function limitPairs(corpora: readonly ParallelCorpus[], most: number, seed: number): readonly ParallelCorpus[] {
  const totals = new Map<string, number>();
  const languagesOf = ({ source, target }: ParallelCorpus): string => `${source} ${target}`;
  for (const corpus of corpora) totals.set(languagesOf(corpus), (totals.get(languagesOf(corpus)) ?? 0) + corpus.pairs.length);
  return corpora.map((corpus, place) => {
    const total = totals.get(languagesOf(corpus)) ?? 0;
    if (total <= most) return corpus;
    const kept = Math.max(1, Math.floor((corpus.pairs.length * most) / total));
    const chosen = new Set(seededPermutation(corpus.pairs.length, { seed, purpose: `pair limit ${place}` }).subarray(0, kept));
    return { ...corpus, pairs: corpus.pairs.filter((_, index) => chosen.has(index)) };
  });
}
