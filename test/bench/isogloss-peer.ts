/** The Isogloss side of the training benchmark: full steps and encoding with the engine of core/training and the encoder of core/encoding. */
import { z } from 'zod';
import { seededRandom } from '../../core/base/random.ts';
import { createTransformerVectors, lengthBatches, type TransformerVectors } from '../../core/encoding/transformer-vectors.ts';
import { jointLoss } from '../../core/losses/joint.ts';
import { retrievalLoss } from '../../core/losses/retrieval.ts';
import { semanticContrastiveLoss } from '../../core/losses/semantic-contrastive.ts';
import { transformerParameters, type TransformerPooling, type TransformerShape } from '../../core/modules/index.ts';
import { ADAMW_DEFAULTS, createDenseAdamwState, createRowAdamwState, stepDenseAdamw, stepRowAdamw, type AdamwState } from '../../core/optimizers/adamw.ts';
import { createKernels } from '../../core/optimizers/create-kernels.ts';
import { createKernelMemory, kernelMemoryBytes } from '../../core/optimizers/kernel-memory.ts';
import { openLossSessions } from '../../core/training/loss-sessions.ts';
import { createTransformerEngine, TOKEN_TABLE, type FusedLoss } from '../../core/training/transformer/engine.ts';
import { createGraphBuilder } from '../../core/graph/builder.ts';
import { encodeModel } from '../../core/graph/protobuf/encode.ts';
import { DEVICES } from '../../core/runtime/device.ts';
import { createSession } from '../../core/runtime/session.ts';
import { elementCount } from '../../core/tensor/shape.ts';
import { tensorOf, type Tensor } from '../../core/tensor/tensor.ts';
import { answerLines } from './answer-lines.ts';
import { createDeviceTrainer } from './device-trainer.ts';

const RETRIEVAL_TEMPERATURE = 0.05;
const SEMANTIC = { temperature: 0.1, weight: 0.01 };
const INITIAL_DEVIATION = 0.02;
/** Room for gradients of token rows, which are made outside the memory and copied in for a step. */
const ROWS_AT_ONCE = 16_384;

const openSchema = z.object({ shape: z.custom<TransformerShape>((value) => typeof value === 'object'), seed: z.number(), threads: z.number(), learningRate: z.number(), pooling: z.enum(['cls', 'mean']), training: z.boolean(), device: z.enum(DEVICES).default('cpu') });
const stepSchema = z.object({ queries: z.array(z.array(z.number())), documents: z.array(z.array(z.number())) });
const encodeSchema = z.object({ batches: z.array(z.array(z.array(z.number()))) });

type Open = z.infer<typeof openSchema>;
type Trainer = {
  /** Vectors, losses and gradients in one graph. */
  readonly fused: (queries: readonly Uint32Array[], documents: readonly Uint32Array[]) => Promise<number>;
  /** The same in slices (GradCache): vectors, losses on all of them, gradients. */
  readonly cached: (queries: readonly Uint32Array[], documents: readonly Uint32Array[], sliceTokens: number) => Promise<number>;
};

const poolingOf = ({ shape, pooling }: Open): TransformerPooling => ({ layers: shape.layers, mode: pooling, dense: null, normalise: false });
const ids = (sequences: readonly (readonly number[])[]): readonly Uint32Array[] => sequences.map((sequence) => Uint32Array.from(sequence));

/** Weights as the PyTorch side starts: matrices and tables N(0, 0.02), norms 1, biases 0. */
function fillStart(name: string, values: Float32Array, seed: number): void {
  if (name.endsWith('.scale')) values.fill(1);
  else if (!name.endsWith('.bias')) {
    const random = seededRandom(seed, name);
    for (let i = 0; i < values.length; i += 1) values[i] = INITIAL_DEVIATION * random.normal();
  }
}

