/** How is a table of conditional probabilities kept when almost all of them are zero? One row a source token, its targets side by side. */

/** p(target | source): row s holds `targets[offsets[s]..offsets[s+1]]` and their `probabilities`, largest first after `pruneTable`. */
export type SparseTable = {
  readonly sourceSize: number;
  readonly targetSize: number;
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  readonly probabilities: Float32Array;
};

/**
 * Keeps, for each source, at most `most` targets whose probability is at least `least`; sorted by probability, then by id.
 * @param rescale true: the kept probabilities of a row sum to 1.
 */
export function pruneTable(table: SparseTable, options: { readonly most: number; readonly least: number; readonly rescale?: boolean }): SparseTable {
  const offsets = new Uint32Array(table.sourceSize + 1);
  const targets: number[] = [];
  const probabilities: number[] = [];
  for (let source = 0; source < table.sourceSize; source += 1) {
    const row: { target: number; probability: number }[] = [];
    for (let k = table.offsets[source] ?? 0; k < (table.offsets[source + 1] ?? 0); k += 1) {
      const probability = table.probabilities[k] ?? 0;
      if (probability >= options.least) row.push({ target: table.targets[k] ?? 0, probability });
    }
    row.sort((a, b) => b.probability - a.probability || a.target - b.target);
    row.length = Math.min(row.length, options.most);
    const total = options.rescale === true ? row.reduce((sum, entry) => sum + entry.probability, 0) : 1;
    for (const entry of row) {
      targets.push(entry.target);
      probabilities.push(total > 0 ? entry.probability / total : 0);
    }
    offsets[source + 1] = targets.length;
  }
  return { sourceSize: table.sourceSize, targetSize: table.targetSize, offsets, targets: Uint32Array.from(targets), probabilities: Float32Array.from(probabilities) };
}
