/** How is element-wise arithmetic written, and kept lean? */
import type { DType } from '../../tensor/dtype.ts';
import { broadcastShapes, shapesEqual, type Shape } from '../../tensor/shape.ts';
import { numbersOf, tensorFrom } from '../../tensor/tensor.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import type { OpType } from '../operators.ts';
import type { Value } from '../value.ts';
import { sizesValue, type Emitter } from './emitter.ts';

/** A value, or a number that takes the element type of its neighbour. */
export type Operand = Value | number;

type ArithmeticOp = 'Add' | 'Sub' | 'Mul' | 'Div' | 'Max' | 'Min' | 'Pow';
type ComparisonOp = 'Equal' | 'Less' | 'Greater' | 'LessOrEqual' | 'GreaterOrEqual';
type UnaryOp = Extract<OpType, 'Neg' | 'Abs' | 'Sign' | 'Relu' | 'Sqrt' | 'Exp' | 'Log' | 'Sin' | 'Cos' | 'Erf' | 'Tanh' | 'Sigmoid' | 'Softplus' | 'Reciprocal'>;

const foldBinary: { readonly [Op in ArithmeticOp]: (a: number, b: number) => number } = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: (a, b) => a / b,
  Max: Math.max,
  Min: Math.min,
  Pow: (a, b) => a ** b,
};

/** The number that changes nothing on the right, where there is one. */
const rightNeutral: { readonly [Op in ArithmeticOp]: number | null } = { Add: 0, Sub: 0, Mul: 1, Div: 1, Max: null, Min: null, Pow: 1 };
const commutes: { readonly [Op in ArithmeticOp]: boolean } = { Add: true, Sub: false, Mul: true, Div: false, Max: true, Min: true, Pow: false };

