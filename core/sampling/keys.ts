/** Which records are the same for a batch? Those with equal keys: small integers in place of texts or document ids. */

/**
 * One integer per text, equal exactly when the texts are equal, over all lists together (so that an English sentence that
 * stands in two corpora has one key). Normalise the texts first if spelling variants should count as equal.
 * @returns int32 arrays of the lists' lengths, numbered from 0 in order of first appearance; null has the key NO_KEY.
 */
export function keysOfTexts(lists: readonly (readonly (string | null)[])[]): readonly Int32Array[] {
  const known = new Map<string, number>();
  return lists.map((list) =>
    Int32Array.from(list, (text) => {
      if (text === null) return NO_KEY;
      const key = known.get(text) ?? known.size;
      known.set(text, key);
      return key;
    }),
  );
}

/** The key of what is equal to nothing, not even to itself. */
export const NO_KEY = -1;
