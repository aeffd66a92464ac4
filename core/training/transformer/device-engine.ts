/**
 * How does a transformer train on a graphics card without its parameters ever leaving it? The graphs of engine.ts, fed with
 * tensors that stay on the device: values, gradients and moments live there (core/runtime/device-parameters.ts); over go token
 * ids, masks and gradients of vectors, back come vectors, losses, norms and what is asked for.
 */
import { gradientName } from '../../autodiff/gradient-model.ts';
import { InvariantError } from '../../base/errors.ts';
import { createGraphBuilder, type Graph } from '../../graph/builder.ts';
import { packTokens, transformerParameters, lowRankNames, DENSE, TOKEN_ROWS, type PackedBatch } from '../../modules/index.ts';
import type { AdamwSettings, AdamwState } from '../../optimizers/adamw.ts';
import { createDeviceParameters, type DeviceParameter, type DeviceParameters } from '../../runtime/device-parameters.ts';
import { createDeviceSession, type DeviceFeeds, type DeviceSession, type DeviceTensor } from '../../runtime/device-session.ts';
import type { Device } from '../../runtime/device.ts';
import { floats, the } from '../../runtime/transfer.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import { dropoutFeeds } from './dropout-feeds.ts';
import { encodeGraph, fusedGraph, gradientGraph, outputWidth, sessionKey, TOKEN_TABLE, type DropoutDraw, type EncoderOptions, type TransformerEngine } from './engine.ts';

export type DeviceEngineOptions = EncoderOptions & {
  /** Moments of every trainable parameter, those of `embeddings.token` with one count per row: where they rest on the CPU. */
  readonly states: ReadonlyMap<string, AdamwState>;
  readonly settings: AdamwSettings;
  /** Whether weight decay applies to a parameter. */
  readonly decays: (name: string) => boolean;
  readonly threads: number;
  readonly device: Device;
};

/** A transformer engine that also owns the update, since gradients are where only the device can read them. */
export type DeviceEngine = AsyncDisposable & Pick<TransformerEngine, 'width' | 'begin' | 'encode' | 'gradients' | 'lossGradients'> & {
  /** Gradients of this step, read from the device. */
  readonly readGradients: DeviceParameters['readGradients'];
  /** Of all gradients of this step. */
  readonly squaredNorm: DeviceParameters['squaredNorm'];
  /** One update from the gradients of this step (AdamW; token rows each with its own clock, that of padding never). */
  readonly apply: DeviceParameters['apply'];
  /** Copies values, and moments unless `valuesOnly`, into the arrays given at the start: for a checkpoint or a finished model. */
  readonly bringBack: DeviceParameters['bringBack'];
  /** Copies the arrays to the device again, after a checkpoint was loaded into them. */
  readonly send: DeviceParameters['send'];
};

/**
 * Sends the parameters to the device and opens sessions when they are first needed.
 * @throws InvariantError 'training.engine' for a trainable parameter without moments; as `createDeviceParameters`.
 */
