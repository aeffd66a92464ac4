/** On which device does the training run? The one asked for, or the faster one; never a crash, and always one sentence why. */
import { assertNever } from '../base/errors.ts';
import { probeWebGpu, type WebGpuProbe } from './probe-webgpu.ts';
import type { Device } from './session.ts';

export type DeviceWish = 'auto' | Device;

export type DeviceChoice = {
  readonly device: Device;
  /** Stable key for translation. */
  readonly code: 'device.cpu-asked' | 'device.webgpu-asked' | 'device.webgpu-faster' | 'device.cpu-faster' | 'device.webgpu-absent' | 'device.webgpu-wrong';
  /** One sentence for the user. */
  readonly message: string;
  /** For the log: what the driver said. */
  readonly detail: string;
};

/** A graphics card has to be this much faster in the probe: data has to travel to it in every step. */
const WORTHWHILE_SPEED_UP = 1.5;

/**
 * Chooses by measuring: WebGPU is probed in a child process (a few seconds at most; nothing is probed when the CPU is asked
 * for), and falls back to the CPU when it is absent, gives wrong numbers, or under 'auto' is not clearly faster.
 * Results are bit-identical between runs on the CPU only.
 */
export async function chooseDevice(
  wish: DeviceWish,
  options: { readonly threads: number; readonly signal?: AbortSignal; readonly probe?: typeof probeWebGpu },
): Promise<DeviceChoice> {
  const { probe = probeWebGpu, ...probeOptions } = options;
  if (wish === 'cpu') return { device: 'cpu', code: 'device.cpu-asked', message: 'Training on the processor, as asked.', detail: '' };
  const found = await probe(probeOptions);
  options.signal?.throwIfAborted();
  return chosen(wish, found);
}

function chosen(wish: 'auto' | 'webgpu', found: WebGpuProbe): DeviceChoice {
  switch (found.status) {
    case 'absent':
      return { device: 'cpu', code: 'device.webgpu-absent', message: 'Training on the processor: no usable graphics card was found here.', detail: found.detail };
    case 'wrong-results':
      return { device: 'cpu', code: 'device.webgpu-wrong', message: 'Training on the processor: the graphics card calculates differently, so its driver is not used.', detail: found.detail };
    case 'works':
      return bySpeed(wish, found);
    default:
      return assertNever(found, 'WebGPU probe');
  }
}

function bySpeed(wish: 'auto' | 'webgpu', { cpuMs, webgpuMs }: { readonly cpuMs: number; readonly webgpuMs: number }): DeviceChoice {
  const detail = `probe: cpu ${cpuMs.toFixed(1)} ms, webgpu ${webgpuMs.toFixed(1)} ms`;
  if (wish === 'webgpu') return { device: 'webgpu', code: 'device.webgpu-asked', message: 'Training on the graphics card, as asked.', detail };
  return cpuMs >= WORTHWHILE_SPEED_UP * webgpuMs
    ? { device: 'webgpu', code: 'device.webgpu-faster', message: 'Training on the graphics card: it is faster here than the processor.', detail }
    : { device: 'cpu', code: 'device.cpu-faster', message: 'Training on the processor: the graphics card here would not be clearly faster.', detail };
}
