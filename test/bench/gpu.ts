/** How fast is training on a graphics card, and against PyTorch on the same card? Says "no GPU" where there is none. */
import { seededRandom } from '../../core/base/random.ts';
import { deviceNames, listDevices, type Device } from '../../core/runtime/device.ts';
import { probeDevice } from '../../core/runtime/probe-device.ts';
import { wholeNumber, type Command } from '../../main/cli/command.ts';
import { openOwnPeer, openTorchCardPeer, type Peer } from './line-peer.ts';
import { median, rounded } from './measures.ts';
import { MODEL_SIZES, sizeNames, stepOperations, type SizeName } from './model-sizes.ts';

const DEFAULT_STEPS = 20;
const MOST_STEPS = 10_000;
const WARM_UP_STEPS = 3;
const LENGTH = 64;
const SEED = 3;
const LEARNING_RATE = 1e-5;
const THREADS = 2;
const POOLING = 'mean';
const OPERATIONS_PER_MS_AT_ONE_TFLOPS = 1e9;

/** `losses`: of the first and the last step, by which a reader sees that the peers did the same. */
type Speed = { readonly stepsPerSecond: number; readonly stepMs: number; readonly tflops: number; readonly losses: readonly number[] };

export const gpuBenchmark: Command = {
  summary: 'Full training steps of configurations a, b and c on each graphics device, against PyTorch eager on the same card.',
  usage: '[--steps N] [--software] [--json]',
  options: { steps: { type: 'string' }, software: { type: 'boolean' } },
  run: async (values, { signal, say }) => {
    const steps = wholeNumber(values, 'steps', { least: 1, most: MOST_STEPS }) ?? DEFAULT_STEPS;
    const devices = await cards(values['software'] === true, say);
    if (devices.length === 0) return { json: { gpu: null, reason: 'no GPU' }, text: 'no GPU' };
    const sizes: Record<string, Record<string, Speed | string>> = {};
    for (const size of sizeNames) {
      const measured: Record<string, Speed | string> = {};
      for (const device of devices) measured[`isogloss ${device}`] = await speed(openOwnPeer('./isogloss-peer.ts'), { size, steps, signal, own: { device } });
      for (const precision of ['float32', 'bfloat16']) {
        const torch = openTorchCardPeer();
        measured[`pytorch cuda ${precision}`] = torch === null ? 'no PyTorch with CUDA' : await speed(torch, { size, steps, signal, own: { device: 'cuda', precision } });
      }
      say(`${size}: ${JSON.stringify(measured)}`);
      sizes[size] = measured;
    }
    const json = { gpu: devices, length: LENGTH, pooling: POOLING, steps, sizes };
    return { json, text: JSON.stringify(json, null, 2) };
  },
};

/** The devices that are faster than this processor; a driver in software (for tests) only when asked for. */
async function cards(takesSoftware: boolean, say: (line: string) => void): Promise<readonly Device[]> {
  const found: Device[] = [];
  for (const device of await listDevices()) {
    if (device === 'cpu') continue;
    const probe = await probeDevice(device, { threads: THREADS });
    const isCard = probe.status === 'works' && (takesSoftware || probe.deviceMs < probe.cpuMs);
    say(`${deviceNames[device]}: ${probe.status === 'works' ? `${probe.deviceMs.toFixed(1)} ms for a short step, ${probe.cpuMs.toFixed(1)} on the processor` : `${probe.status} (${probe.detail})`}`);
    if (isCard) found.push(device);
  }
  return found;
}

/** Retrieval and semantic loss, backward, AdamW on sequences of one length; the same token ids for every peer. */
async function speed(peer: Peer, { size, steps, signal, own }: { readonly size: SizeName; readonly steps: number; readonly signal: AbortSignal; readonly own: object }): Promise<Speed> {
  const { shape, sequences } = MODEL_SIZES[size];
  try {
    await peer.ask({ do: 'open', shape, seed: SEED, threads: THREADS, learningRate: LEARNING_RATE, pooling: POOLING, training: true, ...own });
    const random = seededRandom(SEED, `gpu ${size}`);
    const part = (): readonly (readonly number[])[] => Array.from({ length: sequences / 2 }, () => Array.from({ length: LENGTH }, () => 1 + random.integer(shape.vocabularySize - 1)));
    const times: number[] = [];
    const losses: number[] = [];
    for (let step = -WARM_UP_STEPS; step < steps; step += 1) {
      signal.throwIfAborted();
      const { wallMs, loss } = await peer.ask({ do: 'step', queries: part(), documents: part() });
      losses.push(loss);
      if (step >= 0) times.push(wallMs);
    }
    const stepMs = median(times);
    const operations = stepOperations({ shape, lengths: Array.from({ length: sequences }, () => LENGTH), pooling: POOLING, backward: true });
    return { stepsPerSecond: rounded(1000 / stepMs), stepMs: rounded(stepMs), tflops: rounded(operations / stepMs / OPERATIONS_PER_MS_AT_ONE_TFLOPS), losses: [losses[0] ?? 0, losses.at(-1) ?? 0].map(rounded) };
  } finally {
    await peer.close();
  }
}
