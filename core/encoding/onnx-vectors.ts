/** How do token ids become vectors with an ONNX encoder, in use? Sorted by length, so that little is padded, many at a time. */
import { InvariantError } from '../base/errors.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { DENSE } from '../modules/index.ts';
import { createSession, type Session } from '../runtime/session.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import type { OnnxBackbone } from './backbone.ts';
import { onnxEmbeddings, onnxFeeds, onnxWidth } from './onnx-embeddings.ts';
import { lengthBatches, type TransformerVectors } from './transformer-vectors.ts';

/** One session, opened when it is first needed. @throws as `createSession` and its runs. */
export function createOnnxVectors(backbone: OnnxBackbone, { threads }: { readonly threads: number }): TransformerVectors {
  const width = onnxWidth(backbone);
  let opened: Promise<{ readonly session: Session; readonly parameters: Readonly<Record<string, Tensor>> }> | null = null;
  const open = async (): Promise<{ readonly session: Session; readonly parameters: Readonly<Record<string, Tensor>> }> => {
    const g = createGraphBuilder('onnx-encoder');
    const { embeddings, parameters } = onnxEmbeddings(g, backbone);
    const model = encodeModel(g.build({ embeddings }));
    return { session: await createSession(model, { threads }), parameters: onnxParameterFeeds(parameters, onnxParameters(backbone)) };
  };
  return {
    width,
    embed: async (sequences, { signal, onProgress } = {}) => {
      const vectors = new Float32Array(sequences.length * width);
      let done = 0;
      for (const part of lengthBatches(sequences)) {
        signal?.throwIfAborted();
        opened ??= open();
        const { session, parameters } = await opened;
        const output = (await session.run({ ...parameters, ...onnxFeeds(backbone, part.map((i) => sequences[i] ?? new Uint32Array()), backbone.tokenizer.ids.pad) }))['embeddings'];
        if (output?.dtype !== 'float32') throw new InvariantError('encoding.output', 'The encoder gave no float32 vectors.');
        part.forEach((i, row) => vectors.set(output.data.subarray(row * width, (row + 1) * width), i * width));
        done += part.length;
        onProgress?.(done);
      }
      return vectors;
    },
    [Symbol.asyncDispose]: async () => {
      await (await opened)?.session.dispose();
      opened = null;
    },
  };
}

/** The parameters of such a backbone by name, with those of its dense map after pooling. */
export function onnxParameters({ parameters, pooling }: Pick<OnnxBackbone, 'parameters' | 'pooling'>): ReadonlyMap<string, Float32Array> {
  return pooling.dense === null ? parameters : new Map([...parameters, [DENSE.weight, pooling.dense.weight], [DENSE.bias, pooling.dense.bias]]);
}

/** The tensors to feed as a graph's parameters; read in place. */
export function onnxParameterFeeds(parameters: ReadonlyMap<string, { readonly shape: readonly (number | string)[] }>, arrays: ReadonlyMap<string, Float32Array>): Readonly<Record<string, Tensor>> {
  return Object.fromEntries([...parameters].map(([name, { shape }]) => [name, tensorOf('float32', shape.map(Number), arrays.get(name) ?? new Float32Array(0))]));
}
