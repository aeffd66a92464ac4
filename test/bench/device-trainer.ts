/** A full step of training on a graphics card: the engine whose parameters, gradients and moments live there. */
import { ADAMW_DEFAULTS, createDenseAdamwState, createRowAdamwState, heapAllocator } from '../../core/optimizers/adamw.ts';
import type { TransformerPooling, TransformerShape } from '../../core/modules/index.ts';
import type { Device } from '../../core/runtime/device.ts';
import { createDeviceEngine } from '../../core/training/transformer/device-engine.ts';
import { TOKEN_TABLE, type FusedLoss } from '../../core/training/transformer/engine.ts';

export type DeviceTrainerOptions = {
  readonly shape: TransformerShape;
  readonly pooling: TransformerPooling;
  readonly values: ReadonlyMap<string, Float32Array>;
  readonly decays: (name: string) => boolean;
  readonly loss: (pairs: number) => FusedLoss;
  readonly learningRate: number;
  readonly threads: number;
  readonly device: Device;
};

/** A step gives its loss; what the card has not finished by then is in the time of the next step, which waits for it. */
export function createDeviceTrainer(options: DeviceTrainerOptions): (queries: readonly Uint32Array[], documents: readonly Uint32Array[]) => Promise<number> {
  const { shape, pooling, values, decays, loss, learningRate, threads, device } = options;
  const stateOf = (name: string, length: number) => (name === TOKEN_TABLE ? createRowAdamwState({ rows: shape.vocabularySize, width: shape.width, allocator: heapAllocator }) : createDenseAdamwState({ length, allocator: heapAllocator }));
  const states = new Map([...values].map(([name, { length }]) => [name, stateOf(name, length)]));
  const opening = createDeviceEngine({ shape, pooling, parameters: values, trainable: new Set(values.keys()), dropout: null, lowRank: null, states, settings: ADAMW_DEFAULTS, decays, threads, device });
  return async (queries, documents) => {
    const engine = await opening;
    const sequences = [...queries, ...documents];
    engine.begin(sequences);
    const value = await engine.lossGradients(sequences, loss(queries.length), {});
    await engine.apply({ learningRate, scale: 1 });
    return value;
  };
}
