/** What do the kernels compute, in plain JavaScript? The readable twin of kernel-module.ts: the same operations, the same bits. */
import {
  checkBagBackward, checkBagForward, checkDenseAdamw, checkRowAdamw, checkScoreMatrix, expectLengths,
  type AdamwScalars, type BagBackwardArguments, type BagForwardArguments, type Kernels, type RowAdamwArguments, type ScoreMatrixArguments,
} from './kernels.ts';

/** Rounding to float32 after every operation is what makes the bits those of the SIMD kernels. */
const f = Math.fround;
const DOT_SUMS = 8;

/** The kernels without WebAssembly; arrays may lie anywhere. */
export function createJavaScriptKernels(): Kernels {
  return {
    kind: 'javascript',
    scale: (values, factor) => {
      const scale = f(factor);
      for (let i = 0; i < values.length; i += 1) values[i] = f((values[i] ?? 0) * scale);
    },
    addScaled: (sum, values, factor) => {
      expectLengths('addScaled', [['values', values.length, sum.length]]);
      addScaledRange({ sum, sumStart: 0, values, valuesStart: 0, length: sum.length, factor: f(factor) });
    },
    dot: (a, b) => {
      expectLengths('dot', [['b', b.length, a.length]]);
      return dotRange({ a, aStart: 0, b, length: a.length });
    },
    adamw: (step) => {
      checkDenseAdamw(step);
      adamwRange({ ...step, start: 0, gradientStart: 0, length: step.values.length });
    },
    adamwRows,
    embeddingBagForward,
    embeddingBagBackward,
    scoreMatrix,
  };
}

type AdamwRange = AdamwScalars & {
  readonly values: Float32Array; readonly means: Float32Array; readonly variances: Float32Array; readonly gradients: Float32Array;
  readonly start: number; readonly gradientStart: number; readonly length: number; readonly stepSize: number; readonly inverseRootBias2: number;
};

function adamwRange(range: AdamwRange): void {
  const { values, means, variances, gradients, start, gradientStart, length } = range;
  const gradientScale = f(range.gradientScale);
  const decay = f(range.decay);
  const oneMinusBeta1 = f(range.oneMinusBeta1);
  const beta2 = f(range.beta2);
  const oneMinusBeta2 = f(range.oneMinusBeta2);
  const epsilon = f(range.epsilon);
  const stepSize = f(range.stepSize);
  const inverseRootBias2 = f(range.inverseRootBias2);
  for (let k = 0; k < length; k += 1) {
    const i = start + k;
    const gradient = f((gradients[gradientStart + k] ?? 0) * gradientScale);
    const oldMean = means[i] ?? 0;
    const mean = f(oldMean + f(f(gradient - oldMean) * oneMinusBeta1));
    const variance = f(f((variances[i] ?? 0) * beta2) + f(f(gradient * oneMinusBeta2) * gradient));
    means[i] = mean;
    variances[i] = variance;
    const denominator = f(f(f(Math.sqrt(variance)) * inverseRootBias2) + epsilon);
    values[i] = f(f((values[i] ?? 0) * decay) - f(f(mean / denominator) * stepSize));
  }
}

function adamwRows(step: RowAdamwArguments): void {
  checkRowAdamw(step);
  const { rows, width } = step;
  for (let u = 0; u < rows.length; u += 1) {
    adamwRange({
      ...step,
      gradients: step.rowGradients,
      start: (rows[u] ?? 0) * width,
      gradientStart: u * width,
      length: width,
      stepSize: step.stepSizes[u] ?? 0,
      inverseRootBias2: step.inverseRoots[u] ?? 0,
    });
  }
}

function embeddingBagForward(step: BagForwardArguments): void {
  checkBagForward(step);
  const { table, weights, ids, offsets, pooled, width } = step;
  pooled.fill(0);
  for (let bag = 0; bag + 1 < offsets.length; bag += 1) {
    for (let t = offsets[bag] ?? 0; t < (offsets[bag + 1] ?? 0); t += 1) {
      const id = ids[t] ?? 0;
      addScaledRange({ sum: pooled, sumStart: bag * width, values: table, valuesStart: id * width, length: width, factor: weights[id] ?? 0 });
    }
  }
}

