/** ONNX Runtime used as is usual: the exported model with its weights inside, texts of a batch padded to the longest. */
import { z } from 'zod';
import { exportGraph } from '../../core/encoding/backbones/export-onnx.ts';
import { seededRandom } from '../../core/base/random.ts';
import { encodeModel } from '../../core/graph/protobuf/encode.ts';
import { transformerParameters, type TransformerShape } from '../../core/modules/index.ts';
import { createSession, type Session } from '../../core/runtime/session.ts';
import { elementCount } from '../../core/tensor/shape.ts';
import { tensorOf, type Tensor } from '../../core/tensor/tensor.ts';
import { answerLines } from './answer-lines.ts';

const INITIAL_DEVIATION = 0.02;
const openSchema = z.object({ shape: z.custom<TransformerShape>((value) => typeof value === 'object'), seed: z.number(), threads: z.number(), pooling: z.enum(['cls', 'mean']) });
const encodeSchema = z.object({ batches: z.array(z.array(z.array(z.number()))) });

let session: Session | null = null;
let pad = 0;

await answerLines({
  open: async (task) => {
    const { shape, seed, threads, pooling } = openSchema.parse(task);
    const parameters = new Map(transformerParameters(shape).map(({ name, shape: size }) => {
      const array = new Float32Array(elementCount(size)).fill(name.endsWith('.scale') ? 1 : 0);
      const random = seededRandom(seed, name);
      if (size.length > 1) for (let i = 0; i < array.length; i += 1) array[i] = INITIAL_DEVIATION * random.normal();
      return [name, array] as const;
    }));
    session = await createSession(encodeModel(exportGraph({ shape, parameters, pooling: { mode: pooling, layer: shape.layers, dense: null, normalise: false } })), { threads });
    pad = shape.padTokenId;
    return 0;
  },
  encode: async (task) => {
    let sum = 0;
    for (const batch of encodeSchema.parse(task).batches) {
      const vectors = (await session?.run(padded(batch, session), { outputs: ['sentence_embedding'] }))?.['sentence_embedding'];
      if (vectors?.dtype === 'float32') sum += vectors.data[0] ?? 0;
    }
    return sum;
  },
});

/** Ids, mask and types of a batch, int64 [B, longest]. */
function padded(batch: readonly (readonly number[])[], { inputs }: Session): Readonly<Record<string, Tensor>> {
  const longest = Math.max(...batch.map(({ length }) => length));
  const size = batch.length * longest;
  const ids = new BigInt64Array(size).fill(BigInt(pad));
  const mask = new BigInt64Array(size);
  batch.forEach((sequence, row) => sequence.forEach((id, place) => {
    ids[row * longest + place] = BigInt(id);
    mask[row * longest + place] = 1n;
  }));
  const all: Readonly<Record<string, Tensor>> = { input_ids: int64(batch.length, ids), attention_mask: int64(batch.length, mask), token_type_ids: int64(batch.length, new BigInt64Array(size)) };
  return Object.fromEntries(inputs.map(({ name }) => [name, all[name] ?? int64(batch.length, new BigInt64Array(size))]));
}

function int64(rows: number, data: BigInt64Array): Tensor {
  return tensorOf('int64', [rows, data.length / rows], data);
}
