/** Which sentences of two languages translate each other, when both are only paired with a third? Those whose partners are the same sentence. */
import { normaliseForModel } from '../text/normalise.ts';

type SentencePair = { readonly source: string; readonly target: string };

/**
 * Joins two lists of pairs over their second sides: `a` of (x, p) and `b` of (y, p) give (x, y) wherever p is the same, however it is written
 * (as `normaliseForModel` has it). Of several with one p the first of each list is taken, so no sentence stands in two pairs.
 */
export function joinedPairs(a: readonly SentencePair[], b: readonly SentencePair[]): readonly SentencePair[] {
  const partners = new Map<string, string>();
  for (const { source, target } of b) {
    const key = normaliseForModel(target);
    if (!partners.has(key)) partners.set(key, source);
  }
  const joined: SentencePair[] = [];
  for (const { source, target } of a) {
    const key = normaliseForModel(target);
    const partner = partners.get(key);
    if (partner === undefined) continue;
    partners.delete(key);
    joined.push({ source, target: partner });
  }
  return joined;
}
