/** Where do the big tables live? In one WebAssembly memory of fixed size, so that kernels work on them in place. */
import { EnvironmentError, InvariantError } from '../base/errors.ts';
import { WASM_PAGE_BYTES, webAssembly, type WasmMemory } from './web-assembly.ts';

/** Every allocation starts at a multiple of this: a cache line, and a multiple of every vector size. */
const ALIGNMENT_BYTES = 64;
/** WebAssembly addresses have 32 bits; the last page is left out so that no end address wraps to 0. */
const MAX_CAPACITY_BYTES = 2 ** 32 - WASM_PAGE_BYTES;
const BYTES_PER_MB = 2 ** 20;

/** A position in the memory to go back to; made by `mark`. */
export type MemoryMark = { readonly usedBytes: number };

export type KernelMemory = {
  /** The WebAssembly memory itself, for the kernels' module. */
  readonly wasm: WasmMemory;
  readonly capacityBytes: number;
  readonly usedBytes: () => number;
  /** A zero-filled array in the memory. @throws EnvironmentError 'memory.kernel-memory-full' */
  readonly float32: (length: number) => Float32Array<ArrayBuffer>;
  readonly int32: (length: number) => Int32Array<ArrayBuffer>;
  /** Remembers how much is in use ... */
  readonly mark: () => MemoryMark;
  /** ... and frees everything allocated since; those arrays must not be used afterwards. */
  readonly release: (mark: MemoryMark) => void;
  /** Whether an array lies in this memory (then kernels use it in place). */
  readonly holds: (array: ArrayBufferView) => boolean;
};

/**
 * A memory of fixed capacity. It never grows, because growing would detach every array handed out; unused capacity costs
 * address space only, since the operating system gives pages when they are first touched.
 *
 * Allocation is a stack (`mark`/`release`): tables first, then what lives for a step. There is nothing to close: the memory
 * goes when its last array goes.
 *
 * @param capacityBytes at least the sum of the arrays (each rounded up to 64 bytes) plus room for copies of arguments that
 *   lie outside, if any are passed to the WASM kernels; at most 4 GiB less one page.
 * @throws EnvironmentError 'memory.too-little' when the machine will not give that much; InvariantError for a senseless size.
 */
export function createKernelMemory(capacityBytes: number): KernelMemory {
  if (!(capacityBytes > 0 && capacityBytes <= MAX_CAPACITY_BYTES)) {
    throw new InvariantError('memory.capacity', `Kernel memory holds 1 to ${MAX_CAPACITY_BYTES} bytes, asked for ${capacityBytes}.`);
  }
  const pages = Math.ceil(capacityBytes / WASM_PAGE_BYTES);
  const wasm = reserve(pages);
  const capacity = pages * WASM_PAGE_BYTES;
  let used = ALIGNMENT_BYTES; // address 0 stays free, so that no array starts there
  let touched = used; // below this the memory may hold old values
  const allocate = (byteLength: number): number => {
    const address = used;
    const end = Math.ceil((address + byteLength) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    if (end > capacity) {
      throw new EnvironmentError(
        'memory.kernel-memory-full',
        `The training needs ${megabytes(end - capacity)} MB more memory than was set aside (${megabytes(capacity)} MB). Choose a smaller width or vocabulary.`,
        { data: { capacityBytes: capacity, neededBytes: end } },
      );
    }
    if (address < touched) new Uint8Array(wasm.buffer, address, Math.min(end, touched) - address).fill(0);
    used = end;
    touched = Math.max(touched, end);
    return address;
  };
  return {
    wasm,
    capacityBytes: capacity,
    usedBytes: () => used,
    float32: (length) => new Float32Array(wasm.buffer, allocate(length * Float32Array.BYTES_PER_ELEMENT), length),
    int32: (length) => new Int32Array(wasm.buffer, allocate(length * Int32Array.BYTES_PER_ELEMENT), length),
    mark: () => ({ usedBytes: used }),
    release: (mark) => {
      if (mark.usedBytes > used) throw new InvariantError('memory.release-order', `Marks are released last first: ${mark.usedBytes} bytes were marked, ${used} are in use.`);
      used = mark.usedBytes;
    },
    holds: (array) => array.buffer === wasm.buffer,
  };
}

/** Bytes that `createKernelMemory` needs for float32 or int32 arrays of these lengths. */
export function kernelMemoryBytes(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + Math.ceil((length * Float32Array.BYTES_PER_ELEMENT) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES, ALIGNMENT_BYTES);
}

function reserve(pages: number): WasmMemory {
  try {
    return new webAssembly.Memory({ initial: pages, maximum: pages });
  } catch (cause) {
    throw new EnvironmentError('memory.too-little', `This machine did not give ${megabytes(pages * WASM_PAGE_BYTES)} MB of memory for the training. Close other programs or choose a smaller width.`, { cause });
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MB);
}
