/** Does the kernel memory hand out zeroed, aligned, separate arrays, and say so when it is full? */
import { describe, expect, it } from 'vitest';
import { EnvironmentError, InvariantError } from '../base/errors.ts';
import { createKernelMemory, kernelMemoryBytes } from './kernel-memory.ts';

describe('kernel memory', () => {
  it('gives aligned arrays that do not overlap', () => {
    const memory = createKernelMemory(4096);
    const first = memory.float32(3);
    const second = memory.int32(5);
    expect(first.byteOffset % 64).toBe(0);
    expect(second.byteOffset).toBe(first.byteOffset + 64);
    expect(memory.holds(second)).toBe(true);
    expect(memory.holds(new Float32Array(3))).toBe(false);
  });

  it('gives zeros also where something was released', () => {
    const memory = createKernelMemory(4096);
    const mark = memory.mark();
    memory.float32(20).fill(7);
    memory.release(mark);
    const again = memory.float32(40);
    expect([...again]).toEqual(new Array(40).fill(0));
  });

  it('has exactly the room that kernelMemoryBytes foresees, and then says that it is full', () => {
    const pageFloats = 65536 / 4;
    const lengths = [1, 17, pageFloats - 16 - 16 - 32];
    expect(kernelMemoryBytes(lengths)).toBe(65536);
    const memory = createKernelMemory(kernelMemoryBytes(lengths));
    for (const length of lengths) memory.float32(length);
    expect(() => memory.float32(1)).toThrow(EnvironmentError);
  });

  it('refuses to release what was already released', () => {
    const memory = createKernelMemory(4096);
    const outer = memory.mark();
    memory.float32(1);
    const inner = memory.mark();
    memory.release(outer);
    expect(() => memory.release(inner)).toThrow(InvariantError);
  });

  it('refuses sizes that no WebAssembly memory can have', () => {
    expect(() => createKernelMemory(0)).toThrow(InvariantError);
    expect(() => createKernelMemory(2 ** 32)).toThrow(InvariantError);
  });
});
