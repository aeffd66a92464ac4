/** How are sizes that are only known at run time written and added up? As linear expressions over letters: `2*N+3`. */
import { ShapeError } from './shape-error.ts';

/** A size: a number >= 0, or a symbol ("B") or a linear expression of symbols ("2*N+Q") known only at run time. */
export type Dimension = number | string;

type Linear = { readonly constant: number; readonly terms: ReadonlyMap<string, number> };

const TERM = /^(?:(-?\d+)\*)?([A-Za-z_][A-Za-z0-9_.]*)$/;

function parse(dimension: Dimension): Linear {
  if (typeof dimension === 'number') return { constant: dimension, terms: new Map() };
  const terms = new Map<string, number>();
  let constant = 0;
  for (const part of dimension.split('+')) {
    if (/^-?\d+$/.test(part)) constant += Number(part);
    else {
      const match = TERM.exec(part);
      const symbol = match?.[2];
      if (symbol === undefined) throw new ShapeError('tensor.bad-dimension', `A dimension should be a number, a name, or a sum like "2*N+3"; found "${dimension}".`);
      terms.set(symbol, (terms.get(symbol) ?? 0) + Number(match?.[1] ?? 1));
    }
  }
  return { constant, terms };
}

function write({ constant, terms }: Linear): Dimension {
  const parts = [...terms].filter(([, count]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1)).map(([symbol, count]) => (count === 1 ? symbol : `${count}*${symbol}`));
  if (parts.length === 0) return constant;
  return constant === 0 ? parts.join('+') : `${parts.join('+')}+${constant}`;
}

/** A size taken apart: constant + Σ count · product of symbols. */
export function dimensionTerms(dimension: Dimension): { readonly constant: number; readonly terms: readonly { readonly count: number; readonly symbols: readonly string[] }[] } {
  const { constant, terms } = parse(dimension);
  return { constant, terms: [...terms].map(([symbol, count]) => ({ count, symbols: symbol.split('.') })) };
}

/** a + scale * b, as a number when no symbol is left. */
export function addDimensions(a: Dimension, b: Dimension, scale = 1): Dimension {
  if (typeof a === 'number' && typeof b === 'number') return a + scale * b;
  const left = parse(a);
  const right = parse(b);
  const terms = new Map(left.terms);
  for (const [symbol, count] of right.terms) terms.set(symbol, (terms.get(symbol) ?? 0) + scale * count);
  return write({ constant: left.constant + scale * right.constant, terms });
}

/** a * b; null when no expression of this kind says it (a sum times a symbol). Symbols multiply to one name: "B.L". */
export function multiplyDimensions(a: Dimension, b: Dimension): Dimension | null {
  if (typeof a === 'number') return addDimensions(0, b, a);
  if (typeof b === 'number') return addDimensions(0, a, b);
  const [left, right] = [monomial(a), monomial(b)];
  if (left === null || right === null) return null;
  const symbol = [...left.symbol.split('.'), ...right.symbol.split('.')].sort().join('.');
  return addDimensions(0, symbol, left.count * right.count);
}

/** a / b where it comes out even for every value of the symbols; null otherwise. */
export function divideDimensions(a: Dimension, b: Dimension): Dimension | null {
  if (b === 0) return null;
  if (typeof b === 'number') {
    const { constant, terms } = parse(a);
    const even = constant % b === 0 && [...terms.values()].every((count) => count % b === 0);
    return even ? write({ constant: constant / b, terms: new Map([...terms].map(([symbol, count]) => [symbol, count / b])) }) : null;
  }
  const [numerator, divisor] = [typeof a === 'number' ? null : monomial(a), monomial(b)];
  if (numerator === null || divisor === null || numerator.count % divisor.count !== 0) return null;
  const rest = numerator.symbol.split('.');
  for (const symbol of divisor.symbol.split('.')) {
    const position = rest.indexOf(symbol);
    if (position < 0) return null;
    rest.splice(position, 1);
  }
  const count = numerator.count / divisor.count;
  return rest.length === 0 ? count : addDimensions(0, rest.join('.'), count);
}

function monomial(dimension: Dimension): { readonly symbol: string; readonly count: number } | null {
  const { constant, terms } = parse(dimension);
  const [first, second] = [...terms];
  return constant === 0 && first !== undefined && second === undefined ? { symbol: first[0], count: first[1] } : null;
}

/** Throws ShapeError unless the dimension is a safe integer >= 0 or a well-formed expression. */
export function checkDimension(dimension: Dimension): void {
  if (typeof dimension === 'string') parse(dimension);
  else if (!Number.isSafeInteger(dimension) || dimension < 0) throw new ShapeError('tensor.bad-dimension', `A dimension should be an integer >= 0, found ${dimension}.`);
}
