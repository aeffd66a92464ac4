/**
 * Who keeps parameters, gradients and the optimizer's moments while a device trains? The device: values go over once, updates
 * happen there, and only the norm of the gradients and what is asked for (a checkpoint, a finished model) comes back.
 */
import { InvariantError } from '../base/errors.ts';
import { biasCorrection, type AdamwSettings } from '../optimizers/adamw.ts';
import { accumulationGraph, adamwGraph, rowAccumulationGraph, rowAdamwGraph, squaredNormGraph, zeroRowsGraph } from '../optimizers/adamw-graph.ts';
import type { Graph } from '../graph/graph.ts';
import { elementCount, type StaticShape } from '../tensor/shape.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import { createDeviceSession, type DeviceFeeds, type DeviceSession, type DeviceTensor } from './device-session.ts';
import type { SessionOptions } from './open-model.ts';
import { createTransfer, floats, the } from './transfer.ts';

/** A parameter and where it rests on the CPU: the arrays of a checkpoint. */
export type DeviceParameter = {
  readonly name: string;
  readonly shape: StaticShape;
  /** 'fixed': read only; 'whole': every element in every step; 'rows': only rows that a batch used, each with its own clock. */
  readonly update: 'fixed' | 'whole' | 'rows';
  /** Whether weight decay applies. */
  readonly decays: boolean;
  /** Of 'rows': a row that keeps its values whatever happens (padding). */
  readonly keptRow?: number;
  readonly values: Float32Array;
  /** Moments and counts of updates (one, or one per row); null when fixed. */
  readonly moments: { readonly means: Float32Array; readonly variances: Float32Array; readonly steps: Int32Array } | null;
};

/** AdamW's numbers for a row that keeps its values. */
const STANDING_STILL = { stepSize: 0, inverseRootBias2: 1 };

/** Gradients of some rows of a table: rows rising, gradient [rows, H]. */
type RowPart = { readonly rows: Int32Array; readonly gradient: DeviceTensor };
type OnDevice = { values: DeviceTensor; means: DeviceTensor | null; variances: DeviceTensor | null };

export type DeviceParameters = AsyncDisposable & {
  /** The values as they are now, by name: feeds of a graph. They change with every `step`; do not dispose them. */
  readonly values: () => Readonly<Record<string, DeviceTensor>>;
  /** Adds to the gradient of a parameter; takes the tensor over. */
  readonly add: (name: string, gradient: DeviceTensor) => Promise<void>;
  /** Adds to the gradients of rows (rising, none twice) of a table; takes the tensor over. */
  readonly addRows: (name: string, rows: Int32Array, gradient: DeviceTensor) => void;
  /** The gradients added so far, read from the device; `rows` says of which rows they are, null: of the whole parameter. */
  readonly readGradients: () => Promise<ReadonlyMap<string, { readonly rows: Int32Array | null; readonly values: Float32Array }>>;
  /** Forgets all gradients. */
  readonly dropGradients: () => void;
  /** Σ of the squares of all gradients added so far, read from the device; 0 when there are none. */
  readonly squaredNorm: () => Promise<number>;
  /** One AdamW update from the gradients added so far, times `scale` (clipping.ts), which are then forgotten. */
  readonly apply: (options: { readonly learningRate: number; readonly scale: number }) => Promise<void>;
  /** Copies values, and moments unless `valuesOnly`, into the arrays given at the start. */
  readonly bringBack: (options?: { readonly valuesOnly?: boolean }) => Promise<void>;
  /** Copies the arrays to the device again, after a checkpoint was loaded into them. */
  readonly send: () => Promise<void>;
};

