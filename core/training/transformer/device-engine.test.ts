/** Does a transformer that lives on a device train as it does on the CPU, and does no calculation fall back to the CPU? WebGPU is skipped where there is none. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../base/random.ts';
import { createGraphBuilder } from '../../graph/builder.ts';
import { hostNodes, webgpuDialect } from '../../graph/dialect.ts';
import { semanticContrastiveLoss } from '../../losses/semantic-contrastive.ts';
import { lowRankNames, packTokens, transformerParameters, type TransformerPooling, type TransformerShape } from '../../modules/index.ts';
import { ADAMW_DEFAULTS, createDenseAdamwState, createRowAdamwState, heapAllocator, stepDenseAdamw, stepRowAdamw } from '../../optimizers/adamw.ts';
import { clippingScale } from '../../optimizers/clipping.ts';
import { createKernels } from '../../optimizers/create-kernels.ts';
import { createKernelMemory } from '../../optimizers/kernel-memory.ts';
import { createDeviceSession } from '../../runtime/device-session.ts';
import type { Device } from '../../runtime/device.ts';
import { probeDevice } from '../../runtime/probe-device.ts';
import { tensorOf, type Tensor } from '../../tensor/tensor.ts';
import { createDeviceEngine } from './device-engine.ts';
import { createTransformerEngine, fusedGraph, TOKEN_TABLE, type EncoderOptions, type FusedLoss } from './engine.ts';

const shape: TransformerShape = { vocabularySize: 40, width: 16, layers: 2, heads: 2, feedForwardWidth: 32, positions: 12, positionOffset: 2, tokenTypes: 1, activation: 'gelu', layerNormEpsilon: 1e-5, padTokenId: 1 };
const pooling: TransformerPooling = { layers: 2, mode: 'mean', dense: null, normalise: false };
const dropout = { hidden: 0.1, attention: 0.1 };
const settings = ADAMW_DEFAULTS;
const STEPS = 5;
const LEARNING_RATE = 0.01;
const CLIPPING = 1;
const GRADIENT_TOLERANCE = 1e-4; // of the largest number of the parameter's gradient; the bound
const CURVE_TOLERANCE = 1e-3; // of the loss; rounding grows from step to step
const NEGLIGIBLE = 1e-6; // gradients of key biases are zero in theory

const isThere = (await probeDevice('webgpu', { threads: 1 })).status === 'works';

/** Open while the tests run: WebGPU keeps its compiled shaders as long as any session is. */
const held = isThere ? await holdDevice() : null;
afterAll(() => held?.dispose());

async function holdDevice() {
  const g = createGraphBuilder('double');
  const x = g.input('x', 'float32', [1]);
  return createDeviceSession(g.build({ double: g.add(x, x) }), { device: 'webgpu', threads: 1 });
}

/** Three sources and their translations, of several lengths. */
const sequences = [[0, 5, 6, 7, 2], [0, 8, 9, 2], [0, 10, 11, 12, 13, 14, 2], [0, 20, 21, 22, 2], [0, 23, 9, 2], [0, 24, 25, 26, 5, 28, 2]].map((ids) => Uint32Array.from(ids));
const halves = sequences.length / 2;

const loss: FusedLoss = {
  name: 'semantic',
  inputs: {},
  build: (g, embeddings) => semanticContrastiveLoss(g, { sources: g.slice(embeddings, { axis: 0, start: 0, end: halves }), targets: g.slice(embeddings, { axis: 0, start: halves, end: 2 * halves }), temperature: 0.1 }),
};

function start(): EncoderOptions & { readonly parameters: Map<string, Float32Array> } {
  const random = seededRandom(5, 'device-engine');
  const parameters = new Map(transformerParameters(shape).map(({ name, shape: size, kind }) => {
    const length = size.reduce((a, b) => a * b, 1);
    return [name, Float32Array.from({ length }, () => (name.endsWith('.scale') ? 1 : 0) + (kind === 'bias' ? 0.02 : 0.2) * random.normal())] as const;
  }));
  return { shape, pooling, parameters, trainable: new Set(parameters.keys()), dropout, lowRank: null };
}

const decays = (name: string): boolean => name.endsWith('.weight') || name.startsWith('embeddings.');
const stateOf = (name: string, length: number) => (name === TOKEN_TABLE ? createRowAdamwState({ rows: shape.vocabularySize, width: shape.width, allocator: heapAllocator }) : createDenseAdamwState({ length, allocator: heapAllocator }));
const statesOf = (parameters: ReadonlyMap<string, Float32Array>) => new Map([...parameters].map(([name, { length }]) => [name, stateOf(name, length)]));

