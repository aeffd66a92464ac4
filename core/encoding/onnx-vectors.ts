/** How do token ids become vectors with an ONNX encoder, in use? Sorted by length, so that little is padded, many at a time. */
import { InvariantError } from '../base/errors.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { DENSE } from '../modules/index.ts';
import { createSession, type Session } from '../runtime/session.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import type { OnnxBackbone } from './backbone.ts';
import { onnxEmbeddings, onnxFeeds, onnxStates, onnxWidth } from './onnx-embeddings.ts';
import { copySpan, lengthBatches, roomOfSpans, type SpanOfTokens, type TransformerVectors } from './transformer-vectors.ts';

type Opened = { readonly session: Session; readonly parameters: Readonly<Record<string, Tensor>> };

/** One session for vectors and one for states, each opened when it is first needed. @throws as `createSession` and its runs. */
export function createOnnxVectors(backbone: OnnxBackbone, { threads }: { readonly threads: number }): TransformerVectors {
  const width = onnxWidth(backbone);
  let opened: Promise<Opened> | null = null;
  let openedStates: Promise<Opened> | null = null;
  const open = async (): Promise<Opened> => {
    const g = createGraphBuilder('onnx-encoder');
    const { embeddings, parameters } = onnxEmbeddings(g, backbone);
    const model = encodeModel(g.build({ embeddings }));
    return { session: await createSession(model, { threads }), parameters: onnxParameterFeeds(parameters, onnxParameters(backbone)) };
  };
  const openStates = async (): Promise<Opened> => {
    const g = createGraphBuilder('onnx-states');
    const { states, parameters } = onnxStates(g, backbone);
    return { session: await createSession(encodeModel(g.build({ states })), { threads }), parameters: onnxParameterFeeds(parameters, backbone.parameters) };
  };
  const ofSpans = async (spans: readonly SpanOfTokens[]): Promise<Float32Array> => {
    const { rows, starts } = roomOfSpans(spans, backbone.width);
    for (const part of lengthBatches(spans.map(({ ids }) => ids))) {
      openedStates ??= openStates();
      const { session, parameters } = await openedStates;
      const sequences = part.map((i) => spans[i]?.ids ?? new Uint32Array());
      const output = (await session.run({ ...parameters, ...onnxFeeds(backbone, sequences, backbone.tokenizer.ids.pad) }))['states'];
      if (output?.dtype !== 'float32') throw new InvariantError('encoding.output', 'The encoder gave no float32 states.');
      const length = sequences.reduce((most, ids) => Math.max(most, ids.length), 1);
      part.forEach((i, row) => copySpan({ states: output.data, start: row * length, span: spans[i], into: rows, at: starts[i] ?? 0, width: backbone.width }));
    }
    return rows;
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
    states: backbone.output === 'sentence_embedding' ? null : { width: backbone.width, layers: null, ofSpans },
    [Symbol.asyncDispose]: async () => {
      await (await opened)?.session.dispose();
      await (await openedStates)?.session.dispose();
      opened = null;
      openedStates = null;
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
