/** Which parts of texts (stretches between white space) were met before? Told apart by two hashes and their length: texts are not cut up to be looked up. */

const FIRST_PLACES = 2 ** 14;
/** Numbers of a place, side by side in one line of the cache: two hashes, the length (0: free), what is known of the part; two are room. */
const PLACE = 8;
const [FIRST, SECOND, LENGTH, PART, SEEN_IN, SLOT] = [0, 1, 2, 3, 4, 5] as const;

export type PartTable = {
  readonly size: () => number;
  /** Where a part is, or the free place where it belongs; valid until the next `put`. Two parts are taken for one with a probability of 2^-64. */
  readonly find: (first: number, second: number, length: number) => number;
  /** The number of the part at a place; -1 at a free one. */
  readonly partAt: (place: number) => number;
  /** Its slot in this document (from 1); -1 when it was not seen there yet. */
  readonly slotIn: (place: number, document: number) => number;
  readonly setSlot: (place: number, document: number, slot: number) => void;
  /** Remembers a part at the free place that `find` gave. @returns where it is now. */
  readonly put: (place: number, part: { readonly first: number; readonly second: number; readonly length: number; readonly number: number }) => number;
};

export function partTable(): PartTable {
  let places = new Int32Array(PLACE * FIRST_PLACES);
  let size = 0;
  const find = (first: number, second: number, length: number): number => {
    const own = places;
    const mask = own.length - 1;
    let place = (PLACE * (first ^ (first >>> 15))) & mask;
    while (own[place + LENGTH] !== 0 && (own[place] !== first || own[place + SECOND] !== second || own[place + LENGTH] !== length)) place = (place + PLACE) & mask;
    return place;
  };
  const grow = (): void => {
    const before = places;
    places = new Int32Array(2 * before.length);
    for (let at = 0; at < before.length; at += PLACE) {
      const length = before[at + LENGTH] ?? 0;
      if (length !== 0) places.set(before.subarray(at, at + PLACE), find(before[at] ?? 0, before[at + SECOND] ?? 0, length));
    }
  };
  return {
    size: () => size,
    find,
    partAt: (place) => (places[place + LENGTH] === 0 ? -1 : (places[place + PART] ?? -1)),
    slotIn: (place, document) => (places[place + SEEN_IN] === document ? (places[place + SLOT] ?? -1) : -1),
    setSlot: (place, document, slot) => {
      places[place + SEEN_IN] = document;
      places[place + SLOT] = slot;
    },
    put: (place, { first, second, length, number }) => {
      size += 1;
      places[place + FIRST] = first;
      places[place + SECOND] = second;
      places[place + LENGTH] = length;
      places[place + PART] = number;
      if (2 * PLACE * size <= places.length) return place;
      grow();
      return find(first, second, length);
    },
  };
}
