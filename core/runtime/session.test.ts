/** Does a session compute, stay deterministic, read in place, refuse what is wrong, and close? */
import { describe, expect, it } from 'vitest';
import { EnvironmentError, InvariantError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { createKernelMemory } from '../optimizers/kernel-memory.ts';
import { tensorOf } from '../tensor/tensor.ts';
import { createSession } from './session.ts';

/** scores = queries x documents^T, total = their sum. */
function scoreModel(): Uint8Array {
  const g = createGraphBuilder('scores');
  const queries = g.input('queries', 'float32', ['B', 'H']);
  const documents = g.input('documents', 'float32', ['N', 'H']);
  const scores = g.matMul(queries, g.transpose(documents, [1, 0])); // [B, N]
  return encodeModel(g.build({ scores, total: g.reduceSum(scores) }));
}

const queries = tensorOf('float32', [1, 2], Float32Array.of(1, 10));
const documents = tensorOf('float32', [3, 2], Float32Array.of(1, 2, 3, 4, 5, 6));

function draw(length: number, purpose: string): Float32Array {
  const random = seededRandom(1, purpose);
  return Float32Array.from({ length }, () => random.normal());
}

describe('a session', () => {
  it('computes what the graph says and tells the names, types and shapes', async () => {
    await using session = await createSession(scoreModel(), { threads: 1 });
    expect(session.inputs.map(({ name, dtype }) => [name, dtype])).toEqual([['queries', 'float32'], ['documents', 'float32']]);
    expect(session.outputs.map(({ name }) => name)).toEqual(['scores', 'total']);
    const { scores, total } = await session.run({ queries, documents });
    expect(scores).toEqual(tensorOf('float32', [1, 3], Float32Array.of(21, 43, 65)));
    expect(total).toEqual(tensorOf('float32', [], Float32Array.of(129)));
  });

  it('computes only the outputs asked for', async () => {
    await using session = await createSession(scoreModel(), { threads: 1 });
    expect(Object.keys(await session.run({ queries, documents }, { outputs: ['total'] }))).toEqual(['total']);
  });

  it('reads feeds inside a kernel memory, and writes outputs into given arrays', async () => {
    const memory = createKernelMemory(65536);
    const [inside, scores] = [memory.float32(6), memory.float32(3)];
    inside.set(documents.data);
    await using session = await createSession(scoreModel(), { threads: 1 });
    const results = await session.run(
      { queries, documents: tensorOf('float32', [3, 2], inside) },
      { outputs: ['total'], into: { scores: tensorOf('float32', [1, 3], scores) } },
    );
    expect([...scores]).toEqual([21, 43, 65]);
    expect(results['scores']?.data).toBe(scores);
    expect(results['total']?.data[0]).toBe(129);
  });

  it('gives the same bits in two sessions of equal thread count', async () => {
    const feeds = { queries: tensorOf('float32', [60, 256], draw(60 * 256, 'q')), documents: tensorOf('float32', [70, 256], draw(70 * 256, 'd')) };
    for (const threads of [1, 2]) {
      await using first = await createSession(scoreModel(), { threads });
      await using second = await createSession(scoreModel(), { threads });
      const expected = await first.run(feeds);
      expect(await first.run(feeds)).toEqual(expected);
      expect(await second.run(feeds)).toEqual(expected);
    }
  });

  it('refuses names the model has not, missing inputs and wrong shapes, with the cause kept', async () => {
    await using session = await createSession(scoreModel(), { threads: 1 });
    await expect(session.run({ queries, documents, more: queries })).rejects.toThrow(/no input "more"; it has queries, documents/);
    await expect(session.run({ queries })).rejects.toThrow(/needs the input "documents"/);
    await expect(session.run({ queries, documents }, { outputs: ['loss'] })).rejects.toThrow(/no output "loss"/);
    const failure = await session.run({ queries, documents: tensorOf('float32', [2, 3], documents.data) }).catch((thrown: unknown) => thrown);
    if (!(failure instanceof InvariantError)) throw new Error('expected an InvariantError');
    expect(failure.code).toBe('runtime.run-failed');
    expect(failure.message).toContain('documents float32 [2, 3]');
    expect(failure.cause).toBeInstanceOf(Error);
    expect((await session.run({ queries, documents }))['total']?.data[0]).toBe(129); // and works on
  });

  it('lets runs under way end, then refuses others', async () => {
    const session = await createSession(scoreModel(), { threads: 1 });
    const running = session.run({ queries, documents });
    const closing = session.dispose();
    await expect(session.run({ queries, documents })).rejects.toThrow(InvariantError);
    expect((await running)['total']?.data[0]).toBe(129);
    await closing;
    await session.dispose();
  });
});

describe('creating a session', () => {
  it('refuses bytes that are no model with an EnvironmentError', async () => {
    const refusal = createSession(Uint8Array.of(1, 2, 3, 4));
    await expect(refusal).rejects.toThrow(EnvironmentError);
    await expect(refusal).rejects.toMatchObject({ code: 'runtime.model-refused' });
  });

  it('refuses no threads', async () => {
    await expect(createSession(scoreModel(), { threads: 0 })).rejects.toThrow(InvariantError);
  });
});
