/**
 * Which numeric kernels are there? One type with two forms: WebAssembly SIMD (kernels-wasm.ts) and plain JavaScript
 * (kernels-javascript.ts). Both do the same float32 operations in the same order, so they give the same bits (NaN payloads
 * excepted); every kernel is deterministic. Letters: V rows of the table, H its width, B bags, T tokens, U rows in use.
 */
import { InvariantError } from '../base/errors.ts';

/** The scalars of one AdamW step, as adamw.ts computes them; each is rounded to float32 by the kernel. */
export type AdamwScalars = {
  /** Gradients are multiplied by this first (clipping, or the mean over accumulated parts); 1 = as they are. */
  readonly gradientScale: number;
  /** 1 - learningRate * weightDecay */
  readonly decay: number;
  readonly oneMinusBeta1: number;
  readonly beta2: number;
  readonly oneMinusBeta2: number;
  readonly epsilon: number;
};

export type DenseAdamwArguments = AdamwScalars & {
  /** Parameters, first and second moments, gradients: float32, all of one length. The first three are updated. */
  readonly values: Float32Array;
  readonly means: Float32Array;
  readonly variances: Float32Array;
  readonly gradients: Float32Array;
  /** learningRate / (1 - beta1^t) */
  readonly stepSize: number;
  /** 1 / sqrt(1 - beta2^t) */
  readonly inverseRootBias2: number;
};

export type RowAdamwArguments = AdamwScalars & {
  /** float32 [V, H] each, updated in the rows named. */
  readonly values: Float32Array;
  readonly means: Float32Array;
  readonly variances: Float32Array;
  /** int32 [U], each in [0, V), no row twice. */
  readonly rows: Int32Array;
  /** float32 [U, H] */
  readonly rowGradients: Float32Array;
  /** float32 [U]: learningRate / (1 - beta1^t) with t the row's own count of updates. */
  readonly stepSizes: Float32Array;
  /** float32 [U]: 1 / sqrt(1 - beta2^t), same t. */
  readonly inverseRoots: Float32Array;
  readonly width: number;
};

export type BagForwardArguments = {
  /** float32 [V, H] */
  readonly table: Float32Array;
  /** float32 [V]: one factor per vocabulary entry. */
  readonly weights: Float32Array;
  /** int32 [T]: the ids of all bags, one bag after the other. */
  readonly ids: Int32Array;
  /** int32 [B + 1]: bag b is ids[offsets[b] .. offsets[b + 1]); may be empty. */
  readonly offsets: Int32Array;
  /** float32 [B, H], overwritten. */
  readonly pooled: Float32Array;
  readonly width: number;
};

export type BagBackwardArguments = {
  readonly table: Float32Array;
  readonly weights: Float32Array;
  /** int32 [U]: the rows whose gradients are collected. */
  readonly rows: Int32Array;
  /** int32 [U + 1] and int32 [T]: row u occurs once in each of the bags bags[starts[u] .. starts[u + 1]); see embedding-bag.ts. */
  readonly starts: Int32Array;
  readonly bags: Int32Array;
  /** float32 [B, H]: the gradient of the pooled rows. */
  readonly pooledGradients: Float32Array;
  /** float32 [U, H], added to. */
  readonly rowGradients: Float32Array;
  /** float32 [U], added to. */
  readonly weightGradients: Float32Array;
  readonly width: number;
};

export type ScoreMatrixArguments = {
  /** float32 [Q, H]; H a multiple of 4. */
  readonly queries: Float32Array;
  /** float32 [N, H] */
  readonly documents: Float32Array;
  /** float32 [Q, N], overwritten. */
  readonly scores: Float32Array;
  readonly width: number;
};

export type Kernels = {
  readonly kind: 'wasm' | 'javascript';
  /** values[i] = values[i] * factor */
  readonly scale: (values: Float32Array, factor: number) => void;
  /** sum[i] = sum[i] + values[i] * factor */
  readonly addScaled: (sum: Float32Array, values: Float32Array, factor: number) => void;
  /** Sum of a[i] * b[i], accumulated in float64: eight partial sums (i mod 8), then their tree, then the rest. */
  readonly dot: (a: Float32Array, b: Float32Array) => number;
  /**
   * One AdamW step over whole arrays (decoupled weight decay, no AMSGrad), element by element, each operation in float32:
   *   g = gradient * gradientScale;  m = m + (g - m) * (1 - beta1);  v = v * beta2 + (g * (1 - beta2)) * g
   *   value = value * decay - m / (sqrt(v) * inverseRootBias2 + epsilon) * stepSize
   * @see Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2; the same update as torch.optim.AdamW.
   */
  readonly adamw: (step: DenseAdamwArguments) => void;
  /** The same step in the named rows only, each with its own step size and bias correction. */
  readonly adamwRows: (step: RowAdamwArguments) => void;
  /** pooled[b] = sum over the tokens of bag b, in order, of weights[id] * table[id]. */
  readonly embeddingBagForward: (step: BagForwardArguments) => void;
  /**
   * With G[u] = sum of pooledGradients[b] over the bags b in which row u occurs (once per occurrence):
   *   rowGradients[u] += weights[row] * G[u],  weightGradients[u] += table[row] . G[u]
   */
  readonly embeddingBagBackward: (step: BagBackwardArguments) => void;
  /** scores[q, n] = queries[q] . documents[n]: four float32 sums over k = i mod 4, added as (0 + 1) + (2 + 3). */
  readonly scoreMatrix: (step: ScoreMatrixArguments) => void;
};

