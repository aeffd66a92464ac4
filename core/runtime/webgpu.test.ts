/** Where WebGPU works: does a session on it give the numbers of the CPU? Skipped where the probe finds none. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { retrievalLoss } from '../losses/retrieval.ts';
import { numbersOf, tensorOf } from '../tensor/tensor.ts';
import { backward } from '../autodiff/backward.ts';
import { probeDevice } from './probe-device.ts';
import { createSession } from './session.ts';

const TOLERANCE = 1e-4; // relative to the largest number; float32 in another order
const found = await probeDevice('webgpu', { threads: 1 });

describe.skipIf(found.status !== 'works')('a session on WebGPU', () => {
  const [batch, width] = [12, 64];
  const g = createGraphBuilder('loss');
  const queries = g.input('queries', 'float32', ['B', width]);
  const documents = g.input('documents', 'float32', ['B', width]);
  const loss = retrievalLoss(g, { queries, documents, temperature: 0.05 });
  const gradients = backward(g, { loss, wrt: [queries, documents] });
  const random = seededRandom(1, 'webgpu');
  const draw = () => tensorOf('float32', [batch, width], Float32Array.from({ length: batch * width }, () => random.normal()));

  it('gives loss and gradients of the CPU', async () => {
    const [queryGradient, documentGradient] = [gradients.get(queries), gradients.get(documents)];
    if (queryGradient === undefined || documentGradient === undefined) throw new Error('backward gave no gradients');
    const model = encodeModel(g.build({ loss, queryGradient, documentGradient }));
    const feeds = { queries: draw(), documents: draw() };
    await using cpu = await createSession(model, { threads: 1 });
    await using webgpu = await createSession(model, { threads: 1, device: 'webgpu' });
    const expected = await cpu.run(feeds);
    const results = await webgpu.run(feeds);
    for (const [name, tensor] of Object.entries(expected)) {
      const result = results[name];
      if (result === undefined) throw new Error(`no ${name}`);
      const [wanted, got] = [numbersOf(tensor), numbersOf(result)];
      const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      expect(largest).toBeGreaterThan(0);
      got.forEach((value, i) => expect(Math.abs(value - (wanted[i] ?? NaN))).toBeLessThan(TOLERANCE * largest));
    }
  });

  it('refuses arrays to write into, which WebGPU would ignore', async () => {
    const small = createGraphBuilder('double');
    const x = small.input('x', 'float32', ['N']);
    await using session = await createSession(encodeModel(small.build({ y: small.mul(x, 2) })), { device: 'webgpu' });
    const tensor = tensorOf('float32', [1], Float32Array.of(3));
    await expect(session.run({ x: tensor }, { into: { y: tensor } })).rejects.toThrow(/CPU only/);
    expect((await session.run({ x: tensor }))['y']?.data[0]).toBe(6);
  });
});
