/** Which lists of frequent terms are kept in memory? Those asked for last, up to a number of bytes: almost every question has the same ones. */
import type { Segment } from './segment.ts';
import type { LexicalPart } from './document-terms.ts';

/** A full list, and the largest frequency in it. */
export type FullList = { readonly bytes: Uint8Array; readonly most: number };

const MOST_BYTES = 192 * 2 ** 20;

/** Gives full lists of one part; those of longest ago are forgotten first. */
export function createFullLists(segments: readonly Segment[], part: LexicalPart): (segment: number, place: number) => FullList {
  const kept = new Map<string, FullList>();
  let bytesKept = 0;
  return (s, place) => {
    const key = `${s} ${place}`;
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key); // and last again
      kept.set(key, known);
      return known;
    }
    const bytes = Uint8Array.from(segments[s]?.dictionary(part).list(place) ?? []);
    let most = 0;
    for (const frequency of bytes) if (frequency > most) most = frequency;
    const list = { bytes, most };
    kept.set(key, list);
    bytesKept += bytes.length;
    for (const [oldest, { bytes: old }] of kept) {
      if (bytesKept <= MOST_BYTES) break;
      kept.delete(oldest);
      bytesKept -= old.length;
    }
    return list;
  };
}
