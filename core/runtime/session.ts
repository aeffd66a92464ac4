/** How is an ONNX model run? A session takes tensors by name and gives tensors by name; it is closed when done. */
import { InvariantError } from '../base/errors.ts';
import type { Shape } from '../tensor/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Device } from './device.ts';
import { describeFeeds, fromNative } from './native-tensor.ts';
import { loadOnnxRuntime, type InferenceSession, type OnnxTensor } from './onnx-runtime.ts';
import { openModel, runFailure, type SessionOptions } from './open-model.ts';

export type { Device } from './device.ts';
export type { SessionOptions } from './open-model.ts';

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
   *   EnvironmentError 'runtime.out-of-memory', 'runtime.device-failed' (anywhere but on the CPU).
   */
  readonly run: (feeds: Feeds, options?: RunOptions) => Promise<Outputs>;
  /** Frees the model after the runs under way; may be called twice. Also bound to `await using`. */
  readonly dispose: () => Promise<void>;
};

/**
 * Loads a model whose inputs and outputs are ordinary arrays; device-session.ts keeps outputs on the device.
 *
 * @param modelBytes an ONNX model without external data, in the device's dialect (core/graph/dialect.ts).
 * @throws as `openModel`.
 */
export async function createSession(modelBytes: Uint8Array, options: SessionOptions = {}): Promise<Session> {
  const { native, device, threads } = await openModel(modelBytes, options);
  const onnx = await loadOnnxRuntime();
  const inputs = native.inputMetadata.map(modelValue);
  const outputs = native.outputMetadata.map(modelValue);
  const underWay = new Set<Promise<unknown>>();
  let disposed: Promise<void> | null = null;

  const run: Session['run'] = async (feeds, runOptions = {}) => {
    if (disposed !== null) throw new InvariantError('runtime.disposed', 'This session was disposed before the run.');
    if (device !== 'cpu' && Object.keys(runOptions.into ?? {}).length > 0) throw new InvariantError('runtime.into', `Outputs can be written into given arrays on the CPU only; this session is on ${device}, which would ignore them.`);
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
      throw runFailure(cause, device, describeFeeds(feeds));
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

function expectNames(kind: 'input' | 'output', names: readonly string[], known: readonly ModelValue[]): void {
  const unknown = names.find((name) => !known.some((value) => value.name === name));
  if (unknown !== undefined) {
    throw new InvariantError('runtime.unknown-name', `The model has no ${kind} "${unknown}"; it has ${known.map(({ name }) => name).join(', ')}.`);
  }
}
