/**
 * How does a transformer give vectors and gradients? Sessions over packed graphs: parameters are read in place from kernel memory,
 * gradients are added up in arrays beside them. `encode` and `gradients` with one seed leave out the same elements.
 */
import { gradientName } from '../../autodiff/gradient-model.ts';
import { vectorJacobianProduct, backward } from '../../autodiff/backward.ts';
import { InvariantError } from '../../base/errors.ts';
import { createGraphBuilder, type Graph, type GraphBuilder, type Value } from '../../graph/builder.ts';
import { packTokens, packedLayout, lowRankNames, transformerEmbeddings, transformerParameters, transformerStates, TOKEN_ROWS, DENSE, type DropoutRates, type PackedBatch, type PackedKind, type PackedLayout, type TransformerPooling, type TransformerShape, type TransformerValues } from '../../modules/index.ts';
import type { KernelMemory } from '../../optimizers/kernel-memory.ts';
import type { Kernels } from '../../optimizers/kernels.ts';
import { modelFor } from '../../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../../runtime/session.ts';
import type { Shape } from '../../tensor/shape.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import type { DType } from '../../tensor/dtype.ts';
import { dropoutFeeds, type DropoutDraw } from './dropout-feeds.ts';
import { TOKEN_TABLE } from './token-table.ts';
import { createTokenGradients, type TokenGradients } from './token-gradients.ts';

export type { DropoutDraw } from './dropout-feeds.ts';

/** What the graphs depend on. */
export type EncoderOptions = Pick<EngineOptions, 'shape' | 'pooling' | 'parameters' | 'trainable' | 'dropout' | 'lowRank' | 'reads'>;

export type EngineOptions = {
  readonly shape: TransformerShape;
  readonly pooling: TransformerPooling;
  /**
   * Arrays by canonical name (core/modules/transformer-shape.ts), `dense.weight` and `dense.bias` when the pooling has a dense map, and
   * for a weight with thin matrices `<weight>.lowRank.down` [R, In] and `.up` [Out, R]. Read in place at every run.
   */
  readonly parameters: ReadonlyMap<string, Float32Array>;
  /** Names of the parameters that get gradients. The others stop the backward pass as early as they can. */
  readonly trainable: ReadonlySet<string>;
  /** null: nothing is ever left out. */
  readonly dropout: DropoutRates | null;
  readonly lowRank: { readonly rank: number; readonly alpha: number } | null;
  /** 'tokens': vectors are the states, after the pooled layer, of the tokens of a span of each sequence; left out: one pooled vector each. */
  readonly reads?: 'tokens';
  /** Where gradients are kept; it needs room for the arrays of `denseGradientLengths`. */
  readonly memory: KernelMemory;
  readonly kernels: Kernels;
  readonly threads: number;
  readonly device: Device;
};

/** A loss as a function of the vectors [B, O] of a batch (in the caller's order) and of further inputs. */
export type FusedLoss = {
  /** Names the graph: equal names share a session. */
  readonly name: string;
  readonly inputs: Readonly<Record<string, { readonly shape: Shape; readonly dtype?: DType }>>;
  readonly build: (g: GraphBuilder, embeddings: Value, inputs: Readonly<Record<string, Value>>) => Value;
};

/** The tokens `from` to before `to` of a sequence. */
export type TokenSpan = { readonly from: number; readonly to: number };

export type TransformerEngine = AsyncDisposable & {
  /** O: width of the vectors. */
  readonly width: number;
  /** Starts a step: gradients are zero; `sequences` are all that the step will read. */
  readonly begin: (sequences: readonly Uint32Array[]) => void;
  /** Vectors float32 [B, O] in the order of the sequences; where the engine reads tokens, [S, O]: those of the spans, one span after another. */
  readonly encode: (sequences: readonly Uint32Array[], draw?: DropoutDraw | null, spans?: readonly TokenSpan[]) => Promise<Float32Array>;
  /** Adds to the gradients those of Σ ⟨outputGrads, vectors⟩; outputGrads float32 [B, O], or [S, O]. */
  readonly gradients: (sequences: readonly Uint32Array[], outputGrads: Float32Array, draw?: DropoutDraw | null, spans?: readonly TokenSpan[]) => Promise<void>;
  /** Vectors, loss and gradients in one graph; adds to the gradients and gives the loss. For batches that fit. */
  readonly lossGradients: (sequences: readonly Uint32Array[], loss: FusedLoss, feeds: Readonly<Record<string, Tensor>>, draw?: DropoutDraw | null) => Promise<number>;
  /** Gradients of this step by name, of every trainable parameter but `embeddings.token`. */
  readonly denseGradients: ReadonlyMap<string, Float32Array>;
  /** Gradients of this step's token rows; null when `embeddings.token` is not trainable. */
  readonly tokenGradients: () => TokenGradients | null;
};

