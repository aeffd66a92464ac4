/** What do operators that move, pick, join or make elements calculate? */
import { elementCount, normaliseAxes, normaliseAxis, stridesOf } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { numbersOf } from '../../tensor/tensor.ts';
import type { layout } from '../operators/layout.ts';
import { commonShape, generate, indicesOf, need, offsetOf, pick, stretchedStrides, wholeNumbers, type KernelTable, type Numbers } from './numbers.ts';

/** An index counted from the front. @throws ShapeError when it is outside the axis. */
function inside(index: number, size: number): number {
  const positive = index < 0 ? index + size : index;
  if (!Number.isInteger(positive) || positive < 0 || positive >= size) throw new ShapeError('graph.index', `Index ${index} is outside an axis of ${size}.`);
  return positive;
}

function replaced(index: readonly number[], axis: number, value: number): readonly number[] {
  return index.map((position, i) => (i === axis ? value : position));
}

/** For each slice of updates, where it starts in x. */
function scatterPlaces(x: Numbers, indices: Numbers): { readonly places: readonly number[]; readonly width: number } {
  const depth = indices.shape.at(-1) ?? 0;
  const strides = stridesOf(x.shape);
  const places = Array.from({ length: depth === 0 ? 0 : indices.data.length / depth }, (_, row) => {
    let place = 0;
    for (let axis = 0; axis < depth; axis += 1) place += inside(indices.data[row * depth + axis] ?? 0, x.shape[axis] ?? 0) * (strides[axis] ?? 0);
    return place;
  });
  return { places, width: elementCount(x.shape.slice(depth)) };
}

