/** Which part of a long text is read in this step? */
import type { Random } from '../base/random.ts';

/**
 * A window of at most `maxTokens` tokens, each start equally likely; the ids themselves when they are no more. Cropping anew
 * in each epoch shows the model all of a passage for the price of a part.
 * @param random for instance seededRandom(seed, 'crop', step), so that a resumed run crops alike; drawn from only when cropping.
 * @returns a view of `ids`, not a copy.
 */
export function randomCrop<Ids extends { readonly length: number; subarray: (start: number, end: number) => Ids }>(ids: Ids, maxTokens: number, random: Pick<Random, 'integer'>): Ids {
  if (ids.length <= maxTokens) return ids;
  const start = random.integer(ids.length - maxTokens + 1);
  return ids.subarray(start, start + maxTokens);
}