export { TOKEN_TABLE };

/** Names and lengths of the arrays that hold gradients: `memory` needs `kernelMemoryBytes` of the lengths. */
export function denseGradientLengths({ parameters, trainable }: Pick<EngineOptions, 'parameters' | 'trainable'>): ReadonlyMap<string, number> {
  return new Map([...parameters].filter(([name]) => trainable.has(name) && name !== TOKEN_TABLE).map(([name, { length }]) => [name, length]));
}

/**
 * Opens sessions when they are first needed: one per purpose and number of groups of a batch (packed-tokens.ts), since sizes are symbols.
 * @throws InvariantError 'training.engine' for a trainable name without a parameter; from its functions what `createSession` and runs throw.
 */
export function createTransformerEngine(options: EngineOptions): TransformerEngine {
  const { shape, parameters, trainable, memory, kernels, threads, device } = options;
  const unknown = [...trainable].find((name) => !parameters.has(name));
  if (unknown !== undefined) throw new InvariantError('training.engine', `"${unknown}" should be trained, but there is no such parameter.`);
  const denseGradients = new Map([...denseGradientLengths(options)].map(([name, length]) => [name, memory.float32(length)]));
  const fresh = new Set<string>(); // gradients of this step that were not written yet: whatever they hold is of another step
  let tokens: TokenGradients | null = null;
  const sessions = new Map<string, Promise<{ readonly session: Session; readonly graph: Graph }>>();

  const open = (key: string, build: () => Graph): Promise<{ readonly session: Session; readonly graph: Graph }> => {
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const graph = build();
    const opened = createSession(modelFor(graph, device), { threads, device }).then((session) => ({ session, graph }));
    sessions.set(key, opened);
    return opened;
  };

  const feedsOf = (graph: Graph, batch: PackedBatch, draw: DropoutDraw | null): Record<string, Tensor> => {
    const feeds: Record<string, Tensor> = { ...batch.feeds };
    for (const { name, shape: size } of graph.inputs) {
      const values = parameters.get(name);
      if (values !== undefined) feeds[name] = tensorOf('float32', size.map(Number), values);
    }
    feeds[TOKEN_ROWS] = tensorOf('float32', [batch.rows.length, shape.width], rowsOf(table(parameters), batch.rows, shape.width));
    return draw === null ? feeds : { ...feeds, ...dropoutFeeds({ graph, batch, shape, draw, rates: options.dropout }) };
  };

  /** Runs a graph with gradients: the first of a step are written in place, the later ones added. */
  const runGradients = async (key: string, build: () => Graph, batch: PackedBatch, own: Readonly<Record<string, Tensor>>, draw: DropoutDraw | null): Promise<number> => {
    const { session, graph } = await open(key, build);
    const names = graph.outputs.map(({ name }) => name);
    const into: Record<string, Tensor> = {};
    for (const [name, gradient] of denseGradients) {
      const output = gradientName(name);
      if (device === 'cpu' && fresh.has(name) && names.includes(output)) into[output] = tensorOf('float32', [...shapeOfInput(graph, name)], gradient);
    }
    const outputs = await session.run({ ...feedsOf(graph, batch, draw), ...own }, { outputs: names.filter((name) => into[name] === undefined), into });
    for (const [name, sum] of denseGradients) {
      const part = outputs[gradientName(name)];
      if (part === undefined) continue;
      if (into[gradientName(name)] === undefined) { // else it was written in place
        if (fresh.has(name)) sum.set(floats(part));
        else kernels.addScaled(sum, floats(part), 1);
      }
      fresh.delete(name);
    }
    const rowPart = outputs[gradientName(TOKEN_ROWS)];
    if (rowPart !== undefined) tokens?.add(batch.rows, floats(rowPart));
    const loss = outputs['loss'];
    return loss === undefined ? 0 : (floats(loss)[0] ?? Number.NaN);
  };

  const drawn = (draw: DropoutDraw | null | undefined): DropoutDraw | null => (options.dropout === null ? null : (draw ?? null));
  const width = outputWidth(options);
  return {
    width,
    get denseGradients() {
      for (const name of fresh) denseGradients.get(name)?.fill(0); // what no graph has written is 0; the others need no zeros first
      fresh.clear();
      return denseGradients;
    },
    tokenGradients: () => tokens,
    begin: (sequences) => {
      for (const name of denseGradients.keys()) fresh.add(name);
      tokens = trainable.has(TOKEN_TABLE) ? createTokenGradients({ sequences, padTokenId: shape.padTokenId, width: shape.width, kernels }) : null;
    },
    encode: async (sequences, draw, spans) => {
      const batch = packTokens(sequences, { shape });
      const chance = drawn(draw);
      const { session, graph } = await open(sessionKey('encode', batch.kind, chance), () => encodeGraph(options, batch.kind, chance !== null));
      const outputs = await session.run({ ...feedsOf(graph, batch, chance), ...spanFeeds(options, batch, spans) });
      return floats(outputs['embeddings']);
    },
    gradients: async (sequences, outputGrads, draw, spans) => {
      const batch = packTokens(sequences, { shape });
      const chance = drawn(draw);
      const build = (): Graph => gradientGraph(options, batch.kind, chance !== null);
      await runGradients(sessionKey('gradients', batch.kind, chance), build, batch, { outputGrads: tensorOf('float32', [outputGrads.length / width, width], outputGrads), ...spanFeeds(options, batch, spans) }, chance);
    },
    lossGradients: async (sequences, loss, feeds, draw) => {
      const batch = packTokens(sequences, { shape });
      const chance = drawn(draw);
      return runGradients(sessionKey(`loss ${loss.name}`, batch.kind, chance), () => fusedGraph(options, batch.kind, chance !== null, loss), batch, feeds, chance);
    },
    [Symbol.asyncDispose]: async () => {
      for (const opening of sessions.values()) await (await opening).session.dispose();
      sessions.clear();
    },
  };
}

