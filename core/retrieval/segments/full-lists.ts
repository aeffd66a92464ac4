/** Which lists of frequent terms are kept in memory? Those asked for last, up to a number of bytes: almost every question has the same ones. */
import type { Segment } from './segment.ts';
import type { LexicalPart } from './document-terms.ts';

const MOST_BYTES = 320 * 2 ** 20;

/** Gives full lists of one part; those of longest ago are forgotten first. */
export function createFullLists(segments: readonly Segment[], part: LexicalPart): (segment: number, place: number) => Uint8Array {
  const kept = new Map<string, Uint8Array>();
  let bytesKept = 0;
  return (s, place) => {
    const key = `${s} ${place}`;
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key); // and last again
      kept.set(key, known);
      return known;
    }
    const list = (segments[s]?.dictionary(part).list(place) ?? new Uint8Array(0)).slice();
    kept.set(key, list);
    bytesKept += list.length;
    for (const [oldest, old] of kept) {
      if (bytesKept <= MOST_BYTES) break;
      kept.delete(oldest);
      bytesKept -= old.length;
    }
    return list;
  };
}
