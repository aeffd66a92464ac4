/** How many places of a batch does each source get? Shares in proportion to weight times size to a power, as whole numbers. */
import { InvariantError } from '../base/errors.ts';

export type SourceSize = {
  /** Records in the source; a source of 0 gets no place. */
  readonly size: number;
  /** > 0, factor on its share; 1 when left out. */
  readonly weight?: number;
};

/**
 * Places by the highest-averages method with odd divisors (Sainte-Lague): each source has one place, then each further place
 * goes to the source with the largest share / (2 * places + 1), share = weight * size^exponent; the first of equals wins.
 * No source gets more places than it has records, since a batch holds no record twice.
 *
 * @param exponent 1 = in proportion to size, 0 = equal parts; between them small sources are favoured (0.5 for languages:
 *   Lample and Conneau 2019, arXiv:1901.07291, section 3.1, has 0.5 too).
 * @returns int32 [sources], with the sum min(batchSize, all records).
 * @throws InvariantError 'sampling.batch-too-small' when there are more sources than places.
 */
export function placesOfSources(options: { readonly sources: readonly SourceSize[]; readonly batchSize: number; readonly exponent: number }): Int32Array {
  const { sources, batchSize, exponent } = options;
  const places = Int32Array.from(sources, ({ size }) => (size > 0 ? 1 : 0));
  const shares = sources.map(({ size, weight = 1 }) => (size > 0 ? weight * size ** exponent : 0));
  let free = Math.min(batchSize, sources.reduce((sum, { size }) => sum + size, 0)) - places.reduce((sum, count) => sum + count, 0);
  if (free < 0) throw new InvariantError('sampling.batch-too-small', `A batch of ${batchSize} cannot hold one record of each of ${places.reduce((sum, count) => sum + count, 0)} sources.`);
  for (; free > 0; free -= 1) {
    let best = -1;
    let highest = -1;
    sources.forEach(({ size }, source) => {
      const count = places[source] ?? 0;
      const average = (shares[source] ?? 0) / (2 * count + 1);
      if (count < size && average > highest) {
        best = source;
        highest = average;
      }
    });
    places[best] = (places[best] ?? 0) + 1;
  }
  return places;
}
