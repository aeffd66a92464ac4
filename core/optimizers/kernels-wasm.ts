/** How are the kernels of the WebAssembly module called with typed arrays? In place when they lie in its memory, by copy when not. */
import { InvariantError } from '../base/errors.ts';
import { assembleKernels } from './kernel-module.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { checkBagBackward, checkBagForward, checkDenseAdamw, checkRowAdamw, checkScoreMatrix, expectLengths, type AdamwScalars, type Kernels } from './kernels.ts';
import { webAssembly } from './web-assembly.ts';

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

let compiled: object | null = null;

/** Whether this machine runs the kernel module (it needs WebAssembly SIMD; every supported platform has it). */
export function canRunWasmKernels(): boolean {
  return webAssembly.validate(assembleKernels());
}

/**
 * The SIMD kernels on one memory. Arrays made by `memory` are used in place. Any other array is copied in, and back when the
 * kernel writes it: right for a batch's ids and gradients, slow for a table.
 * @throws EnvironmentError 'memory.kernel-memory-full' when a copy does not fit.
 */
export function createWasmKernels(memory: KernelMemory): Kernels {
  compiled ??= new webAssembly.Module(assembleKernels());
  const { exports } = new webAssembly.Instance(compiled, { kernel: { memory: memory.wasm } });
  const scale = numericExport(exports, 'scale');
  const addScaled = numericExport(exports, 'addScaled');
  const dot = numericExport(exports, 'dot');
  const adamw = numericExport(exports, 'adamw');
  const adamwRows = numericExport(exports, 'adamwRows');
  const embeddingBagForward = numericExport(exports, 'embeddingBagForward');
  const embeddingBagBackward = numericExport(exports, 'embeddingBagBackward');
  const scoreMatrix = numericExport(exports, 'scoreMatrix');
  return {
    kind: 'wasm',
    scale: (values, factor) => {
      withAddresses(memory, ({ update }) => scale(update(values), values.byteLength, factor));
    },
    addScaled: (sum, values, factor) => {
      expectLengths('addScaled', [['values', values.length, sum.length]]);
      withAddresses(memory, ({ read, update }) => addScaled(update(sum), read(values), sum.byteLength, factor));
    },
    dot: (a, b) => {
      expectLengths('dot', [['b', b.length, a.length]]);
      return withAddresses(memory, ({ read }) => dot(read(a), read(b), a.byteLength));
    },
    adamw: (step) => {
      checkDenseAdamw(step);
      withAddresses(memory, ({ read, update }) =>
        adamw(
          update(step.values), update(step.means), update(step.variances), read(step.gradients), step.values.byteLength,
          ...scalarsOf(step), step.stepSize, step.inverseRootBias2,
        ),
      );
    },
    adamwRows: (step) => {
      checkRowAdamw(step);
      withAddresses(memory, ({ read, update }) =>
        adamwRows(
          update(step.values), update(step.means), update(step.variances), read(step.rows), read(step.rowGradients), read(step.stepSizes), read(step.inverseRoots),
          step.rows.length, step.width * FLOAT_BYTES, ...scalarsOf(step),
        ),
      );
    },
    embeddingBagForward: (step) => {
      checkBagForward(step);
      step.pooled.fill(0);
      withAddresses(memory, ({ read, update }) =>
        embeddingBagForward(read(step.table), read(step.weights), read(step.ids), read(step.offsets), update(step.pooled), step.offsets.length - 1, step.width * FLOAT_BYTES),
      );
    },
    embeddingBagBackward: (step) => {
      checkBagBackward(step);
      withAddresses(memory, ({ read, update, room }) =>
        embeddingBagBackward(
          read(step.table), read(step.weights), read(step.rows), read(step.starts), read(step.bags), read(step.pooledGradients),
          update(step.rowGradients), update(step.weightGradients), room(step.width), step.rows.length, step.width * FLOAT_BYTES,
        ),
      );
    },
    scoreMatrix: (step) => {
      const { queryCount, documentCount } = checkScoreMatrix(step);
      withAddresses(memory, ({ read, update }) =>
        scoreMatrix(read(step.queries), read(step.documents), update(step.scores), queryCount, documentCount, step.width * FLOAT_BYTES),
      );
    },
  };
}

type NumericFunction = (...values: readonly number[]) => number;

/** The one cast: an exported function of the module we assembled takes and returns numbers; that it exists is checked. */
function numericExport(exports: { readonly [name: string]: unknown }, name: string): NumericFunction {
  const found = exports[name];
  if (typeof found !== 'function') throw new InvariantError('kernels.export', `The kernel module has no function "${name}".`);
  return found as NumericFunction;
}

function scalarsOf(step: AdamwScalars): readonly number[] {
  return [step.gradientScale, step.decay, step.oneMinusBeta1, step.beta2, step.oneMinusBeta2, step.epsilon];
}

type Addresses = {
  /** The address of an array that the kernel reads. */
  readonly read: (array: Float32Array | Int32Array) => number;
  /** The address of an array that the kernel also writes. */
  readonly update: (array: Float32Array) => number;
  /** The address of that many zeros for the kernel's own use. */
  readonly room: (length: number) => number;
};

/** Gives addresses, copying arrays from outside in and (updated ones) back out; frees the copies. */
function withAddresses(memory: KernelMemory, run: (addresses: Addresses) => number): number {
  const mark = memory.mark();
  const copiesBack: (() => void)[] = [];
  try {
    const result = run({
      read: (array) => (memory.holds(array) ? array.byteOffset : copyIn(memory, array).byteOffset),
      update: (array) => {
        if (memory.holds(array)) return array.byteOffset;
        const copy = copyIn(memory, array);
        copiesBack.push(() => array.set(copy));
        return copy.byteOffset;
      },
      room: (length) => memory.float32(length).byteOffset,
    });
    for (const copyBack of copiesBack) copyBack();
    return result;
  } finally {
    memory.release(mark);
  }
}

function copyIn(memory: KernelMemory, array: Float32Array | Int32Array): Float32Array | Int32Array {
  const copy = array instanceof Float32Array ? memory.float32(array.length) : memory.int32(array.length);
  copy.set(array);
  return copy;
}