function embeddingBagBackward(step: BagBackwardArguments): void {
  checkBagBackward(step);
  const { table, weights, rows, starts, bags, pooledGradients, rowGradients, weightGradients, width } = step;
  const gathered = new Float32Array(width); // G[u]
  for (let u = 0; u < rows.length; u += 1) {
    const row = rows[u] ?? 0;
    gathered.fill(0);
    for (let occurrence = starts[u] ?? 0; occurrence < (starts[u + 1] ?? 0); occurrence += 1) {
      const start = (bags[occurrence] ?? 0) * width;
      for (let k = 0; k < width; k += 1) gathered[k] = f((gathered[k] ?? 0) + (pooledGradients[start + k] ?? 0));
    }
    addScaledRange({ sum: rowGradients, sumStart: u * width, values: gathered, valuesStart: 0, length: width, factor: weights[row] ?? 0 });
    weightGradients[u] = f((weightGradients[u] ?? 0) + f(dotRange({ a: table, aStart: row * width, b: gathered, length: width })));
  }
}

/** Four float32 sums per score, as the lanes of a vector. */
function scoreMatrix(step: ScoreMatrixArguments): void {
  const { queryCount, documentCount } = checkScoreMatrix(step);
  const { queries, documents, scores, width } = step;
  for (let q = 0; q < queryCount; q += 1) {
    for (let n = 0; n < documentCount; n += 1) {
      const a = q * width;
      const b = n * width;
      let [sum0, sum1, sum2, sum3] = [f(0), f(0), f(0), f(0)];
      for (let k = 0; k < width; k += 4) {
        sum0 = f(sum0 + f((queries[a + k] ?? 0) * (documents[b + k] ?? 0)));
        sum1 = f(sum1 + f((queries[a + k + 1] ?? 0) * (documents[b + k + 1] ?? 0)));
        sum2 = f(sum2 + f((queries[a + k + 2] ?? 0) * (documents[b + k + 2] ?? 0)));
        sum3 = f(sum3 + f((queries[a + k + 3] ?? 0) * (documents[b + k + 3] ?? 0)));
      }
      scores[q * documentCount + n] = f(f(sum0 + sum1) + f(sum2 + sum3));
    }
  }
}

type ScaledRange = {
  readonly sum: Float32Array; readonly sumStart: number; readonly values: Float32Array; readonly valuesStart: number; readonly length: number;
  /** Already a float32. */
  readonly factor: number;
};

function addScaledRange({ sum, sumStart, values, valuesStart, length, factor }: ScaledRange): void {
  for (let k = 0; k < length; k += 1) sum[sumStart + k] = f((sum[sumStart + k] ?? 0) + f((values[valuesStart + k] ?? 0) * factor));
}

/** Element i of whole groups of eight goes to sum i mod 8; the sums are added as a tree; then the remaining elements in order. */
function dotRange({ a, aStart, b, length }: { readonly a: Float32Array; readonly aStart: number; readonly b: Float32Array; readonly length: number }): number {
  const whole = length - (length % DOT_SUMS);
  let [s0, s1, s2, s3, s4, s5, s6, s7] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < whole; k += DOT_SUMS) {
    const i = aStart + k;
    s0 += (a[i] ?? 0) * (b[k] ?? 0);
    s1 += (a[i + 1] ?? 0) * (b[k + 1] ?? 0);
    s2 += (a[i + 2] ?? 0) * (b[k + 2] ?? 0);
    s3 += (a[i + 3] ?? 0) * (b[k + 3] ?? 0);
    s4 += (a[i + 4] ?? 0) * (b[k + 4] ?? 0);
    s5 += (a[i + 5] ?? 0) * (b[k + 5] ?? 0);
    s6 += (a[i + 6] ?? 0) * (b[k + 6] ?? 0);
    s7 += (a[i + 7] ?? 0) * (b[k + 7] ?? 0);
  }
  let tail = 0;
  for (let k = whole; k < length; k += 1) tail += (a[aStart + k] ?? 0) * (b[k] ?? 0);
  return s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7)) + tail;
}
