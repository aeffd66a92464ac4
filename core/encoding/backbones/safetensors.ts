/** How are the weights of a model kept in a safetensors file, and is the file whole? */
import { open, type FileHandle } from 'node:fs/promises';
import { InputError, toIsoglossError } from '../../base/errors.ts';
import { isTooDeep } from './folder-files.ts';

/** Element types that are read; others may stand in the file (position ids), but not be read. */
export type StoredDType = 'F64' | 'F32' | 'F16' | 'BF16';

export type TensorEntry = { readonly dtype: string; readonly shape: readonly number[]; /** Bytes from the start of the file. */ readonly start: number; readonly end: number };

export type SafetensorsFile = { readonly path: string; readonly tensors: ReadonlyMap<string, TensorEntry> };

const LENGTH_BYTES = 8;
const LARGEST_HEADER_BYTES = 25_000_000; // a model of a thousand layers has less than 2 MB
const CHUNK_BYTES = 64 * 2 ** 20;
const SCAN_BYTES = 8 * 2 ** 20;
const ELEMENT_BYTES: { readonly [dtype: string]: number } = { F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, I16: 2, I8: 1, U8: 1, U16: 2, U32: 4, U64: 8, BOOL: 1, F8_E4M3: 1, F8_E5M2: 1 };

/**
 * Reads the header and checks that every tensor lies inside the file and has the bytes that its shape needs.
 * @throws InputError 'backbone.truncated', 'backbone.not-safetensors', 'file.missing'.
 * @see https://github.com/huggingface/safetensors (format: uint64 header length, JSON, bytes).
 */
export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  await using file = await openFile(path);
  const { size } = await file.stat();
  if (size < LENGTH_BYTES) throw truncated(path, LENGTH_BYTES, size);
  const head = Buffer.alloc(LENGTH_BYTES);
  await file.read(head, 0, LENGTH_BYTES, 0);
  const headerBytes = Number(head.readBigUInt64LE(0));
  if (headerBytes > LARGEST_HEADER_BYTES || headerBytes < 2) throw notSafetensors(path, `a header of ${headerBytes} bytes`);
  const dataStart = LENGTH_BYTES + headerBytes;
  if (size < dataStart) throw truncated(path, dataStart, size);
  const text = Buffer.alloc(headerBytes);
  await file.read(text, 0, headerBytes, LENGTH_BYTES);
  if (isTooDeep(text)) throw notSafetensors(path, 'a header that is nested too deeply');
  let header: unknown;
  try {
    header = JSON.parse(text.toString('utf8'));
  } catch (cause) {
    throw notSafetensors(path, 'a header that is not JSON', cause);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) throw notSafetensors(path, 'a header that is not an object');
  const tensors = new Map<string, TensorEntry>();
  let end = dataStart;
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const entry = readEntry(value, { path, name, dataStart });
    end = Math.max(end, entry.end);
    tensors.set(name, entry);
  }
  if (size < end) throw truncated(path, end, size);
  return { path, tensors };
}

function readEntry(value: unknown, { path, name, dataStart }: { readonly path: string; readonly name: string; readonly dataStart: number }): TensorEntry {
  const { dtype, shape, data_offsets: offsets } = (typeof value === 'object' && value !== null ? value : {}) as { readonly dtype?: unknown; readonly shape?: unknown; readonly data_offsets?: unknown }; // boundary: each field is checked below
  const isWhole = (list: unknown): list is readonly number[] => Array.isArray(list) && list.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (typeof dtype !== 'string' || !isWhole(shape) || !isWhole(offsets) || offsets.length !== 2) throw notSafetensors(path, `no type, shape and place of the tensor "${name}"`);
  const [from = 0, to = 0] = offsets;
  const bytes = ELEMENT_BYTES[dtype];
  const needed = shape.reduce((product, size) => product * size, bytes ?? 0);
  if (bytes === undefined) throw notSafetensors(path, `the element type ${JSON.stringify(dtype)} of the tensor "${name}"`);
  if (!Number.isSafeInteger(needed) || to - from !== needed) throw notSafetensors(path, `${to - from} bytes for the tensor "${name}" of ${dtype} [${shape.join(', ')}], which needs ${needed}`);
  return { dtype, shape, start: dataStart + from, end: dataStart + to };
}

/** Whether `readTensor` can read it. */
export function isFloatEntry({ dtype }: TensorEntry): boolean {
  return dtype === 'F32' || dtype === 'F16' || dtype === 'BF16' || dtype === 'F64';
}

/**
 * The elements of a tensor as float32 (16-bit ones exactly, 64-bit ones rounded).
 * @throws InputError 'backbone.not-finite' for NaN or infinities, with the place; 'backbone.unsupported' for whole numbers.
 */
