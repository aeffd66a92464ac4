/** What are the word vectors of a language? Words with a row each, the most frequent first. */

export type WordVectors = {
  /** In the form of words-in.ts, each once. */
  readonly words: readonly string[];
  /** float32 [words, width]. */
  readonly vectors: Float32Array;
  readonly width: number;
};

/** The first words, sharing their rows. */
export function mostFrequentWords({ words, vectors, width }: WordVectors, most: number): WordVectors {
  return words.length <= most ? { words, vectors, width } : { words: words.slice(0, most), vectors: vectors.subarray(0, most * width), width };
}

/** Brings every row to length 1, in place; rows of zeros stay. */
export function toUnitRows(rows: Float32Array, width: number): void {
  for (let start = 0; start < rows.length; start += width) {
    let squares = 0;
    for (let i = start; i < start + width; i += 1) squares += (rows[i] ?? 0) ** 2;
    if (squares === 0) continue;
    const factor = 1 / Math.sqrt(squares);
    for (let i = start; i < start + width; i += 1) rows[i] = (rows[i] ?? 0) * factor;
  }
}

/** Length 1, then the mean of all rows taken away, then length 1 again: VecMap's "unit, center, unit". @see Artetxe et al. 2018, section 3.1 */
export function unitCentredUnit({ vectors, width }: Pick<WordVectors, 'vectors' | 'width'>): Float32Array {
  const rows = vectors.slice();
  toUnitRows(rows, width);
  const count = rows.length / width;
  const mean = new Float64Array(width);
  for (let i = 0; i < rows.length; i += 1) mean[i % width] = (mean[i % width] ?? 0) + (rows[i] ?? 0) / count;
  for (let i = 0; i < rows.length; i += 1) rows[i] = (rows[i] ?? 0) - (mean[i % width] ?? 0);
  toUnitRows(rows, width);
  return rows;
}
