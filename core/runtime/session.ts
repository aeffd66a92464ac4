/** How is an ONNX model run? A session takes tensors by name and gives tensors by name; it is closed when done. */
import { EnvironmentError, InvariantError } from '../base/errors.ts';
import type { DType, TypedArrayOf } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';
import { formatShape } from '../tensor/shape.ts';
import { tensorOf, type Tensor } from '../tensor/tensor.ts';
import { loadOnnxRuntime, type InferenceSession, type OnnxTensor } from './onnx-runtime.ts';
import { defaultThreads } from './threads.ts';

export type Device = 'cpu' | 'webgpu';

export type SessionOptions = {
  /** Threads inside an operator, >= 1; physical cores when left out. Equal counts give equal bits. */
  readonly threads?: number;
  /** 'cpu' when left out. Use `chooseDevice` first: a missing or faulty driver can end the process. */
  readonly device?: Device;
};

/** A named input or output of a model; a symbol stands for a size that a run decides. */
export type ModelValue = { readonly name: string; readonly dtype: string; readonly shape: Shape };

export type Feeds = { readonly [name: string]: Tensor };
export type Outputs = { readonly [name: string]: Tensor };

export type RunOptions = {
  /** Names of the outputs to compute; all when left out. */
  readonly outputs?: readonly string[];
  /**
   * CPU only: tensors to write outputs into (their names need not be in `outputs`). Saves the allocation, but the binding
   * still makes one more copy of each, so it pays for reuse of memory, not for speed.
   */
  readonly into?: Outputs;
};

export type Session = AsyncDisposable & {
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
  readonly device: Device;
  readonly threads: number;
  /**
   * Runs the model once. BLOCKS this thread: use a process of its own. Feeds are read in place, also those in WebAssembly
   * memory; they must not change until the promise settles.
   * @throws InvariantError 'runtime.unknown-name', 'runtime.run-failed' (wrong shape or type among them), 'runtime.disposed';
   *   EnvironmentError 'runtime.out-of-memory'.
   */
  readonly run: (feeds: Feeds, options?: RunOptions) => Promise<Outputs>;
  /** Frees the model after the runs under way; may be called twice. Also bound to `await using`. */
  readonly dispose: () => Promise<void>;
};

/**
 * Loads a model. Options measured in facts.md: no memory pattern (a third less peak memory), one operator at a time, threads
 * that sleep instead of spinning (a laptop has other work). On the CPU all graph optimisations are on: they depend on the
 * machine and the thread count only, so equal runs give equal bits (tested). On WebGPU only the basic ones: the fused
 * products of the higher levels have no WebGPU kernel and would fall back to the CPU.
 *
 * @param modelBytes an ONNX model without external data.
 * @throws EnvironmentError 'runtime.unavailable', 'runtime.model-refused', 'runtime.out-of-memory'.
 */
