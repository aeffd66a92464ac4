/** How alike are two lists of vectors? All cosines at once, by the kernels. */
import { createKernels } from '../optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../optimizers/kernel-memory.ts';

/** The kernel has no path for a remainder: narrower rows are filled up with zeros. */
const LANES = 4;

/**
 * Products of all pairs of rows: float32 [left, right]; the cosines, since the vectors have length 1.
 * @param left float32 [left, H]; @param right float32 [right, H].
 */
export function similaritiesOf({ left, right, width }: { readonly left: Float32Array; readonly right: Float32Array; readonly width: number }): Float32Array {
  const [rows, columns] = [left.length / width, right.length / width];
  const padded = Math.ceil(width / LANES) * LANES;
  const memory = createKernelMemory(kernelMemoryBytes([rows * padded, columns * padded, rows * columns]));
  const scores = memory.float32(rows * columns);
  const place = (vectors: Float32Array, count: number): Float32Array => {
    const placed = memory.float32(count * padded);
    if (padded === width) placed.set(vectors);
    else for (let row = 0; row < count; row += 1) placed.set(vectors.subarray(row * width, (row + 1) * width), row * padded);
    return placed;
  };
  createKernels(memory).scoreMatrix({ queries: place(left, rows), documents: place(right, columns), scores, width: padded });
  return scores.slice();
}
