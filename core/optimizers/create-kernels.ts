/** Which form of the kernels does this machine run? WASM SIMD where it can, else plain JavaScript: the bits are the same. */
import type { KernelMemory } from './kernel-memory.ts';
import { createJavaScriptKernels } from './kernels-javascript.ts';
import { canRunWasmKernels, createWasmKernels } from './kernels-wasm.ts';
import type { Kernels } from './kernels.ts';

/** The fastest kernels for arrays of this memory. */
export function createKernels(memory: KernelMemory): Kernels {
  return canRunWasmKernels() ? createWasmKernels(memory) : createJavaScriptKernels();
}
