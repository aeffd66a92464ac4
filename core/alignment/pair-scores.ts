/** Do the words of these sentence pairs translate each other? Each half is judged by what the other half teaches. */
import { trainIbmModel1 } from './ibm-model-1.ts';
import type { SparseTable } from './sparse-table.ts';
import { DOCUMENT_STEM_CHARACTERS, wordTokens } from './word-tokens.ts';

export type PairScores = {
  /** Mean over target words of log(p(word | source) / p(word)); about 0 for sentences that have nothing to do with each other. */
  readonly scores: Float64Array;
  /** Share of pairs that do not belong together, 0-1. */
  readonly misalignedShare: number;
  /** Pairs at or below it are no better than chance. */
  readonly threshold: number;
};

type Pair = { readonly source: string; readonly target: string };

/** Fewer pairs teach too little to judge by. */
const LEAST_PAIRS = 800;
/** Words and short phrases say nothing about each other's neighbours. */
const LEAST_WORDS = 4;
const ITERATIONS = 4;
const MAXIMUM_TOKENS = 60;
/** Weight of a word's frequency beside what its source words say, so that a word never seen with them is no proof. */
const BACKGROUND = 0.1;
const LEAST_FREQUENCY = 0.5;
/** Real pairs must stand this far above shuffled ones on the whole, else nothing was learned and nothing can be said. */
const LEAST_SEPARATION = 0.15;

/**
 * Scores pairs with IBM Model 1 learned from the other half, and compares them with the same sentences shuffled: half of the
 * pairs that do not belong together lie at or below the middle of the shuffled ones, so their share is twice the share of pairs there.
 * @returns null for fewer than 800 pairs, for pairs of less than 4 words in the mean, or when real pairs cannot be told from shuffled ones. @throws the signal's reason.
 */
export async function scorePairs(pairs: readonly Pair[], signal: AbortSignal): Promise<PairScores | null> {
  if (pairs.length < LEAST_PAIRS) return null;
  const sources = idsOf(pairs.map(({ source }) => source));
  const targets = idsOf(pairs.map(({ target }) => target));
  if (targets.total < pairs.length * LEAST_WORDS) return null;
  const scores = new Float64Array(pairs.length);
  const shuffled = new Float64Array(pairs.length);
  const half = (parity: number): number[] => pairs.flatMap((_, i) => (i % 2 === parity ? [i] : []));
  for (const parity of [0, 1]) {
    const learned = half(1 - parity);
    const side = ({ sentences }: Words): Uint32Array[] => learned.map((i) => sentences[i] ?? new Uint32Array(0));
    const table = await trainIbmModel1({ pairs: { sources: side(sources), targets: side(targets) }, sourceSize: sources.words.size, targetSize: targets.words.size, iterations: ITERATIONS, maximumTokens: MAXIMUM_TOKENS, prior: 0, diagonal: 0, signal });
    const score = scorer({ table, sources, targets, learned });
    const judged = half(parity);
    judged.forEach((i, at) => {
      scores[i] = score(i, i);
      shuffled[i] = score(i, judged[(at + (judged.length >> 1)) % judged.length] ?? 0);
    });
  }
  const chance = shuffled.toSorted();
  const threshold = chance[chance.length >> 1] ?? 0;
  const real = scores.toSorted();
  if ((real[real.length >> 1] ?? 0) - threshold < LEAST_SEPARATION) return null;
  const atOrBelow = scores.reduce((count, score) => count + (score <= threshold ? 1 : 0), 0);
  return { scores, misalignedShare: Math.min(1, (2 * atOrBelow) / pairs.length), threshold };
}

type Words = { readonly sentences: readonly Uint32Array[]; readonly words: ReadonlyMap<string, number>; readonly total: number };

function idsOf(texts: readonly string[]): Words {
  const words = new Map<string, number>();
  let total = 0;
  const sentences = texts.map((text) => {
    const tokens = wordTokens(text, DOCUMENT_STEM_CHARACTERS).slice(0, MAXIMUM_TOKENS);
    total += tokens.length;
    return Uint32Array.from(tokens, ({ token }) => {
      const known = words.get(token) ?? words.size;
      words.set(token, known);
      return known;
    });
  });
  return { sentences, words, total };
}

function scorer({ table, sources, targets, learned }: { readonly table: SparseTable; readonly sources: Words; readonly targets: Words; readonly learned: readonly number[] }): (source: number, target: number) => number {
  const { offsets, targets: columns, probabilities } = table;
  const counts = new Float64Array(targets.words.size);
  let total = 0;
  for (const i of learned) for (const id of targets.sentences[i] ?? []) {
    counts[id] = (counts[id] ?? 0) + 1;
    total += 1;
  }
  const sameInTarget = new Int32Array(sources.words.size).fill(-1); // names and numbers stay as they are
  for (const [word, id] of sources.words) sameInTarget[id] = targets.words.get(word) ?? -1;
  const best = new Float64Array(targets.words.size);
  return (source, target) => {
    const rows = new Set(sources.sentences[source] ?? []);
    const words = targets.sentences[target] ?? new Uint32Array(0);
    if (rows.size === 0 || words.length === 0) return 0;
    const touched: number[] = [];
    for (const row of rows) {
      for (let k = offsets[row] ?? 0; k < (offsets[row + 1] ?? 0); k += 1) {
        const column = columns[k] ?? 0;
        touched.push(column);
        best[column] = Math.max(best[column] ?? 0, probabilities[k] ?? 0);
      }
      const same = sameInTarget[row] ?? -1;
      if (same < 0) continue;
      touched.push(same);
      best[same] = 1;
    }
    let sum = 0;
    for (const word of words) {
      const background = Math.max(LEAST_FREQUENCY, counts[word] ?? 0) / Math.max(1, total);
      sum += Math.log(BACKGROUND + ((1 - BACKGROUND) * (best[word] ?? 0)) / background);
    }
    for (const column of touched) best[column] = 0;
    return sum / words.length;
  };
}