export function sessionKey(purpose: string, kind: PackedKind, draw: DropoutDraw | null): string {
  return `${purpose}, ${kind.kind === 'equal' ? 'equal' : kind.groups}, ${draw === null ? 'whole' : 'dropout'}`;
}

type Encoder = { readonly g: GraphBuilder; readonly layout: PackedLayout; readonly values: TransformerValues; readonly embeddings: Value };

/** The encoder with its inputs in a new builder. */
function encoderIn(options: EncoderOptions, { name, kind, drops }: { readonly name: string; readonly kind: PackedKind; readonly drops: boolean }): Encoder {
  const { shape, pooling, lowRank, dropout, reads } = options;
  const g = createGraphBuilder(name);
  const layout = packedLayout(g, { kind, shape });
  const values = parameterInputs(g, options);
  const shared = { shape, layout, parameters: values, dropout: drops ? dropout : null, ...(lowRank === null ? {} : { lowRankScale: lowRank.alpha / lowRank.rank }) };
  const embeddings = reads === 'tokens' ? g.gather(transformerStates(g, { ...shared, layers: pooling.layers }), g.input(SPAN_ROWS, 'int32', ['S'])) : transformerEmbeddings(g, { ...shared, pooling });
  return { g, layout, values, embeddings };
}

export const SPAN_ROWS = 'spanRows';

/** Where the tokens of the spans stand among the packed ones, in the order of the spans. */
function spanFeeds({ reads }: EncoderOptions, { order, lengths }: PackedBatch, spans: readonly TokenSpan[] = []): Readonly<Record<string, Tensor>> {
  if (reads !== 'tokens') return {};
  const starts = new Int32Array(order.length);
  let start = 0;
  order.forEach((caller, packed) => {
    starts[caller] = start;
    start += lengths[packed] ?? 0;
  });
  return spanFeed(spans, (i) => starts[i] ?? 0);
}

