/** Has this text been seen before? Fingerprints of 53 bits in a set of eight bytes an entry. */

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const SECOND_PRIME = 0x85ebca6b;
const BETWEEN_CELLS = 0x1f;
const HIGH = 2 ** 21;
const FIRST_SLOTS = 1024;
const MOST_FULL = 0.6;

/** 53 bits of two FNV-1a hashes, never 0; two different records share one with a chance of about n^2 / 2^54. */
export function fingerprint(cells: readonly string[]): number {
  let a = FNV_OFFSET;
  let b = FNV_PRIME;
  for (const cell of cells) {
    for (let i = 0; i < cell.length; i += 1) {
      const unit = cell.charCodeAt(i);
      a = Math.imul(a ^ unit, FNV_PRIME);
      b = Math.imul(b + unit, SECOND_PRIME) ^ (b >>> 13);
    }
    a = Math.imul(a ^ BETWEEN_CELLS, FNV_PRIME);
    b = Math.imul(b + BETWEEN_CELLS, SECOND_PRIME);
  }
  return (a >>> 0) * HIGH + ((b >>> 0) % HIGH) || 1;
}

/** The text as two people would call it the same: NFC, lower case, letters and digits alone. */
export function sameText(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}

export type FingerprintSet = {
  /** Adds and says whether it was new. Beyond the limit nothing is added, and all that is not there counts as new. */
  readonly add: (print: number) => boolean;
  readonly has: (print: number) => boolean;
  readonly size: () => number;
};

/** An open-addressing table of doubles that grows by two. @param limit entries kept at most. */
export function fingerprintSet(limit: number): FingerprintSet {
  let slots = new Float64Array(FIRST_SLOTS);
  let size = 0;
  const slotOf = (table: Float64Array, print: number): number => {
    let at = (print % table.length) | 0;
    while (table[at] !== 0 && table[at] !== print) at = at + 1 === table.length ? 0 : at + 1;
    return at;
  };
  const grow = (): void => {
    const larger = new Float64Array(slots.length * 2 + 1); // odd: a remainder of the whole number, not of its low bits
    for (const print of slots) if (print !== 0) larger[slotOf(larger, print)] = print;
    slots = larger;
  };
  return {
    add: (print) => {
      const at = slotOf(slots, print);
      if (slots[at] === print) return false;
      if (size >= limit) return true;
      slots[at] = print;
      size += 1;
      if (size > slots.length * MOST_FULL) grow();
      return true;
    },
    has: (print) => slots[slotOf(slots, print)] === print,
    size: () => size,
  };
}
