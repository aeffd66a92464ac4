/** How does an encoder that exists as an ONNX graph give vectors and gradients? Its own operators, differentiated; batches sorted by length are padded, since a foreign graph knows no packing. */
import { gradientName } from '../../autodiff/gradient-model.ts';
import { vectorJacobianProduct } from '../../autodiff/backward.ts';
import { InvariantError } from '../../base/errors.ts';
import { onnxEmbeddings, onnxFeeds, onnxStates, onnxWidth, type OnnxEncoder } from '../../encoding/onnx-embeddings.ts';
import { createGraphBuilder, type Graph, type GraphBuilder, type Value } from '../../graph/builder.ts';
import type { KernelMemory } from '../../optimizers/kernel-memory.ts';
import type { Kernels } from '../../optimizers/kernels.ts';
import { modelFor } from '../../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../../runtime/session.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import { SPAN_ROWS, spanFeed, type EngineOptions, type TokenSpan, type TransformerEngine } from './engine.ts';

export type OnnxEngineOptions = {
  readonly encoder: OnnxEncoder;
  readonly padId: number;
  /** Arrays by the names of the graph, and of the dense map behind it. Read in place at every run. */
  readonly parameters: ReadonlyMap<string, Float32Array>;
  readonly trainable: ReadonlySet<string>;
  /** As of a transformer (engine.ts); needs a graph whose output are its states. */
  readonly reads?: EngineOptions['reads'];
  readonly memory: KernelMemory;
  readonly kernels: Kernels;
  readonly threads: number;
  readonly device: Device;
};

/** What a fused loss would need, an ONNX encoder does not have: its gradients always come by way of its vectors. */
export type OnnxEngine = Pick<TransformerEngine, 'width' | 'begin' | 'encode' | 'gradients' | 'denseGradients' | 'tokenGradients'> & AsyncDisposable;

/**
 * Opens its two sessions when they are first needed. Nothing is left out by chance: a graph for use has no dropout.
 * @throws GradientError naming the operator without a gradient and the path to it; what `createSession` and runs throw.
 */
export function createOnnxEngine(options: OnnxEngineOptions): OnnxEngine {
  const { encoder, padId, parameters, trainable, reads, memory, kernels, threads, device } = options;
  const denseGradients = new Map([...parameters].filter(([name]) => trainable.has(name)).map(([name, { length }]) => [name, memory.float32(length)]));
  const sessions = new Map<string, Promise<{ readonly session: Session; readonly graph: Graph }>>();
  const open = (key: string, build: () => Graph): Promise<{ readonly session: Session; readonly graph: Graph }> => {
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const graph = build();
    const opened = createSession(modelFor(graph, device), { threads, device }).then((session) => ({ session, graph }));
    sessions.set(key, opened);
    return opened;
  };
  const run = async ({ session, graph }: { readonly session: Session; readonly graph: Graph }, sequences: readonly Uint32Array[], spans: readonly TokenSpan[] | undefined, own: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>> => {
    const feeds: Record<string, Tensor> = { ...onnxFeeds(encoder, sequences, padId), ...(reads === 'tokens' ? paddedSpanFeed(sequences, spans) : {}), ...own };
    for (const { name, shape } of graph.inputs) {
      const values = parameters.get(name);
      if (values !== undefined) feeds[name] = tensorOf('float32', shape.map(Number), values);
    }
    return session.run(feeds);
  };
  const width = reads === 'tokens' ? encoder.width : onnxWidth(encoder);
  return {
    width,
    denseGradients,
    tokenGradients: () => null,
    begin: () => {
      for (const gradient of denseGradients.values()) gradient.fill(0);
    },
    encode: async (sequences, _, spans) => floats((await run(await open('encode', () => encodeGraph(options)), sequences, spans, {}))['embeddings']),
    gradients: async (sequences, outputGrads, _, spans) => {
      const opened = await open('gradients', () => gradientGraph(options));
      const outputs = await run(opened, sequences, spans, { outputGrads: tensorOf('float32', [outputGrads.length / width, width], outputGrads) });
      for (const [name, sum] of denseGradients) {
        const part = outputs[gradientName(name)];
        if (part !== undefined) kernels.addScaled(sum, floats(part), 1);
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const opening of sessions.values()) await (await opening).session.dispose();
      sessions.clear();
    },
  };
}

type GraphOptions = Pick<OnnxEngineOptions, 'encoder' | 'trainable' | 'reads'>;

/** Vectors of texts, or states of the tokens of spans [S, H]. */
function vectorsIn(g: GraphBuilder, { encoder, reads }: GraphOptions): { readonly embeddings: Value; readonly parameters: ReadonlyMap<string, Value> } {
  if (reads !== 'tokens') return onnxEmbeddings(g, encoder);
  const { states, parameters } = onnxStates(g, encoder); // [B, L, H]
  return { embeddings: g.gather(g.reshape(states, ['BL', encoder.width]), g.input(SPAN_ROWS, 'int32', ['S'])), parameters };
}

/** Each text begins a padded row. */
function paddedSpanFeed(sequences: readonly Uint32Array[], spans: readonly TokenSpan[] = []): Readonly<Record<string, Tensor>> {
  const length = sequences.reduce((most, ids) => Math.max(most, ids.length), 1);
  return spanFeed(spans, (i) => i * length);
}

function encodeGraph(options: GraphOptions): Graph {
  const g = createGraphBuilder('onnx-encode');
  return g.build({ embeddings: vectorsIn(g, options).embeddings });
}

function gradientGraph(options: GraphOptions): Graph {
  const { trainable } = options;
  const g = createGraphBuilder('onnx-gradients');
  const { embeddings, parameters } = vectorsIn(g, options);
  const outputGrad = g.input('outputGrads', 'float32', embeddings.shape);
  const wrt = [...parameters].filter(([name]) => trainable.has(name)).map(([, value]) => value);
  const gradients = vectorJacobianProduct(g, { outputs: [{ value: embeddings, outputGrad }], wrt });
  return g.build(Object.fromEntries([...gradients].map(([value, gradient]) => [gradientName(value.name), gradient])));
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.engine', 'An ONNX encoder gave no float32 output.');
  return tensor.data;
}
