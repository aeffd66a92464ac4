/** Is a device always chosen, with its sentence, and never a graphics card that is absent, wrong or slow? */
import { describe, expect, it } from 'vitest';
import { chooseDevice } from './choose-device.ts';
import { probeWebGpu, type WebGpuProbe } from './probe-webgpu.ts';
import { defaultThreads } from './threads.ts';

function choice(wish: 'auto' | 'cpu' | 'webgpu', found: WebGpuProbe) {
  return chooseDevice(wish, { threads: 1, probe: () => Promise.resolve(found) });
}

describe('the device', () => {
  it('is the CPU when asked for, without probing', async () => {
    const probe = (): Promise<WebGpuProbe> => Promise.reject(new Error('probed'));
    expect(await chooseDevice('cpu', { threads: 1, probe })).toMatchObject({ device: 'cpu', code: 'device.cpu-asked' });
  });

  it('falls back to the CPU when WebGPU is absent or wrong, whatever was asked', async () => {
    for (const wish of ['auto', 'webgpu'] as const) {
      expect(await choice(wish, { status: 'absent', detail: 'SIGABRT' })).toMatchObject({ device: 'cpu', code: 'device.webgpu-absent', detail: 'SIGABRT' });
      expect(await choice(wish, { status: 'wrong-results', detail: '' })).toMatchObject({ device: 'cpu', code: 'device.webgpu-wrong' });
    }
  });

  it('is the faster one under auto, and the one asked for otherwise', async () => {
    expect(await choice('auto', { status: 'works', cpuMs: 30, webgpuMs: 10 })).toMatchObject({ device: 'webgpu', code: 'device.webgpu-faster' });
    expect(await choice('auto', { status: 'works', cpuMs: 11, webgpuMs: 10 })).toMatchObject({ device: 'cpu', code: 'device.cpu-faster' });
    expect(await choice('webgpu', { status: 'works', cpuMs: 10, webgpuMs: 100 })).toMatchObject({ device: 'webgpu', code: 'device.webgpu-asked' });
  });

  it('is said in one sentence', async () => {
    const sentence = /^[A-Z][^.]*\.$/;
    for (const found of [{ status: 'absent', detail: '' }, { status: 'wrong-results', detail: '' }, { status: 'works', cpuMs: 1, webgpuMs: 1 }] as const) {
      for (const wish of ['auto', 'cpu', 'webgpu'] as const) expect((await choice(wish, found)).message).toMatch(sentence);
    }
  });
});

describe('the probe', () => {
  it('ends on this machine with an answer, and not with a crash', async () => {
    const found = await probeWebGpu({ threads: 1 });
    expect(['works', 'absent', 'wrong-results']).toContain(found.status);
    if (found.status === 'works') expect(found.cpuMs).toBeGreaterThan(0);
    else expect(found.detail).not.toBe('');
  });

  it('ends at once when it is cancelled', async () => {
    await expect(chooseDevice('auto', { threads: 1, signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow('cancelled');
  });
});

describe('the default thread count', () => {
  it('is a whole number from 1 to 8', () => {
    expect(defaultThreads()).toBe(Math.floor(defaultThreads()));
    expect(defaultThreads()).toBeGreaterThanOrEqual(1);
    expect(defaultThreads()).toBeLessThanOrEqual(8);
  });
});