/** The engine of the CPU with the kernels' AdamW. */
function cpuEngine() {
  const options = start();
  const memory = createKernelMemory(1 << 22);
  const kernels = createKernels(memory);
  const engine = createTransformerEngine({ ...options, memory, kernels, threads: 1, device: 'cpu' });
  const states = statesOf(options.parameters);
  const step = async (seed: number): Promise<number> => {
    engine.begin(sequences);
    const value = await engine.lossGradients(sequences, loss, {}, { seed });
    const tokens = engine.tokenGradients();
    if (tokens === null) throw new Error('no token gradients');
    const squares = [...engine.denseGradients.values(), tokens.values].reduce((sum, gradient) => sum + kernels.dot(gradient, gradient), 0);
    const gradientScale = clippingScale({ norm: Math.sqrt(squares), maximum: CLIPPING });
    for (const [name, values] of options.parameters) {
      const state = states.get(name);
      if (state === undefined) throw new Error(`no state of ${name}`);
      const shared = { kernels, settings: decays(name) ? settings : { ...settings, weightDecay: 0 }, learningRate: LEARNING_RATE, gradientScale, values, state };
      if (name !== TOKEN_TABLE) stepDenseAdamw({ ...shared, gradients: engine.denseGradients.get(name) ?? new Float32Array() });
      else {
        const used = [...tokens.rows.keys()].filter((place) => tokens.rows[place] !== shape.padTokenId);
        const rowGradients = Float32Array.from(used.flatMap((place) => [...tokens.values.subarray(place * shape.width, (place + 1) * shape.width)]));
        stepRowAdamw({ ...shared, width: shape.width, rows: Int32Array.from(used, (place) => tokens.rows[place] ?? 0), rowGradients });
      }
    }
    return value;
  };
  return { engine, step, parameters: options.parameters };
}

async function deviceEngine(device: Device) {
  const options = start();
  const engine = await createDeviceEngine({ ...options, states: statesOf(options.parameters), settings, decays, threads: 1, device });
  const step = async (seed: number): Promise<number> => {
    engine.begin(sequences);
    const value = await engine.lossGradients(sequences, loss, {}, { seed });
    const norm = Math.sqrt(await engine.squaredNorm());
    await engine.apply({ learningRate: LEARNING_RATE, scale: clippingScale({ norm, maximum: CLIPPING }) });
    return value;
  };
  return { engine, step, parameters: options.parameters };
}

function expectClose(found: Float32Array, expected: Float32Array, what: string): void {
  expect(found.length, what).toBe(expected.length);
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const apart = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - (found[i] ?? Number.NaN))), 0);
  expect(apart, what).toBeLessThanOrEqual(Math.max(NEGLIGIBLE, GRADIENT_TOLERANCE * largest));
}

for (const device of ['cpu', 'webgpu'] satisfies Device[]) {
  describe.skipIf(device === 'webgpu' && !isThere)(`a transformer that lives on ${device}`, () => {
    it('gives the vectors and, slice by slice, the gradients of the CPU, with dropout', async () => {
      const cpu = cpuEngine();
      const own = await deviceEngine(device);
      const slices = [sequences.slice(0, halves), sequences.slice(halves)];
      const random = seededRandom(6, 'output gradients');
      const outputGrads = slices.map((slice) => Float32Array.from({ length: slice.length * shape.width }, () => random.normal()));
      cpu.engine.begin(sequences);
      own.engine.begin(sequences);
      for (const [i, slice] of slices.entries()) {
        const draw = { seed: 7, keys: Int32Array.from(slice, (_, j) => i * halves + j) };
        expectClose(await own.engine.encode(slice, draw), await cpu.engine.encode(slice, draw), 'vectors');
        await cpu.engine.gradients(slice, outputGrads[i] ?? new Float32Array(), draw);
        await own.engine.gradients(slice, outputGrads[i] ?? new Float32Array(), draw);
      }
      const found = await own.engine.readGradients();
      expect(cpu.engine.denseGradients.size).toBe(transformerParameters(shape).length - 1);
      for (const [name, gradient] of cpu.engine.denseGradients) expectClose(found.get(name)?.values ?? new Float32Array(), gradient, name);
      const rows = found.get(TOKEN_TABLE)?.rows ?? new Int32Array();
      const tokens = cpu.engine.tokenGradients();
      const places = Array.from(rows, (row) => tokens?.rows.indexOf(row) ?? -1);
      expectClose(found.get(TOKEN_TABLE)?.values ?? new Float32Array(), Float32Array.from(places.flatMap((place) => [...(tokens?.values.subarray(place * shape.width, (place + 1) * shape.width) ?? [])])), TOKEN_TABLE);
      await own.engine[Symbol.asyncDispose]();
      await cpu.engine[Symbol.asyncDispose]();
    });

    it('follows the loss curve of the CPU, and its parameters come back when asked for', async () => {
      const cpu = cpuEngine();
      const own = await deviceEngine(device);
      const losses: (readonly [number, number])[] = [];
      for (let step = 0; step < STEPS; step += 1) losses.push([await cpu.step(step), await own.step(step)]);
      expect(losses.at(-1)?.[0]).toBeLessThan((losses[0]?.[0] ?? 0) / 2); // it learns
      for (const [expected, found] of losses) expect(Math.abs(found - expected)).toBeLessThan(CURVE_TOLERANCE * expected);
      await own.engine.bringBack();
      for (const [name, values] of cpu.parameters) {
        const apart = values.reduce((most, value, i) => Math.max(most, Math.abs(value - (own.parameters.get(name)?.[i] ?? Number.NaN))), 0);
        if (!name.endsWith('key.bias')) expect(apart, name).toBeLessThan(LEARNING_RATE); // less than one step apart after all of them
      }
      await own.engine[Symbol.asyncDispose]();
      await cpu.engine[Symbol.asyncDispose]();
    });
  });
}

