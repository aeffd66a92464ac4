/** How many operations per second do matrix products reach on this machine right now? */
import { createGraphBuilder } from '../../graph/builder.ts';
import { encodeModel } from '../../graph/protobuf/encode.ts';
import { createSession } from '../../runtime/session.ts';
import { tensorOf } from '../../tensor/tensor.ts';

const ROWS = 512;
const WIDTH = 768;
const LEAST_RUNS = 3;
const TIME_MS = 250;
const OPERATIONS_PER_MULTIPLICATION = 2;

/** Operations per second of the best of some [512, 768] x [768, 768] products in onnxruntime, on the processor; a quarter of a second. */
export async function measureProductRate({ threads, now = () => performance.now() }: { readonly threads: number; readonly now?: () => number }): Promise<number> {
  const g = createGraphBuilder('product');
  const [x, w] = [g.input('x', 'float32', [ROWS, WIDTH]), g.input('w', 'float32', [WIDTH, WIDTH])];
  await using session = await createSession(encodeModel(g.build({ y: g.gemm(x, w, { transB: true }) })), { threads });
  const filled = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin(i));
  const feeds = { x: tensorOf('float32', [ROWS, WIDTH], filled(ROWS * WIDTH)), w: tensorOf('float32', [WIDTH, WIDTH], filled(WIDTH * WIDTH)) };
  let best = Infinity;
  const begun = now();
  for (let run = 0; run < LEAST_RUNS || now() - begun < TIME_MS; run += 1) {
    const start = now();
    await session.run(feeds);
    if (run > 0) best = Math.min(best, now() - start);
  }
  return (OPERATIONS_PER_MULTIPLICATION * ROWS * WIDTH * WIDTH) / (best / 1000);
}
