/** Does the assembler make the bytes that the WebAssembly specification asks for? */
import { describe, expect, it } from 'vitest';
import { assembleKernels } from './kernel-module.ts';
import { createWasmModule, f32, forLoop, i32, signedLeb, unsignedLeb } from './wasm-module.ts';
import { webAssembly } from './web-assembly.ts';

describe('LEB128', () => {
  it('has the bytes of the DWARF examples', () => {
    expect([2, 127, 128, 129, 12857].map((value) => [...unsignedLeb(value)])).toEqual([[2], [127], [0x80, 1], [0x81, 1], [0xb9, 0x64]]);
    expect([2, -2, 127, -127, 128, -128, 129, -129].map((value) => [...signedLeb(value)])).toEqual([
      [2], [0x7e], [0xff, 0], [0x81, 0x7f], [0x80, 1], [0x80, 0x7f], [0x81, 1], [0xff, 0x7e],
    ]);
    expect([...unsignedLeb(2 ** 32 - 1)]).toEqual([0xff, 0xff, 0xff, 0xff, 0x0f]);
  });
});

describe('an assembled module', () => {
  it('runs: a loop that fills memory with a running sum', () => {
    const module = createWasmModule();
    const add = module.addFunction({ name: 'add', parameters: { a: 'f32', b: 'f32' }, result: 'f32', build: ({ a, b }) => f32.add(a, b) });
    module.addFunction({
      name: 'running',
      parameters: { address: 'i32', bytes: 'i32', step: 'f32' },
      build: ({ address, bytes, step }, local) => {
        const i = local('i32');
        const sum = local('f32');
        return forLoop({
          counter: i, start: i32.constant(0), end: bytes, step: 4,
          body: [...sum.set(add.call({ a: sum.get, b: step })), ...f32.store(i32.add(address, i.get), sum.get)],
        });
      },
    });
    const memory = new webAssembly.Memory({ initial: 1, maximum: 1 });
    const { exports } = new webAssembly.Instance(new webAssembly.Module(module.encode()), { kernel: { memory } });
    const { running } = exports;
    if (typeof running !== 'function') throw new Error('running is not exported');
    running(8, 12, 0.5);
    expect([...new Float32Array(memory.buffer, 0, 6)]).toEqual([0, 0, 0.5, 1, 1.5, 0]);
  });

  it('of the kernels is valid, and equal each time', () => {
    expect(webAssembly.validate(assembleKernels())).toBe(true);
    expect(assembleKernels()).toEqual(assembleKernels());
  });
});
