/**
 * How are WebAssembly bytes made without a compiler? By a small assembler: an instruction is a list of bytes, an expression
 * is its operands' bytes followed by its opcode (the stack machine's order), and a module is its sections one after another.
 *
 * @see WebAssembly Core Specification 2.0, chapter 5 (binary format); opcodes in 5.4, vector opcodes in 5.4.8.
 */

/** Bytes of one or more instructions. */
export type Code = readonly number[];

export type ValueType = 'i32' | 'f32' | 'f64' | 'v128';

const VALUE_TYPE_BYTES: { readonly [T in ValueType]: number } = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b };
const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 };
const FUNCTION_TYPE = 0x60;
const EMPTY_BLOCK_TYPE = 0x40;
const MEMORY_KIND = 0x02;
const FUNCTION_KIND = 0x00;
const END = 0x0b;
const VECTOR_PREFIX = 0xfd;
const LEB_BITS = 7;
const LEB_MASK = 0x7f;
const LEB_MORE = 0x80;
const LEB_SIGN = 0x40;

/** A local variable or parameter of the function being built. */
export type Local = {
  readonly type: ValueType;
  readonly get: Code;
  readonly set: (value: Code) => Code;
};

/** Named parameters in the order of the signature, for instance `{ sum: 'i32', factor: 'f32' }`. */
export type Parameters = { readonly [name: string]: ValueType };

export type WasmFunction<P extends Parameters> = { readonly call: (values: { readonly [Name in keyof P]: Code }) => Code };

export type FunctionSource<P extends Parameters> = {
  /** The exported name. */
  readonly name: string;
  readonly parameters: P;
  readonly result?: ValueType;
  /** The body, from the code that reads each parameter; `local` makes a new variable, zero at entry. */
  readonly build: (parameters: { readonly [Name in keyof P]: Code }, local: (type: ValueType) => Local) => Code;
};

export type WasmModule = {
  readonly addFunction: <const P extends Parameters>(source: FunctionSource<P>) => WasmFunction<P>;
  /** The bytes of the module, with the memory it imports as `kernel.memory`. */
  readonly encode: () => Uint8Array;
};

/** Unsigned LEB128 of an integer in [0, 2^32). */
export function unsignedLeb(value: number): Code {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & LEB_MASK;
    rest >>>= LEB_BITS;
    bytes.push(rest === 0 ? low : low | LEB_MORE);
  } while (rest !== 0);
  return bytes;
}

/** Signed LEB128 of an integer in [-2^31, 2^31). */
export function signedLeb(value: number): Code {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & LEB_MASK;
    rest >>= LEB_BITS;
    const signBitSet = (low & LEB_SIGN) !== 0;
    if ((rest === 0 && !signBitSet) || (rest === -1 && signBitSet)) return [...bytes, low];
    bytes.push(low | LEB_MORE);
  }
}

const unary = (opcode: Code) => (value: Code): Code => [...value, ...opcode];
const binary = (opcode: Code) => (left: Code, right: Code): Code => [...left, ...right, ...opcode];
const load = (opcode: Code, alignment: number) => (address: Code, offset = 0): Code => [...address, ...opcode, alignment, ...unsignedLeb(offset)];
const store = (opcode: Code, alignment: number) => (address: Code, value: Code, offset = 0): Code => [...address, ...value, ...opcode, alignment, ...unsignedLeb(offset)];
const vector = (opcode: number): Code => [VECTOR_PREFIX, ...unsignedLeb(opcode)];
const lane = (opcode: number) => (value: Code, position: number): Code => [...value, ...vector(opcode), position];

/** Alignment is given as a power of two; 4 bytes everywhere, because a view of 32-bit numbers promises no more. */
const WORD_ALIGNMENT = 2;

export const i32 = {
  constant: (value: number): Code => [0x41, ...signedLeb(value)],
  load: load([0x28], WORD_ALIGNMENT),
  greaterOrEqualUnsigned: binary([0x4f]),
  add: binary([0x6a]),
  subtract: binary([0x6b]),
  multiply: binary([0x6c]),
  and: binary([0x71]),
  shiftLeft: binary([0x74]),
  /** select(left, right, left < right) */
  minimumUnsigned: (left: Code, right: Code): Code => [...left, ...right, ...left, ...right, 0x49, 0x1b],
};


export const f32 = {
  zero: [0x43, 0, 0, 0, 0] as Code,
  load: load([0x2a], WORD_ALIGNMENT),
  store: store([0x38], WORD_ALIGNMENT),
  squareRoot: unary([0x91]),
  add: binary([0x92]),
  subtract: binary([0x93]),
  multiply: binary([0x94]),
  divide: binary([0x95]),
  fromF64: unary([0xb6]),
};