function createTrainer(task: Open): Trainer {
  const { shape, threads, learningRate, device } = task;
  const parameters = transformerParameters(shape).map(({ name, shape: size }) => ({ name, size, length: elementCount(size), decays: size.length > 1 }));
  if (device === 'webgpu') {
    const start = new Map(parameters.map(({ name, length }) => [name, new Float32Array(length)]));
    for (const [name, array] of start) fillStart(name, array, task.seed);
    const fused = createDeviceTrainer({ shape, threads, learningRate, device, pooling: poolingOf(task), values: start, decays: (name) => parameters.some((one) => one.name === name && one.decays), loss: jointPairLoss });
    return { fused, cached: () => Promise.reject(new TypeError('Cached steps are measured on the CPU.')) };
  }
  const three = parameters.flatMap(({ length }) => [length, length, length]);
  const gradients = parameters.filter(({ name }) => name !== TOKEN_TABLE).map(({ length }) => length);
  const memory = createKernelMemory(kernelMemoryBytes([...three, ...gradients, ...parameters.map(() => 1), shape.vocabularySize, ROWS_AT_ONCE * (shape.width + 4)]));
  const kernels = createKernels(memory);
  const values = new Map<string, Float32Array>();
  const states = new Map<string, AdamwState>();
  for (const { name, length } of parameters) {
    const array = memory.float32(length);
    fillStart(name, array, task.seed);
    values.set(name, array);
    states.set(name, name === TOKEN_TABLE ? createRowAdamwState({ rows: shape.vocabularySize, width: shape.width, allocator: memory }) : createDenseAdamwState({ length, allocator: memory }));
  }
  const engine = createTransformerEngine({ shape, pooling: poolingOf(task), parameters: values, trainable: new Set(values.keys()), dropout: null, lowRank: null, memory, kernels, threads, device });
  const stepOf = (name: string, decays: boolean) => ({ kernels, learningRate, gradientScale: 1, settings: { ...ADAMW_DEFAULTS, weightDecay: decays ? ADAMW_DEFAULTS.weightDecay : 0 }, state: states.get(name) ?? { means: new Float32Array(), variances: new Float32Array(), steps: new Int32Array() }, values: values.get(name) ?? new Float32Array() });
  const update = (): void => {
    for (const { name, decays } of parameters) {
      const dense = engine.denseGradients.get(name);
      if (dense !== undefined) stepDenseAdamw({ ...stepOf(name, decays), gradients: dense });
    }
    const tokens = engine.tokenGradients();
    if (tokens !== null) stepRowAdamw({ ...stepOf(TOKEN_TABLE, true), width: shape.width, rows: tokens.rows, rowGradients: tokens.values });
  };
  const losses = openLossSessions({ settings: { retrieval: { weight: 1, temperature: RETRIEVAL_TEMPERATURE, symmetric: false }, semantic: SEMANTIC, language: { weight: 0, temperature: 1 } }, width: shape.width, threads, device: 'cpu' });
  return {
    fused: async (queries, documents) => {
      const sequences = [...queries, ...documents];
      engine.begin(sequences);
      const loss = await engine.lossGradients(sequences, jointPairLoss(queries.length), {});
      update();
      return loss;
    },
    cached: async (queries, documents, sliceTokens) => {
      const sequences = [...queries, ...documents];
      const { width } = engine;
      engine.begin(sequences);
      const slices = lengthBatches(sequences, sliceTokens).map((places) => ({ places, own: places.map((place) => sequences[place] ?? new Uint32Array()) }));
      const vectors = new Float32Array(sequences.length * width);
      for (const { places, own } of slices) (await engine.encode(own)).forEach((number, i) => { vectors[(places[Math.floor(i / width)] ?? 0) * width + (i % width)] = number; });
      const retrieval = await losses.retrieval(vectors, new Uint8Array(queries.length * documents.length));
      const semantic = await losses.semantic(vectors);
      for (const { places, own } of slices) {
        const gradient = Float32Array.from({ length: own.length * width }, (_, i) => {
          const at = (places[Math.floor(i / width)] ?? 0) * width + (i % width);
          return (retrieval.gradient[at] ?? 0) + (semantic.gradient[at] ?? 0);
        });
        await engine.gradients(own, gradient);
      }
      update();
      return retrieval.loss + SEMANTIC.weight * semantic.loss;
    },
  };
}

/** Retrieval loss of questions and their passages, and a little of the semantic loss of the same pairs. */
function jointPairLoss(pairs: number): FusedLoss {
  return {
    name: `joint of ${pairs}`,
    inputs: {},
    build: (g, vectors) => {
      const queries = g.slice(vectors, { axis: 0, start: 0, end: pairs });
      const documents = g.slice(vectors, { axis: 0, start: pairs, end: 2 * pairs });
      return jointLoss(g, [
        { loss: retrievalLoss(g, { queries, documents, temperature: RETRIEVAL_TEMPERATURE }), weight: 1 },
        { loss: semanticContrastiveLoss(g, { sources: queries, targets: documents, temperature: SEMANTIC.temperature }), weight: SEMANTIC.weight },
      ]);
    },
  };
}

function createEncoder(task: Open): TransformerVectors {
  const parameters = new Map(transformerParameters(task.shape).map(({ name, shape: size }) => {
    const array = new Float32Array(elementCount(size));
    fillStart(name, array, task.seed);
    return [name, array] as const;
  }));
  return createTransformerVectors({ shape: task.shape, pooling: poolingOf(task), parameters, threads: task.threads });
}

/** Multiplies two square matrices of this size. */
async function createProduct(size: number, threads: number): Promise<() => Promise<number>> {
  const g = createGraphBuilder('product');
  const [a, b] = [g.input('a', 'float32', [size, size]), g.input('b', 'float32', [size, size])];
  const session = await createSession(encodeModel(g.build({ corner: g.slice(g.gemm(a, b), { axis: 0, start: 0, end: 1 }) })), { threads });
  const ones = (): Tensor => tensorOf('float32', [size, size], new Float32Array(size * size).fill(1));
  const feeds = { a: ones(), b: ones() };
  return async () => Number((await session.run(feeds))['corner']?.data[0]);
}

let train: Trainer | null = null;
let encoder: TransformerVectors | null = null;
let product: (() => Promise<number>) | null = null;

await answerLines({
  open: async (task) => {
    const open = openSchema.parse(task);
    if (open.training) train = createTrainer(open);
    else encoder = createEncoder(open);
    return 0;
  },
  step: async (task) => {
    const { queries, documents } = stepSchema.parse(task);
    return (await train?.fused(ids(queries), ids(documents))) ?? 0;
  },
  cachedStep: async (task) => {
    const { queries, documents, sliceTokens } = stepSchema.extend({ sliceTokens: z.number() }).parse(task);
    return (await train?.cached(ids(queries), ids(documents), sliceTokens)) ?? 0;
  },
  encode: async (task) => {
    const vectors = await encoder?.embed(ids(encodeSchema.parse(task).batches.flat()));
    return vectors?.reduce((sum, number) => sum + number, 0) ?? 0;
  },
  openProduct: async (task) => {
    const { size, threads } = z.object({ size: z.number(), threads: z.number() }).parse(task);
    product = await createProduct(size, threads);
    return product();
  },
  product: async () => (await product?.()) ?? 0,
});
