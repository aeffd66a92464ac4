/** Which gradients have the element-wise operators? */
import type { GraphBuilder, Value } from '../../graph/builder.ts';
import type { elementwise } from '../../graph/operators/elementwise.ts';
import type { GradientTable } from '../rule.ts';

const SQRT_2 = Math.SQRT2;
const TWO_OVER_SQRT_PI = 2 / Math.sqrt(Math.PI); // derivative of erf at 0
const ONE_OVER_SQRT_2PI = 1 / Math.sqrt(2 * Math.PI); // height of the normal density
const GELU_TANH_SCALE = Math.sqrt(2 / Math.PI); // Hendrycks and Gimpel 2016, tanh approximation
const GELU_TANH_CUBE = 0.044715; // same place

export const elementwiseRules: GradientTable<keyof typeof elementwise> = {
  /** y = a + b.  da = dy, db = dy. */
  Add: ({ outputGrads: [dy] }) => [dy, dy],
  /** y = a − b.  da = dy, db = −dy. */
  Sub: ({ g, outputGrads: [dy] }) => [dy, g.neg(dy)],
  /** y = a b.  da = dy b, db = dy a. */
  Mul: ({ g, inputs: [a, b], outputGrads: [dy] }) => (a === b ? [g.mul(g.mul(dy, 2), a), null] : [g.mul(dy, b), g.mul(dy, a)]),
  /** y = a / b.  da = dy / b, db = −da y. */
  Div: ({ g, inputs: [, b], outputs: [y], outputGrads: [dy] }) => {
    const da = g.div(dy, b);
    return [da, g.neg(g.mul(da, y))];
  },
  /** y = max(a, b).  The larger one takes dy; both take half where they are equal. */
  Max: ({ g, inputs: [a, b], outputGrads: [dy] }) => selected(g, { winner: g.greater(a, b), loser: g.less(a, b), dy }),
  /** y = min(a, b).  As Max. */
  Min: ({ g, inputs: [a, b], outputGrads: [dy] }) => selected(g, { winner: g.less(a, b), loser: g.greater(a, b), dy }),
  /** y = a^b.  da = dy b a^(b−1), db = dy y ln a (0 where a = 0). */
  Pow: ({ g, inputs: [a, b], outputs: [y], outputGrads: [dy], needed: [, needsExponent] }) => {
    const da = g.mul(g.mul(dy, b), g.pow(a, g.sub(b, 1)));
    if (needsExponent !== true) return [da, null];
    const isZero = g.equal(a, 0);
    return [da, g.where(isZero, 0, g.mul(g.mul(dy, y), g.log(g.where(isZero, 1, a))))];
  },
  Equal: 'none', // piecewise constant
  Less: 'none',
  Greater: 'none',
  LessOrEqual: 'none',
  GreaterOrEqual: 'none',
  And: 'none',
  Or: 'none',
  Not: 'none',
  Sign: 'none', // its derivative is 0 wherever it exists
  /** y = −x.  dx = −dy. */
  Neg: ({ g, outputGrads: [dy] }) => [g.neg(dy)],
  /** y = |x|.  dx = dy sign(x). */
  Abs: ({ g, inputs: [x], outputGrads: [dy] }) => [g.mul(dy, g.sign(x))],
  /** y = max(x, 0).  dx = dy where x > 0. */
  Relu: ({ g, outputs: [y], outputGrads: [dy] }) => [g.where(g.greater(y, 0), dy, 0)],
  /** y = √x.  dx = dy / (2y). */
  Sqrt: ({ g, outputs: [y], outputGrads: [dy] }) => [g.div(g.mul(dy, 1 / 2), y)],
  /** y = exp(x).  dx = dy y. */
  Exp: ({ g, outputs: [y], outputGrads: [dy] }) => [g.mul(dy, y)],
  /** y = ln x.  dx = dy / x. */
  Log: ({ g, inputs: [x], outputGrads: [dy] }) => [g.div(dy, x)],
  /** y = sin x.  dx = dy cos x. */
  Sin: ({ g, inputs: [x], outputGrads: [dy] }) => [g.mul(dy, g.cos(x))],
  /** y = cos x.  dx = −dy sin x. */
  Cos: ({ g, inputs: [x], outputGrads: [dy] }) => [g.neg(g.mul(dy, g.sin(x)))],
  /** y = erf(x).  dx = dy 2/√π exp(−x²). */
  Erf: ({ g, inputs: [x], outputGrads: [dy] }) => [g.mul(g.mul(dy, TWO_OVER_SQRT_PI), g.exp(g.neg(g.mul(x, x))))],
  /** y = tanh(x).  dx = dy (1 − y²). */
  Tanh: ({ g, outputs: [y], outputGrads: [dy] }) => [g.mul(dy, g.sub(1, g.mul(y, y)))],
  /** y = σ(x).  dx = dy y (1 − y). */
  Sigmoid: ({ g, outputs: [y], outputGrads: [dy] }) => [g.mul(dy, g.mul(y, g.sub(1, y)))],
  /** y = ln(1 + exp(x)).  dx = dy σ(x). */
  Softplus: ({ g, inputs: [x], outputGrads: [dy] }) => [g.mul(dy, g.sigmoid(x))],
  /** y = 1/x.  dx = −dy y². */
  Reciprocal: ({ g, outputs: [y], outputGrads: [dy] }) => [g.neg(g.mul(dy, g.mul(y, y)))],
  /** y = x Φ(x).  dx = dy (Φ(x) + x φ(x)); with tanh: the derivative of the approximation itself. */
  Gelu: ({ g, inputs: [x], attributes: { approximate }, outputGrads: [dy] }) => {
    if (approximate === 'none') {
      const cumulative = g.mul(g.add(g.erf(g.mul(x, 1 / SQRT_2)), 1), 1 / 2);
      const density = g.mul(g.exp(g.mul(g.mul(x, x), -1 / 2)), ONE_OVER_SQRT_2PI);
      return [g.mul(dy, g.add(cumulative, g.mul(x, density)))];
    }
    const square = g.mul(x, x);
    const t = g.tanh(g.mul(x, g.mul(g.add(g.mul(square, GELU_TANH_CUBE), 1), GELU_TANH_SCALE)));
    const inner = g.mul(g.add(g.mul(square, 3 * GELU_TANH_CUBE), 1), GELU_TANH_SCALE); // derivative of tanh's argument
    const slope = g.mul(g.mul(x, g.sub(1, g.mul(t, t))), inner);
    return [g.mul(dy, g.mul(g.add(g.add(t, 1), slope), 1 / 2))];
  },
  /** y = x. */
  Identity: ({ outputGrads: [dy] }) => [dy],
  /** y = x in another float type.  dx = dy in x's type; none through whole numbers. */
  Cast: ({ g, inputs: [x], outputGrads: [dy] }) => [g.cast(dy, x.dtype)],
  /** y = min(max(x, low), high).  dx = dy where low ≤ x ≤ high; bounds are held fixed. */
  Clip: ({ g, inputs: [x, low, high], outputGrads: [dy] }) => {
    let dx = dy;
    if (low !== null && low !== undefined) dx = g.where(g.less(x, low), 0, dx);
    if (high !== null && high !== undefined) dx = g.where(g.greater(x, high), 0, dx);
    return [dx, null, null];
  },
  /** y = c ? a : b.  da = c ? dy : 0, db = c ? 0 : dy. */
  Where: ({ g, inputs: [condition], outputGrads: [dy] }) => [null, g.where(condition, dy, 0), g.where(condition, 0, dy)],
};

type Selection = { readonly winner: Value; readonly loser: Value; readonly dy: Value };

function selected(g: GraphBuilder, { winner, loser, dy }: Selection): readonly Value[] {
  const half = g.mul(dy, 1 / 2);
  return [g.where(winner, dy, g.where(loser, 0, half)), g.where(loser, dy, g.where(winner, 0, half))];
}
