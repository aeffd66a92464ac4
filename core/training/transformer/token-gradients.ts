/** How are the gradients of token rows added up when every slice of a step uses other rows? In one block for the rows of the whole step. */
import { InvariantError } from '../../base/errors.ts';
import type { Kernels } from '../../optimizers/kernels.ts';

export type TokenGradients = {
  /** int32 [U], rising: the rows that the step's sequences use (and the padding row, which may get a gradient of zero). */
  readonly rows: Int32Array;
  /** float32 [U, H]. */
  readonly values: Float32Array;
  /** Adds gradients of some of those rows. @throws InvariantError 'training.token-rows' for a row that the step did not announce. */
  readonly add: (rows: Int32Array, gradients: Float32Array) => void;
};

/** Zero gradients for the rows of all sequences of a step. */
export function createTokenGradients({ sequences, padTokenId, width, kernels }: { readonly sequences: readonly Uint32Array[]; readonly padTokenId: number; readonly width: number; readonly kernels: Pick<Kernels, 'addScaled'> }): TokenGradients {
  const used = new Set<number>([padTokenId]);
  for (const sequence of sequences) for (const id of sequence) used.add(id);
  const rows = Int32Array.from(used).sort();
  const places = new Map<number, number>();
  rows.forEach((row, place) => places.set(row, place));
  const values = new Float32Array(rows.length * width);
  return {
    rows,
    values,
    add: (some, gradients) => {
      if (some.length === rows.length) return void kernels.addScaled(values, gradients, 1); // the same set, in the same order
      some.forEach((row, i) => {
        const place = places.get(row);
        if (place === undefined) throw new InvariantError('training.token-rows', `Token ${row} was not among the sequences that this step began with.`);
        for (let j = 0; j < width; j += 1) values[place * width + j] = (values[place * width + j] ?? 0) + (gradients[i * width + j] ?? 0);
      });
    },
  };
}
