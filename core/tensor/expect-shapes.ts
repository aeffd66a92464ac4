/** Do the arguments of a public function have the shapes its docstring promises? */
import { isFloatDType, type DType } from './dtype.ts';
import { checkDimension, type Dimension } from './dimension.ts';
import { formatShape, type Shape } from './shape.ts';
import { ShapeError } from './shape-error.ts';

type Shaped = { readonly name?: string; readonly shape: Shape };

const CONSTRAINT = /^(\w+)\s*(<=|<|=|>=|>)\s*(\w+)$/;

const comparisons: { readonly [sign: string]: (a: number, b: number) => boolean } = {
  '<=': (a, b) => a <= b,
  '<': (a, b) => a < b,
  '=': (a, b) => a === b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
};

/**
 * Checks shapes against patterns of letters ("B H", "N 1", "" for a scalar): one letter, one size throughout the call.
 *
 * @param expectations  pairs of a value and its pattern.
 * @param constraints   comparisons of letters or numbers ("B <= N"); checked where both sides are known numbers.
 * @returns the size of each letter.
 * @throws ShapeError 'graph.shape-mismatch' naming the argument, the pattern and the shape found.
 */
export function expectShapes(expectations: readonly (readonly [Shaped, string])[], ...constraints: readonly string[]): { readonly [letter: string]: Dimension } {
  const sizes = new Map<string, Dimension>();
  expectations.forEach(([value, pattern], position) => {
    const letters = pattern.split(/\s+/).filter((letter) => letter !== '');
    const place = value.name === undefined ? `argument ${position + 1}` : `"${value.name}"`;
    const fail = (reason: string): never => {
      const known = [...sizes].map(([letter, size]) => `${letter} = ${size}`).join(', ');
      throw new ShapeError('graph.shape-mismatch', `Expected ${place} of shape [${letters.join(', ')}]${known === '' ? '' : ` with ${known}`}, found ${formatShape(value.shape)}: ${reason}.`);
    };
    if (letters.length !== value.shape.length) fail(`rank ${value.shape.length} instead of ${letters.length}`);
    letters.forEach((letter, axis) => {
      const found = value.shape[axis] ?? 0;
      const expected = /^\d+$/.test(letter) ? Number(letter) : sizes.get(letter);
      if (expected === undefined) sizes.set(letter, found);
      else if (expected !== found) fail(`axis ${axis} should be ${letter} = ${expected}`);
    });
  });
  for (const constraint of constraints) checkConstraint(constraint, sizes);
  return Object.fromEntries(sizes);
}

function checkConstraint(constraint: string, sizes: ReadonlyMap<string, Dimension>): void {
  const [, left = '', sign = '', right = ''] = CONSTRAINT.exec(constraint) ?? [];
  const compare = comparisons[sign];
  if (compare === undefined) throw new ShapeError('graph.bad-constraint', `A constraint should look like "B <= N", found "${constraint}".`);
  const a = sizes.get(left) ?? Number(left);
  const b = sizes.get(right) ?? Number(right);
  if (typeof a === 'string' || typeof b === 'string') return;
  if (!compare(a, b)) throw new ShapeError('graph.shape-mismatch', `Expected ${constraint}, found ${left} = ${a}, ${right} = ${b}.`);
}

/** @throws ShapeError unless all have the same floating element type; returns that type. */
export function expectSameFloat(values: readonly { readonly name?: string; readonly dtype: DType }[]): DType {
  const dtype = values[0]?.dtype ?? 'float32';
  for (const value of values) {
    if (!isFloatDType(value.dtype) || value.dtype !== dtype) throw new ShapeError('graph.dtype-mismatch', `Expected ${value.name === undefined ? 'every argument' : `"${value.name}"`} to be ${isFloatDType(dtype) ? dtype : 'a float'}, found ${value.dtype}.`);
  }
  return dtype;
}

/** @throws ShapeError unless the number is finite and > 0. */
export function expectPositive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw new ShapeError('graph.not-positive', `${name} should be a finite number > 0, found ${value}.`);
}

/** @throws ShapeError when a dimension of the shape is negative, fractional or malformed. */
export function expectValidShape(shape: Shape): void {
  shape.forEach(checkDimension);
}
