/** Which lists of terms are kept in memory? Those asked for last, up to a number of bytes: questions have many terms in common. */
import type { LexicalPart } from './document-terms.ts';
import { isFullList } from './posting-lists.ts';
import type { Segment } from './segment.ts';

const MOST_BYTES = 320 * 2 ** 20;
/** Shorter lists are read again each time: it takes less than to keep them. */
const LEAST_BYTES = 65_536;

/** Gives lists of one part (posting-lists.ts), sparse ones valid until the next call; those asked for longest ago are forgotten first. */
export function createKeptLists(segments: readonly Segment[], part: LexicalPart): (segment: number, place: number) => Uint8Array {
  const kept = segments.map(() => new Map<number, { readonly bytes: Uint8Array; asked: number }>());
  let bytesKept = 0;
  let asked = 0;
  /** Forgets the half that was asked for longest ago. */
  const forget = (): void => {
    const middle = kept.flatMap((own) => [...own.values()].map((list) => list.asked)).sort((a, b) => a - b);
    const oldest = middle[middle.length >>> 1] ?? asked;
    for (const own of kept) {
      for (const [place, list] of own) {
        if (list.asked >= oldest) continue;
        own.delete(place);
        bytesKept -= list.bytes.length;
      }
    }
  };
  return (s, place) => {
    asked += 1;
    const known = kept[s]?.get(place);
    if (known !== undefined) {
      known.asked = asked;
      return known.bytes;
    }
    const read = segments[s]?.dictionary(part).list(place) ?? new Uint8Array(0);
    if (read.length < LEAST_BYTES && !isFullList(segments[s]?.dictionary(part).documentFrequency(place) ?? 0, segments[s]?.facts.size ?? 0)) return read;
    const bytes = read.slice();
    kept[s]?.set(place, { bytes, asked });
    bytesKept += bytes.length;
    if (bytesKept > MOST_BYTES) forget();
    return bytes;
  };
}
