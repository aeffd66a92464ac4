/** How do token ids become vectors with a transformer, in use? Sorted by length, packed without padding, many at a time. */
import { createGraphBuilder, type Value } from '../graph/builder.ts';
import type { Graph } from '../graph/graph.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { DENSE, packedLayout, packTokens, TOKEN_ROWS, transformerEmbeddings, transformerInputs, transformerStates, type PackedBatch, type PackedKind, type TransformerPooling, type TransformerShape } from '../modules/index.ts';
import { InvariantError } from '../base/errors.ts';
import { createSession, type Device, type Session } from '../runtime/session.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';

/** Tokens calculated together: enough for large products, few enough for the processor's cache (measured: test/bench/README.md). */
const TOKENS_PER_RUN = 4096;
const TOKEN_TABLE = 'embeddings.token';

export type TransformerVectorsOptions = {
  readonly shape: TransformerShape;
  readonly pooling: TransformerPooling;
  /** By canonical name (core/modules/transformer-shape.ts), `dense.weight` and `dense.bias` when the pooling has a dense map; read in place. */
  readonly parameters: ReadonlyMap<string, Float32Array>;
  readonly threads: number;
  readonly device?: Device;
};

export type TransformerVectors = AsyncDisposable & {
  /** Width of a vector. */
  readonly width: number;
  /**
   * One vector per sequence, float32 [sequences, width], in their order. A sequence's vector does not depend on the others.
   * @param sequences  token ids with special tokens, 1 to `longestSequence(shape)` each; none gives none.
   * @throws ShapeError 'transformer.sequence'; what runs throw; the signal's reason once aborted.
   */
  readonly embed: (sequences: readonly Uint32Array[], options?: { readonly signal?: AbortSignal; readonly onProgress?: (done: number) => void }) => Promise<Float32Array>;
  /**
   * The hidden states of some tokens of each sequence, before any dense map: float32 [tokens, states.width], one span after another. null
   * where the encoder gives no states. `layers`: how many layers there are to choose from; null: only the one it gives.
   */
  readonly states: { readonly width: number; readonly layers: number | null; readonly ofSpans: (spans: readonly SpanOfTokens[], layer: number) => Promise<Float32Array> } | null;
};

/** Token ids with special tokens; `from` to before `to` are the ones meant, at least one. */
export type SpanOfTokens = { readonly ids: Uint32Array; readonly from: number; readonly to: number };

/** Opens sessions when they are first needed, one per number of groups of a batch. */
export function createTransformerVectors(options: TransformerVectorsOptions): TransformerVectors {
  const { shape, pooling, parameters, threads, device = 'cpu' } = options;
  const width = pooling.dense === null ? shape.width : array(parameters, DENSE.bias).length;
  const sessions = new Map<string, Promise<{ readonly session: Session; readonly graph: Graph }>>();
  /** @param layer  whose states are asked for; null: the pooled vectors. */
  const open = (kind: PackedKind, layer: number | null): Promise<{ readonly session: Session; readonly graph: Graph }> => {
    const key = `${kind.kind === 'equal' ? 'equal' : String(kind.groups)} ${layer === null ? 'pooled' : String(layer)}`;
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const graph = layer === null ? encoderGraph({ shape, pooling, kind, width }) : statesGraph({ shape, kind, layers: layer });
    const opened = createSession(encodeModel(graph), { threads, device }).then((session) => ({ session, graph }));
    sessions.set(key, opened);
    return opened;
  };
  const embed: TransformerVectors['embed'] = async (sequences, { signal, onProgress } = {}) => {
    const vectors = new Float32Array(sequences.length * width);
    let done = 0;
    for (const part of lengthBatches(sequences)) {
      signal?.throwIfAborted();
      const batch = packTokens(part.map((i) => sequences[i] ?? new Uint32Array()), { shape });
      const { session, graph } = await open(batch.kind, null);
      const output = (await session.run(encoderFeeds(graph, { batch, parameters, width: shape.width })))['embeddings'];
      if (output?.dtype !== 'float32') throw new InvariantError('encoding.output', 'The encoder gave no float32 vectors.');
      part.forEach((i, row) => vectors.set(output.data.subarray(row * width, (row + 1) * width), i * width));
      done += part.length;
      onProgress?.(done);
    }
    return vectors;
  };
  const ofSpans = async (spans: readonly SpanOfTokens[], layer: number): Promise<Float32Array> => {
    const { rows, starts } = roomOfSpans(spans, shape.width);
    for (const part of lengthBatches(spans.map(({ ids }) => ids))) {
      const batch = packTokens(part.map((i) => spans[i]?.ids ?? new Uint32Array()), { shape });
      const { session, graph } = await open(batch.kind, layer);
      const output = (await session.run(encoderFeeds(graph, { batch, parameters, width: shape.width })))['states'];
      if (output?.dtype !== 'float32') throw new InvariantError('encoding.output', 'The encoder gave no float32 states.');
      let start = 0; // of a sequence among the packed tokens
      batch.order.forEach((place, packed) => {
        const i = part[place] ?? 0;
        copySpan({ states: output.data, start, span: spans[i], into: rows, at: starts[i] ?? 0, width: shape.width });
        start += batch.lengths[packed] ?? 0;
      });
    }
    return rows;
  };
  return {
    width,
    embed,
    states: { width: shape.width, layers: shape.layers, ofSpans },
    [Symbol.asyncDispose]: async () => {
      for (const opening of sessions.values()) await (await opening).session.dispose();
      sessions.clear();
    },
  };
}