describe('thin matrices beside frozen weights, and a dense map after pooling, on a device', () => {
  const thin = lowRankNames('layer.1.query.weight');
  const options = (): EncoderOptions & { readonly parameters: Map<string, Float32Array> } => {
    const own = start();
    const random = seededRandom(8, 'thin');
    const draw = (length: number): Float32Array => Float32Array.from({ length }, () => 0.2 * random.normal());
    own.parameters.set(thin.down, draw(2 * shape.width)).set(thin.up, draw(2 * shape.width)).set('dense.weight', draw(6 * shape.width)).set('dense.bias', draw(6));
    return { ...own, dropout: null, lowRank: { rank: 2, alpha: 4 }, pooling: { ...pooling, dense: 'tanh' }, trainable: new Set([thin.down, thin.up, 'dense.bias']) };
  };

  it('have the gradients of the CPU, and nothing else is changed', async () => {
    const memory = createKernelMemory(1 << 20);
    const cpu = createTransformerEngine({ ...options(), memory, kernels: createKernels(memory), threads: 1, device: 'cpu' });
    const own = options();
    const engine = await createDeviceEngine({ ...own, states: statesOf(own.parameters), settings, decays, threads: 1, device: 'cpu' });
    const outputGrads = Float32Array.from({ length: sequences.length * 6 }, (_, i) => Math.cos(i));
    cpu.begin(sequences);
    await cpu.gradients(sequences, outputGrads);
    await engine.gradients(sequences, outputGrads);
    const found = await engine.readGradients();
    expect([...found.keys()].sort()).toEqual([...own.trainable].sort());
    for (const [name, gradient] of cpu.denseGradients) expectClose(found.get(name)?.values ?? new Float32Array(), gradient, name);
    await engine.apply({ learningRate: LEARNING_RATE, scale: 1 });
    await engine.bringBack();
    for (const [name, values] of options().parameters) {
      if (own.trainable.has(name)) expect(own.parameters.get(name), name).not.toEqual(values);
      else expect(own.parameters.get(name), name).toEqual(values);
    }
    await engine[Symbol.asyncDispose]();
    await cpu[Symbol.asyncDispose]();
  });
});

describe('the graph of a training step in the WebGPU dialect', () => {
  const options = start();
  const batch = packTokens(sequences, { shape });
  const graph = fusedGraph(options, batch.kind, false, loss);

  it('leaves nothing but sizes and positions to the CPU', () => {
    expect(hostNodes(graph).length).toBeGreaterThan(0);
    expect(hostNodes(webgpuDialect(graph))).toEqual([]);
  });

  it.skipIf(!isThere)('is run by WebGPU node for node: nothing travels back before the outputs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'isogloss-profile-'));
    try {
      const session = await createDeviceSession(graph, { device: 'webgpu', threads: 1, stays: graph.outputs.map(({ name }) => name), profilePrefix: join(folder, 'profile') });
      const rows = Float32Array.from({ length: batch.rows.length * shape.width }, (_, i) => Math.sin(i));
      const parameters = Object.fromEntries(transformerParameters(shape).map(({ name, shape: size }): [string, Tensor] => [name, tensorOf('float32', [...size], options.parameters.get(name) ?? new Float32Array())]));
      const { kept } = await session.run({ ...parameters, ...batch.feeds, 'embeddings.token.rows': tensorOf('float32', [batch.rows.length, shape.width], rows) });
      for (const tensor of Object.values(kept)) tensor.dispose();
      await session.dispose();
      const [file] = readdirSync(folder);
      const events = JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8')) as readonly { readonly cat: string; readonly args?: { readonly provider?: string; readonly op_name?: string; readonly output_type_shape?: readonly Record<string, unknown>[] } }[]; // ONNX Runtime's profile
      const nodes = events.flatMap(({ cat, args }) => (cat === 'Node' && args?.provider !== undefined ? [args] : []));
      const onHost = nodes.filter(({ provider }) => provider === 'CPUExecutionProvider');
      expect(nodes.length - onHost.length).toBeGreaterThan(graph.nodes.length / 2);
      expect(nodes.flatMap(({ op_name: op, output_type_shape: types }) => (op === 'MemcpyToHost' ? [types] : []))).toEqual([]);
      const data = onHost.filter(({ op_name: op, output_type_shape: types = [] }) => types.some((type) => !('int64' in type) && !(op === 'Cast' && 'int32' in type)));
      expect(data).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
