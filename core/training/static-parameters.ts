/** What does the training of a static encoder keep, and how is it changed by one step? Token rows, token weights, and their moments. */
import { createRowAdamwState, createDenseAdamwState, stepDenseAdamw, stepRowAdamw, type AdamwSettings, type AdamwState } from '../optimizers/adamw.ts';
import { findRowsInUse, groupByRow, type RowsInUse } from '../optimizers/embedding-bag.ts';
import type { KernelMemory } from '../optimizers/kernel-memory.ts';
import type { Kernels } from '../optimizers/kernels.ts';
import type { PartParameters } from './trainable-encoder.ts';

/** Bags of token ids, one after the other: bag b is ids[offsets[b] .. offsets[b + 1]). */
export type Bags = { readonly ids: Int32Array; readonly offsets: Int32Array };

/** The parameters of a static encoder and their AdamW moments. */
export type StaticParameters = {
  readonly width: number;
  readonly vocabularySize: number;
  /** float32 [V, H]: token rows. */
  readonly table: Float32Array;
  /** float32 [V]: log of the token weights. */
  readonly logWeights: Float32Array;
  readonly tableState: AdamwState;
  readonly weightState: AdamwState;
};

/** The prototype's optimizer: betas .9 and .98, no decay. */
export const STATIC_ADAMW: AdamwSettings = { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weightDecay: 0 };

/** Parameters of zero; the caller fills `table` and `logWeights`. */
export function createStaticParameters(options: { readonly vocabularySize: number; readonly width: number; readonly memory: KernelMemory }): StaticParameters {
  const { vocabularySize, width, memory } = options;
  return {
    width,
    vocabularySize,
    table: memory.float32(vocabularySize * width),
    logWeights: memory.float32(vocabularySize),
    tableState: createRowAdamwState({ rows: vocabularySize, width, allocator: memory }),
    weightState: createDenseAdamwState({ length: vocabularySize, allocator: memory }),
  };
}

/** The arrays of a checkpoint, by name; loading copies into the same arrays. */
export function parameterArrays(parameters: StaticParameters): ReadonlyMap<string, Float32Array | Int32Array> {
  return new Map<string, Float32Array | Int32Array>([
    ['table', parameters.table],
    ['log-weights', parameters.logWeights],
    ['table-means', parameters.tableState.means],
    ['table-variances', parameters.tableState.variances],
    ['table-steps', parameters.tableState.steps],
    ['weight-means', parameters.weightState.means],
    ['weight-variances', parameters.weightState.variances],
    ['weight-steps', parameters.weightState.steps],
  ]);
}

export function packBags(bags: readonly (Uint32Array | Int32Array)[]): Bags {
  const offsets = new Int32Array(bags.length + 1);
  bags.forEach((bag, b) => {
    offsets[b + 1] = (offsets[b] ?? 0) + bag.length;
  });
  const ids = new Int32Array(offsets[bags.length] ?? 0);
  bags.forEach((bag, b) => {
    ids.set(bag, offsets[b]);
  });
  return { ids, offsets };
}

/** One loss of a step: bags in, pooled sums out; the loss gives back the gradient of each pooled sum. */
export type LossPart = { readonly own?: PartParameters | undefined; readonly bags: Bags; readonly evaluate: (pooled: Float32Array) => Promise<{ readonly loss: number; readonly gradient: Float32Array }> };

export type StepResult = { readonly losses: readonly number[]; readonly gradientNorm: number; readonly isFinite: boolean };

/**
 * One update from several losses, computed one after the other with their gradients accumulated (Hu et al. 2023, section 4):
 *   pooled_b = sum_t exp(logWeight_t) row_t,   d row_t = w_t sum_b d pooled_b,   d logWeight_t = w_t (row_t . sum_b d pooled_b)
 * Nothing is changed when a loss or the gradient is not finite.
 * @param frozen rows that keep their values (1 = frozen), or null.
 */
