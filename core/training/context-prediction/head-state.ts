/** What does context prediction remember from step to step? The head with its AdamW moments, the running moments of its batches, and the bank. */
import { seededRandom } from '../../base/random.ts';
import { createDenseAdamwState, heapAllocator, stepDenseAdamw, type AdamwSettings, type AdamwState } from '../../optimizers/adamw.ts';
import { createJavaScriptKernels } from '../../optimizers/kernels-javascript.ts';
import { createMemoryBank, type BankRows, type MemoryBank } from '../../sampling/memory-bank.ts';
import type { Arrays } from '../checkpoint.ts';
import type { ContextPredictionSettings } from '../recipe-schema.ts';
import type { PartParameters } from '../trainable-encoder.ts';
import { headParameters, type HeadParameter, type HeadSizes } from './context-graph.ts';

/** PyTorch's BatchNorm1d: running = 0.9 running + 0.1 batch, the batch's variance with n - 1. */
const MOMENTUM = 0.1;

export type HeadState = PartParameters & {
  /** All that a later step reads, by name: what a checkpoint keeps. */
  readonly arrays: Arrays;
  /** The head's weights, by name. */
  readonly parameters: ReadonlyMap<string, Float32Array>;
  /** The running moments as the next batch of this step sees them. */
  readonly running: () => { readonly mean: Float32Array; readonly variance: Float32Array };
  /** The bank as the next batch of this step sees it: rows of this language and no other. */
  readonly negatives: (language: number) => BankRows;
  readonly addGradient: (name: string, gradient: Float32Array) => void;
  /** Moments of a batch of n rows in training mode (variance over n). */
  readonly observe: (batch: { readonly mean: Float32Array; readonly variance: Float32Array; readonly rows: number }) => void;
  /** Rows for the bank, with the numbers of their sentences. */
  readonly remember: (language: number, rows: BankRows) => void;
  /** Back to where step 0 starts. */
  readonly restart: () => void;
};

/** @param bank rows that each language keeps; 0: none. */
export function createHeadState(options: HeadSizes & Pick<ContextPredictionSettings, 'normalisation'> & { readonly bank: readonly number[]; readonly optimizer: AdamwSettings; readonly seed: number }): HeadState {
  const { hidden, projected, optimizer, seed } = options;
  const kernels = createJavaScriptKernels();
  const specs = headParameters(options);
  const learned = specs.map((spec) => {
    const values = startOf(spec, seed);
    return { ...spec, values, gradient: new Float32Array(values.length), state: createDenseAdamwState({ length: values.length, allocator: heapAllocator }) };
  });
  const running = { mean: new Float32Array(hidden), variance: new Float32Array(hidden).fill(1) };
  const bank: MemoryBank = createMemoryBank({ capacities: options.bank, width: projected });
  // What this step has seen so far; it counts from `apply` on.
  const seen = { mean: running.mean.slice(), variance: running.variance.slice(), waiting: new Map<number, BankRows>() };
  const forget = (): void => {
    seen.mean.set(running.mean);
    seen.variance.set(running.variance);
    seen.waiting.clear();
    for (const { gradient } of learned) gradient.fill(0);
  };
  const keeps = { moments: options.normalisation === 'asymmetric', rows: options.bank.some((rows) => rows > 0) };
  return {
    arrays: new Map<string, Float32Array | Int32Array>([
      ...learned.flatMap(({ name, values, state }) => arraysOf(`context.${name}`, values, state)),
      ...(keeps.moments ? ([['context.running-mean', running.mean], ['context.running-variance', running.variance]] as const) : []),
      ...(keeps.rows ? ([['context.bank', bank.rows], ['context.bank-sentences', bank.labels], ['context.bank-counts', bank.counts]] as const) : []),
    ]),
    parameters: new Map(learned.map(({ name, values }) => [name, values])),
    running: () => ({ mean: seen.mean, variance: seen.variance }),
    negatives: (language) => bank.negatives(language, seen.waiting.get(language)),
    addGradient: (name, gradient) => {
      const sum = learned.find((one) => one.name === name)?.gradient;
      if (sum !== undefined) kernels.addScaled(sum, gradient, 1);
    },
    observe: ({ mean, variance, rows }) => {
      if (!keeps.moments || rows < 2) return; // the variance of one row says nothing
      const unbiased = rows / (rows - 1);
      for (let f = 0; f < hidden; f += 1) {
        seen.mean[f] = (1 - MOMENTUM) * (seen.mean[f] ?? 0) + MOMENTUM * (mean[f] ?? 0);
        seen.variance[f] = (1 - MOMENTUM) * (seen.variance[f] ?? 0) + MOMENTUM * unbiased * (variance[f] ?? 0);
      }
    },
    remember: (language, rows) => {
      if (keeps.rows) seen.waiting.set(language, joined(seen.waiting.get(language), rows));
    },
    begin: forget,
    squaredNorm: () => learned.reduce((sum, { gradient }) => sum + kernels.dot(gradient, gradient), 0),
    apply: ({ learningRate, scale }) => {
      for (const { kind, values, state, gradient } of learned) {
        const settings = kind === 'matrix' ? optimizer : { ...optimizer, weightDecay: 0 };
        stepDenseAdamw({ kernels, settings, learningRate, gradientScale: scale, state, values, gradients: gradient });
      }
      running.mean.set(seen.mean);
      running.variance.set(seen.variance);
      for (const [language, { vectors, labels }] of seen.waiting) bank.add(language, vectors, labels);
      forget();
    },
    restart: () => {
      for (const { values, state, ...spec } of learned) {
        values.set(startOf(spec, seed));
        for (const array of [state.means, state.variances, state.steps]) array.fill(0);
      }
      running.mean.fill(0);
      running.variance.fill(1);
      for (const array of [bank.rows, bank.labels, bank.counts]) array.fill(0);
      forget();
    },
  };
}

/** Matrices as PyTorch starts them, uniform within ±1/√in; biases 0; the norm is the identity. */
function startOf({ name, shape, kind }: HeadParameter, seed: number): Float32Array {
  const [rows = 0, columns = rows] = shape;
  const values = new Float32Array(kind === 'matrix' ? rows * columns : rows);
  if (kind === 'scale') return values.fill(1);
  if (kind === 'bias') return values;
  const random = seededRandom(seed, `context head ${name}`);
  const bound = 1 / Math.sqrt(columns);
  for (let i = 0; i < values.length; i += 1) values[i] = bound * (2 * random.next() - 1);
  return values;
}

function arraysOf(name: string, values: Float32Array, state: AdamwState): readonly (readonly [string, Float32Array | Int32Array])[] {
  return [[name, values], [`${name}.means`, state.means], [`${name}.variances`, state.variances], [`${name}.steps`, state.steps]];
}

function joined(earlier: BankRows | undefined, { vectors, labels }: BankRows): BankRows {
  if (earlier === undefined) return { vectors: vectors.slice(), labels: labels.slice() };
  const all = { vectors: new Float32Array(earlier.vectors.length + vectors.length), labels: new Int32Array(earlier.labels.length + labels.length) };
  all.vectors.set(earlier.vectors);
  all.vectors.set(vectors, earlier.vectors.length);
  all.labels.set(earlier.labels);
  all.labels.set(labels, earlier.labels.length);
  return all;
}
