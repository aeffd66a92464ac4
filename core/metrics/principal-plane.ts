/** Where do vectors lie on a flat map? Their first two principal components, turned so that one map continues the one before. */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';

/** Points of a map and how much of the vectors it shows. */
export type PrincipalPlane = {
  /** float64 [n, 2]: x and y of each vector, in the units of the vectors; the mean of all is 0. */
  readonly points: Float64Array;
  /** Share of the variance that lies in the plane, 0 to 1; 0 when the vectors do not differ. */
  readonly share: number;
};

/**
 * Principal component analysis to two dimensions.
 *   c_i = v_i − mean(v),   G = C Cᵀ,   G u_k = λ_k u_k,   point_i = (√λ_1 u_1i, √λ_2 u_2i)
 * The Gram matrix [n, n] is taken instead of the covariance [H, H], because few vectors are wide. Each axis points to where its largest
 * coordinate is positive, so that equal vectors give equal maps.
 * @param vectors float32 [n, H], any length. @param width H >= 1.
 * @throws RangeError when the numbers are not whole vectors.
 * @see Jolliffe 2002, Principal Component Analysis, 3.5.
 */
export function principalPlane({ vectors, width }: { readonly vectors: Float32Array; readonly width: number }): PrincipalPlane {
  const count = vectors.length / width;
  if (!Number.isInteger(count)) throw new RangeError(`Expected vectors of ${width} numbers, found ${vectors.length} numbers in all.`);
  const points = new Float64Array(2 * count);
  if (count < 2) return { points, share: 0 };
  const gram = centredGram(vectors, width, count);
  const total = gram.trace();
  if (total <= 0) return { points, share: 0 };
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(gram, { assumeSymmetric: true });
  const order = realEigenvalues.map((_, k) => k).sort((a, b) => (realEigenvalues[b] ?? 0) - (realEigenvalues[a] ?? 0));
  let shown = 0;
  for (let axis = 0; axis < 2; axis += 1) {
    const k = order[axis] ?? 0;
    const value = Math.max(0, realEigenvalues[k] ?? 0);
    shown += value;
    const column = eigenvectorMatrix.getColumn(k);
    const far = column.reduce((most, entry) => (Math.abs(entry) > Math.abs(most) ? entry : most), 0);
    const scale = Math.sqrt(value) * (far < 0 ? -1 : 1);
    column.forEach((entry, i) => {
      points[2 * i + axis] = entry * scale;
    });
  }
  return { points, share: Math.min(1, shown / total) };
}

/**
 * Turns (and, where that fits better, mirrors) a map so that it lies as near as possible to another map of the same points:
 *   R = argmin over orthogonal R of Σ |p_i R − q_i|²  (Procrustes; in two dimensions a closed form)
 * Both maps are centred; nothing is stretched, so that what has moved is seen.
 * @param points float64 [n, 2]. @param reference float64 [n, 2], the same points in the same order.
 * @returns float64 [n, 2]; `points` itself when the lengths differ. @see Schönemann 1966.
 */
export function turnedTowards(points: Float64Array, reference: Float64Array): Float64Array {
  if (points.length !== reference.length) return points;
  let [xx, xy, yx, yy] = [0, 0, 0, 0];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y, u, v] = [points[i] ?? 0, points[i + 1] ?? 0, reference[i] ?? 0, reference[i + 1] ?? 0];
    xx += x * u;
    xy += x * v;
    yx += y * u;
    yy += y * v;
  }
  const turned = { cosine: xx + yy, sine: xy - yx };
  const mirrored = { cosine: xx - yy, sine: xy + yx };
  const mirror = Math.hypot(mirrored.cosine, mirrored.sine) > Math.hypot(turned.cosine, turned.sine) ? -1 : 1;
  const { cosine, sine } = mirror === 1 ? turned : mirrored;
  const length = Math.hypot(cosine, sine);
  if (length === 0) return points;
  const [c, s] = [cosine / length, sine / length];
  const found = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [points[i] ?? 0, mirror * (points[i + 1] ?? 0)];
    found[i] = c * x - s * y;
    found[i + 1] = s * x + c * y;
  }
  return found;
}

function centredGram(vectors: Float32Array, width: number, count: number): Matrix {
  const mean = new Float64Array(width);
  for (let i = 0; i < vectors.length; i += 1) mean[i % width] = (mean[i % width] ?? 0) + (vectors[i] ?? 0) / count;
  const centred = Float64Array.from(vectors, (value, i) => value - (mean[i % width] ?? 0));
  const gram = Matrix.zeros(count, count);
  for (let i = 0; i < count; i += 1) {
    for (let j = i; j < count; j += 1) {
      let product = 0;
      for (let h = 0; h < width; h += 1) product += (centred[i * width + h] ?? 0) * (centred[j * width + h] ?? 0);
      gram.set(i, j, product);
      gram.set(j, i, product);
    }
  }
  return gram;
}
