/** Is a device always chosen, with its sentence, and never a graphics card that is absent, wrong or slow? */
import { describe, expect, it } from 'vitest';
import { chooseDevice } from './choose-device.ts';
import { DEVICE_WISHES, listDevices, type Device, type DeviceWish } from './device.ts';
import { probeDevice, type DeviceProbe } from './probe-device.ts';
import { defaultThreads } from './threads.ts';

const absent: DeviceProbe = { status: 'absent', detail: 'SIGABRT' };
const wrong: DeviceProbe = { status: 'wrong-results', detail: 'relative difference 0.5' };
const works = (deviceMs: number, cpuMs = 30): DeviceProbe => ({ status: 'works', deviceMs, cpuMs });

function choice(wish: DeviceWish, found: Partial<Record<Device, DeviceProbe>>) {
  const list = (): Promise<readonly Device[]> => Promise.resolve(['cpu', 'webgpu', 'cuda']);
  return chooseDevice(wish, { threads: 1, list, probe: (device) => Promise.resolve(found[device] ?? absent) });
}

describe('the device', () => {
  it('is the CPU when asked for, without probing', async () => {
    const probe = (): Promise<DeviceProbe> => Promise.reject(new Error('probed'));
    expect(await chooseDevice('cpu', { threads: 1, probe })).toMatchObject({ device: 'cpu', code: 'device.asked' });
  });

  it('falls back to the CPU when it is absent, wrong or not offered, whatever was asked', async () => {
    expect(await choice('webgpu', {})).toMatchObject({ device: 'cpu', code: 'device.absent', detail: 'webgpu absent: SIGABRT' });
    expect(await choice('auto', {})).toMatchObject({ device: 'cpu', code: 'device.only-cpu' });
    for (const wish of ['auto', 'webgpu'] as const) expect(await choice(wish, { webgpu: wrong })).toMatchObject({ device: 'cpu', code: 'device.wrong-results' });
    expect(await choice('dml', { dml: works(1) })).toMatchObject({ device: 'cpu', code: 'device.not-offered' });
  });

  it('is the fastest under auto, and the one asked for otherwise', async () => {
    expect(await choice('auto', { webgpu: works(10) })).toMatchObject({ device: 'webgpu', code: 'device.fastest' });
    expect(await choice('auto', { webgpu: works(10), cuda: works(5) })).toMatchObject({ device: 'cuda', code: 'device.fastest' });
    expect(await choice('auto', { webgpu: works(29), cuda: wrong })).toMatchObject({ device: 'cpu', code: 'device.cpu-fastest' });
    expect(await choice('webgpu', { webgpu: works(100) })).toMatchObject({ device: 'webgpu', code: 'device.asked' });
  });

  it('is said in one sentence, with what was measured', async () => {
    for (const found of [absent, wrong, works(1), works(100)]) {
      for (const wish of DEVICE_WISHES) expect((await choice(wish, { webgpu: found })).message).toMatch(/^[A-Z][^.]*\.$/);
    }
    expect((await choice('auto', { webgpu: works(10) })).message).toContain('10 ms for a short step, against 30 ms');
  });
});

describe('the devices', () => {
  it('that the installed runtime offers begin with the CPU and hold WebGPU', async () => {
    const offered = await listDevices();
    expect(offered[0]).toBe('cpu');
    expect(offered).toContain('webgpu');
  });
});

describe('the probe', () => {
  it('finds that the CPU works and calculates as itself', async () => {
    expect(await probeDevice('cpu', { threads: 1 })).toMatchObject({ status: 'works' });
  });

  it('of every offered device ends with an answer, and not with a crash', async () => {
    for (const device of await listDevices()) {
      const found = await probeDevice(device, { threads: 1 });
      expect(['works', 'absent', 'wrong-results']).toContain(found.status);
      if (found.status === 'works') expect(found.deviceMs).toBeGreaterThan(0);
      else expect(found.detail).not.toBe('');
    }
  });

  it('ends at once when it is cancelled', async () => {
    await expect(chooseDevice('auto', { threads: 1, signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow('cancelled');
    expect(await probeDevice('cpu', { threads: 1, signal: AbortSignal.abort() })).toMatchObject({ status: 'absent' });
  });
});

describe('the default thread count', () => {
  it('is a whole number from 1 to 8', () => {
    expect(defaultThreads()).toBe(Math.floor(defaultThreads()));
    expect(defaultThreads()).toBeGreaterThanOrEqual(1);
    expect(defaultThreads()).toBeLessThanOrEqual(8);
  });
});
