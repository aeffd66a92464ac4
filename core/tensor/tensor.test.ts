import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDimensions, divideDimensions, multiplyDimensions } from './dimension.ts';
import { expectPositive, expectSameFloat, expectShapes } from './expect-shapes.ts';
import { broadcastShapes, elementCount, normaliseAxes, shapesEqual, stretchedAxes, stridesOf } from './shape.ts';
import { bytesOf, numbersOf, tensorFrom, tensorFromBytes, tensorOf } from './tensor.ts';
import type { DType } from './dtype.ts';

describe('dimensions', () => {
  it('add and subtract as linear expressions, written in one way', () => {
    expect(addDimensions('N', 'N')).toBe('2*N');
    expect(addDimensions(addDimensions('N', 'B'), 3)).toBe('B+N+3');
    expect(addDimensions(addDimensions('B', addDimensions('N', 3)), 0)).toBe('B+N+3');
    expect(addDimensions('2*N+3', 'N', -2)).toBe(3);
    expect(addDimensions(2, 3)).toBe(5);
  });

  it('multiply by numbers and by single symbols, and say so when no expression fits', () => {
    expect(multiplyDimensions('N+1', 3)).toBe('3*N+3');
    expect(multiplyDimensions('L', '2*B')).toBe('2*B.L');
    expect(multiplyDimensions('B.L', 'H')).toBe(multiplyDimensions('H', multiplyDimensions('L', 'B') ?? 0));
    expect(multiplyDimensions('N+1', 'B')).toBeNull();
  });

  it('divide where it comes out even for every value of the symbols', () => {
    expect(divideDimensions('8*B.L', 'B')).toBe('8*L');
    expect(divideDimensions('8*B.L', '2*B.L')).toBe(4);
    expect(divideDimensions('4*N+8', 4)).toBe('N+2');
    expect([divideDimensions('4*N+2', 4), divideDimensions('B', 'L'), divideDimensions(6, 'B'), divideDimensions(6, 0), divideDimensions(7, 2)]).toEqual([null, null, null, null, null]);
  });

  it('refuse what is no size', () => {
    expect(() => addDimensions('2x!', 1)).toThrow(/2x!/);
  });
});

describe('shapes', () => {
  const shape = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 });

  it('broadcast: the result is symmetric, and both sides stretch to it', () => {
    fc.assert(
      fc.property(shape, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), fc.nat(4), (full, ones, drop) => {
        const other = full.slice(Math.min(drop, full.length)).map((size, i) => (ones[i] === true ? 1 : size));
        const result = broadcastShapes(full, other);
        expect(broadcastShapes(other, full)).toEqual(result);
        expect(result).toEqual(full);
        const kept = result.filter((_, i) => !stretchedAxes(other, result).includes(i));
        expect(elementCount(kept.map(Number))).toBe(elementCount(other));
      }),
      { seed: 7 },
    );
  });

  it('broadcast symbols only where no doubt is left', () => {
    expect(broadcastShapes(['B', 1], ['B', 3])).toEqual(['B', 3]);
    expect(broadcastShapes(['B', 4], [1, 4])).toEqual(['B', 4]);
    expect(() => broadcastShapes(['B'], ['N'])).toThrow(/B against N/);
    expect(() => broadcastShapes([2, 3], [3, 3])).toThrow(/axis 0 is 2 against 3/);
  });

  it('have strides that reach every element once', () => {
    expect(stridesOf([2, 3, 4])).toEqual([12, 4, 1]);
    expect(shapesEqual([2, 'B'], [2, 'B'])).toBe(true);
    expect(shapesEqual([2, 'B'], [2])).toBe(false);
  });

  it('take axes from the end, and refuse axes outside and axes named twice', () => {
    expect(normaliseAxes([-1, 0], 3)).toEqual([0, 2]);
    expect(() => normaliseAxes([3], 3)).toThrow(/outside/);
    expect(() => normaliseAxes([2, -1], 3)).toThrow(/twice/);
  });
});

describe('expectShapes', () => {
  const value = (name: string, ...sizes: (number | string)[]) => ({ name, shape: sizes });

  it('gives the size of each letter', () => {
    expect(expectShapes([[value('queries', 2, 8), 'B H'], [value('documents', 5, 8), 'N H']], 'B <= N')).toEqual({ B: 2, H: 8, N: 5 });
    expect(expectShapes([[value('loss'), '']])).toEqual({});
  });

  it('names the argument, the pattern and what was found', () => {
    expect(() => expectShapes([[value('queries', 2, 8), 'B H'], [value('documents', 5, 7), 'N H']])).toThrow('Expected "documents" of shape [N, H] with B = 2, H = 8, N = 5, found [5, 7]: axis 1 should be H = 8.');
    expect(() => expectShapes([[value('x', 2), 'B 1']])).toThrow(/rank 1 instead of 2/);
    expect(() => expectShapes([[value('x', 2, 2), 'B 1']])).toThrow(/should be 1 = 1/);
  });

  it('checks comparisons where both sides are numbers', () => {
    expect(() => expectShapes([[value('a', 3), 'B'], [value('b', 2), 'N']], 'B <= N')).toThrow('Expected B <= N, found B = 3, N = 2.');
    expect(expectShapes([[value('a', 'B'), 'B'], [value('b', 2), 'N']], 'B <= N')).toEqual({ B: 'B', N: 2 });
    expect(() => expectShapes([], 'B over N')).toThrow(/B over N/);
  });

  it('has sisters for element types and numbers', () => {
    expect(expectSameFloat([{ dtype: 'float64' }, { dtype: 'float64' }])).toBe('float64');
    expect(() => expectSameFloat([{ dtype: 'float32' }, { name: 'ids', dtype: 'int64' }])).toThrow(/"ids"/);
    expect(() => expectPositive('temperature', Number.NaN)).toThrow(/temperature/);
    expect(() => expectPositive('temperature', 0)).toThrow(/temperature/);
  });
});

describe('tensors', () => {
  it.each(['float32', 'float64', 'int64', 'int32', 'bool', 'uint8'] satisfies DType[])('of %s survive the way through bytes, aligned or not', (dtype) => {
    const tensor = tensorFrom(dtype, [2, 2], [0, 1, 1, 0]);
    const bytes = bytesOf(tensor);
    const shifted = Buffer.alloc(bytes.length + 1); // a Node buffer, whose slice() does not copy
    shifted.set(bytes, 1);
    for (const read of [tensorFromBytes(dtype, [2, 2], bytes), tensorFromBytes(dtype, [2, 2], shifted.subarray(1))]) {
      expect(read.dtype).toBe(dtype);
      expect([...numbersOf(read)]).toEqual([0, 1, 1, 0]);
    }
  });

  it('refuse data of another length than the shape', () => {
    expect(() => tensorOf('float32', [2, 3], new Float32Array(5))).toThrow(/needs 6 elements, found 5/);
    expect(() => tensorFromBytes('float32', [2], new Uint8Array(7))).toThrow(/needs 8 bytes, found 7/);
  });
});