/** @throws InvariantError 'kernels.length' unless every array has its length. */
export function expectLengths(kernel: string, lengths: readonly (readonly [name: string, found: number, expected: number])[]): void {
  for (const [name, found, expected] of lengths) {
    if (found !== expected) throw new InvariantError('kernels.length', `${kernel}: ${name} should have ${expected} elements, has ${found}.`);
  }
}

/** How many rows of `width` an array holds. @throws InvariantError 'kernels.length' when it is no whole number of rows. */
export function rowCount(kernel: string, name: string, array: { readonly length: number }, width: number): number {
  if (!Number.isInteger(width) || width < 1 || array.length % width !== 0) {
    throw new InvariantError('kernels.length', `${kernel}: ${name} has ${array.length} elements, not whole rows of width ${width}.`);
  }
  return array.length / width;
}

/** @throws InvariantError 'kernels.index' when an index is outside [0, below): a kernel would read another row's memory. */
export function expectIndices(kernel: string, name: string, indices: Int32Array, below: number): void {
  for (let i = 0; i < indices.length; i += 1) {
    const index = indices[i] ?? -1;
    if (index < 0 || index >= below) throw new InvariantError('kernels.index', `${kernel}: ${name}[${i}] is ${index}, expected 0 to ${below - 1}.`);
  }
}

/** @throws InvariantError 'kernels.offsets' unless offsets rise from 0 to `total`. */
export function expectOffsets(kernel: string, name: string, offsets: Int32Array, total: number): void {
  let previous = 0;
  let rising = offsets.length > 0 && offsets[0] === 0 && offsets[offsets.length - 1] === total;
  for (let i = 0; rising && i < offsets.length; i += 1) {
    const offset = offsets[i] ?? -1;
    rising = offset >= previous;
    previous = offset;
  }
  if (!rising) throw new InvariantError('kernels.offsets', `${kernel}: ${name} should rise from 0 to ${total}.`);
}

/** Checks the shapes and rows of an AdamW step over rows. */
export function checkRowAdamw(step: RowAdamwArguments): void {
  const rows = rowCount('adamwRows', 'values', step.values, step.width);
  const inUse = step.rows.length;
  expectLengths('adamwRows', [
    ['means', step.means.length, step.values.length],
    ['variances', step.variances.length, step.values.length],
    ['rowGradients', step.rowGradients.length, inUse * step.width],
    ['stepSizes', step.stepSizes.length, inUse],
    ['inverseRoots', step.inverseRoots.length, inUse],
  ]);
  expectIndices('adamwRows', 'rows', step.rows, rows);
}

/** Checks the shapes of a dense AdamW step. */
export function checkDenseAdamw(step: DenseAdamwArguments): void {
  const length = step.values.length;
  expectLengths('adamw', [['means', step.means.length, length], ['variances', step.variances.length, length], ['gradients', step.gradients.length, length]]);
}

/** Checks the shapes, offsets and ids of a forward pass. */
export function checkBagForward(step: BagForwardArguments): void {
  const rows = rowCount('embeddingBagForward', 'table', step.table, step.width);
  expectLengths('embeddingBagForward', [['weights', step.weights.length, rows], ['pooled', step.pooled.length, (step.offsets.length - 1) * step.width]]);
  expectOffsets('embeddingBagForward', 'offsets', step.offsets, step.ids.length);
  expectIndices('embeddingBagForward', 'ids', step.ids, rows);
}

/** Checks the shapes and indices of a backward pass. */
export function checkBagBackward(step: BagBackwardArguments): void {
  const rows = rowCount('embeddingBagBackward', 'table', step.table, step.width);
  const inUse = step.rows.length;
  expectLengths('embeddingBagBackward', [
    ['weights', step.weights.length, rows],
    ['starts', step.starts.length, inUse + 1],
    ['rowGradients', step.rowGradients.length, inUse * step.width],
    ['weightGradients', step.weightGradients.length, inUse],
  ]);
  expectOffsets('embeddingBagBackward', 'starts', step.starts, step.bags.length);
  expectIndices('embeddingBagBackward', 'rows', step.rows, rows);
  expectIndices('embeddingBagBackward', 'bags', step.bags, rowCount('embeddingBagBackward', 'pooledGradients', step.pooledGradients, step.width));
}

/** Lanes of a float32 vector; scoreMatrix has no path for a remainder. */
const SCORE_WIDTH_MULTIPLE = 4;

/** Checks the shapes of a score matrix. */
export function checkScoreMatrix(step: ScoreMatrixArguments): { readonly queryCount: number; readonly documentCount: number } {
  const queryCount = rowCount('scoreMatrix', 'queries', step.queries, step.width);
  const documentCount = rowCount('scoreMatrix', 'documents', step.documents, step.width);
  if (step.width % SCORE_WIDTH_MULTIPLE !== 0) throw new InvariantError('kernels.width', `scoreMatrix: the width should be a multiple of ${SCORE_WIDTH_MULTIPLE}, is ${step.width}.`);
  expectLengths('scoreMatrix', [['scores', step.scores.length, queryCount * documentCount]]);
  return { queryCount, documentCount };
}
