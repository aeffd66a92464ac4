/** What do element-wise operators calculate? */
import type { DType } from '../../tensor/dtype.ts';
import type { elementwise } from '../operators/elementwise.ts';
import { need, zip, type KernelTable, type Numbers } from './numbers.ts';

type ElementwiseOp = keyof typeof elementwise;
type Call = { readonly inputs: readonly (Numbers | null)[] };

const unary = (f: (x: number) => number) => ({ inputs }: Call): readonly Numbers[] => {
  const x = need(inputs, 0);
  return [{ dtype: x.dtype, shape: x.shape, data: x.data.map((element) => f(element)) }];
};

const binary = (f: (a: number, b: number, isInteger: boolean) => number, dtype?: DType) => ({ inputs }: Call): readonly Numbers[] => {
  const [a, b] = [need(inputs, 0), need(inputs, 1)];
  const isInteger = a.dtype === 'int64' || a.dtype === 'int32';
  return [zip(dtype ?? a.dtype, [a, b], (x, y) => f(x ?? Number.NaN, y ?? Number.NaN, isInteger))];
};

const isTrue = (condition: boolean): number => (condition ? 1 : 0);

const ERF_SERIES_LIMIT = 3; // below: power series; above: continued fraction
const ERF_TERMS = 80; // enough for full double precision on either side

/** The error function to double precision. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (size < ERF_SERIES_LIMIT) {
    let term = size;
    let sum = size;
    for (let n = 1; n < ERF_TERMS; n += 1) {
      term *= (-size * size) / n;
      sum += term / (2 * n + 1);
    }
    return Math.sign(x) * (2 / Math.sqrt(Math.PI)) * sum;
  }
  let fraction = 0;
  for (let n = ERF_TERMS; n > 0; n -= 1) fraction = n / 2 / (size + fraction);
  return Math.sign(x) * (1 - Math.exp(-size * size) / (Math.sqrt(Math.PI) * (size + fraction)));
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const GELU_TANH_CUBE = 0.044715; // Hendrycks and Gimpel 2016

export const elementwiseKernels: KernelTable<ElementwiseOp> = {
  Add: binary((a, b) => a + b),
  Sub: binary((a, b) => a - b),
  Mul: binary((a, b) => a * b),
  Div: binary((a, b, isInteger) => (isInteger ? Math.trunc(a / b) : a / b)),
  Max: binary((a, b) => Math.max(a, b)),
  Min: binary((a, b) => Math.min(a, b)),
  Pow: binary((a, b) => a ** b),
  Equal: binary((a, b) => isTrue(a === b), 'bool'),
  Less: binary((a, b) => isTrue(a < b), 'bool'),
  Greater: binary((a, b) => isTrue(a > b), 'bool'),
  LessOrEqual: binary((a, b) => isTrue(a <= b), 'bool'),
  GreaterOrEqual: binary((a, b) => isTrue(a >= b), 'bool'),
  And: binary((a, b) => a * b),
  Or: binary((a, b) => isTrue(a + b > 0)),
  Not: unary((x) => 1 - x),
  Neg: unary((x) => -x),
  Abs: unary(Math.abs),
  Sign: unary(Math.sign),
  Relu: unary((x) => Math.max(x, 0)),
  Sqrt: unary(Math.sqrt),
  Exp: unary(Math.exp),
  Log: unary(Math.log),
  Sin: unary(Math.sin),
  Cos: unary(Math.cos),
  Erf: unary(erf),
  Tanh: unary(Math.tanh),
  Sigmoid: unary(sigmoid),
  Softplus: unary((x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))),
  Reciprocal: unary((x) => 1 / x),
  Gelu: ({ inputs, attributes: { approximate } }) =>
    unary(approximate === 'none' ? (x) => (x / 2) * (1 + erf(x / Math.SQRT2)) : (x) => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + GELU_TANH_CUBE * x ** 3))))({ inputs }),
  Identity: unary((x) => x),
  Cast: ({ inputs, attributes: { to } }) => {
    const x = need(inputs, 0);
    const convert = castTo(to);
    return [{ dtype: to, shape: x.shape, data: x.data.map((element) => convert(element)) }];
  },
  Clip: ({ inputs }) => {
    const low = inputs[1]?.data[0] ?? Number.NEGATIVE_INFINITY;
    const high = inputs[2]?.data[0] ?? Number.POSITIVE_INFINITY;
    return unary((x) => Math.min(Math.max(x, low), high))({ inputs });
  },
  Where: ({ inputs }) => {
    const [condition, a, b] = [need(inputs, 0), need(inputs, 1), need(inputs, 2)];
    return [zip(a.dtype, [condition, a, b], (c, x, y) => (c === 0 ? (y ?? Number.NaN) : (x ?? Number.NaN)))];
  },
};

function castTo(to: DType): (x: number) => number {
  if (to === 'bool') return (x) => isTrue(x !== 0);
  return to === 'float32' || to === 'float64' ? (x) => x : Math.trunc;
}
