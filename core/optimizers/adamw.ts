/**
 * How do parameters move along a gradient? AdamW, for whole arrays and for the rows of a table that a batch used.
 *
 * Rows ("lazy" AdamW): a row that is not used is not touched, and each row has its own clock: its bias corrections and its
 * weight decay follow the number of its own updates. So every row sees exactly the AdamW trajectory of its own gradients, a
 * rare row's first step is as long as anyone's (learningRate, not a fraction of it), and when every row is used in every
 * step the result equals dense AdamW bit for bit. The other choice, catching up on missed steps, would let the moments of
 * rare tokens die away between two sightings.
 *
 * @see Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2.
 */
import { InvariantError } from '../base/errors.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { expectLengths, type AdamwScalars, type Kernels } from './kernels.ts';

export type AdamwSettings = {
  /** In [0, 1): how much of the first moment stays. */
  readonly beta1: number;
  /** In [0, 1): how much of the second moment stays. */
  readonly beta2: number;
  /** > 0, added to the root of the second moment. */
  readonly epsilon: number;
  /** >= 0, decoupled: values shrink by learningRate * weightDecay in each update. */
  readonly weightDecay: number;
};

/** The defaults of torch.optim.AdamW. */
export const ADAMW_DEFAULTS: AdamwSettings = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01 };

/** All that a checkpoint has to keep beside the values. `steps` has one count, or one per row. */
export type AdamwState = {
  readonly means: Float32Array;
  readonly variances: Float32Array;
  readonly steps: Int32Array;
};

type Allocator = Pick<KernelMemory, 'float32' | 'int32'>;

/** Arrays outside any kernel memory, for small parameters and tests. */
export const heapAllocator: Allocator = { float32: (length) => new Float32Array(length), int32: (length) => new Int32Array(length) };

/** Moments of zero for `length` parameters that are updated together. */
export function createDenseAdamwState(options: { readonly length: number; readonly allocator: Allocator }): AdamwState {
  const { length, allocator } = options;
  return { means: allocator.float32(length), variances: allocator.float32(length), steps: allocator.int32(1) };
}

/** Moments of zero for a table of rows; `steps` counts the updates of each row. */
export function createRowAdamwState(options: { readonly rows: number; readonly width: number; readonly allocator: Allocator }): AdamwState {
  const { rows, width, allocator } = options;
  return { means: allocator.float32(rows * width), variances: allocator.float32(rows * width), steps: allocator.int32(rows) };
}

/** What every step needs. */
type StepOptions = {
  readonly kernels: Kernels;
  readonly settings: AdamwSettings;
  /** >= 0, for this step (schedules.ts). */
  readonly learningRate: number;
  /** Factor on the gradients, from clipping.ts; 1 = none. */
  readonly gradientScale: number;
  readonly state: AdamwState;
  /** float32 parameters, updated. */
  readonly values: Float32Array;
};

/** One update of all values; `gradients` has their length. */
export function stepDenseAdamw(options: StepOptions & { readonly gradients: Float32Array }): void {
  const { kernels, state, settings, learningRate } = options;
  expectLengths('stepDenseAdamw', [['steps', state.steps.length, 1]]);
  const count = (state.steps[0] ?? 0) + 1;
  kernels.adamw({
    ...scalarsOf(options),
    values: options.values,
    means: state.means,
    variances: state.variances,
    gradients: options.gradients,
    ...biasCorrection({ count, settings, learningRate }),
  });
  state.steps[0] = count;
}

/**
 * One update of the rows in use; the others stay as they are.
 * @param options.rows int32 [U], no row twice; @param options.rowGradients float32 [U, H].
 * @throws InvariantError when shapes disagree or a row is named twice (its second gradient would count as a second step).
 */
export function stepRowAdamw(options: StepOptions & { readonly width: number; readonly rows: Int32Array; readonly rowGradients: Float32Array }): void {
  const { kernels, state, settings, learningRate, rows, width, values } = options;
  expectLengths('stepRowAdamw', [['steps', state.steps.length * width, values.length]]);
  expectRising(rows);
  const stepSizes = new Float32Array(rows.length);
  const inverseRoots = new Float32Array(rows.length);
  for (let u = 0; u < rows.length; u += 1) {
    const count = (state.steps[rows[u] ?? 0] ?? 0) + 1;
    const { stepSize, inverseRootBias2 } = biasCorrection({ count, settings, learningRate });
    stepSizes[u] = stepSize;
    inverseRoots[u] = inverseRootBias2;
  }
  kernels.adamwRows({
    ...scalarsOf(options),
    values,
    means: state.means,
    variances: state.variances,
    rows,
    rowGradients: options.rowGradients,
    stepSizes,
    inverseRoots,
    width,
  });
  for (const row of rows) state.steps[row] = (state.steps[row] ?? 0) + 1;
}

function scalarsOf({ settings, learningRate, gradientScale }: StepOptions): AdamwScalars {
  return {
    gradientScale,
    decay: 1 - learningRate * settings.weightDecay,
    oneMinusBeta1: 1 - settings.beta1,
    beta2: settings.beta2,
    oneMinusBeta2: 1 - settings.beta2,
    epsilon: settings.epsilon,
  };
}

/** stepSize = learningRate / (1 - beta1^t);  inverseRootBias2 = 1 / sqrt(1 - beta2^t);  t = count, from 1. */
export function biasCorrection(options: { readonly count: number; readonly settings: AdamwSettings; readonly learningRate: number }): { readonly stepSize: number; readonly inverseRootBias2: number } {
  const { count, settings, learningRate } = options;
  return { stepSize: learningRate / (1 - settings.beta1 ** count), inverseRootBias2: 1 / Math.sqrt(1 - settings.beta2 ** count) };
}

function expectRising(rows: Int32Array): void {
  for (let u = 1; u < rows.length; u += 1) {
    if ((rows[u] ?? 0) <= (rows[u - 1] ?? 0)) throw new InvariantError('adamw.rows', `stepRowAdamw: rows should rise (findRowsInUse gives them so); row ${rows[u - 1]} is followed by ${rows[u]}.`);
  }
}