export const f64 = {
  add: binary([0xa0]),
  multiply: binary([0xa2]),
  fromF32: unary([0xbb]),
};

export const f32x4 = {
  load: load(vector(0x00), WORD_ALIGNMENT),
  store: store(vector(0x0b), WORD_ALIGNMENT),
  splat: unary(vector(0x13)),
  lane: lane(0x1f),
  squareRoot: unary(vector(0xe3)),
  add: binary(vector(0xe4)),
  subtract: binary(vector(0xe5)),
  multiply: binary(vector(0xe6)),
  divide: binary(vector(0xe7)),
};

export const f64x2 = {
  lane: lane(0x21),
  add: binary(vector(0xf0)),
  multiply: binary(vector(0xf2)),
  /** The two lower float32 lanes as float64. */
  fromLowF32: unary(vector(0x5f)),
  /** Two float32 at an address (one 8-byte load), as float64. */
  loadTwoF32: (address: Code, offset = 0): Code => [...load(vector(0x5d), WORD_ALIGNMENT)(address, offset), ...vector(0x5f)],
};

/** for (counter = start; counter < end; counter += step) body; unsigned comparison. */
export function forLoop(options: { readonly counter: Local; readonly start: Code; readonly end: Code; readonly step: number; readonly body: Code }): Code {
  const { counter, start, end, step, body } = options;
  return [
    ...counter.set(start),
    0x02, EMPTY_BLOCK_TYPE, // block
    0x03, EMPTY_BLOCK_TYPE, // loop
    ...i32.greaterOrEqualUnsigned(counter.get, end),
    0x0d, 1, // leave the block when the counter has reached the end
    ...body,
    ...counter.set(i32.add(counter.get, i32.constant(step))),
    0x0c, 0, // again
    END,
    END,
  ];
}

/** A module under construction. Functions may call those added before them. */
export function createWasmModule(): WasmModule {
  const types: Code[] = [];
  const bodies: Code[] = [];
  const names: string[] = [];
  return {
    addFunction: ({ name, parameters, result, build }) => {
      const index = bodies.length;
      const parameterTypes = Object.values(parameters);
      const locals: ValueType[] = [];
      const local = (type: ValueType): Local => {
        locals.push(type);
        return localAt(parameterTypes.length + locals.length - 1, type);
      };
      const body = build(mapValues(parameters, (_, position) => localAt(position, 'i32').get), local);
      const declarations = locals.map((type) => [1, VALUE_TYPE_BYTES[type]]);
      const code = [...list(declarations), ...body, END];
      names.push(name);
      types.push([FUNCTION_TYPE, ...list(parameterTypes.map((type) => [VALUE_TYPE_BYTES[type]])), ...list(result === undefined ? [] : [[VALUE_TYPE_BYTES[result]]])]);
      bodies.push([...unsignedLeb(code.length), ...code]);
      return { call: (values) => [...Object.keys(parameters).flatMap((parameter) => values[parameter] ?? []), 0x10, ...unsignedLeb(index)] };
    },
    encode: () =>
      Uint8Array.from([
        ...MAGIC_AND_VERSION,
        ...section(SECTION.type, list(types)),
        ...section(SECTION.import, list([[...text('kernel'), ...text('memory'), MEMORY_KIND, 0x00, ...unsignedLeb(1)]])),
        ...section(SECTION.function, list(bodies.map((_, index) => unsignedLeb(index)))),
        ...section(SECTION.export, list(names.map((name, index) => [...text(name), FUNCTION_KIND, ...unsignedLeb(index)]))),
        ...section(SECTION.code, list(bodies)),
      ]),
  };
}

/** The same keys with other values. The one cast: Object.fromEntries forgets which keys it was given. */
function mapValues<P extends Parameters, T>(values: P, map: (value: ValueType, position: number) => T): { readonly [Name in keyof P]: T } {
  return Object.fromEntries(Object.entries(values).map(([name, value], position) => [name, map(value, position)])) as { readonly [Name in keyof P]: T };
}

function localAt(index: number, type: ValueType): Local {
  return { type, get: [0x20, ...unsignedLeb(index)], set: (value) => [...value, 0x21, ...unsignedLeb(index)] };
}

function list(items: readonly Code[]): Code {
  return [...unsignedLeb(items.length), ...items.flat()];
}

function section(identifier: number, content: Code): Code {
  return [identifier, ...unsignedLeb(content.length), ...content];
}

function text(value: string): Code {
  const bytes = new TextEncoder().encode(value);
  return [...unsignedLeb(bytes.length), ...bytes];
}
