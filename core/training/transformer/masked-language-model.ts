/** How well are hidden tokens guessed, and in which direction do weights get better at it? A head on the states, its decoder the token table itself. */
import { gradientName } from '../../autodiff/gradient-model.ts';
import { backward } from '../../autodiff/backward.ts';
import { InvariantError } from '../../base/errors.ts';
import { lengthBatches } from '../../encoding/transformer-vectors.ts';
import { createGraphBuilder, type Graph, type Value } from '../../graph/builder.ts';
import { maskedTokenLosses, packedLayout, packTokens, TOKEN_ROWS, transformerStates, type DropoutRates, type PackedBatch, type PackedKind, type TransformerShape } from '../../modules/index.ts';
import { maskedLanguageModelParameters, transformerParameters } from '../../modules/transformer-shape.ts';
import type { KernelMemory } from '../../optimizers/kernel-memory.ts';
import type { Kernels } from '../../optimizers/kernels.ts';
import { modelFor } from '../../runtime/device-session.ts';
import { createSession, type Device, type Session } from '../../runtime/session.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import type { MaskedPart } from '../trainable-encoder.ts';
import { dropoutFeeds } from './dropout-feeds.ts';
import { TOKEN_TABLE, type TransformerEngine } from './engine.ts';
import type { StepGradients } from './trainable-parameters.ts';

export type MaskedLanguageModelOptions = {
  readonly shape: TransformerShape;
  /** All parameters by name, those of the head (`mlm.*`) among them. */
  readonly parameters: ReadonlyMap<string, Float32Array>;
  readonly trained: ReadonlySet<string>;
  readonly dropout: DropoutRates | null;
  /** Whose gradients of this step are added to. */
  readonly engine: Pick<TransformerEngine, 'denseGradients'>;
  readonly memory: KernelMemory;
  readonly kernels: Kernels;
  readonly threads: number;
  readonly device: Device;
};

export type MaskedLanguageModel = AsyncDisposable & {
  /** Starts a step: gradients are zero; `takesPart` says whether tokens will be guessed in it. */
  readonly begin: (takesPart: boolean) => void;
  /**
   * Adds the gradients of weight x loss, to the engine's and its own; after all other parts of the step. The loss is the mean over all
   * hidden tokens of the part, however it is sliced:
   *   loss = (1/M) sum_m ( log sum_v exp(l_mv) - l_m,label ),   l = norm(gelu(W s + b)) E^T + c
   * @returns the loss, in nats; 0 when nothing is hidden.
   * @see Devlin et al. 2019, arXiv:1810.04805, section 3.1.
   */
  readonly gradients: (part: MaskedPart, options: { readonly sliceTokens: number; readonly seed: number; readonly firstKey: number }) => Promise<number>;
  /** The gradients of a step with those of the head; the token table's are of all rows, since every piece could have been guessed. */
  readonly joined: (own: StepGradients) => StepGradients;
};

const PLACES = 'places';
const LABELS = 'labels';
const SCALE = 'scale';
const ROW_IDS = 'rowIds';