export async function createSession(modelBytes: Uint8Array, options: SessionOptions = {}): Promise<Session> {
  const { threads = defaultThreads(), device = 'cpu' } = options;
  if (!Number.isInteger(threads) || threads < 1) throw new InvariantError('runtime.threads', `A session has 1 or more threads, asked for ${threads}.`);
  const onnx = await loadOnnxRuntime();
  let native: InferenceSession;
  try {
    native = await onnx.InferenceSession.create(modelBytes, {
      executionProviders: [device],
      graphOptimizationLevel: device === 'cpu' ? 'all' : 'basic',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      enableCpuMemArena: true,
      enableMemPattern: false,
      logSeverityLevel: 4, // errors reach us as exceptions; ONNX Runtime need not print them too
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
  } catch (cause) {
    throw isOutOfMemory(cause)
      ? outOfMemory(cause)
      : new EnvironmentError('runtime.model-refused', `ONNX Runtime did not accept the model on the ${device}: ${messageOf(cause)}`, { cause, data: { device } });
  }
  const inputs = native.inputMetadata.map(modelValue);
  const outputs = native.outputMetadata.map(modelValue);
  const underWay = new Set<Promise<unknown>>();
  let disposed: Promise<void> | null = null;

  const run: Session['run'] = async (feeds, runOptions = {}) => {
    if (disposed !== null) throw new InvariantError('runtime.disposed', 'This session was disposed before the run.');
    if (device !== 'cpu' && runOptions.into !== undefined) throw new InvariantError('runtime.into', `Outputs can be written into given arrays on the CPU only; this session is on ${device}, which would ignore them.`);
    expectNames('input', Object.keys(feeds), inputs);
    expectNames('output', [...(runOptions.outputs ?? []), ...Object.keys(runOptions.into ?? {})], outputs);
    const missing = inputs.find(({ name }) => feeds[name] === undefined);
    if (missing !== undefined) throw new InvariantError('runtime.unknown-name', `The model needs the input "${missing.name}", which was not fed.`);
    const nativeFeeds = mapTensors(feeds, (tensor) => new onnx.Tensor(tensor.dtype, tensor.data, tensor.shape));
    const into = mapTensors(runOptions.into ?? {}, (tensor) => new onnx.Tensor(tensor.dtype, tensor.data, tensor.shape));
    const names = runOptions.outputs ?? outputs.map(({ name }) => name);
    const fetches = Object.fromEntries([...names, ...Object.keys(into)].map((name) => [name, into[name] ?? null]));
    const running = native.run(nativeFeeds, fetches);
    underWay.add(running);
    try {
      const results = await running;
      return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, runOptions.into?.[name] ?? fromNative(name, result)]));
    } catch (cause) {
      throw isOutOfMemory(cause) ? outOfMemory(cause) : new InvariantError('runtime.run-failed', `${messageOf(cause)} (fed: ${describe(feeds)})`, { cause });
    } finally {
      underWay.delete(running);
    }
  };

  const dispose = (): Promise<void> => {
    disposed ??= Promise.allSettled(underWay).then(() => native.release());
    return disposed;
  };

  return { inputs, outputs, device, threads, run, dispose, [Symbol.asyncDispose]: dispose };
}

function modelValue(metadata: InferenceSession.ValueMetadata): ModelValue {
  return metadata.isTensor ? { name: metadata.name, dtype: metadata.type, shape: metadata.shape } : { name: metadata.name, dtype: 'other', shape: [] };
}

function mapTensors(tensors: Feeds, map: (tensor: Tensor) => OnnxTensor): { readonly [name: string]: OnnxTensor } {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, map(tensor)]));
}

/** Which check proves that ONNX Runtime's array is the one of the element type. */
const arrayChecks: { readonly [D in DType]: (data: unknown) => data is TypedArrayOf[D] } = {
  float32: (data): data is Float32Array => data instanceof Float32Array,
  float64: (data): data is Float64Array => data instanceof Float64Array,
  int64: (data): data is BigInt64Array => data instanceof BigInt64Array,
  int32: (data): data is Int32Array => data instanceof Int32Array,
  bool: (data): data is Uint8Array => data instanceof Uint8Array,
  uint8: (data): data is Uint8Array => data instanceof Uint8Array,
};

function fromNative(name: string, value: OnnxTensor): Tensor {
  switch (value.type) {
    case 'float32':
      return checked('float32', name, value);
    case 'float64':
      return checked('float64', name, value);
    case 'int64':
      return checked('int64', name, value);
    case 'int32':
      return checked('int32', name, value);
    case 'bool':
      return checked('bool', name, value);
    case 'uint8':
      return checked('uint8', name, value);
    default:
      throw new InvariantError('runtime.dtype', `The output "${name}" has element type ${value.type}, which Isogloss does not use.`);
  }
}

function checked<D extends DType>(dtype: D, name: string, value: OnnxTensor) {
  const data: unknown = value.data;
  if (!arrayChecks[dtype](data)) throw new InvariantError('runtime.dtype', `The output "${name}" should be held in a ${dtype} array.`);
  return tensorOf(dtype, value.dims, data);
}

function expectNames(kind: 'input' | 'output', names: readonly string[], known: readonly ModelValue[]): void {
  const unknown = names.find((name) => !known.some((value) => value.name === name));
  if (unknown !== undefined) {
    throw new InvariantError('runtime.unknown-name', `The model has no ${kind} "${unknown}"; it has ${known.map(({ name }) => name).join(', ')}.`);
  }
}

function describe(feeds: Feeds): string {
  return Object.entries(feeds).map(([name, tensor]) => `${name} ${tensor.dtype} ${formatShape(tensor.shape)}`).join(', ');
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
