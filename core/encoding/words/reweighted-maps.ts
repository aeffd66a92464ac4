/** Which maps bring two spaces together when directions that agree shall count more than those that do not? */
import { EigenvalueDecomposition, Matrix, SingularValueDecomposition } from 'ml-matrix';
import { InputError } from '../../base/errors.ts';

/** float32 [H, H] each; row vectors x and z are mapped to x S and z T. */
export type ReweightedMaps = { readonly sourceMap: Float32Array; readonly targetMap: Float32Array };

/** Variances below this share of the largest count as this share: directions that the pairs do not fill are not blown up. */
const LEAST_VARIANCE_SHARE = 1e-6;

/**
 * The steps of VecMap: whiten both sides, rotate by UΣVᵀ = svd((X Wₓ)ᵀ Z W_z), weight by √Σ on both sides, undo the whitening:
 *
 *   S = Wₓ U √Σ Uᵀ Wₓ⁻¹ U,   T = W_z V √Σ Vᵀ W_z⁻¹ V,   W = (XᵀX)^(-1/2)
 *
 * Unlike a rotation it changes both spaces, so it brings two languages together, not many onto one.
 * @param sources  float32 [n, H]; row i is translated by row i of `targets`; n >= H.
 * @throws InputError 'words.too-few-pairs' below H pairs.
 * @see Artetxe et al. 2018, "Generalizing and improving bilingual word embedding mappings with a multi-step framework of linear transformations".
 */
export function reweightedMaps({ sources, targets, width }: { readonly sources: Float32Array; readonly targets: Float32Array; readonly width: number }): ReweightedMaps {
  const pairs = sources.length / width;
  if (pairs < width) throw new InputError('words.too-few-pairs', `Weighting the directions of ${width} numbers needs at least ${width} pairs of words, found ${pairs}. Ask for a rotation alone ("map": "orthogonal"), or for narrower vectors.`);
  const [x, z] = [matrixOf(sources, width), matrixOf(targets, width)];
  const [whitenX, whitenZ] = [whitening(x), whitening(z)];
  const cross = x.mmul(whitenX.matrix).transpose().mmul(z.mmul(whitenZ.matrix));
  const { leftSingularVectors: u, rightSingularVectors: v, diagonal } = new SingularValueDecomposition(cross, { autoTranspose: true });
  const roots = Matrix.diag(diagonal.map((value) => Math.sqrt(Math.max(0, value))));
  const mapOf = ({ matrix, inverse }: Whitening, turn: Matrix): Float32Array =>
    Float32Array.from(matrix.mmul(turn).mmul(roots).mmul(turn.transpose()).mmul(inverse).mmul(turn).to1DArray());
  return { sourceMap: mapOf(whitenX, u), targetMap: mapOf(whitenZ, v) };
}

type Whitening = { readonly matrix: Matrix; readonly inverse: Matrix };

/** (XᵀX)^(-1/2), and its inverse. */
function whitening(x: Matrix): Whitening {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(x.transpose().mmul(x), { assumeSymmetric: true });
  const least = LEAST_VARIANCE_SHARE * Math.max(...realEigenvalues);
  const powers = (power: number): Matrix => eigenvectorMatrix.mmul(Matrix.diag(realEigenvalues.map((value) => Math.max(value, least) ** power))).mmul(eigenvectorMatrix.transpose());
  return { matrix: powers(-1 / 2), inverse: powers(1 / 2) };
}

function matrixOf(rows: Float32Array, width: number): Matrix {
  return Matrix.from1DArray(rows.length / width, width, rows);
}
