/** Which processors can calculate, what are they called, and which of them does the installed ONNX Runtime offer? */
import { loadOnnxRuntime } from './onnx-runtime.ts';

/** `cuda` and `dml` (DirectML) need a build of ONNX Runtime that has them; WebGPU is in every one. */
export const DEVICES = ['cpu', 'webgpu', 'cuda', 'dml'] as const;

export type Device = (typeof DEVICES)[number];

/** A device, or the one that is fastest here. */
export type DeviceWish = 'auto' | Device;
export const DEVICE_WISHES: readonly DeviceWish[] = ['auto', ...DEVICES];

/** How a sentence calls each device. */
export const deviceNames: { readonly [D in Device]: string } = {
  cpu: 'the processor',
  webgpu: 'the graphics card (WebGPU)',
  cuda: 'the graphics card (CUDA)',
  dml: 'the graphics card (DirectML)',
};

/**
 * The devices that the installed binding says it supports, the CPU first. That says nothing about this machine: a driver may be
 * missing or faulty, so each is probed in a child process before it is used (probe-device.ts).
 * @throws EnvironmentError 'runtime.unavailable'.
 */
export async function listDevices(): Promise<readonly Device[]> {
  const onnx = await loadOnnxRuntime();
  const supported = new Set(onnx.listSupportedBackends().map(({ name }) => name));
  return DEVICES.filter((device) => device === 'cpu' || supported.has(device));
}
