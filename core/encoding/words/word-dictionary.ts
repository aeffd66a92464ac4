/** Which words translate each other, as far as parallel text tells? Those that choose each other under IBM Model 1. */
import { trainIbmModel1 } from '../../alignment/ibm-model-1.ts';
import type { SparseTable } from '../../alignment/sparse-table.ts';
import type { TranslationPair } from './map-onto-pivot.ts';
import { wordsIn } from './words-in.ts';

const ITERATIONS = 5;
const MOST_WORDS_IN_SENTENCE = 120;
/** A pair of words that choose each other by less is chance. */
const LEAST_PROBABILITY = 0.1;
const LEAST_COUNT = 2;

/**
 * Whole words (not stems) in the form of words-in.ts: s and t make a pair where t is likeliest given s, and s given t, both with
 * probability .1 or more, and both come twice or more. In the order in which the source words first stand in the text.
 */
export async function dictionaryFromPairs(pairs: readonly TranslationPair[], signal?: AbortSignal): Promise<readonly TranslationPair[]> {
  const source = numbered(pairs.map((pair) => pair.source));
  const target = numbered(pairs.map((pair) => pair.target));
  const tableOf = (from: Numbered, to: Numbered): Promise<SparseTable> =>
    trainIbmModel1({ pairs: { sources: from.ids, targets: to.ids }, sourceSize: from.words.length, targetSize: to.words.length, iterations: ITERATIONS, maximumTokens: MOST_WORDS_IN_SENTENCE, prior: 0, diagonal: 0, ...(signal === undefined ? {} : { signal }) });
  const forward = likeliest(await tableOf(source, target));
  const backward = likeliest(await tableOf(target, source));
  return source.words.flatMap((word, s) => {
    const t = forward[s] ?? -1;
    const other = target.words[t];
    const isOften = (source.counts[s] ?? 0) >= LEAST_COUNT && (target.counts[t] ?? 0) >= LEAST_COUNT;
    return other !== undefined && backward[t] === s && isOften ? [{ source: word, target: other }] : [];
  });
}

type Numbered = { readonly words: readonly string[]; readonly counts: readonly number[]; readonly ids: readonly Uint32Array[] };

function numbered(sentences: readonly string[]): Numbered {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  const ids = sentences.map((sentence) =>
    Uint32Array.from(wordsIn(sentence), (word) => {
      const number = numbers.get(word) ?? numbers.size;
      numbers.set(word, number);
      counts[number] = (counts[number] ?? 0) + 1;
      return number;
    }),
  );
  return { words: [...numbers.keys()], counts, ids };
}

/** The likeliest target of each source; -1 where none reaches LEAST_PROBABILITY. */
function likeliest({ offsets, targets, probabilities, sourceSize }: SparseTable): Int32Array {
  return Int32Array.from({ length: sourceSize }, (_, source) => {
    let [best, chance] = [-1, LEAST_PROBABILITY];
    for (let k = offsets[source] ?? 0; k < (offsets[source + 1] ?? 0); k += 1) {
      if ((probabilities[k] ?? 0) < chance || ((probabilities[k] ?? 0) === chance && best >= 0)) continue;
      chance = probabilities[k] ?? 0;
      best = targets[k] ?? -1;
    }
    return best;
  });
}
