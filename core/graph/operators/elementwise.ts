/** Which operators work element by element? */
import { addDimensions, dimensionTerms, multiplyDimensions, type Dimension } from '../../tensor/dimension.ts';
import type { DType } from '../../tensor/dtype.ts';
import { broadcastShapes } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { dtype, one, operator, text, three, two, type Arity, type Binary, type Unary } from '../operator.ts';
import type { Value } from '../value.ts';
import { broadcastOutput, needDType, needFloat, sameDType, shortContent } from './infer.ts';

const NUMBERS: readonly DType[] = ['float32', 'float64', 'int64', 'int32'];

/** y = f(x) on floats. */
const floatUnary = (opset: number) => operator({ inputs: one, attributes: {}, opset, infer: ({ inputs: [x] }: { inputs: Unary }) => [{ dtype: needFloat(x), shape: x.shape }] });

/** y = f(x) on numbers. */
const numberUnary = (opset: number) => operator({ inputs: one, attributes: {}, opset, infer: ({ inputs: [x] }: { inputs: Unary }) => [{ dtype: needDType(x, NUMBERS), shape: x.shape }] });

type Combine = (a: Dimension, b: Dimension) => Dimension | null;

/** y = f(a, b) on numbers of one type, stretched over each other. `combine` carries known sizes through. */
const arithmetic = (opset: number, combine: Combine = () => null) =>
  operator({
    inputs: two,
    attributes: {},
    opset,
    infer: ({ inputs: [a, b] }: { inputs: Binary }) => {
      needDType(a, NUMBERS);
      const output = broadcastOutput(a, b);
      const content = shortContent(output.shape, () => combineContent(a.content, b.content, combine));
      return [{ ...output, content }];
    },
  });

function combineContent(a: Value['content'], b: Value['content'], combine: Combine): readonly Dimension[] | null {
  if (a === null || b === null) return null;
  const result: Dimension[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const left = a[a.length === 1 ? 0 : i];
    const right = b[b.length === 1 ? 0 : i];
    const combined = left === undefined || right === undefined ? null : combine(left, right);
    if (combined === null) return null;
    result.push(combined);
  }
  return result;
}

/** y = a ? b on numbers, giving bool. `combine` says 1 or 0 of sizes of which it is known. */
const comparison = (opset: number, combine: Combine = () => null) =>
  operator({
    inputs: two,
    attributes: {},
    opset,
    infer: ({ inputs: [a, b] }: { inputs: Binary }) => {
      const { shape } = broadcastOutput(a, b);
      return [{ dtype: 'bool', shape, content: shortContent(shape, () => combineContent(a.content, b.content, combine)) }];
    },
  });

/** Whether two sizes are the same: 1, 0, or null where it hangs on a run. A size is never below 0. */
function areEqual(a: Dimension, b: Dimension): Dimension | null {
  if (a === b) return 1;
  if (typeof a === 'number' && typeof b === 'number') return 0;
  const [size, other] = typeof a === 'string' ? [a, b] : [b, a];
  const { constant, terms } = dimensionTerms(size);
  return typeof other === 'number' && other < 0 && constant >= 0 && terms.every(({ count }) => count > 0) ? 0 : null;
}

/** y = a ? b on bools. */
const logical = (opset: number) =>
  operator({
    inputs: two,
    attributes: {},
    opset,
    infer: ({ inputs: [a, b] }: { inputs: Binary }) => {
      needDType(a, ['bool']);
      return [broadcastOutput(a, b)];
    },
  });

const clipInputs: Arity<readonly [Value, (Value | null)?, (Value | null)?]> = { least: 1, most: 3 };

export const elementwise = {
  Add: arithmetic(14, (a, b) => addDimensions(a, b)),
  Sub: arithmetic(14, (a, b) => addDimensions(a, b, -1)),
  Mul: arithmetic(14, multiplyDimensions),
  Div: arithmetic(14, (a, b) => (b === 1 ? a : typeof a === 'number' && typeof b === 'number' && b !== 0 ? Math.trunc(a / b) : null)),
  Max: arithmetic(13),
  Min: arithmetic(13),
  /** y = a^b; both floats here. */
  Pow: arithmetic(15),
  Equal: comparison(19, areEqual),
  Less: comparison(13),
  Greater: comparison(13),
  LessOrEqual: comparison(16),
  GreaterOrEqual: comparison(16),
  And: logical(7),
  Or: logical(7),
  Not: operator({ inputs: one, attributes: {}, opset: 1, infer: ({ inputs: [x] }: { inputs: Unary }) => [{ dtype: needDType(x, ['bool']), shape: x.shape }] }),
  Neg: numberUnary(13),
  Abs: numberUnary(13),
  Sign: numberUnary(13),
  Relu: numberUnary(14),
  Sqrt: floatUnary(13),
  Exp: floatUnary(13),
  Log: floatUnary(13),
  Sin: floatUnary(7),
  Cos: floatUnary(7),
  Erf: floatUnary(13),
  Tanh: floatUnary(13),
  Sigmoid: floatUnary(13),
  Softplus: floatUnary(1),
  Reciprocal: floatUnary(13),
  /** y = x Φ(x): `approximate` "none" (error function) or "tanh". */
  Gelu: operator({
    inputs: one,
    attributes: { approximate: text('none') },
    opset: 20,
    infer: ({ inputs: [x], attributes: { approximate } }: { inputs: Unary; attributes: { readonly approximate: string } }) => {
      if (approximate !== 'none' && approximate !== 'tanh') throw new ShapeError('graph.bad-attribute', `Gelu: approximate should be "none" or "tanh", found "${approximate}".`);
      return [{ dtype: needFloat(x), shape: x.shape }];
    },
  }),
  Identity: operator({ inputs: one, attributes: {}, opset: 19, infer: ({ inputs: [x] }: { inputs: Unary }) => [{ dtype: x.dtype, shape: x.shape, content: x.content }] }),
  Cast: operator({
    inputs: one,
    attributes: { to: dtype() },
    opset: 19,
    infer: ({ inputs: [x], attributes: { to } }: { inputs: Unary; attributes: { readonly to: DType } }) => [{ dtype: to, shape: x.shape, content: to === 'int64' || to === 'int32' ? x.content : null }],
  }),
  /** y = min(max(x, low), high); either bound may be absent; bounds are scalars. */
  Clip: operator({
    inputs: clipInputs,
    attributes: {},
    opset: 13,
    infer: ({ inputs: [x, low, high] }: { inputs: readonly [Value, (Value | null)?, (Value | null)?] }) => {
      for (const bound of [low, high]) {
        if (bound === null || bound === undefined) continue;
        sameDType(x, bound);
        if (bound.shape.length !== 0) throw new ShapeError('graph.rank', `Clip: "${bound.name}" should be a scalar.`);
      }
      return [{ dtype: needDType(x, NUMBERS), shape: x.shape }];
    },
  }),
  /** y = condition ? a : b. */
  Where: operator({
    inputs: three,
    attributes: {},
    opset: 16,
    infer: ({ inputs: [condition, a, b] }: { inputs: readonly [Value, Value, Value] }) => {
      needDType(condition, ['bool']);
      const shape = broadcastShapes(condition.shape, broadcastShapes(a.shape, b.shape));
      const content = shortContent(shape, () => {
        const chosen = combineContent(condition.content, a.content, (is, own) => (is === 1 ? own : 0));
        const otherwise = combineContent(condition.content, b.content, (is, own) => (is === 1 ? 0 : own));
        return combineContent(chosen, otherwise, addDimensions); // one of the two is 0
      });
      return [{ dtype: sameDType(a, b), shape, content }];
    },
  }),
};
