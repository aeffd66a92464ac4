/** How is ONNX Runtime asked for a session, and what do its refusals mean to a person? */
import { isMainThread } from 'node:worker_threads';
import { EnvironmentError, InvariantError } from '../base/errors.ts';
import { deviceNames, type Device } from './device.ts';
import { loadOnnxRuntime, type InferenceSession } from './onnx-runtime.ts';
import { defaultThreads } from './threads.ts';

export type SessionOptions = {
  /** Threads inside an operator, >= 1; physical cores when left out. Equal counts give equal bits. */
  readonly threads?: number;
  /** 'cpu' when left out. Use `chooseDevice` first: a missing or faulty driver can end the process. */
  readonly device?: Device;
};

/** The higher levels fuse products into operators that WebGPU and DirectML have no kernels for: they would fall back to the CPU. */
const optimisationLevels: { readonly [D in Device]: 'basic' | 'all' } = { cpu: 'all', webgpu: 'basic', cuda: 'all', dml: 'basic' };

export type OpenModel = { readonly native: InferenceSession; readonly device: Device; readonly threads: number };

/**
 * Loads a model. Options measured in facts.md: no memory pattern (a third less peak memory), one operator at a time, threads
 * that sleep instead of spinning (a laptop has other work). On the CPU all graph optimisations are on: they depend on the
 * machine and the thread count only, so equal runs give equal bits (tested).
 *
 * @param stays  outputs that stay on the device; WebGPU only, elsewhere all outputs are ordinary arrays.
 * @throws EnvironmentError 'runtime.unavailable', 'runtime.model-refused', 'runtime.out-of-memory'; InvariantError for WebGPU
 *   outside the main thread: exactly one thread of a process may use it (two end the process).
 */
export async function openModel(modelBytes: Uint8Array, options: SessionOptions & { readonly stays?: readonly string[]; readonly profilePrefix?: string }): Promise<OpenModel> {
  const { threads = defaultThreads(), device = 'cpu', stays = [], profilePrefix } = options;
  if (!Number.isInteger(threads) || threads < 1) throw new InvariantError('runtime.threads', `A session has 1 or more threads, asked for ${threads}.`);
  if (device === 'webgpu' && !isMainThread) throw new InvariantError('runtime.thread', 'WebGPU belongs to the main thread of a process; start a process for it.');
  const onnx = await loadOnnxRuntime();
  try {
    const native = await onnx.InferenceSession.create(modelBytes, {
      executionProviders: [device],
      graphOptimizationLevel: optimisationLevels[device],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      enableCpuMemArena: true,
      enableMemPattern: false,
      logSeverityLevel: 4, // errors reach us as exceptions; ONNX Runtime need not print them too
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      ...(device === 'webgpu' && stays.length > 0 ? { preferredOutputLocation: Object.fromEntries(stays.map((name) => [name, 'gpu-buffer' as const])) } : {}),
      ...(profilePrefix === undefined ? {} : { enableProfiling: true, profileFilePrefix: profilePrefix }),
    });
    return { native, device, threads };
  } catch (cause) {
    throw isOutOfMemory(cause)
      ? outOfMemory(cause)
      : new EnvironmentError('runtime.model-refused', `ONNX Runtime did not accept the model on ${deviceNames[device]}: ${messageOf(cause)}`, { cause, data: { device } });
  }
}

/**
 * What a failed run means: too little memory, a device that is gone (its own fault or the driver's), or a fault of ours.
 * @param fed what was fed, for the message.
 */
export function runFailure(cause: unknown, device: Device, fed: string): EnvironmentError | InvariantError {
  if (isOutOfMemory(cause)) return outOfMemory(cause);
  if (device !== 'cpu') return new EnvironmentError('runtime.device-failed', `A calculation failed on ${deviceNames[device]}: ${messageOf(cause)} (fed: ${fed})`, { cause, data: { device } });
  return new InvariantError('runtime.run-failed', `${messageOf(cause)} (fed: ${fed})`, { cause });
}

function isOutOfMemory(thrown: unknown): boolean {
  return /bad_alloc|Failed to allocate memory|Array buffer allocation failed|out of memory/i.test(messageOf(thrown));
}

function outOfMemory(cause: unknown): EnvironmentError {
  return new EnvironmentError('runtime.out-of-memory', 'There is not enough free memory for this step. Close other programs, or choose the quick preset or a smaller batch.', { cause });
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
