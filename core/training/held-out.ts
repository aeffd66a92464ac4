/** Which sentence pairs are kept out of training, to see whether it helps? A few pairs of every corpus, always the same for a seed. */
import { seededPermutation } from '../base/random.ts';
import type { Corpora, ParallelCorpus, SentencePair } from './corpora.ts';

export type HeldOutPairs = { readonly source: string; readonly target: string; readonly pairs: readonly SentencePair[] };

/** A language pair keeps back this share of its pairs, at most so many; languages with few pairs keep back fewer. */
const SHARE = 0.05;
const MOST_PER_LANGUAGE = 200;
const LEAST_TO_SPLIT = 40;

/**
 * Splits the parallel corpora into training pairs and held-back pairs. No sentence of a held-back pair stays in the training part of
 * its language pair.
 * @returns corpora without the held-back pairs, and those pairs by language pair.
 */
export function holdOut(corpora: Corpora, seed: number): { readonly corpora: Corpora; readonly heldOut: readonly HeldOutPairs[] } {
  const byLanguages = new Map<string, ParallelCorpus[]>();
  for (const corpus of corpora.parallel) byLanguages.set(`${corpus.source} ${corpus.target}`, [...(byLanguages.get(`${corpus.source} ${corpus.target}`) ?? []), corpus]);
  const heldOut: HeldOutPairs[] = [];
  const taken = new Map<string, { sources: Set<string>; targets: Set<string> }>();
  for (const [languages, members] of byLanguages) {
    const total = members.reduce((sum, corpus) => sum + corpus.pairs.length, 0);
    if (total < LEAST_TO_SPLIT) continue;
    const wanted = Math.min(MOST_PER_LANGUAGE, Math.round(total * SHARE));
    const pairs: SentencePair[] = [];
    for (const corpus of members) {
      const order = seededPermutation(corpus.pairs.length, { seed, purpose: `held-out ${languages} ${corpus.pairs.length}` });
      // every corpus gives the same number, so that a large one (a Bible) does not decide alone
      for (const index of order.subarray(0, Math.min(Math.ceil(wanted / members.length), Math.ceil(corpus.pairs.length * SHARE)))) {
        const pair = corpus.pairs[index];
        if (pair !== undefined) pairs.push(pair);
      }
    }
    const first = members[0];
    if (first === undefined) continue;
    heldOut.push({ source: first.source, target: first.target, pairs });
    taken.set(languages, { sources: new Set(pairs.map((pair) => pair.source)), targets: new Set(pairs.map((pair) => pair.target)) });
  }
  const parallel = corpora.parallel.map((corpus) => {
    const out = taken.get(`${corpus.source} ${corpus.target}`);
    return out === undefined ? corpus : { ...corpus, pairs: corpus.pairs.filter((pair) => !out.sources.has(pair.source) && !out.targets.has(pair.target)) };
  });
  return { corpora: { ...corpora, parallel: parallel.filter((corpus) => corpus.pairs.length > 0) }, heldOut };
}
