/** How is a large matrix trained through two thin ones? */
import { expectShapes, type GraphBuilder, type Value } from '../graph/builder.ts';

/** The names of the two thin matrices beside a weight "layer.0.query.weight". */
export const lowRankNames = (weight: string): { readonly down: string; readonly up: string } => ({ down: `${weight}.lowRank.down`, up: `${weight}.lowRank.up` });

/** Thin matrices down [R, In] and up [Out, R] and the factor α / R. */
export type LowRank = { readonly down: Value; readonly up: Value; readonly scale: number };

/**
 * x (W + scale · up down)ᵀ − x Wᵀ = scale · (x downᵀ) upᵀ: what is added to the output of the frozen map, without ever making the sum.
 *
 * @param x  float [T, In];  down [R, In], up [Out, R].
 * @returns float [T, Out].
 * @see Hu et al. 2021, arXiv:2106.09685 (LoRA): down starts random, up starts at zero.
 */
export function lowRankTerm(g: GraphBuilder, x: Value, { down, up, scale }: LowRank): Value {
  expectShapes([[down, 'R In'], [up, 'Out R']]);
  return g.gemm(g.gemm(x, down, { transB: true }), up, { transB: true, alpha: scale });
}

/**
 * The merged matrix W + scale · up down, for export; new array of W's length.
 *
 * @param weight  [Out, In];  down [R, In], up [Out, R], row-major.
 */
export function mergeLowRank({ weight, down, up, rank, scale }: { readonly weight: Float32Array; readonly down: Float32Array; readonly up: Float32Array; readonly rank: number; readonly scale: number }): Float32Array {
  const inner = down.length / rank;
  const merged = Float32Array.from(weight);
  for (let out = 0; out < up.length / rank; out += 1) {
    for (let r = 0; r < rank; r += 1) {
      const factor = scale * (up[out * rank + r] ?? 0);
      for (let i = 0; i < inner; i += 1) merged[out * inner + i] = (merged[out * inner + i] ?? 0) + factor * (down[r * inner + i] ?? 0);
    }
  }
  return merged;
}