/** Sends the parameters to the device. @throws as `openModel` and `DeviceSession.run`. */
export async function createDeviceParameters(options: SessionOptions & { readonly parameters: readonly DeviceParameter[]; readonly settings: AdamwSettings }): Promise<DeviceParameters> {
  const { parameters, settings } = options;
  const transfer = createTransfer(options);
  const sessions = new Map<string, Promise<DeviceSession>>();
  const tensors = new Map<string, OnDevice>();
  const whole = new Map<string, DeviceTensor>();
  const parts = new Map<string, RowPart[]>();
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));

  const run = async (key: string, graph: () => Graph, { feeds, stays }: { readonly feeds: DeviceFeeds; readonly stays: readonly string[] }) => {
    const session = sessions.get(key) ?? createDeviceSession(graph(), { ...options, stays });
    sessions.set(key, session);
    return (await session).run(feeds);
  };

  const send = async (): Promise<void> => {
    for (const { name, shape, values, moments } of parameters) {
      release(tensors.get(name));
      tensors.set(name, {
        values: await transfer.upload(shape, values),
        means: moments === null ? null : await transfer.upload(shape, moments.means),
        variances: moments === null ? null : await transfer.upload(shape, moments.variances),
      });
    }
  };

  const dropGradients = (): void => {
    for (const gradient of whole.values()) gradient.dispose();
    for (const part of [...parts.values()].flat()) part.gradient.dispose();
    whole.clear();
    parts.clear();
  };

  const add = async (name: string, gradient: DeviceTensor): Promise<void> => {
    const before = whole.get(name);
    if (before === undefined) {
      whole.set(name, gradient);
      return;
    }
    const rank = gradient.shape.length;
    const { kept } = await run(`accumulate ${rank}`, () => accumulationGraph(rank), { feeds: { a: before, b: gradient }, stays: ['sum'] });
    whole.set(name, the(kept['sum']));
    before.dispose();
    gradient.dispose();
  };

  /** The parts of one table as one: the rows of all of them, and their gradients added up. */
  const joined = async (list: readonly RowPart[]): Promise<RowPart> => {
    const [only] = list;
    if (only !== undefined && list.length === 1) return only;
    const rows = Int32Array.from(new Set(list.flatMap((part) => [...part.rows]))).sort();
    const placeOf = new Map(Array.from(rows, (row, place) => [row, place]));
    const width = only?.gradient.shape[1] ?? 0;
    let { zeros: total } = (await run(`zero rows ${width}`, () => zeroRowsGraph(width), { feeds: { rows: indices(rows) }, stays: ['zeros'] })).kept;
    for (const part of list) {
      const places = Int32Array.from(part.rows, (row) => placeOf.get(row) ?? 0);
      const { kept } = await run('accumulate rows', rowAccumulationGraph, { feeds: { total: the(total), part: part.gradient, places: indices(places) }, stays: ['sum'] });
      total?.dispose();
      part.gradient.dispose();
      total = kept['sum'];
    }
    return { rows, gradient: the(total) };
  };

  const squaredNorm = async (): Promise<number> => {
    if (whole.size + parts.size === 0) return 0;
    for (const [name, list] of parts) parts.set(name, [await joined(list)]);
    const gradients = new Map([...whole, ...[...parts].flatMap(([name, [part]]) => (part === undefined ? [] : [[name, part.gradient] as const]))]);
    const shapes = new Map([...gradients].map(([name, { shape }], i) => [name, parts.has(name) ? [`U${i}`, shape[1] ?? 0] : shape]));
    const { read } = await run(`squares ${[...gradients.keys()].join()}`, () => squaredNormGraph(shapes), { feeds: Object.fromEntries(gradients), stays: [] });
    return floats(read['squares']).data[0] ?? Number.NaN;
  };

  const replace = (name: string, kept: Readonly<Record<string, DeviceTensor>>): void => {
    release(tensors.get(name));
    tensors.set(name, { values: the(kept['newValues']), means: the(kept['newMeans']), variances: the(kept['newVariances']) });
  };
  const stays = ['newValues', 'newMeans', 'newVariances'];

  const update = async ({ learningRate, scale }: { readonly learningRate: number; readonly scale: number }): Promise<void> => {
    const scalars = new Map<number, DeviceTensor>();
    const scalar = async (value: number): Promise<DeviceTensor> => {
      const known = scalars.get(value) ?? (await transfer.upload([], Float32Array.of(value)));
      scalars.set(value, known);
      return known;
    };
    const gradientScale = await scalar(scale);
    for (const [name, gradients] of whole) {
      const { parameter, moments, before } = trained(name, byName, tensors);
      const count = (moments.steps[0] ?? 0) + 1;
      const { stepSize, inverseRootBias2 } = biasCorrection({ count, settings, learningRate });
      const rank = parameter.shape.length;
      const feeds = { ...before, gradients, gradientScale, decay: await scalar(decayOf(parameter, learningRate, settings)), stepSize: await scalar(stepSize), inverseRoot: await scalar(inverseRootBias2) };
      replace(name, (await run(`adamw ${rank}`, () => adamwGraph(rank, settings), { feeds, stays })).kept);
      moments.steps[0] = count;
      gradients.dispose();
      whole.delete(name);
    }
    for (const [name, list] of parts) {
      const part = await joined(list);
      const { parameter, moments, before } = trained(name, byName, tensors);
      const keeps = (row: number): boolean => row === parameter.keptRow;
      const corrections = Array.from(part.rows, (row) => (keeps(row) ? STANDING_STILL : biasCorrection({ count: (moments.steps[row] ?? 0) + 1, settings, learningRate })));
      const decay = decayOf(parameter, learningRate, settings);
      const perRow = (numbers: readonly number[]): Tensor => tensorOf('float32', [numbers.length], Float32Array.from(numbers));
      const feeds = {
        ...before,
        rows: indices(part.rows),
        gradients: part.gradient,
        gradientScale,
        decays: perRow(Array.from(part.rows, (row) => (keeps(row) ? 1 : decay))),
        stepSizes: perRow(corrections.map(({ stepSize }) => stepSize)),
        inverseRoots: perRow(corrections.map(({ inverseRootBias2 }) => inverseRootBias2)),
      };
      replace(name, (await run('adamw rows', () => rowAdamwGraph(settings), { feeds, stays })).kept);
      for (const row of part.rows) if (!keeps(row)) moments.steps[row] = (moments.steps[row] ?? 0) + 1;
      part.gradient.dispose();
    }
    for (const value of scalars.values()) value.dispose();
  };

  await send();
  return {
    values: () => Object.fromEntries([...tensors].map(([name, { values }]) => [name, values])),
    add,
    addRows: (name, rows, gradient) => {
      parts.set(name, [...(parts.get(name) ?? []), { rows, gradient }]);
    },
    readGradients: async () => {
      const found = new Map<string, { readonly rows: Int32Array | null; readonly values: Float32Array }>();
      const read = async (name: string, rows: Int32Array | null, gradient: DeviceTensor): Promise<void> => {
        const values = new Float32Array(elementCount(gradient.shape));
        await transfer.readInto(gradient, values);
        found.set(name, { rows, values });
      };
      for (const [name, gradient] of whole) await read(name, null, gradient);
      for (const [name, list] of parts) {
        const part = await joined(list);
        parts.set(name, [part]);
        await read(name, part.rows, part.gradient);
      }
      return found;
    },
    dropGradients,
    squaredNorm,
    apply: async (step) => {
      await update(step);
      dropGradients();
    },
    bringBack: async ({ valuesOnly = false } = {}) => {
      for (const { name, update: kind, values, moments } of parameters) {
        const own = tensors.get(name);
        if (own === undefined || kind === 'fixed') continue;
        await transfer.readInto(own.values, values);
        if (valuesOnly || moments === null) continue;
        await transfer.readInto(the(own.means ?? undefined), moments.means);
        await transfer.readInto(the(own.variances ?? undefined), moments.variances);
      }
    },
    send,
    [Symbol.asyncDispose]: async () => {
      dropGradients();
      for (const own of tensors.values()) release(own);
      tensors.clear();
      for (const session of sessions.values()) await (await session).dispose();
      sessions.clear();
      await transfer[Symbol.asyncDispose]();
    },
  };
}

function trained(name: string, parameters: ReadonlyMap<string, DeviceParameter>, tensors: ReadonlyMap<string, OnDevice>) {
  const parameter = parameters.get(name);
  const own = tensors.get(name);
  const moments = parameter?.moments ?? null;
  if (parameter === undefined || own === undefined || own.means === null || own.variances === null || moments === null) throw new InvariantError('runtime.device-parameter', `"${name}" is no parameter that this device trains.`);
  return { parameter, moments, before: { values: own.values, means: own.means, variances: own.variances } };
}

function decayOf({ decays }: DeviceParameter, learningRate: number, { weightDecay }: AdamwSettings): number {
  return decays ? 1 - learningRate * weightDecay : 1;
}

function release(own: OnDevice | undefined): void {
  own?.values.dispose();
  own?.means?.dispose();
  own?.variances?.dispose();
}

function indices(rows: Int32Array): Tensor {
  return tensorOf('int64', [rows.length], BigInt64Array.from(rows, BigInt));
}