/** The methods of the builder that work element by element. Shapes stretch over each other. */
export function arithmeticMethods(e: Emitter) {
  const scalar = (value: number, dtype: DType = 'float32'): Value => e.constant(tensorFrom(dtype, [], [value]));

  /** The number in a scalar constant; null for anything else. */
  const scalarOf = (value: Value): number | null => {
    const node = e.producerOf(value);
    return node?.op === 'Constant' && value.shape.length === 0 ? (numbersOf(node.attributes.value)[0] ?? null) : null;
  };

  /** What was expanded to make this value, or the value itself. */
  const unexpanded = (value: Value): Value => {
    const node = e.producerOf(value);
    return node?.op === 'Expand' ? node.inputs[0] : value;
  };

  const expandTo = (value: Value, shape: Shape): Value => (shapesEqual(value.shape, shape) ? value : e.emitOne('Expand', [value, sizesValue(e, shape)], {}));

  const operands = (a: Operand, b: Operand): readonly [Value, Value] => {
    if (typeof a !== 'number') return [a, typeof b === 'number' ? scalar(b, a.dtype) : b];
    if (typeof b !== 'number') return [scalar(a, b.dtype), b];
    return [scalar(a), scalar(b)];
  };

  const arithmetic = (op: ArithmeticOp, left: Operand, right: Operand): Value => {
    const [a, b] = operands(left, right);
    const fixedA = scalarOf(a);
    const fixedB = scalarOf(b);
    if (fixedA !== null && fixedB !== null && a.dtype === b.dtype) return scalar(foldBinary[op](fixedA, fixedB), a.dtype);
    if (fixedB !== null && fixedB === rightNeutral[op] && a.dtype === b.dtype) return a;
    if (commutes[op] && fixedA !== null && fixedA === rightNeutral[op] && a.dtype === b.dtype) return b;
    if (op === 'Mul' && fixedB !== null) {
      const inner = scaledBy(a);
      if (inner !== null) return arithmetic('Mul', inner.value, scalar(inner.factor * fixedB, a.dtype));
    }
    if (op === 'Mul' && fixedA !== null) return arithmetic('Mul', b, a);
    const smallA = unexpanded(a);
    const smallB = unexpanded(b);
    if (smallA === a && smallB === b) return e.emitOne(op, [a, b], {});
    // Expanded operands: calculate on what was there before, expand only what is still too small.
    return expandTo(arithmetic(op, smallA, smallB), broadcastShapes(a.shape, b.shape));
  };

  /** Reads x * 3 as (x, 3). */
  const scaledBy = (value: Value): { readonly value: Value; readonly factor: number } | null => {
    const node = e.producerOf(value);
    if (node?.op !== 'Mul') return null;
    const factor = scalarOf(node.inputs[1]);
    return factor === null ? null : { value: node.inputs[0], factor };
  };

  const comparison = (op: ComparisonOp, left: Operand, right: Operand): Value => e.emitOne(op, operands(left, right), {});

  const unary = (op: UnaryOp, x: Value): Value => {
    const small = unexpanded(x);
    if (small !== x) return expandTo(unary(op, small), x.shape);
    const fixed = op === 'Neg' ? scalarOf(x) : null;
    return fixed === null ? e.emitOne(op, [x], {}) : scalar(-fixed, x.dtype);
  };

  const where = (condition: Value, a: Operand, b: Operand): Value => e.emitOne('Where', [condition, ...operands(a, b)], {});

  return {
    /** A scalar constant. */
    scalar,
    scalarOf,
    add: (a: Operand, b: Operand): Value => arithmetic('Add', a, b),
    sub: (a: Operand, b: Operand): Value => arithmetic('Sub', a, b),
    mul: (a: Operand, b: Operand): Value => arithmetic('Mul', a, b),
    div: (a: Operand, b: Operand): Value => arithmetic('Div', a, b),
    max: (a: Operand, b: Operand): Value => arithmetic('Max', a, b),
    min: (a: Operand, b: Operand): Value => arithmetic('Min', a, b),
    pow: (a: Operand, b: Operand): Value => arithmetic('Pow', a, b),
    equal: (a: Operand, b: Operand): Value => comparison('Equal', a, b),
    less: (a: Operand, b: Operand): Value => comparison('Less', a, b),
    greater: (a: Operand, b: Operand): Value => comparison('Greater', a, b),
    lessOrEqual: (a: Operand, b: Operand): Value => comparison('LessOrEqual', a, b),
    greaterOrEqual: (a: Operand, b: Operand): Value => comparison('GreaterOrEqual', a, b),
    and: (a: Value, b: Value): Value => e.emitOne('And', [a, b], {}),
    or: (a: Value, b: Value): Value => e.emitOne('Or', [a, b], {}),
    not: (x: Value): Value => e.emitOne('Not', [x], {}),
    /** condition ? a : b, element by element. */
    where,
    neg: (x: Value): Value => unary('Neg', x),
    abs: (x: Value): Value => unary('Abs', x),
    sign: (x: Value): Value => unary('Sign', x),
    sqrt: (x: Value): Value => unary('Sqrt', x),
    exp: (x: Value): Value => unary('Exp', x),
    log: (x: Value): Value => unary('Log', x),
    sin: (x: Value): Value => unary('Sin', x),
    cos: (x: Value): Value => unary('Cos', x),
    erf: (x: Value): Value => unary('Erf', x),
    tanh: (x: Value): Value => unary('Tanh', x),
    sigmoid: (x: Value): Value => unary('Sigmoid', x),
    relu: (x: Value): Value => unary('Relu', x),
    /** log(1 + exp(x)). */
    softplus: (x: Value): Value => unary('Softplus', x),
    /** 1 / x. */
    reciprocal: (x: Value): Value => unary('Reciprocal', x),
    /** x Φ(x), with the error function ("none") or its tanh approximation. */
    gelu: (x: Value, approximate: 'none' | 'tanh' = 'none'): Value => e.emitOne('Gelu', [x], { approximate }),
    /** min(max(x, low), high). */
    clip: (x: Value, { low, high }: { readonly low?: number; readonly high?: number }): Value =>
      e.emitOne('Clip', [x, low === undefined ? null : scalar(low, x.dtype), high === undefined ? null : scalar(high, x.dtype)], {}),
    cast: (x: Value, to: DType): Value => (x.dtype === to ? x : e.emitOne('Cast', [x], { to })),
    /** x stretched to the shape. */
    expand: (x: Value, shape: Shape): Value => {
      if (!shapesEqual(broadcastShapes(x.shape, shape), shape)) throw new ShapeError('graph.shape-mismatch', `"${x.name}" of shape [${x.shape.join(', ')}] does not stretch to [${shape.join(', ')}].`);
      return expandTo(unexpanded(x), shape);
    },
  };
}