/** Indices of the sequences, the longest first, cut into runs of about TOKENS_PER_RUN tokens. */
export function lengthBatches(sequences: readonly Uint32Array[], tokensPerRun = TOKENS_PER_RUN): readonly (readonly number[])[] {
  const order = [...sequences.keys()].sort((a, b) => (sequences[b]?.length ?? 0) - (sequences[a]?.length ?? 0) || a - b);
  const batches: number[][] = [];
  let current: number[] = [];
  let tokens = 0;
  for (const i of order) {
    const length = sequences[i]?.length ?? 0;
    if (current.length > 0 && tokens + length > tokensPerRun) {
      batches.push(current);
      current = [];
      tokens = 0;
    }
    current.push(i);
    tokens += length;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

function encoderGraph({ shape, pooling, kind, width }: { readonly shape: TransformerShape; readonly pooling: TransformerPooling; readonly kind: PackedKind; readonly width: number }): Graph {
  const g = createGraphBuilder('encoder');
  const layout = packedLayout(g, { kind, shape });
  const values = new Map<string, Value>(transformerInputs(g, { shape, layers: pooling.layers }));
  if (pooling.dense !== null) {
    values.set(DENSE.weight, g.input(DENSE.weight, 'float32', [width, shape.width]));
    values.set(DENSE.bias, g.input(DENSE.bias, 'float32', [width]));
  }
  return g.build({ embeddings: transformerEmbeddings(g, { shape, layout, parameters: values, pooling, dropout: null }) });
}

function statesGraph({ shape, kind, layers }: { readonly shape: TransformerShape; readonly kind: PackedKind; readonly layers: number }): Graph {
  const g = createGraphBuilder('states');
  const layout = packedLayout(g, { kind, shape });
  return g.build({ states: transformerStates(g, { shape, layout, parameters: transformerInputs(g, { shape, layers }), layers, dropout: null }) });
}

/** Room for the states of all spans, and the row at which each begins. */
export function roomOfSpans(spans: readonly SpanOfTokens[], width: number): { readonly rows: Float32Array; readonly starts: Int32Array } {
  const starts = new Int32Array(spans.length);
  let at = 0;
  spans.forEach(({ from, to }, i) => {
    starts[i] = at;
    at += to - from;
  });
  return { rows: new Float32Array(at * width), starts };
}

/** Copies a span's rows of `states` [tokens, H], its sequence's first row being `start`, to row `at`. */
export function copySpan({ states, start, span, into, at, width }: { readonly states: Float32Array; readonly start: number; readonly span: SpanOfTokens | undefined; readonly into: Float32Array; readonly at: number; readonly width: number }): void {
  const { from, to } = span ?? { from: 0, to: 0 };
  into.set(states.subarray((start + from) * width, (start + to) * width), at * width);
}

function encoderFeeds(graph: Graph, { batch, parameters, width }: { readonly batch: PackedBatch; readonly parameters: ReadonlyMap<string, Float32Array>; readonly width: number }): Readonly<Record<string, Tensor>> {
  const table = array(parameters, TOKEN_TABLE);
  const rows = new Float32Array(batch.rows.length * width);
  batch.rows.forEach((row, i) => rows.set(table.subarray(row * width, (row + 1) * width), i * width));
  const feeds: Record<string, Tensor> = { ...batch.feeds, [TOKEN_ROWS]: tensorOf('float32', [batch.rows.length, width], rows) };
  for (const { name, shape } of graph.inputs) if (feeds[name] === undefined) feeds[name] = tensorOf('float32', shape.map(Number), array(parameters, name));
  return feeds;
}

function array(parameters: ReadonlyMap<string, Float32Array>, name: string): Float32Array {
  const found = parameters.get(name);
  if (found === undefined) throw new InvariantError('encoding.parameter', `The transformer's parameter "${name}" is missing.`);
  return found;
}
