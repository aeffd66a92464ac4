/**
 * How is a graph run on tensors that stay where they were computed? On WebGPU an output named in `stays` remains in the card's
 * memory and is fed to the next run without a copy; on other devices it remains an ordinary array, so the same code runs there.
 */
import { InvariantError } from '../base/errors.ts';
import { webgpuDialect } from '../graph/dialect.ts';
import type { Graph } from '../graph/graph.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import type { DType } from '../tensor/dtype.ts';
import type { StaticShape } from '../tensor/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Device } from './device.ts';
import { describeFeeds, dtypeOf, fromNative } from './native-tensor.ts';
import { loadOnnxRuntime, type OnnxTensor } from './onnx-runtime.ts';
import { openModel, runFailure, type SessionOptions } from './open-model.ts';

/** A tensor on a device. Its elements are read through `createTransfer` only; whoever holds it disposes it. */
export type DeviceTensor = {
  readonly dtype: DType;
  readonly shape: StaticShape;
  readonly native: OnnxTensor;
  /** Frees its memory; may be called twice. */
  readonly dispose: () => void;
};

export type DeviceFeeds = { readonly [name: string]: Tensor | DeviceTensor };

export type DeviceResults = {
  /** The outputs that came over into ordinary memory. */
  readonly read: { readonly [name: string]: Tensor };
  /** The outputs that stayed; the caller disposes them. */
  readonly kept: { readonly [name: string]: DeviceTensor };
};

export type DeviceSession = AsyncDisposable & {
  readonly device: Device;
  /** Runs the graph once. BLOCKS this thread. @throws EnvironmentError 'runtime.device-failed', 'runtime.out-of-memory'; InvariantError. */
  readonly run: (feeds: DeviceFeeds) => Promise<DeviceResults>;
  readonly dispose: () => Promise<void>;
};

/** The graph's ONNX model in the dialect of the device. */
export function modelFor(graph: Graph, device: Device): Uint8Array {
  return encodeModel(device === 'webgpu' ? webgpuDialect(graph) : graph);
}

/**
 * @param stays  names of the outputs that stay on the device; the others are read. One session per such set.
 * @param profilePrefix  writes a session profile (which device ran which node) to a file of that prefix, when disposed; for tests.
 * @throws as `openModel`.
 */
export async function createDeviceSession(graph: Graph, options: SessionOptions & { readonly stays?: readonly string[]; readonly profilePrefix?: string }): Promise<DeviceSession> {
  const { stays = [], profilePrefix } = options;
  const onnx = await loadOnnxRuntime();
  const { native, device } = await openModel(modelFor(graph, options.device ?? 'cpu'), options);
  let isOver = false;
  const run = async (feeds: DeviceFeeds): Promise<DeviceResults> => {
    if (isOver) throw new InvariantError('runtime.disposed', 'This session was disposed before the run.');
    const missing = native.inputNames.find((name) => feeds[name] === undefined);
    if (missing !== undefined) throw new InvariantError('runtime.unknown-name', `The model needs the input "${missing}", which was not fed.`);
    const nativeFeeds: Record<string, OnnxTensor> = {};
    for (const name of native.inputNames) {
      const tensor = feeds[name];
      if (tensor !== undefined) nativeFeeds[name] = 'native' in tensor ? tensor.native : new onnx.Tensor(tensor.dtype, tensor.data, tensor.shape);
    }
    const results = await native.run(nativeFeeds).catch((cause: unknown) => {
      throw runFailure(cause, device, describeFeeds(feeds));
    });
    const read: Record<string, Tensor> = {};
    const kept: Record<string, DeviceTensor> = {};
    for (const [name, result] of Object.entries(results)) {
      if (stays.includes(name)) kept[name] = deviceTensor(name, result);
      else read[name] = fromNative(name, result);
    }
    return { read, kept };
  };
  const dispose = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    if (profilePrefix !== undefined) native.endProfiling();
    await native.release();
  };
  return { device, run, dispose, [Symbol.asyncDispose]: dispose };
}

function deviceTensor(name: string, native: OnnxTensor): DeviceTensor {
  let isOver = false;
  const dispose = (): void => {
    if (isOver) return;
    isOver = true;
    if (native.location === 'gpu-buffer') native.dispose();
  };
  return { dtype: dtypeOf(name, native), shape: native.dims, native, dispose };
}
