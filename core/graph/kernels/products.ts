/** What do matrix products calculate? */
import { elementCount, type StaticShape } from '../../tensor/shape.ts';
import type { products } from '../operators/products.ts';
import { commonShape, indicesOf, need, offsetOf, stretchedStrides, zip, type KernelTable, type Numbers } from './numbers.ts';

/** A matrix inside a tensor: where it starts and how far apart its rows and columns are. */
type Matrix = { readonly data: Float64Array; readonly offset: number; readonly row: number; readonly column: number };

function multiply(a: Matrix, b: Matrix, { rows, inner, columns, into, at }: { readonly rows: number; readonly inner: number; readonly columns: number; readonly into: Float64Array; readonly at: number }): void {
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      let sum = 0;
      for (let k = 0; k < inner; k += 1) sum += (a.data[a.offset + i * a.row + k * a.column] ?? 0) * (b.data[b.offset + k * b.row + j * b.column] ?? 0);
      into[at + i * columns + j] = sum;
    }
  }
}

export const productKernels: KernelTable<keyof typeof products> = {
  MatMul: ({ inputs }) => {
    const [a, b] = [need(inputs, 0), need(inputs, 1)];
    const [rows = 1, inner = 1] = a.shape.slice(-2);
    const columns = b.shape.at(-1) ?? 1;
    const batch = commonShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
    const stridesA = scaled(stretchedStrides(a.shape.slice(0, -2), batch), rows * inner);
    const stridesB = scaled(stretchedStrides(b.shape.slice(0, -2), batch), inner * columns);
    const shape: StaticShape = [...batch, rows, columns];
    const into = new Float64Array(elementCount(shape));
    let at = 0;
    for (const index of indicesOf(batch)) {
      multiply({ data: a.data, offset: offsetOf(index, stridesA), row: inner, column: 1 }, { data: b.data, offset: offsetOf(index, stridesB), row: columns, column: 1 }, { rows, inner, columns, into, at });
      at += rows * columns;
    }
    return [{ dtype: a.dtype, shape, data: into }];
  },
  Gemm: ({ inputs, attributes: { alpha, beta, transA, transB } }) => {
    const [a, b] = [need(inputs, 0), need(inputs, 1)];
    const [a0 = 1, a1 = 1] = a.shape;
    const [b0 = 1, b1 = 1] = b.shape;
    const [rows, inner] = transA === 0 ? [a0, a1] : [a1, a0];
    const columns = transB === 0 ? b1 : b0;
    const into = new Float64Array(rows * columns);
    multiply(
      { data: a.data, offset: 0, ...(transA === 0 ? { row: a1, column: 1 } : { row: 1, column: a1 }) },
      { data: b.data, offset: 0, ...(transB === 0 ? { row: b1, column: 1 } : { row: 1, column: b1 }) },
      { rows, inner, columns, into, at: 0 },
    );
    const product: Numbers = { dtype: a.dtype, shape: [rows, columns], data: into.map((element) => alpha * element) };
    const c = inputs[2] ?? null;
    return [c === null ? product : zip(a.dtype, [product, c], (x, y) => (x ?? 0) + beta * (y ?? 0))];
  },
};

function scaled(strides: readonly number[], factor: number): readonly number[] {
  return strides.map((stride) => stride * factor);
}