export const layoutKernels: KernelTable<keyof typeof layout> = {
  Constant: ({ attributes: { value } }) => [{ dtype: value.dtype, shape: value.shape, data: numbersOf(value) }],
  Shape: ({ inputs, attributes: { start, end } }) => {
    const sizes = need(inputs, 0).shape.slice(start, end);
    return [{ dtype: 'int64', shape: [sizes.length], data: Float64Array.from(sizes) }];
  },
  ConstantOfShape: ({ inputs, attributes: { value } }) => {
    const element = numbersOf(value)[0] ?? 0;
    return [generate(value.dtype, wholeNumbers(need(inputs, 0)), () => element)];
  },
  Range: ({ inputs }) => {
    const [start = 0, limit = 0, delta = 1] = [0, 1, 2].map((i) => need(inputs, i).data[0] ?? 0);
    return [generate(need(inputs, 0).dtype, [Math.max(0, Math.ceil((limit - start) / delta))], (i) => start + i * delta)];
  },
  Transpose: ({ inputs, attributes: { perm } }) => {
    const x = need(inputs, 0);
    const strides = stridesOf(x.shape);
    const moved = perm.map((axis) => strides[axis] ?? 0);
    return [pick(x, perm.map((axis) => x.shape[axis] ?? 1), (index) => offsetOf(index, moved))];
  },
  Reshape: ({ inputs, attributes: { allowzero } }) => {
    const x = need(inputs, 0);
    const wanted = wholeNumbers(need(inputs, 1)).map((size, i) => (size === 0 && allowzero === 0 ? (x.shape[i] ?? 0) : size));
    const known = elementCount(wanted.filter((size) => size !== -1));
    const shape = wanted.map((size) => (size === -1 ? (known === 0 ? 0 : x.data.length / known) : size));
    if (elementCount(shape) !== x.data.length) throw new ShapeError('graph.shape-mismatch', `Reshape: [${x.shape.join(', ')}] does not become [${shape.join(', ')}].`);
    return [{ dtype: x.dtype, shape, data: x.data }];
  },
  Expand: ({ inputs }) => {
    const x = need(inputs, 0);
    const shape = commonShape(x.shape, wholeNumbers(need(inputs, 1)));
    const strides = stretchedStrides(x.shape, shape);
    return [pick(x, shape, (index) => offsetOf(index, strides))];
  },
  Unsqueeze: ({ inputs }) => {
    const x = need(inputs, 0);
    const axes = wholeNumbers(need(inputs, 1));
    const positions = normaliseAxes(axes, x.shape.length + axes.length);
    const rest = [...x.shape];
    return [{ ...x, shape: Array.from({ length: x.shape.length + axes.length }, (_, i) => (positions.includes(i) ? 1 : (rest.shift() ?? 1))) }];
  },
  Squeeze: ({ inputs }) => {
    const x = need(inputs, 0);
    const axes = inputs[1] === null || inputs[1] === undefined ? x.shape.flatMap((size, i) => (size === 1 ? [i] : [])) : normaliseAxes(wholeNumbers(inputs[1]), x.shape.length);
    return [{ ...x, shape: x.shape.filter((_, i) => !axes.includes(i)) }];
  },
  Concat: ({ inputs, attributes: { axis } }) => {
    const parts = inputs.map((_, i) => need(inputs, i));
    const first = need(inputs, 0);
    const along = normaliseAxis(axis, first.shape.length);
    const outer = elementCount(first.shape.slice(0, along));
    const runs = parts.map((part) => elementCount(part.shape.slice(along)));
    const shape = first.shape.map((size, i) => (i === along ? parts.reduce((sum, part) => sum + (part.shape[along] ?? 0), 0) : size));
    const data = new Float64Array(elementCount(shape));
    let at = 0;
    for (let row = 0; row < outer; row += 1) {
      parts.forEach((part, i) => {
        const run = runs[i] ?? 0;
        data.set(part.data.subarray(row * run, (row + 1) * run), at);
        at += run;
      });
    }
    return [{ dtype: first.dtype, shape, data }];
  },
  Split: ({ inputs, attributes: { axis } }) => {
    const x = need(inputs, 0);
    const along = normaliseAxis(axis, x.shape.length);
    const strides = stridesOf(x.shape);
    let start = 0;
    return wholeNumbers(need(inputs, 1)).map((size) => {
      const base = start * (strides[along] ?? 0);
      start += size;
      return pick(x, x.shape.map((own, i) => (i === along ? size : own)), (index) => base + offsetOf(index, strides));
    });
  },
  Slice: ({ inputs }) => {
    const x = need(inputs, 0);
    const [starts, ends] = [wholeNumbers(need(inputs, 1)), wholeNumbers(need(inputs, 2))];
    const axes = inputs[3] === null || inputs[3] === undefined ? starts.map((_, i) => i) : wholeNumbers(inputs[3]).map((axis) => normaliseAxis(axis, x.shape.length));
    const steps = inputs[4] === null || inputs[4] === undefined ? starts.map(() => 1) : wholeNumbers(inputs[4]);
    const shape = [...x.shape];
    const strides = [...stridesOf(x.shape)];
    let base = 0;
    axes.forEach((axis, i) => {
      const [size, step, start, end] = [x.shape[axis] ?? 0, steps[i] ?? 1, starts[i] ?? 0, ends[i] ?? 0];
      const clamp = (place: number): number => Math.min(Math.max(place < 0 ? place + size : place, step > 0 ? 0 : -1), step > 0 ? size : size - 1);
      shape[axis] = Math.max(0, Math.ceil((clamp(end) - clamp(start)) / step));
      base += clamp(start) * (strides[axis] ?? 0);
      strides[axis] = (strides[axis] ?? 0) * step;
    });
    return [pick(x, shape, (index) => base + offsetOf(index, strides))];
  },
  Gather: ({ inputs, attributes: { axis } }) => {
    const [x, indices] = [need(inputs, 0), need(inputs, 1)];
    const along = normaliseAxis(axis, x.shape.length);
    const rank = indices.shape.length;
    const strides = stridesOf(x.shape);
    const indexStrides = stridesOf(indices.shape);
    const shape = [...x.shape.slice(0, along), ...indices.shape, ...x.shape.slice(along + 1)];
    return [pick(x, shape, (index) => {
      const gathered = inside(indices.data[offsetOf(index.slice(along, along + rank), indexStrides)] ?? 0, x.shape[along] ?? 0);
      return offsetOf([...index.slice(0, along), gathered, ...index.slice(along + rank)], strides);
    })];
  },
  GatherElements: ({ inputs, attributes: { axis } }) => {
    const [x, indices] = [need(inputs, 0), need(inputs, 1)];
    const along = normaliseAxis(axis, x.shape.length);
    const strides = stridesOf(x.shape);
    const indexStrides = stridesOf(indices.shape);
    return [pick(x, indices.shape, (index) => offsetOf(replaced(index, along, inside(indices.data[offsetOf(index, indexStrides)] ?? 0, x.shape[along] ?? 0)), strides))];
  },
  GatherND: ({ inputs }) => {
    const [x, indices] = [need(inputs, 0), need(inputs, 1)];
    const { places, width } = scatterPlaces(x, indices);
    const depth = indices.shape.at(-1) ?? 0;
    return [generate(x.dtype, [...indices.shape.slice(0, -1), ...x.shape.slice(depth)], (i) => x.data[(places[Math.floor(i / width)] ?? 0) + (i % width)] ?? Number.NaN)];
  },
  ScatterND: ({ inputs, attributes: { reduction } }) => {
    const [x, indices, updates] = [need(inputs, 0), need(inputs, 1), need(inputs, 2)];
    const data = x.data.slice();
    const { places, width } = scatterPlaces(x, indices);
    places.forEach((place, row) => {
      for (let i = 0; i < width; i += 1) {
        const update = updates.data[row * width + i] ?? 0;
        data[place + i] = reduction === 'add' ? (data[place + i] ?? 0) + update : update;
      }
    });
    return [{ ...x, data }];
  },
  ScatterElements: ({ inputs, attributes: { axis, reduction } }) => {
    const [x, indices, updates] = [need(inputs, 0), need(inputs, 1), need(inputs, 2)];
    const along = normaliseAxis(axis, x.shape.length);
    const strides = stridesOf(x.shape);
    const data = x.data.slice();
    let position = 0;
    for (const index of indicesOf(indices.shape)) {
      const place = offsetOf(replaced(index, along, inside(indices.data[position] ?? 0, x.shape[along] ?? 0)), strides);
      const update = updates.data[position] ?? 0;
      data[place] = reduction === 'add' ? (data[place] ?? 0) + update : update;
      position += 1;
    }
    return [{ ...x, data }];
  },
};
