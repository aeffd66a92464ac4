/** On which device does the training run? The one asked for, or the fastest; never a crash, and always one sentence why. */
import { deviceNames, listDevices, type Device, type DeviceWish } from './device.ts';
import { probeDevice, type DeviceProbe } from './probe-device.ts';

export type { DeviceWish } from './device.ts';

export type DeviceChoice = {
  readonly device: Device;
  /** Stable key for translation. */
  readonly code: 'device.asked' | 'device.fastest' | 'device.cpu-fastest' | 'device.only-cpu' | 'device.not-offered' | 'device.absent' | 'device.wrong-results';
  /** One sentence for the user. */
  readonly message: string;
  /** For the log: what each device did, or what its driver said. */
  readonly detail: string;
  /** The places of the sentence, for translation: the card, and milliseconds of a short step there and on the processor. */
  readonly data: { readonly card?: Device; readonly cardMs?: number; readonly processorMs?: number };
};

/** A graphics card has to be this much faster in the probe: data has to travel to it in every step. */
const WORTHWHILE_SPEED_UP = 1.5;

export type ChooseOptions = {
  readonly threads: number;
  readonly signal?: AbortSignal;
  /** For tests. */
  readonly probe?: typeof probeDevice;
  readonly list?: typeof listDevices;
};

/**
 * Chooses by measuring: every device that the installed runtime offers is probed in a child process of its own with a short
 * training step (a few seconds at most; nothing is probed when the CPU is asked for), and the CPU is used when a device is
 * absent, gives wrong numbers, or under 'auto' is not clearly faster. Results are bit-identical between runs on the CPU only.
 */
export async function chooseDevice(wish: DeviceWish, { probe = probeDevice, list = listDevices, ...options }: ChooseOptions): Promise<DeviceChoice> {
  options.signal?.throwIfAborted();
  if (wish === 'cpu') return { device: 'cpu', code: 'device.asked', message: `Training on ${deviceNames.cpu}, as asked.`, detail: '', data: {} };
  const offered = await list();
  if (wish !== 'auto') {
    if (!offered.includes(wish)) return { device: 'cpu', code: 'device.not-offered', message: `Training on ${deviceNames.cpu}: the installed ONNX Runtime does not offer ${deviceNames[wish]} here (it offers ${offered.join(', ')}).`, detail: '', data: { card: wish } };
    const found = await probe(wish, options);
    options.signal?.throwIfAborted();
    return asked(wish, found);
  }
  const found: { readonly device: Device; readonly probe: DeviceProbe }[] = [];
  for (const device of offered) {
    if (device === 'cpu') continue;
    found.push({ device, probe: await probe(device, options) });
    options.signal?.throwIfAborted();
  }
  return fastest(found);
}

function asked(wish: Device, found: DeviceProbe): DeviceChoice {
  const data = { card: wish };
  if (found.status === 'works') return { device: wish, code: 'device.asked', message: `Training on ${deviceNames[wish]}, as asked.`, detail: describe(wish, found), data };
  if (found.status === 'absent') return { device: 'cpu', code: 'device.absent', message: `Training on ${deviceNames.cpu}: ${deviceNames[wish]} could not be used here.`, detail: describe(wish, found), data };
  return { device: 'cpu', code: 'device.wrong-results', message: `Training on ${deviceNames.cpu}: ${deviceNames[wish]} calculates differently, so its driver is not used.`, detail: describe(wish, found), data };
}

function fastest(found: readonly { readonly device: Device; readonly probe: DeviceProbe }[]): DeviceChoice {
  const detail = found.map(({ device, probe }) => describe(device, probe)).join('; ');
  const working = found.flatMap(({ device, probe }) => (probe.status === 'works' ? [{ device, speedUp: probe.cpuMs / probe.deviceMs, ...probe }] : []));
  const [best] = working.toSorted((a, b) => b.speedUp - a.speedUp);
  if (best === undefined) {
    const wrong = found.find(({ probe }) => probe.status === 'wrong-results');
    return wrong === undefined
      ? { device: 'cpu', code: 'device.only-cpu', message: `Training on ${deviceNames.cpu}: no usable graphics card was found here.`, detail, data: {} }
      : { ...asked(wrong.device, wrong.probe), detail };
  }
  const data = { card: best.device, cardMs: wholeMilliseconds(best.deviceMs), processorMs: wholeMilliseconds(best.cpuMs) };
  const measured = `${milliseconds(best.deviceMs)} for a short step, against ${milliseconds(best.cpuMs)}`;
  return best.speedUp >= WORTHWHILE_SPEED_UP
    ? { device: best.device, code: 'device.fastest', message: `Training on ${deviceNames[best.device]}: it needs ${measured} on the processor.`, detail, data }
    : { device: 'cpu', code: 'device.cpu-fastest', message: `Training on ${deviceNames.cpu}: ${deviceNames[best.device]} is not clearly faster here (${measured}).`, detail, data };
}

/** "3 ms": whole, at least 1. */
function milliseconds(value: number): string {
  return `${wholeMilliseconds(value)} ms`;
}

function wholeMilliseconds(value: number): number {
  return Math.max(1, Math.round(value));
}

function describe(device: Device, probe: DeviceProbe): string {
  return probe.status === 'works' ? `${device} ${probe.deviceMs.toFixed(1)} ms (cpu ${probe.cpuMs.toFixed(1)} ms)` : `${device} ${probe.status}: ${probe.detail}`;
}
