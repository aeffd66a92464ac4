/** Which number has a term while segments are made? Terms are told apart by their hash, as in a segment's dictionary, so no text is kept. */
import { growingNumbers } from './growing-numbers.ts';
import { termHash, termHashOfUnits } from './term-hash.ts';

/** Terms met so far, numbered from 0 in the order in which they came. */
export type TermNumbers = {
  readonly numberOf: (term: string) => number;
  /** The number of the term that the UTF-16 units [from, to) spell. */
  readonly numberOfUnits: (units: Uint16Array, from: number, to: number) => number;
  readonly hashOf: (number: number) => number;
  readonly size: () => number;
};

const FIRST_PLACES = 2 ** 14;
/** Numbers of a place: the hash, and the term's number + 1 (0: free). */
const PLACE = 2;
/** Bits of the upper half of a hash that choose its first place. */
const UPPER = 2 ** -21;

export function termNumbers(): TermNumbers {
  const hashes = growingNumbers((n) => new Float64Array(n));
  let places = new Float64Array(PLACE * FIRST_PLACES);
  let size = 0;

  const placeOf = (hash: number): number => {
    const mask = places.length - 1;
    let place = (PLACE * (hash * UPPER)) & mask & -PLACE;
    while (places[place + 1] !== 0 && places[place] !== hash) place = (place + PLACE) & mask;
    return place;
  };
  const grow = (): void => {
    const before = places;
    places = new Float64Array(2 * before.length);
    for (let at = 0; at < before.length; at += PLACE) {
      if (before[at + 1] === 0) continue;
      const place = placeOf(before[at] ?? 0);
      places[place] = before[at] ?? 0;
      places[place + 1] = before[at + 1] ?? 0;
    }
  };
  const numberOfHash = (hash: number): number => {
    const place = placeOf(hash);
    const known = places[place + 1] ?? 0;
    if (known !== 0) return known - 1;
    places[place] = hash;
    places[place + 1] = size + 1;
    hashes.push(hash);
    size += 1;
    if (2 * PLACE * size > places.length) grow();
    return size - 1;
  };
  return {
    numberOf: (term) => numberOfHash(termHash(term)),
    numberOfUnits: (units, from, to) => numberOfHash(termHashOfUnits(units, from, to)),
    hashOf: hashes.at,
    size: () => size,
  };
}
