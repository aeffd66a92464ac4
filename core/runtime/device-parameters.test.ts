/** Do parameters that live on a device follow the kernels' AdamW, whole and by rows, with accumulation and clipping? */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { ADAMW_DEFAULTS, createDenseAdamwState, createRowAdamwState, heapAllocator, stepDenseAdamw, stepRowAdamw } from '../optimizers/adamw.ts';
import { clippingScale, globalNorm } from '../optimizers/clipping.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { createKernels } from '../optimizers/create-kernels.ts';
import type { Device } from './device.ts';
import { createDeviceParameters, type DeviceParameter } from './device-parameters.ts';
import { probeDevice } from './probe-device.ts';
import { createTransfer } from './transfer.ts';

const [ROWS, WIDTH, OUT] = [12, 8, 4];
const KEPT_ROW = 0; // as if it stood for padding
const LEARNING_RATE = 0.01;
const MAXIMUM_NORM = 0.5;
const STEPS = 3;
const TOLERANCE = 1e-5; // absolute; values are about 1

const isThere = (await probeDevice('webgpu', { threads: 1 })).status === 'works';
const settings = { ...ADAMW_DEFAULTS, weightDecay: 0.1 };

function draw(length: number, purpose: string): Float32Array {
  const random = seededRandom(3, purpose);
  return Float32Array.from({ length }, () => random.normal());
}

/** The same three parameters twice: for the device and for the kernels. */
function parameters(): readonly (DeviceParameter & { readonly moments: NonNullable<DeviceParameter['moments']> })[] {
  const dense = (length: number) => createDenseAdamwState({ length, allocator: heapAllocator });
  return [
    { name: 'weight', shape: [OUT, WIDTH], update: 'whole', decays: true, values: draw(OUT * WIDTH, 'weight'), moments: dense(OUT * WIDTH) },
    { name: 'bias', shape: [OUT], update: 'whole', decays: false, values: draw(OUT, 'bias'), moments: dense(OUT) },
    { name: 'table', shape: [ROWS, WIDTH], update: 'rows', decays: true, keptRow: KEPT_ROW, values: draw(ROWS * WIDTH, 'table'), moments: createRowAdamwState({ rows: ROWS, width: WIDTH, allocator: heapAllocator }) },
  ];
}

/** The gradients of a step: two slices of a batch, which use different rows. */
const slices = [Int32Array.of(1, 4, 9), Int32Array.of(0, 4, 11)];
const gradient = (name: string, step: number, slice: number, length: number): Float32Array => draw(length, `${name} ${step} ${slice}`);

/** The gradient of the row that is kept is 0, as that of padding. */
function rowGradient(rows: Int32Array, step: number, slice: number): Float32Array {
  return gradient('table', step, slice, rows.length * WIDTH).map((value, i) => (rows[Math.floor(i / WIDTH)] === KEPT_ROW ? 0 : value));
}

function followKernels(): ReturnType<typeof parameters> {
  const own = parameters();
  const kernels = createKernels(createKernelMemory(1 << 20));
  for (let step = 0; step < STEPS; step += 1) {
    const rows = Int32Array.of(0, 1, 4, 9, 11);
    const sums = own.map(({ name, values }) => {
      const sum = new Float32Array(name === 'table' ? rows.length * WIDTH : values.length);
      slices.forEach((used, slice) => {
        if (name !== 'table') gradient(name, step, slice, sum.length).forEach((value, i) => (sum[i] = (sum[i] ?? 0) + value));
        else rowGradient(used, step, slice).forEach((value, i) => {
          const at = rows.indexOf(used[Math.floor(i / WIDTH)] ?? -1) * WIDTH + (i % WIDTH);
          sum[at] = (sum[at] ?? 0) + value;
        });
      });
      return sum;
    });
    const gradientScale = clippingScale({ norm: globalNorm(kernels, sums), maximum: MAXIMUM_NORM });
    own.forEach(({ update, decays, values, moments: state }, i) => {
      const shared = { kernels, settings: { ...settings, weightDecay: decays ? settings.weightDecay : 0 }, learningRate: LEARNING_RATE, gradientScale, values, state };
      if (update === 'rows') stepRowAdamw({ ...shared, width: WIDTH, rows: rows.subarray(1), rowGradients: (sums[i] ?? new Float32Array()).subarray(WIDTH) });
      else stepDenseAdamw({ ...shared, gradients: sums[i] ?? new Float32Array() });
    });
  }
  return own;
}

function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  const apart = Array.from(expected, (value, i) => Math.abs(value - (found[i] ?? Number.NaN)));
  expect(Math.max(...apart), what).toBeLessThan(TOLERANCE);
}

for (const device of ['cpu', 'webgpu'] satisfies Device[]) {
  describe.skipIf(device === 'webgpu' && !isThere)(`parameters on ${device}`, () => {
    it('follow the kernels over several clipped steps of accumulated gradients, and come back', async () => {
      const own = parameters();
      await using held = await createDeviceParameters({ device, threads: 1, parameters: own, settings });
      await using transfer = createTransfer({ device, threads: 1 });
      const before = own.map(({ values }) => values.slice());
      for (let step = 0; step < STEPS; step += 1) {
        for (const [slice, rows] of slices.entries()) {
          await held.add('weight', await transfer.upload([OUT, WIDTH], gradient('weight', step, slice, OUT * WIDTH)));
          await held.add('bias', await transfer.upload([OUT], gradient('bias', step, slice, OUT)));
          held.addRows('table', rows, await transfer.upload([rows.length, WIDTH], rowGradient(rows, step, slice)));
        }
        const norm = Math.sqrt(await held.squaredNorm());
        expect(norm).toBeGreaterThan(MAXIMUM_NORM);
        await held.apply({ learningRate: LEARNING_RATE, scale: clippingScale({ norm, maximum: MAXIMUM_NORM }) });
      }
      expect(own.map(({ values }) => values)).toEqual(before); // nothing comes back unasked
      await held.bringBack();
      followKernels().forEach(({ name, values, moments }, i) => {
        expectClose(own[i]?.values ?? [], values, name);
        expectClose(own[i]?.moments.means ?? [], moments.means, `${name} means`);
        expectClose(own[i]?.moments.variances ?? [], moments.variances, `${name} variances`);
        expect(own[i]?.moments.steps, name).toEqual(moments.steps);
      });
      expect(own[2]?.values.subarray(2 * WIDTH, 3 * WIDTH)).toEqual(before[2]?.subarray(2 * WIDTH, 3 * WIDTH)); // a row that no batch used
    });

    it('say when a gradient is not finite, forget it, and take what is sent again', async () => {
      const own = parameters().slice(0, 2);
      await using held = await createDeviceParameters({ device, threads: 1, parameters: own, settings });
      await using transfer = createTransfer({ device, threads: 1 });
      await held.add('bias', await transfer.upload([OUT], Float32Array.of(1, Number.NaN, 1, 1)));
      expect(await held.squaredNorm()).toBeNaN();
      held.dropGradients();
      expect(await held.squaredNorm()).toBe(0);
      await held.apply({ learningRate: LEARNING_RATE, scale: 1 });
      await held.bringBack();
      expect(own[1]?.values).toEqual(draw(OUT, 'bias'));
      own[1]?.values.fill(2);
      await held.send();
      own[1]?.values.fill(0);
      await held.bringBack({ valuesOnly: true });
      expect(own[1]?.values).toEqual(new Float32Array(OUT).fill(2));
    });
  });
}
