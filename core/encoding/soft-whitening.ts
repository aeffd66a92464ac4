/** How are directions that all texts share made to count less? By the principal axes of many vectors, each divided by a power of its spread. */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';

/**
 * Principal axes of a set of vectors.
 * `mean` [H]; `axes` [H, H], row k = k-th principal direction (unit length, largest variance first); `variances` [H], descending.
 */
export type PrincipalAxes = { readonly mean: Float32Array; readonly axes: Float32Array; readonly variances: Float32Array };

/** Variances below this share of the largest are treated as this share: noise is not blown up. */
const LEAST_VARIANCE_SHARE = 1e-4;

/**
 * Principal component analysis: the eigenvectors of cov = (1/n) sum (x - mean)(x - mean)^T.
 * @param vectors float32 [n, H], row after row; n >= 2.
 */
export function principalAxes(vectors: Float32Array, width: number): PrincipalAxes {
  const count = vectors.length / width;
  const mean = new Float64Array(width);
  for (let i = 0; i < vectors.length; i += 1) mean[i % width] = (mean[i % width] ?? 0) + (vectors[i] ?? 0) / count;
  const covariance = covarianceOf(vectors, mean, width);
  const rows: Float64Array[] = [];
  for (let i = 0; i < width; i += 1) rows.push(covariance.subarray(i * width, (i + 1) * width));
  const eigen = new EigenvalueDecomposition(new Matrix(rows), { assumeSymmetric: true });
  const values = eigen.realEigenvalues;
  const order = values.map((_, i) => i).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const axes = new Float32Array(width * width);
  const variances = new Float32Array(width);
  const eigenvectors = eigen.eigenvectorMatrix;
  order.forEach((column, k) => {
    variances[k] = Math.max(0, values[column] ?? 0);
    let largest = 0;
    for (let i = 0; i < width; i += 1) if (Math.abs(eigenvectors.get(i, column)) > Math.abs(largest)) largest = eigenvectors.get(i, column);
    const sign = largest < 0 ? -1 : 1; // an eigenvector's sign is arbitrary: its largest part is made positive
    for (let i = 0; i < width; i += 1) axes[k * width + i] = sign * eigenvectors.get(i, column);
  });
  return { mean: Float32Array.from(mean), axes, variances };
}

/**
 * The scale of each principal direction: s_k = max(variance_k, 1e-4 variance_0)^(-power).
 * power 0 = no change, .5 = whitening; .45 is the default recipe's soft whitening.
 */
export function whiteningScale(variances: Float32Array, power: number): Float32Array {
  const largest = variances[0] ?? 0;
  if (largest === 0) return new Float32Array(variances.length).fill(1); // vectors that are all alike have no direction to scale
  return variances.map((variance) => Math.max(variance, largest * LEAST_VARIANCE_SHARE) ** -power);
}

function covarianceOf(vectors: Float32Array, mean: Float64Array, width: number): Float64Array {
  const count = vectors.length / width;
  const covariance = new Float64Array(width * width);
  const block = 8; // rows of the sum that are added at once, so that each element of the covariance is loaded once a block
  const centred = new Float64Array(block * width);
  for (let start = 0; start < count; start += block) {
    const rows = Math.min(block, count - start);
    centred.fill(0);
    for (let r = 0; r < rows; r += 1) for (let i = 0; i < width; i += 1) centred[i * block + r] = (vectors[(start + r) * width + i] ?? 0) - (mean[i] ?? 0);
    for (let i = 0; i < width; i += 1) {
      const at = i * block;
      const a0 = centred[at] ?? 0, a1 = centred[at + 1] ?? 0, a2 = centred[at + 2] ?? 0, a3 = centred[at + 3] ?? 0;
      const a4 = centred[at + 4] ?? 0, a5 = centred[at + 5] ?? 0, a6 = centred[at + 6] ?? 0, a7 = centred[at + 7] ?? 0;
      for (let j = 0; j <= i; j += 1) {
        const b = j * block;
        const sum =
          a0 * (centred[b] ?? 0) + a1 * (centred[b + 1] ?? 0) + a2 * (centred[b + 2] ?? 0) + a3 * (centred[b + 3] ?? 0) +
          a4 * (centred[b + 4] ?? 0) + a5 * (centred[b + 5] ?? 0) + a6 * (centred[b + 6] ?? 0) + a7 * (centred[b + 7] ?? 0);
        covariance[i * width + j] = (covariance[i * width + j] ?? 0) + sum;
      }
    }
  }
  for (let i = 0; i < width; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const value = (covariance[i * width + j] ?? 0) / count;
      covariance[i * width + j] = value;
      covariance[j * width + i] = value;
    }
  }
  return covariance;
}