export async function createDeviceEngine(options: DeviceEngineOptions): Promise<DeviceEngine> {
  const { shape, threads, device, trainable } = options;
  const held = await createDeviceParameters({ threads, device, settings: options.settings, parameters: deviceParameters(options) });
  const sessions = new Map<string, Promise<{ readonly session: DeviceSession; readonly graph: Graph }>>();

  const open = (key: string, build: () => Graph): Promise<{ readonly session: DeviceSession; readonly graph: Graph }> => {
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const graph = build();
    // Gradients stay; vectors and losses are read.
    const stays = graph.outputs.map(({ name }) => name).filter((name) => name.startsWith(gradientName('')) || name === TOKEN_ROWS);
    const opened = createDeviceSession(graph, { threads, device, stays }).then((session) => ({ session, graph }));
    sessions.set(key, opened);
    return opened;
  };

  /** The rows of the table that a batch uses, [U, H]. */
  const tokenRows = async (rows: Int32Array): Promise<DeviceTensor> => {
    const { session } = await open('token rows', () => tokenRowsGraph(shape.width));
    const { kept } = await session.run({ table: the(held.values()[TOKEN_TABLE]), rows: tensorOf('int32', [rows.length], rows) });
    return the(kept[TOKEN_ROWS]);
  };

  const run = async (key: string, build: () => Graph, { batch, draw, own }: { readonly batch: PackedBatch; readonly draw: DropoutDraw | null; readonly own: Readonly<Record<string, Tensor>> }) => {
    const { session, graph } = await open(key, build);
    const rows = await tokenRows(batch.rows);
    const chance = draw === null ? {} : dropoutFeeds({ graph, batch, shape, draw, rates: options.dropout });
    const feeds: DeviceFeeds = { ...held.values(), ...batch.feeds, ...chance, ...own, [TOKEN_ROWS]: rows };
    try {
      return await session.run(feeds);
    } finally {
      rows.dispose();
    }
  };

  const runGradients = async (key: string, build: () => Graph, inputs: Parameters<typeof run>[2]): Promise<number> => {
    const { read, kept } = await run(key, build, inputs);
    for (const name of trainable) {
      const gradient = kept[gradientName(name === TOKEN_TABLE ? TOKEN_ROWS : name)];
      if (gradient === undefined) continue;
      if (name === TOKEN_TABLE) held.addRows(name, inputs.batch.rows, gradient);
      else await held.add(name, gradient);
    }
    return read['loss'] === undefined ? 0 : (floats(read['loss']).data[0] ?? Number.NaN);
  };

  const drawn = (draw: DropoutDraw | null | undefined): DropoutDraw | null => (options.dropout === null ? null : (draw ?? null));
  const width = outputWidth(options);
  return {
    width,
    begin: () => held.dropGradients(), // gradients of a step that was left out
    encode: async (sequences, draw) => {
      const batch = packTokens(sequences, { shape });
      const chance = drawn(draw);
      const { read } = await run(sessionKey('encode', batch.kind, chance), () => encodeGraph(options, batch.kind, chance !== null), { batch, draw: chance, own: {} });
      return floats(read['embeddings']).data;
    },
    gradients: async (sequences, outputGrads, draw) => {
      const batch = packTokens(sequences, { shape });
      const chance = drawn(draw);
      const own = { outputGrads: tensorOf('float32', [batch.count, width], outputGrads) };
      await runGradients(sessionKey('gradients', batch.kind, chance), () => gradientGraph(options, batch.kind, chance !== null), { batch, draw: chance, own });
    },
    lossGradients: (sequences, loss, own, draw) => {
      const batch = packTokens(sequences, { shape });
      const chance = drawn(draw);
      return runGradients(sessionKey(`loss ${loss.name}`, batch.kind, chance), () => fusedGraph(options, batch.kind, chance !== null, loss), { batch, draw: chance, own });
    },
    readGradients: held.readGradients,
    squaredNorm: held.squaredNorm,
    apply: held.apply,
    bringBack: held.bringBack,
    send: held.send,
    [Symbol.asyncDispose]: async () => {
      await held[Symbol.asyncDispose]();
      for (const opening of sessions.values()) await (await opening).session.dispose();
      sessions.clear();
    },
  };
}

/** rows of a table: [U, H] = table[rows]. */
function tokenRowsGraph(width: number): Graph {
  const g = createGraphBuilder('token-rows');
  return g.build({ [TOKEN_ROWS]: g.gather(g.input('table', 'float32', ['V', width]), g.input('rows', 'int32', ['U'])) });
}

function deviceParameters(options: DeviceEngineOptions): readonly DeviceParameter[] {
  const { parameters, trainable, states, decays } = options;
  return [...shapesOf(options)].map(([name, shape]) => {
    const values = parameters.get(name);
    const state = states.get(name);
    const isTrained = trainable.has(name);
    if (values === undefined || (isTrained && state === undefined)) throw new InvariantError('training.engine', `The parameter "${name}" has no ${values === undefined ? 'values' : 'moments'}.`);
    const update = !isTrained ? 'fixed' : name === TOKEN_TABLE ? 'rows' : 'whole';
    return { name, shape, update, decays: decays(name), keptRow: options.shape.padTokenId, values, moments: isTrained ? (state ?? null) : null };
  });
}

/** Names and shapes of the parameters that the vectors depend on. */
function shapesOf({ shape, pooling, parameters, lowRank }: EncoderOptions): ReadonlyMap<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>();
  for (const { name, shape: size, layer } of transformerParameters(shape)) {
    if (layer !== null && layer >= pooling.layers) continue;
    shapes.set(name, size);
    const thin = lowRankNames(name);
    if (lowRank === null || !parameters.has(thin.down)) continue;
    shapes.set(thin.down, [lowRank.rank, size[1] ?? 0]);
    shapes.set(thin.up, [size[0] ?? 0, lowRank.rank]);
  }
  const out = parameters.get(DENSE.bias)?.length ?? 0;
  if (pooling.dense !== null) shapes.set(DENSE.weight, [out, shape.width]).set(DENSE.bias, [out]);
  return shapes;
}
