/** Which rotation brings the vectors of one language onto those of another? */
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { InputError } from '../base/errors.ts';
import { openMatrixProduct } from '../runtime/matrix-product.ts';

/**
 * Orthogonal Procrustes:  W = argmin over WᵀW = I of ‖X W − Y‖²  =  U Vᵀ,  with U S Vᵀ = svd(Xᵀ Y).
 *
 * @param sources  float32 [n, H];  @param targets  float32 [n, H]: row i of X shall come to row i of Y.
 * @returns float32 [H, H]; a row vector x is mapped to x W.
 * @throws InputError 'calibration.too-few-pairs' below 2 pairs.
 * @see Schönemann 1966; Wu et al. 2022, section 3.2 (rotate); Conneau et al. 2018, eq. 2.
 */
export async function orthogonalMap({ sources, targets, width }: { readonly sources: Float32Array; readonly targets: Float32Array; readonly width: number }): Promise<Float32Array> {
  if (sources.length < 2 * width || sources.length !== targets.length) throw new InputError('calibration.too-few-pairs', `A rotation needs at least 2 pairs of sentences, found ${Math.min(sources.length, targets.length) / width}. Add a parallel corpus of the two languages.`);
  await using product = await openMatrixProduct({ transposeLeft: true });
  const cross = await multiplyTransposed(product, { sources, targets, width });
  const { leftSingularVectors, rightSingularVectors } = new SingularValueDecomposition(cross, { autoTranspose: true });
  return Float32Array.from(leftSingularVectors.mmul(rightSingularVectors.transpose()).to1DArray());
}

/** Xᵀ Y as a matrix of float64 for the decomposition. */
async function multiplyTransposed(product: Awaited<ReturnType<typeof openMatrixProduct>>, { sources, targets, width }: { readonly sources: Float32Array; readonly targets: Float32Array; readonly width: number }): Promise<Matrix> {
  const cross = await product.multiply(sources, targets, sources.length / width); // [H, H]
  return Matrix.from1DArray(width, width, cross);
}

/** Every row times W.  vectors: float32 [n, H], map: float32 [H, H]; returns float32 [n, H]. */
export async function applyMap(vectors: Float32Array, map: Float32Array, width: number): Promise<Float32Array> {
  if (vectors.length === 0) return new Float32Array(0);
  await using product = await openMatrixProduct();
  return product.multiply(vectors, map, width);
}
