/** Which chunks are truly nearest? Every stored vector compared with every query, in pieces, so that memory stays small. */
import { createKernels } from '../../core/optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../../core/optimizers/kernel-memory.ts';
import { openStore } from '../../core/retrieval/store/lance-store.ts';

const ROWS_AT_ONCE = 4096;

/** For each query the `depth` chunk ids ("batch.chunk") with the largest cosine of their best vector. @param queries float32 [Q, H]. */
export async function exactNeighbours(options: { readonly indexFolder: string; readonly queries: Float32Array; readonly width: number; readonly depth: number }): Promise<readonly (readonly string[])[]> {
  const { indexFolder, queries, width, depth } = options;
  const count = queries.length / width;
  const memory = createKernelMemory(kernelMemoryBytes([queries.length, ROWS_AT_ONCE * width, count * ROWS_AT_ONCE]));
  const kernels = createKernels(memory);
  const asked = memory.float32(queries.length);
  asked.set(queries);
  const documentRoom = memory.float32(ROWS_AT_ONCE * width);
  const scoreRoom = memory.float32(count * ROWS_AT_ONCE);
  const best = Array.from({ length: count }, () => new Map<string, number>());
  const store = await openStore(indexFolder, width);
  try {
    for await (const { vectors, batches, chunks } of store.readVectors()) {
      for (let from = 0; from < batches.length; from += ROWS_AT_ONCE) {
        const rows = Math.min(ROWS_AT_ONCE, batches.length - from);
        const documents = documentRoom.subarray(0, rows * width);
        documents.set(vectors.subarray(from * width, (from + rows) * width));
        const scores = scoreRoom.subarray(0, count * rows);
        kernels.scoreMatrix({ queries: asked, documents, scores, width });
        best.forEach((scoreOf, q) => {
          for (let row = 0; row < rows; row += 1) {
            const id = `${batches[from + row] ?? 0}.${chunks[from + row] ?? 0}`;
            const score = scores[q * rows + row] ?? 0;
            if (score > (scoreOf.get(id) ?? -Infinity)) scoreOf.set(id, score);
          }
        });
      }
    }
  } finally {
    store.close();
  }
  return best.map((scoreOf) => [...scoreOf].sort(([, a], [, b]) => b - a).slice(0, depth).map(([id]) => id));
}
