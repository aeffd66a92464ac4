/** What does the training of a transformer keep, and how is it changed by one step? Parameters with their AdamW moments, in kernel memory. */
import { createDenseAdamwState, createRowAdamwState, stepDenseAdamw, stepRowAdamw, type AdamwSettings, type AdamwState } from '../../optimizers/adamw.ts';
import { createKernels } from '../../optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes, type KernelMemory } from '../../optimizers/kernel-memory.ts';
import type { Kernels } from '../../optimizers/kernels.ts';
import type { Arrays } from '../checkpoint.ts';
import { TOKEN_TABLE } from './token-table.ts';
import type { TokenGradients } from './token-gradients.ts';

/** Values, means and variances of what is trained. */
const ARRAYS_PER_PARAMETER = 3;
/** A kernel memory has 32-bit addresses; a little stays free for copies and for step counts. */
const MOST_MEMORY_BYTES = 2 ** 32 - 2 ** 17;
/** Rows of the token table whose gradients a step may bring in from outside, and add up there. */
const MOST_ROWS_AT_ONCE = 65_536;
const COPIES_AT_ONCE = 2;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

export type TrainableParameters = {
  /** All parameters by name: those that are trained in kernel memory, the frozen ones where they were. Graphs read them in place. */
  readonly all: ReadonlyMap<string, Float32Array>;
  /** Of what is trained: values alone, and values with all that an update reads. */
  readonly values: Arrays;
  readonly arrays: Arrays;
  /** The moments of what is trained. */
  readonly states: ReadonlyMap<string, AdamwState>;
  /** Where the engine keeps its gradients. */
  readonly memory: KernelMemory;
  readonly kernels: Kernels;
  /** Puts values back to the start, and moments to zero. */
  readonly restart: (start: ReadonlyMap<string, Float32Array>) => void;
  readonly areFinite: () => boolean;
  /** Sum of the squares of all gradients. */
  readonly squaredNorm: (gradients: StepGradients) => number;
  readonly apply: (gradients: StepGradients, step: { readonly learningRate: number; readonly scale: number }) => void;
};

export type StepGradients = { readonly dense: ReadonlyMap<string, Float32Array>; readonly tokens: Pick<TokenGradients, 'rows' | 'values'> | null };

export type TrainableOptions = {
  readonly start: ReadonlyMap<string, Float32Array>;
  /** Names of what is trained. */
  readonly trained: ReadonlySet<string>;
  /** Whether weight decay applies: to matrices and embeddings, not to biases and norms. */
  readonly decays: (name: string) => boolean;
  readonly settings: AdamwSettings;
  /** H and the row of the token table that stands for padding: it keeps its values. */
  readonly width: number;
  readonly padTokenId: number;
  /** The table of which only the rows in use are updated; null: none, every parameter gets its whole gradient. */
  readonly table: string | null;
};

/** Bytes of kernel memory that these parameters will take, gradients included: for the plan. */
export function trainableBytes({ start, trained }: Pick<TrainableOptions, 'start' | 'trained'>): number {
  let numbers = 0;
  for (const name of trained) {
    const length = start.get(name)?.length ?? 0;
    numbers += (ARRAYS_PER_PARAMETER + (name === TOKEN_TABLE ? 0 : 1)) * length;
  }
  return numbers * FLOAT_BYTES;
}