export async function readTensor({ path, tensors }: SafetensorsFile, name: string): Promise<Float32Array> {
  const entry = tensors.get(name);
  if (entry === undefined) throw new InputError('backbone.missing-tensor', `${path}: the tensor "${name}" is missing.`, { data: { path, name } });
  if (!isFloatEntry(entry)) throw new InputError('backbone.unsupported', `${path}: expected floats in the tensor "${name}", found ${entry.dtype}. Choose the model that is not quantised.`, { data: { path, name } });
  const bytes = new Uint8Array(entry.end - entry.start); // a buffer of its own, aligned for every type
  await using file = await openFile(path);
  await readFully(file, bytes, entry.start);
  const values = toFloat32(bytes, entry.dtype);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    if (value - value !== 0) throw notFinite({ path, name, value, position: i });
  }
  return values;
}

/**
 * Looks at every number of a tensor without keeping any: chunk by chunk, in little memory.
 * @throws as `readTensor`.
 */
export async function scanTensor({ path, tensors }: SafetensorsFile, name: string): Promise<void> {
  const entry = tensors.get(name);
  if (entry === undefined || !isFloatEntry(entry)) return;
  const chunk = new Uint8Array(Math.min(SCAN_BYTES, entry.end - entry.start));
  const width = ELEMENT_BYTES[entry.dtype] ?? 1;
  await using file = await openFile(path);
  for (let at = entry.start; at < entry.end; at += chunk.length) {
    const part = chunk.slice(0, Math.min(chunk.length, entry.end - at));
    await readFully(file, part, at);
    const values = toFloat32(part, entry.dtype);
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] ?? 0;
      if (value - value !== 0) throw notFinite({ path, name, value, position: (at - entry.start) / width + i });
    }
  }
}

function notFinite({ path, name, value, position }: { readonly path: string; readonly name: string; readonly value: number; readonly position: number }): InputError {
  return new InputError('backbone.not-finite', `${path}: expected numbers in the tensor "${name}", found ${value} at position ${position}. The training that wrote it failed, or the file is damaged; choose another copy.`, { data: { path, name } });
}

function toFloat32(bytes: Uint8Array<ArrayBuffer>, dtype: string): Float32Array {
  if (dtype === 'F32') return new Float32Array(bytes.buffer);
  if (dtype === 'F64') return Float32Array.from(new Float64Array(bytes.buffer));
  if (dtype === 'F16') return new Float32Array(new Float16Array(bytes.buffer));
  const halves = new Uint16Array(bytes.buffer);
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i += 1) bits[i] = (halves[i] ?? 0) << 16;
  return new Float32Array(bits.buffer);
}

async function readFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, Math.min(CHUNK_BYTES, bytes.length - done), position + done);
    if (bytesRead === 0) throw new InputError('backbone.truncated', `Expected ${bytes.length - done} more bytes of weights, found the end of the file. Copy the model again.`);
    done += bytesRead;
  }
}

/** A tensor to be written. */
export type StoredTensor = { readonly name: string; readonly shape: readonly number[]; readonly values: Float32Array };

/**
 * Writes tensors in the order given, as F32 or F16 (rounded to nearest).
 * @throws InputError 'backbone.too-large-for-float16' naming the tensor when a number is beyond 65504; EnvironmentError 'disk.full' and the like.
 */
export async function writeSafetensors(path: string, tensors: readonly StoredTensor[], dtype: 'F32' | 'F16' = 'F32'): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const width = ELEMENT_BYTES[dtype] ?? 0;
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + width * values.length] };
    offset += width * values.length;
  }
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc((LENGTH_BYTES - (text.length % LENGTH_BYTES)) % LENGTH_BYTES, ' ')]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeBigUInt64LE(BigInt(padded.length));
  try {
    await using file = await open(path, 'w');
    await file.write(length);
    await file.write(padded);
    for (const { name, values } of tensors) await writeAll(file, dtype === 'F32' ? bytesOf(values) : bytesOf(toFloat16(name, values)));
  } catch (thrown) {
    throw toIsoglossError(thrown, path);
  }
}

function toFloat16(name: string, values: Float32Array): Float16Array {
  const halves = Float16Array.from(values);
  for (let i = 0; i < halves.length; i += 1) {
    const half = halves[i] ?? 0;
    if (half - half !== 0) throw new InputError('backbone.too-large-for-float16', `The tensor "${name}" holds ${values[i] ?? 0}, which 16 bits cannot. Write the model in 32 bits.`, { data: { name } });
  }
  return halves;
}

/** Writes bytes in chunks, as one write takes 2 GB at most. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; done += CHUNK_BYTES) await file.writeFile(bytes.subarray(done, done + CHUNK_BYTES));
}

function bytesOf(array: Float32Array | Float16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (thrown) {
    throw toIsoglossError(thrown, path);
  }
}

function truncated(path: string, expected: number, found: number): InputError {
  return new InputError('backbone.truncated', `${path}: expected at least ${expected} bytes of weights, found ${found}. The copy stopped too early; copy the file again.`, { data: { path, expected, found } });
}

function notSafetensors(path: string, found: string, cause?: unknown): InputError {
  return new InputError('backbone.not-safetensors', `${path}: expected a safetensors file, found ${found}. The file is damaged or of another kind.`, { cause, data: { path } });
}