/** Opens sessions when they are first needed, one per number of groups of a batch. */
export function createMaskedLanguageModel(options: MaskedLanguageModelOptions): MaskedLanguageModel {
  const { shape, parameters, trained, engine, memory, kernels, threads, device } = options;
  const head = new Map(maskedLanguageModelParameters(shape).filter(({ name }) => trained.has(name)).map(({ name }) => [name, memory.float32(parameters.get(name)?.length ?? 0)]));
  let table: Float32Array | null = null;
  let isActive = false;
  const sessions = new Map<string, Promise<{ readonly session: Session; readonly graph: Graph }>>();
  const open = (kind: PackedKind): Promise<{ readonly session: Session; readonly graph: Graph }> => {
    const key = kind.kind === 'equal' ? 'equal' : String(kind.groups);
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const graph = guessingGraph(options, kind);
    const opened = createSession(modelFor(graph, device), { threads, device }).then((session) => ({ session, graph }));
    sessions.set(key, opened);
    return opened;
  };

  const runSlice = async (part: MaskedPart, slice: readonly number[], { scale, seed, firstKey }: { readonly scale: number; readonly seed: number; readonly firstKey: number }): Promise<number> => {
    const batch = packTokens(slice.map((place) => part.texts[place] ?? new Uint32Array(0)), { shape });
    const { session, graph } = await open(batch.kind);
    const feeds: Record<string, Tensor> = { ...batch.feeds, ...guesses(part, slice, batch), [SCALE]: tensorOf('float32', [], Float32Array.of(scale)), [ROW_IDS]: tensorOf('int32', [batch.rows.length], batch.rows) };
    for (const { name, shape: size } of graph.inputs) {
      const values = parameters.get(name);
      if (values !== undefined) feeds[name] = tensorOf('float32', size.map(Number), values);
    }
    if (options.dropout !== null) Object.assign(feeds, dropoutFeeds({ graph, batch, shape, draw: { seed, keys: Int32Array.from(slice, (place) => firstKey + place) }, rates: options.dropout }));
    const outputs = await session.run(feeds);
    for (const [name, sum] of [...engine.denseGradients, ...head]) {
      const gradient = outputs[gradientName(name)];
      if (gradient !== undefined) kernels.addScaled(sum, floats(gradient), 1);
    }
    const rows = outputs[gradientName(TOKEN_TABLE)];
    if (rows !== undefined && table !== null) addTo(table, floats(rows));
    return floats(outputs['loss'])[0] ?? Number.NaN;
  };

  return {
    begin: (takesPart) => {
      isActive = takesPart;
      for (const gradient of head.values()) gradient.fill(0);
      table = takesPart && trained.has(TOKEN_TABLE) ? new Float32Array(shape.vocabularySize * shape.width) : null;
    },
    gradients: async (part, { sliceTokens, seed, firstKey }) => {
      const hidden = part.labels.reduce((sum, { length }) => sum + length, 0);
      if (hidden === 0) return 0;
      let loss = 0;
      for (const slice of lengthBatches(part.texts, sliceTokens)) {
        if (slice.some((place) => (part.labels[place]?.length ?? 0) > 0)) loss += await runSlice(part, slice, { scale: part.weight / hidden, seed, firstKey });
      }
      return loss / part.weight;
    },
    joined: (own) => {
      if (!isActive) return own;
      const dense = new Map([...own.dense, ...head]);
      if (table === null) return { dense, tokens: own.tokens };
      const all = table;
      own.tokens?.rows.forEach((row, place) => {
        for (let i = 0; i < shape.width; i += 1) all[row * shape.width + i] = (all[row * shape.width + i] ?? 0) + (own.tokens?.values[place * shape.width + i] ?? 0);
      });
      return { dense, tokens: { rows: Int32Array.from({ length: shape.vocabularySize }, (_, row) => row), values: all } };
    },
    [Symbol.asyncDispose]: async () => {
      for (const opening of sessions.values()) await (await opening).session.dispose();
      sessions.clear();
    },
  };
}

/** Which rows of the packed states are asked about, and what stood there. */
function guesses(part: MaskedPart, slice: readonly number[], batch: PackedBatch): Readonly<Record<string, Tensor>> {
  const places: number[] = [];
  const labels: number[] = [];
  let start = 0;
  batch.order.forEach((caller, packed) => {
    const text = slice[caller] ?? 0;
    for (const place of part.places[text] ?? []) places.push(start + place);
    labels.push(...(part.labels[text] ?? []));
    start += batch.lengths[packed] ?? 0;
  });
  return { [PLACES]: tensorOf('int32', [places.length], Int32Array.from(places)), [LABELS]: tensorOf('int32', [labels.length], Int32Array.from(labels)) };
}

function guessingGraph({ shape, trained, dropout }: MaskedLanguageModelOptions, kind: PackedKind): Graph {
  const g = createGraphBuilder('masked-language-model');
  const layout = packedLayout(g, { kind, shape });
  const table = g.input(TOKEN_TABLE, 'float32', [shape.vocabularySize, shape.width]);
  const inputs = new Map<string, Value>([[TOKEN_TABLE, table]]);
  for (const { name, shape: size } of transformerParameters(shape)) {
    if (name === TOKEN_TABLE) continue;
    inputs.set(name, g.input(name, 'float32', size));
  }
  for (const { name, shape: size } of maskedLanguageModelParameters(shape)) inputs.set(name, g.input(name, 'float32', size));
  const states = transformerStates(g, { shape, layout, parameters: new Map([...inputs, [TOKEN_ROWS, g.gather(table, g.input(ROW_IDS, 'int32', ['U']))]]), dropout, layers: shape.layers }); // [T, H]
  const losses = maskedTokenLosses(g, { shape, parameters: inputs, states, places: g.input(PLACES, 'int32', ['M']), labels: g.input(LABELS, 'int32', ['M']) }); // [M]
  const loss = g.mul(g.reduceSum(losses), g.input(SCALE, 'float32', []));
  const wanted = [...inputs].filter(([name]) => trained.has(name)).map(([, value]) => value);
  return g.build({ loss, ...Object.fromEntries([...backward(g, { loss, wrt: wanted })].map(([value, gradient]) => [gradientName(value.name), gradient])) });
}

function addTo(sum: Float32Array, values: Float32Array): void {
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + (values[i] ?? 0);
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.dtype !== 'float32') throw new InvariantError('training.masked', 'The graph that guesses hidden tokens gave no float32 output.');
  return tensor.data;
}