export async function staticStep(options: {
  readonly kernels: Kernels;
  readonly memory: KernelMemory;
  readonly parameters: StaticParameters;
  readonly parts: readonly LossPart[];
  readonly learningRate: number;
  readonly frozen: Uint8Array | null;
}): Promise<StepResult> {
  const { kernels, memory, parameters, parts, learningRate, frozen } = options;
  const { width, vocabularySize, table, logWeights } = parameters;
  const own = [...new Set(parts.flatMap((part) => part.own ?? []))];
  for (const learned of own) learned.begin();
  const mark = memory.mark();
  try {
    const weights = memory.float32(vocabularySize);
    for (let t = 0; t < vocabularySize; t += 1) weights[t] = Math.exp(logWeights[t] ?? 0);
    const inUse = findRowsInUse({ batches: parts.map((part) => part.bags.ids), vocabularySize });
    const rowGradients = memory.float32(inUse.rows.length * width);
    const weightGradients = memory.float32(inUse.rows.length);
    const losses: number[] = [];
    for (const { bags, evaluate } of parts) {
      const inner = memory.mark();
      const pooled = memory.float32((bags.offsets.length - 1) * width);
      kernels.embeddingBagForward({ table, weights, ids: bags.ids, offsets: bags.offsets, pooled, width });
      const { loss, gradient } = await evaluate(pooled);
      losses.push(loss);
      pooled.set(gradient);
      kernels.embeddingBagBackward({ table, weights, rows: inUse.rows, ...groupByRow({ ...bags, inUse }), pooledGradients: pooled, rowGradients, weightGradients, width });
      memory.release(inner);
    }
    const gradientNorm = Math.sqrt(own.reduce((sum, learned) => sum + learned.squaredNorm(), kernels.dot(rowGradients, rowGradients)));
    const isFinite = Number.isFinite(gradientNorm) && losses.every((loss) => Number.isFinite(loss));
    if (isFinite) {
      applyGradients({ kernels, memory, parameters, inUse, rowGradients, weightGradients, weights, learningRate, frozen });
      for (const learned of own) learned.apply({ learningRate, scale: 1 });
    }
    return { losses, gradientNorm, isFinite };
  } finally {
    memory.release(mark);
  }
}

function applyGradients(options: {
  readonly kernels: Kernels;
  readonly memory: KernelMemory;
  readonly parameters: StaticParameters;
  readonly inUse: RowsInUse;
  readonly rowGradients: Float32Array;
  readonly weightGradients: Float32Array;
  readonly weights: Float32Array;
  readonly learningRate: number;
  readonly frozen: Uint8Array | null;
}): void {
  const { kernels, memory, parameters, inUse, rowGradients, weightGradients, weights, learningRate, frozen } = options;
  const { width, vocabularySize } = parameters;
  const dense = memory.float32(vocabularySize);
  let rows = inUse.rows;
  let gradients = rowGradients;
  if (frozen !== null) {
    let kept = 0;
    rows = new Int32Array(inUse.rows.length);
    for (let u = 0; u < inUse.rows.length; u += 1) {
      const row = inUse.rows[u] ?? 0;
      if (frozen[row] === 1) continue;
      rows[kept] = row;
      if (kept !== u) rowGradients.copyWithin(kept * width, u * width, (u + 1) * width);
      dense[row] = (weightGradients[u] ?? 0) * (weights[row] ?? 0);
      kept += 1;
    }
    rows = rows.subarray(0, kept);
    gradients = rowGradients.subarray(0, kept * width);
  } else {
    for (let u = 0; u < inUse.rows.length; u += 1) dense[inUse.rows[u] ?? 0] = (weightGradients[u] ?? 0) * (weights[inUse.rows[u] ?? 0] ?? 0);
  }
  const shared = { kernels, settings: STATIC_ADAMW, learningRate, gradientScale: 1 };
  stepRowAdamw({ ...shared, values: parameters.table, state: parameters.tableState, rows, rowGradients: gradients, width });
  stepDenseAdamw({ ...shared, values: parameters.logWeights, state: parameters.weightState, gradients: dense });
}