/** The rows of the spans' tokens. @param startOf  the row at which a text begins. */
export function spanFeed(spans: readonly TokenSpan[], startOf: (text: number) => number): Readonly<Record<string, Tensor>> {
  const rows = Int32Array.from(spans.flatMap(({ from, to }, i) => Array.from({ length: to - from }, (_, token) => startOf(i) + from + token)));
  return { [SPAN_ROWS]: tensorOf('int32', [rows.length], rows) };
}

/** The parameters that the vectors depend on, as inputs. */
function parameterInputs(g: GraphBuilder, { shape, pooling, parameters, lowRank, reads }: EncoderOptions): TransformerValues {
  const values = new Map<string, Value>();
  for (const { name, shape: size, layer } of transformerParameters(shape)) {
    if (layer !== null && layer >= pooling.layers) continue;
    if (name === TOKEN_TABLE) {
      values.set(TOKEN_ROWS, g.input(TOKEN_ROWS, 'float32', ['U', shape.width]));
      continue;
    }
    values.set(name, g.input(name, 'float32', size));
    const thin = lowRankNames(name);
    if (lowRank === null || !parameters.has(thin.down)) continue;
    values.set(thin.down, g.input(thin.down, 'float32', [lowRank.rank, size[1] ?? 0]));
    values.set(thin.up, g.input(thin.up, 'float32', [size[0] ?? 0, lowRank.rank]));
  }
  if (pooling.dense !== null && reads !== 'tokens') {
    const out = parameters.get(DENSE.bias)?.length ?? 0;
    values.set(DENSE.weight, g.input(DENSE.weight, 'float32', [out, shape.width]));
    values.set(DENSE.bias, g.input(DENSE.bias, 'float32', [out]));
  }
  return values;
}

export function encodeGraph(options: EncoderOptions, kind: PackedKind, drops: boolean): Graph {
  const { g, embeddings } = encoderIn(options, { name: 'encode', kind, drops });
  return g.build({ embeddings });
}

export function gradientGraph(options: EncoderOptions, kind: PackedKind, drops: boolean): Graph {
  const { g, values, embeddings } = encoderIn(options, { name: 'gradients', kind, drops });
  const outputGrad = g.input('outputGrads', 'float32', embeddings.shape);
  return g.build(namedGradients(options, values, (wrt) => vectorJacobianProduct(g, { outputs: [{ value: embeddings, outputGrad }], wrt })));
}

export function fusedGraph(options: EncoderOptions, kind: PackedKind, drops: boolean, loss: FusedLoss): Graph {
  const { g, values, embeddings } = encoderIn(options, { name: 'loss', kind, drops });
  const inputs = Object.fromEntries(Object.entries(loss.inputs).map(([name, { shape, dtype = 'float32' }]) => [name, g.input(name, dtype, shape)]));
  const value = loss.build(g, embeddings, inputs);
  return g.build({ loss: value, ...namedGradients(options, values, (wrt) => backward(g, { loss: value, wrt })) });
}

function namedGradients({ trainable }: EncoderOptions, values: TransformerValues, differentiate: (wrt: readonly Value[]) => ReadonlyMap<Value, Value>): Record<string, Value> {
  const wanted = [...values].filter(([name]) => trainable.has(name === TOKEN_ROWS ? TOKEN_TABLE : name)).map(([, value]) => value);
  return Object.fromEntries([...differentiate(wanted)].map(([value, gradient]) => [gradientName(value.name), gradient]));
}

export function outputWidth({ shape, pooling, parameters, reads }: EncoderOptions): number {
  return pooling.dense === null || reads === 'tokens' ? shape.width : (parameters.get(DENSE.bias)?.length ?? 0);
}

function shapeOfInput(graph: Graph, name: string): readonly number[] {
  return (graph.inputs.find((input) => input.name === name)?.shape ?? []).map(Number);
}

function table(parameters: ReadonlyMap<string, Float32Array>): Float32Array {
  const found = parameters.get(TOKEN_TABLE);
  if (found === undefined) throw new InvariantError('training.engine', `The parameter "${TOKEN_TABLE}" is missing.`);
  return found;
}

/** The named rows of a table, one after another. */
function rowsOf(values: Float32Array, rows: Int32Array, width: number): Float32Array {
  const found = new Float32Array(rows.length * width);
  rows.forEach((row, i) => found.set(values.subarray(row * width, (row + 1) * width), i * width));
  return found;
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.engine', 'A transformer graph gave no float32 output.');
  return tensor.data;
}
