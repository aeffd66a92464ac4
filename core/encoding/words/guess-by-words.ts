/** In which of some languages is a text, going by its words? The one whose vocabulary makes them likeliest. */

/** Zipf-Mandelbrot: the word of rank r has a share in proportion to 1 / (r + 2.7). @see Mandelbrot 1953; Piantadosi 2014 */
const RANK_SHIFT = 2.7;
/** The share of a word that a language does not know, as if it stood so many times as deep as its last word. */
const UNKNOWN_DEPTH = 10;

export type WordRanks = { readonly language: string; /** Words by their rank, from 0. */ readonly ranks: ReadonlyMap<string, number> };

/**
 * argmax over languages of Σ log p(word), p(word) in proportion to 1 / (rank + 2.7); of equals the earlier language.
 * A vocabulary is known by its ranks alone, since files of word vectors hold no counts.
 */
export function createWordGuesser(languages: readonly WordRanks[]): (words: readonly string[]) => string {
  const logSums = languages.map(({ ranks }) => Math.log(Array.from({ length: ranks.size }, (_, rank) => 1 / (rank + RANK_SHIFT)).reduce((sum, share) => sum + share, 0)));
  return (words) => {
    let [best, likeliest] = [languages[0]?.language ?? '', -Infinity];
    languages.forEach(({ language, ranks }, l) => {
      const unknown = UNKNOWN_DEPTH * (ranks.size + RANK_SHIFT);
      const score = words.reduce((sum, word) => {
        const rank = ranks.get(word);
        return sum - Math.log(rank === undefined ? unknown : rank + RANK_SHIFT) - (logSums[l] ?? 0);
      }, 0);
      if (score > likeliest) [best, likeliest] = [language, score];
    });
    return best;
  };
}
