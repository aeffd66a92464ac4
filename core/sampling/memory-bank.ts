/** Which vectors of earlier batches serve as negatives, language by language? The newest, first in, first out. */
import { InvariantError } from '../base/errors.ts';

export type MemoryBank = {
  /** What a checkpoint holds: rows float32 [languages, capacity, H], and how many rows each language ever got. */
  readonly rows: Float32Array;
  readonly counts: Int32Array;
  /** The rows kept for a language, float32 [m, H], m <= capacity; in no particular order. A view: it changes with the next `add`. */
  readonly negatives: (language: number) => Float32Array;
  /** Adds rows; the oldest of the same language make room. */
  readonly add: (language: number, vectors: Float32Array) => void;
};

/**
 * A language-specific memory bank: a ring of `capacity` rows for each language; no language ever sees another's.
 * @throws InvariantError 'sampling.bank' for a language that is not there or rows of another width.
 * @see Wu et al. 2022, section 3.1 (Language-specific Memory Bank); 32,768 rows in the paper.
 */
export function createMemoryBank({ languages, capacity, width }: { readonly languages: number; readonly capacity: number; readonly width: number }): MemoryBank {
  const rows = new Float32Array(languages * capacity * width);
  const counts = new Int32Array(languages);
  const ringOf = (language: number): Float32Array => {
    if (!(language >= 0 && language < languages)) throw new InvariantError('sampling.bank', `The bank has languages 0 to ${languages - 1}, asked for ${language}.`);
    return rows.subarray(language * capacity * width, (language + 1) * capacity * width);
  };
  return {
    rows,
    counts,
    negatives: (language) => ringOf(language).subarray(0, Math.min(capacity, counts[language] ?? 0) * width),
    add: (language, vectors) => {
      const ring = ringOf(language);
      if (vectors.length % width !== 0) throw new InvariantError('sampling.bank', `The bank takes whole rows of width ${width}, got ${vectors.length} numbers.`);
      for (let start = 0; start < vectors.length && capacity > 0; start += width) {
        ring.set(vectors.subarray(start, start + width), ((counts[language] ?? 0) % capacity) * width);
        counts[language] = (counts[language] ?? 0) + 1;
      }
    },
  };
}
