/** How do arrays get onto a device, and back? Through identity graphs: `getData` of a tensor on a graphics card ends the process. */
import { InvariantError } from '../base/errors.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import type { Graph } from '../graph/graph.ts';
import type { StaticShape } from '../tensor/shape.ts';
import { tensorOf, type TensorOf } from '../tensor/tensor.ts';
import { createDeviceSession, type DeviceSession, type DeviceTensor } from './device-session.ts';
import type { SessionOptions } from './open-model.ts';

export type Transfer = AsyncDisposable & {
  /** A copy of float32 numbers on the device. */
  readonly upload: (shape: StaticShape, data: Float32Array) => Promise<DeviceTensor>;
  /** Copies a float32 tensor of the device into the array. @throws InvariantError when their lengths differ. */
  readonly readInto: (tensor: DeviceTensor, into: Float32Array) => Promise<void>;
};

const symbols = ['A', 'B', 'C', 'D'];

function identity(rank: number): Graph {
  const g = createGraphBuilder(`identity-${rank}`);
  const x = g.input('x', 'float32', symbols.slice(0, rank));
  return g.build({ y: g.detach(x) });
}

/** Opens the two sessions of each rank when they are first needed. */
export function createTransfer(options: SessionOptions): Transfer {
  const sessions = new Map<string, Promise<DeviceSession>>();
  const session = (way: 'up' | 'down', rank: number): Promise<DeviceSession> => {
    const key = `${way} ${rank}`;
    const known = sessions.get(key) ?? createDeviceSession(identity(rank), { ...options, stays: way === 'up' ? ['y'] : [] });
    sessions.set(key, known);
    return known;
  };
  return {
    upload: async (shape, data) => {
      const { kept } = await (await session('up', shape.length)).run({ x: tensorOf('float32', shape, data) });
      return the(kept['y']);
    },
    readInto: async (tensor, into) => {
      const { read } = await (await session('down', tensor.shape.length)).run({ x: tensor });
      const { data } = floats(read['y']);
      if (data.length !== into.length) throw new InvariantError('runtime.read-back', `The array has room for ${into.length} numbers, the tensor ${data.length}.`);
      into.set(data);
    },
    [Symbol.asyncDispose]: async () => {
      for (const opened of sessions.values()) await (await opened).dispose();
      sessions.clear();
    },
  };
}

/** An output that must be there. */
export function the<T>(output: T | undefined): T {
  if (output === undefined) throw new InvariantError('runtime.no-output', 'A graph gave fewer outputs than it has.');
  return output;
}

/** A float32 output that must be there. */
export function floats(output: { readonly dtype: string } | undefined): TensorOf<'float32'> {
  if (output?.dtype !== 'float32') throw new InvariantError('runtime.no-output', `A float32 output was expected, found ${output?.dtype ?? 'none'}.`);
  return output as TensorOf<'float32'>; // boundary: the element type was checked on the line above
}