/** @throws EnvironmentError 'memory.too-little' when the machine does not give the memory. */
export function createTrainableParameters(options: TrainableOptions): TrainableParameters {
  const { start, decays, settings, width, padTokenId, table } = options;
  const { homes, memory, kernels } = placeParameters(options);
  const all = new Map(start);
  const values = new Map<string, Float32Array>();
  const arrays = new Map<string, Float32Array | Int32Array>();
  const states = new Map<string, AdamwState>();
  for (const [name, { memory: home }] of homes) {
    const initial = start.get(name) ?? new Float32Array(0);
    const own = home.float32(initial.length);
    own.set(initial);
    all.set(name, own);
    values.set(name, own);
    const state = name === table ? createRowAdamwState({ rows: initial.length / width, width, allocator: home }) : createDenseAdamwState({ length: initial.length, allocator: home });
    states.set(name, state);
    arrays.set(name, own).set(`${name}.means`, state.means).set(`${name}.variances`, state.variances).set(`${name}.steps`, state.steps);
  }
  return {
    all,
    values,
    arrays,
    states,
    memory,
    kernels,
    restart: (again) => {
      for (const array of arrays.values()) array.fill(0);
      for (const [name, own] of values) own.set(again.get(name) ?? []);
    },
    areFinite: () => [...values].every(([name, own]) => Number.isFinite(kernelsOf(homes, name, kernels).dot(own, own))),
    squaredNorm: ({ dense, tokens }) => {
      let squares = tokens === null ? 0 : kernels.dot(tokens.values, tokens.values);
      for (const gradient of dense.values()) squares += kernels.dot(gradient, gradient);
      return squares;
    },
    apply: ({ dense, tokens }, { learningRate, scale }) => {
      const stepOf = (name: string): Pick<Parameters<typeof stepDenseAdamw>[0], 'kernels' | 'settings' | 'learningRate' | 'gradientScale'> => ({
        kernels: kernelsOf(homes, name, kernels),
        settings: decays(name) ? settings : { ...settings, weightDecay: 0 },
        learningRate,
        gradientScale: scale,
      });
      for (const [name, gradients] of dense) {
        const [own, state] = [values.get(name), states.get(name)];
        if (own !== undefined && state !== undefined) stepDenseAdamw({ ...stepOf(name), values: own, state, gradients });
      }
      if (tokens === null || table === null) return;
      const [own, state] = [values.get(table), states.get(table)];
      if (own === undefined || state === undefined) return;
      const { rows, rowGradients } = withoutRow(tokens, padTokenId, width);
      stepRowAdamw({ ...stepOf(table), values: own, state, rows, rowGradients, width });
    },
  };
}

type Home = { readonly memory: KernelMemory; readonly kernels: Kernels };

function kernelsOf(homes: ReadonlyMap<string, Home>, name: string, others: Kernels): Kernels {
  return homes.get(name)?.kernels ?? others;
}

/** Shares the trained parameters out over as few memories as hold them; the first holds the gradients too. */
function placeParameters({ start, trained, width, table }: TrainableOptions): { readonly homes: ReadonlyMap<string, Home>; readonly memory: KernelMemory; readonly kernels: Kernels } {
  const names = [...start.keys()].filter((name) => trained.has(name));
  const lengthOf = (name: string): number => start.get(name)?.length ?? 0;
  const rows = Math.min(MOST_ROWS_AT_ONCE, (table === null ? 0 : lengthOf(table) / width));
  const largest = Math.max(rows * width, ...names.filter((name) => name !== table).map(lengthOf));
  const room = kernelMemoryBytes(Array.from({ length: COPIES_AT_ONCE }, () => largest + width)) + kernelMemoryBytes([rows, rows, rows]);
  const gradients = kernelMemoryBytes(names.filter((name) => name !== table).map(lengthOf));
  const bytesOf = (name: string): number => kernelMemoryBytes([lengthOf(name), lengthOf(name), lengthOf(name), name === table ? lengthOf(name) / width : 1]);
  const bins: { bytes: number; readonly names: string[] }[] = [{ bytes: room + gradients, names: [] }];
  for (const name of names) {
    const fitting = bins.find(({ bytes }) => bytes + bytesOf(name) <= MOST_MEMORY_BYTES) ?? newBin(bins, room);
    fitting.names.push(name);
    fitting.bytes += bytesOf(name);
  }
  const memories = bins.map(({ bytes, names: own }) => ({ memory: createKernelMemory(bytes), names: own }));
  const memory = memories[0]?.memory ?? createKernelMemory(room);
  const kernels = createKernels(memory);
  const homes = new Map<string, Home>();
  for (const own of memories) {
    const home = own.memory === memory ? { memory, kernels } : { memory: own.memory, kernels: createKernels(own.memory) };
    for (const name of own.names) homes.set(name, home);
  }
  return { homes, memory, kernels };
}

function newBin(bins: { bytes: number; readonly names: string[] }[], room: number): { bytes: number; readonly names: string[] } {
  const bin = { bytes: room, names: [] };
  bins.push(bin);
  return bin;
}

/** The row gradients without one row. */
function withoutRow({ rows, values }: Pick<TokenGradients, 'rows' | 'values'>, row: number, width: number): { readonly rows: Int32Array; readonly rowGradients: Float32Array } {
  const place = rows.indexOf(row);
  if (place < 0) return { rows, rowGradients: values };
  const rowGradients = new Float32Array(values.length - width);
  rowGradients.set(values.subarray(0, place * width));
  rowGradients.set(values.subarray((place + 1) * width), place * width);
  return { rows: rows.filter((other) => other !== row), rowGradients };
}
