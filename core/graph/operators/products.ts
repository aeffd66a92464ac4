/** Which operators multiply matrices? */
import { broadcastShapes, formatShape, type Shape } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { float, int, operator, two, type Arity, type Binary } from '../operator.ts';
import type { Value } from '../value.ts';
import { needFloat, needRank, sameDType } from './infer.ts';

type GemmInputs = readonly [Value, Value, (Value | null)?];
const gemmInputs: Arity<GemmInputs> = { least: 2, most: 3 };
type GemmAttributes = { readonly alpha: number; readonly beta: number; readonly transA: number; readonly transB: number };

function needEqual(what: string, a: Value, b: Value, left: unknown, right: unknown): void {
  if (left !== right) throw new ShapeError('graph.shape-mismatch', `${what}: inner sizes of ${formatShape(a.shape)} and ${formatShape(b.shape)} differ (${String(left)} against ${String(right)}).`);
}

export const products = {
  /** y = a b over the last two axes; leading axes stretch. Ranks of at least 2. */
  MatMul: operator({
    inputs: two,
    attributes: {},
    opset: 13,
    infer: ({ inputs: [a, b] }: { inputs: Binary }) => {
      needFloat(a);
      if (a.shape.length < 2 || b.shape.length < 2) throw new ShapeError('graph.rank', `MatMul needs ranks of at least 2, found ${formatShape(a.shape)} and ${formatShape(b.shape)}.`);
      needEqual('MatMul', a, b, a.shape.at(-1), b.shape.at(-2));
      const shape: Shape = [...broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2)), a.shape.at(-2) ?? 1, b.shape.at(-1) ?? 1];
      return [{ dtype: sameDType(a, b), shape }];
    },
  }),
  /** y = alpha a' b' + beta c, where ' transposes when asked; a and b of rank 2, c stretches to the result. */
  Gemm: operator({
    inputs: gemmInputs,
    attributes: { alpha: float(1), beta: float(1), transA: int(0), transB: int(0) },
    opset: 13,
    infer: ({ inputs: [a, b, c], attributes: { transA, transB } }: { inputs: GemmInputs; attributes: GemmAttributes }) => {
      needFloat(a);
      const [a0 = 1, a1 = 1] = needRank(a, 2);
      const [b0 = 1, b1 = 1] = needRank(b, 2);
      needEqual('Gemm', a, b, transA === 0 ? a1 : a0, transB === 0 ? b0 : b1);
      const shape: Shape = [transA === 0 ? a0 : a1, transB === 0 ? b1 : b0];
      if (c !== null && c !== undefined) {
        sameDType(a, c);
        const stretched = broadcastShapes(c.shape, shape);
        if (stretched.length !== 2 || stretched.some((dimension, i) => dimension !== shape[i])) throw new ShapeError('graph.shape-mismatch', `Gemm: "${c.name}" of shape ${formatShape(c.shape)} does not stretch to ${formatShape(shape)}.`);
      }
      return [{ dtype: sameDType(a, b), shape }];
    },
  }),
};
