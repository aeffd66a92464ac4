/** Which vectors of earlier batches serve as negatives, language by language? The newest, first in, first out. */
import { InvariantError } from '../base/errors.ts';

/** Rows of a bank, float32 [m, H], and of what each one is: `labels` [m], numbers of the caller's. */
export type BankRows = { readonly vectors: Float32Array; readonly labels: Int32Array };

export type MemoryBank = {
  /** What a checkpoint holds: rows float32 [Σ capacities, H], language after language, their labels, and how many rows each language ever got. */
  readonly rows: Float32Array;
  readonly labels: Int32Array;
  readonly counts: Int32Array;
  /**
   * The newest rows of a language, at most its capacity, in no particular order. Views: they change with the next `add`.
   * @param waiting rows that came since and are not added yet, oldest first: they count as the newest.
   */
  readonly negatives: (language: number, waiting?: BankRows) => BankRows;
  /** Adds rows, oldest first; the oldest of the same language make room. `labels` are 0 when left out. */
  readonly add: (language: number, vectors: Float32Array, labels?: Int32Array) => void;
};

/**
 * A language-specific memory bank: a ring of `capacities[language]` rows for each language; no language ever sees another's.
 * @throws InvariantError 'sampling.bank' for a language that is not there or rows of another width.
 * @see Wu et al. 2022, section 3.1 (Language-specific Memory Bank); 32,768 rows in the paper.
 */
export function createMemoryBank({ capacities, width }: { readonly capacities: readonly number[]; readonly width: number }): MemoryBank {
  const starts = capacities.map((_, language) => capacities.slice(0, language).reduce((sum, capacity) => sum + capacity, 0));
  const size = capacities.reduce((sum, capacity) => sum + capacity, 0);
  const rows = new Float32Array(size * width);
  const labels = new Int32Array(size);
  const counts = new Int32Array(capacities.length);
  const ringOf = (language: number): BankRows & { readonly capacity: number } => {
    const [start, capacity] = [starts[language], capacities[language]];
    if (start === undefined || capacity === undefined) throw new InvariantError('sampling.bank', `The bank has languages 0 to ${capacities.length - 1}, asked for ${language}.`);
    return { capacity, vectors: rows.subarray(start * width, (start + capacity) * width), labels: labels.subarray(start, start + capacity) };
  };
  return {
    rows,
    labels,
    counts,
    negatives: (language, waiting) => {
      const { capacity, ...ring } = ringOf(language);
      const count = counts[language] ?? 0;
      const held = Math.min(capacity, count);
      const fresh = Math.min(capacity, waiting?.labels.length ?? 0);
      if (waiting === undefined || fresh === 0) return { vectors: ring.vectors.subarray(0, held * width), labels: ring.labels.subarray(0, held) };
      const kept = Math.min(held, capacity - fresh);
      const found = { vectors: new Float32Array((kept + fresh) * width), labels: new Int32Array(kept + fresh) };
      for (let i = 0; i < kept; i += 1) {
        const at = (count - kept + i) % capacity;
        found.vectors.set(ring.vectors.subarray(at * width, (at + 1) * width), i * width);
        found.labels[i] = ring.labels[at] ?? 0;
      }
      found.vectors.set(waiting.vectors.subarray(waiting.vectors.length - fresh * width), kept * width);
      found.labels.set(waiting.labels.subarray(waiting.labels.length - fresh), kept);
      return found;
    },
    add: (language, vectors, named) => {
      const { capacity, ...ring } = ringOf(language);
      if (vectors.length % width !== 0) throw new InvariantError('sampling.bank', `The bank takes whole rows of width ${width}, got ${vectors.length} numbers.`);
      for (let i = 0; i * width < vectors.length && capacity > 0; i += 1) {
        const at = (counts[language] ?? 0) % capacity;
        ring.vectors.set(vectors.subarray(i * width, (i + 1) * width), at * width);
        ring.labels[at] = named?.[i] ?? 0;
        counts[language] = (counts[language] ?? 0) + 1;
      }
    },
  };
}
