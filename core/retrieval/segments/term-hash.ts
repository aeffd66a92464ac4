/** By which number is a term known in a segment? A hash of 53 bits, so that a dictionary is a sorted list of float64. */

const FIRST_SEED = 0x9e3779b1;
const SECOND_SEED = 0x85ebca77;
const FIRST_PRIME = 0x01000193;
const SECOND_PRIME = 0xc2b2ae3d;
const LOW_BITS = 21;
const LOW_RANGE = 2 ** LOW_BITS;
export const HASH_BITS = 53;

/** Two FNV-like hashes over UTF-16 units, joined: 0 to 2^53 - 1. A million terms collide with a probability of 1 in 18,000. */
export function termHash(term: string): number {
  if (term.length > room.length) room = new Uint16Array(2 * term.length);
  for (let i = 0; i < term.length; i += 1) room[i] = term.charCodeAt(i);
  return termHashOfUnits(room, 0, term.length);
}

let room = new Uint16Array(64);

/** The hash of the term that the units [from, to) spell. */
export function termHashOfUnits(units: Uint16Array, from: number, to: number): number {
  let first = FIRST_SEED;
  let second = SECOND_SEED;
  for (let i = from; i < to; i += 1) {
    const unit = units[i] ?? 0;
    first = Math.imul(first ^ unit, FIRST_PRIME);
    first ^= first >>> 15;
    second = Math.imul(second + unit, SECOND_PRIME);
    second ^= second >>> 13;
  }
  first = Math.imul(first ^ (first >>> 16), SECOND_SEED);
  first ^= first >>> 13;
  return (first >>> 0) * LOW_RANGE + ((second ^ (second >>> 16)) & (LOW_RANGE - 1));
}
