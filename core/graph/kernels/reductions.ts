/** What do reductions and normalisations calculate? */
import { elementCount, normaliseAxes, normaliseAxis, stridesOf } from '../../tensor/shape.ts';
import type { reductions } from '../operators/reductions.ts';
import { indicesOf, need, offsetOf, wholeNumbers, type KernelTable, type Numbers } from './numbers.ts';

type ReductionOp = keyof typeof reductions;
type ReduceCall = { readonly inputs: readonly (Numbers | null)[]; readonly attributes: { readonly keepdims: number } };

/** For each element of the reduced tensor, the elements it stands for. */
function groups(x: Numbers, axes: readonly number[]): { readonly kept: readonly number[]; readonly groups: readonly (readonly number[])[] } {
  const kept = x.shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  const strides = stridesOf(kept).map((stride, axis) => (axes.includes(axis) ? 0 : stride));
  const result: number[][] = Array.from({ length: elementCount(kept) }, () => []);
  let position = 0;
  for (const index of indicesOf(x.shape)) {
    result[offsetOf(index, strides)]?.push(x.data[position] ?? Number.NaN);
    position += 1;
  }
  return { kept, groups: result };
}

const reduce = (f: (elements: readonly number[]) => number) => ({ inputs, attributes: { keepdims } }: ReduceCall): readonly Numbers[] => {
  const x = need(inputs, 0);
  const named = wholeNumbers(inputs[1]);
  const axes = named.length === 0 ? x.shape.map((_, i) => i) : normaliseAxes(named, x.shape.length);
  const { kept, groups: parts } = groups(x, axes);
  return [{ dtype: x.dtype, shape: keepdims === 0 ? kept.filter((_, i) => !axes.includes(i)) : kept, data: Float64Array.from(parts, (part) => f(part)) }];
};

const sum = (elements: readonly number[]): number => elements.reduce((total, element) => total + element, 0);
const largest = (elements: readonly number[]): number => elements.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
const logSumExp = (elements: readonly number[]): number => {
  const top = largest(elements);
  return top + Math.log(sum(elements.map((element) => Math.exp(element - top))));
};

/** log softmax(x) along one axis. */
function logSoftmax(x: Numbers, axis: number): Numbers {
  const along = normaliseAxis(axis, x.shape.length);
  const { kept, groups: parts } = groups(x, [along]);
  const strides = stridesOf(kept).map((stride, i) => (i === along ? 0 : stride));
  const totals = parts.map((part) => logSumExp(part));
  const data = x.data.slice();
  let position = 0;
  for (const index of indicesOf(x.shape)) {
    data[position] = (x.data[position] ?? Number.NaN) - (totals[offsetOf(index, strides)] ?? Number.NaN);
    position += 1;
  }
  return { dtype: x.dtype, shape: x.shape, data };
}

export const reductionKernels: KernelTable<ReductionOp> = {
  ReduceSum: reduce(sum),
  ReduceMean: reduce((elements) => sum(elements) / elements.length),
  ReduceMax: reduce(largest),
  ReduceMin: reduce((elements) => -largest(elements.map((element) => -element))),
  ReduceSumSquare: reduce((elements) => sum(elements.map((element) => element * element))),
  ReduceL2: reduce((elements) => Math.sqrt(sum(elements.map((element) => element * element)))),
  ReduceLogSumExp: reduce(logSumExp),
  ReduceProd: reduce((elements) => elements.reduce((product, element) => product * element, 1)),
  CumSum: ({ inputs, attributes: { exclusive, reverse } }) => {
    const x = need(inputs, 0);
    const axis = normaliseAxis(need(inputs, 1).data[0] ?? 0, x.shape.length);
    const length = x.shape[axis] ?? 0;
    const step = stridesOf(x.shape)[axis] ?? 1;
    const data = new Float64Array(x.data.length);
    for (let first = 0; first < data.length; first += 1) {
      if (Math.floor(first / step) % length !== 0) continue; // only where a run along the axis begins
      let total = 0;
      for (let i = 0; i < length; i += 1) {
        const place = first + (reverse === 0 ? i : length - 1 - i) * step;
        const before = total;
        total += x.data[place] ?? 0;
        data[place] = exclusive === 0 ? total : before;
      }
    }
    return [{ ...x, data }];
  },
  Softmax: ({ inputs, attributes: { axis } }) => {
    const logs = logSoftmax(need(inputs, 0), axis);
    return [{ ...logs, data: logs.data.map((element) => Math.exp(element)) }];
  },
  LogSoftmax: ({ inputs, attributes: { axis } }) => [logSoftmax(need(inputs, 0), axis)],
  LayerNormalization: ({ inputs, attributes: { axis, epsilon } }) => {
    const [x, scale] = [need(inputs, 0), need(inputs, 1)];
    const first = normaliseAxis(axis, x.shape.length);
    const width = elementCount(x.shape.slice(first));
    const rows = width === 0 ? 0 : x.data.length / width;
    const y = new Float64Array(x.data.length);
    const means = new Float64Array(rows);
    const inverses = new Float64Array(rows);
    for (let row = 0; row < rows; row += 1) {
      const elements = [...x.data.subarray(row * width, (row + 1) * width)];
      const mean = sum(elements) / width;
      const inverse = 1 / Math.sqrt(sum(elements.map((element) => (element - mean) ** 2)) / width + epsilon);
      means[row] = mean;
      inverses[row] = inverse;
      elements.forEach((element, i) => {
        y[row * width + i] = (element - mean) * inverse * (scale.data[i] ?? 1) + (inputs[2]?.data[i] ?? 0);
      });
    }
    const statistics = x.shape.map((size, i) => (i < first ? size : 1));
    return [
      { dtype: x.dtype, shape: x.shape, data: y },
      { dtype: x.dtype, shape: statistics, data: means },
      { dtype: x.dtype, shape: statistics, data: inverses },
    ];
  },
};
