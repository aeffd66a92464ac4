/** What stands in the bytes of an ONNX file? Raw records, with every length checked before it is believed. */
import type { PbfReader } from 'pbf';
import { InputError } from '../../base/errors.ts';
import type { Dimension } from '../../tensor/dimension.ts';
import { dtypes, type DType } from '../../tensor/dtype.ts';
import { elementCount } from '../../tensor/shape.ts';
import { tensorFrom, tensorFromBytes, type Tensor } from '../../tensor/tensor.ts';
import { ATTRIBUTE, attributeTypeNumbers, DIM, dtypeOfNumber, GRAPH, MODEL, NODE, OPSET_ID, SHAPE, STRING_ENTRY, TENSOR, TENSOR_TYPE, TYPE, VALUE_INFO } from './schema.ts';

export type RawAttribute =
  | { readonly kind: 'int'; readonly value: number; readonly dtype: DType | null }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'ints'; readonly value: readonly number[] }
  | { readonly kind: 'tensor'; readonly value: Tensor }
  | { readonly kind: 'unknown'; readonly value: null };

/** Inputs are names, '' where absent, or tensors that an upgrade put there. */
export type RawNode = { readonly opType: string; readonly domain: string; readonly name: string; readonly inputs: readonly (string | Tensor)[]; readonly outputs: readonly string[]; readonly attributes: ReadonlyMap<string, RawAttribute> };
export type RawValueInfo = { readonly name: string; readonly dtype: DType; readonly shape: readonly Dimension[] };
export type RawGraph = { readonly name: string; readonly nodes: readonly RawNode[]; readonly initializers: readonly { readonly name: string; readonly tensor: Tensor }[]; readonly inputs: readonly RawValueInfo[]; readonly outputs: readonly { readonly name: string }[] };
export type RawModel = { readonly opset: number; readonly graph: RawGraph };

/** Where the bytes of a tensor lie that are not in the model's own file, as the file says it: nothing of it is to be believed. */
export type ExternalTensor = { readonly name: string; readonly location: string; readonly offset: number; readonly length: number | null; /** What its shape and element type need. */ readonly neededBytes: number };
/** Gives those bytes; it decides which files may be read. */
export type ReadTensorData = (tensor: ExternalTensor) => Uint8Array;

type Field = (reader: PbfReader) => void;

/** Reads one message: `fields` by number; others are skipped. The message must end inside the file, exactly where it says. */
export function readFields(reader: PbfReader, end: number, fields: { readonly [number: number]: Field }): void {
  if (end > reader.length) throw new RangeError(`a length points ${end - reader.length} bytes past the end`);
  while (reader.pos < end) {
    const tag = reader.readVarint();
    reader.type = tag & 7;
    const field = fields[tag >>> 3];
    if (tag >>> 3 === 0) throw new RangeError('a field has the number 0');
    if (field === undefined) reader.skip(tag);
    else field(reader);
    if (!(reader.pos <= end)) throw new RangeError('a field reaches past its message');
  }
}

const BYTES_TYPE = 2; // protobuf wire type of strings, bytes and messages

/** Reads a message inside another. */
export function message(reader: PbfReader, fields: { readonly [number: number]: Field }): void {
  if (reader.type !== BYTES_TYPE) throw new RangeError('a message was expected');
  const length = reader.readVarint();
  readFields(reader, reader.pos + length, fields);
}

export function bytes(reader: PbfReader): Uint8Array {
  if (reader.type !== BYTES_TYPE) throw new RangeError('bytes were expected');
  const length = reader.readVarint();
  const end = reader.pos + length;
  if (end > reader.length) throw new RangeError(`a length points ${end - reader.length} bytes past the end`);
  const found = reader.buf.subarray(reader.pos, end);
  reader.pos = end;
  return found;
}

const decoder = new TextDecoder('utf-8', { fatal: true });
export const string = (reader: PbfReader): string => decoder.decode(bytes(reader));
export const integer = (reader: PbfReader): number => {
  if (reader.type !== 0) throw new RangeError('a whole number was expected');
  return reader.readVarint(true);
};

/** Repeated numbers, packed or one by one. */
export function repeated(reader: PbfReader, into: number[], read: (reader: PbfReader) => number): void {
  if (reader.type !== BYTES_TYPE) {
    into.push(read(reader));
    return;
  }
  const end = reader.readVarint() + reader.pos;
  if (end > reader.length) throw new RangeError('packed numbers reach past the end');
  while (reader.pos < end) into.push(read(reader));
  if (reader.pos !== end) throw new RangeError('packed numbers do not end where they should');
}

export const signed = (reader: PbfReader): number => reader.readVarint(true);

/** The model's operator-set version and graph. @throws InputError, or RangeError and the like for damaged bytes. */
export function readModel(reader: PbfReader, external?: ReadTensorData): RawModel {
  let opset = 0;
  let graph: RawGraph | null = null;
  readFields(reader, reader.length, {
    [MODEL.graph]: (r) => {
      graph = readGraph(r, external);
    },
    [MODEL.opsetImport]: (r) => {
      let domain = '';
      let version = 0;
      message(r, { [OPSET_ID.domain]: (own) => (domain = string(own)), [OPSET_ID.version]: (own) => (version = integer(own)) });
      if (domain === '' || domain === 'ai.onnx') opset = version;
    },
  });
  if (graph === null) throw new InputError('model.not-onnx', 'Expected an ONNX model, found a file without a graph.');
  return { opset, graph };
}

function readGraph(reader: PbfReader, external?: ReadTensorData): RawGraph {
  let name = '';
  const nodes: RawNode[] = [];
  const initializers: { name: string; tensor: Tensor }[] = [];
  const inputs: RawValueInfo[] = [];
  const outputs: { name: string }[] = [];
  message(reader, {
    [GRAPH.name]: (r) => (name = string(r)),
    [GRAPH.node]: (r) => nodes.push(readNode(r)),
    [GRAPH.initializer]: (r) => initializers.push(readTensor(r, external)),
    [GRAPH.input]: (r) => inputs.push(typedInput(readValueInfo(r))),
    [GRAPH.output]: (r) => outputs.push(readValueInfo(r)),
    [GRAPH.sparseInitializer]: () => {
      throw new InputError('model.unsupported', 'Isogloss does not read sparse weights in ONNX models.');
    },
  });
  return { name: name === '' ? 'model' : name, nodes, initializers, inputs, outputs };
}

function readNode(reader: PbfReader): RawNode {
  const node = { opType: '', domain: '', name: '', inputs: [] as string[], outputs: [] as string[], attributes: new Map<string, RawAttribute>() };
  message(reader, {
    [NODE.input]: (r) => node.inputs.push(string(r)),
    [NODE.output]: (r) => node.outputs.push(string(r)),
    [NODE.name]: (r) => (node.name = string(r)),
    [NODE.opType]: (r) => (node.opType = string(r)),
    [NODE.domain]: (r) => (node.domain = string(r)),
    [NODE.attribute]: (r) => {
      const { name, attribute } = readAttribute(r);
      node.attributes.set(name, attribute);
    },
  });
  return { ...node, name: node.name === '' ? (node.outputs[0] ?? '') : node.name };
}

function readAttribute(reader: PbfReader): { readonly name: string; readonly attribute: RawAttribute } {
  let name = '';
  let type = 0;
  const found = { f: 0, i: 0, s: '', ints: [] as number[], t: null as Tensor | null };
  message(reader, {
    [ATTRIBUTE.name]: (r) => (name = string(r)),
    [ATTRIBUTE.f]: (r) => (found.f = r.readFloat()),
    [ATTRIBUTE.i]: (r) => (found.i = integer(r)),
    [ATTRIBUTE.s]: (r) => (found.s = string(r)),
    [ATTRIBUTE.t]: (r) => (found.t = readTensor(r).tensor),
    [ATTRIBUTE.ints]: (r) => repeated(r, found.ints, signed),
    [ATTRIBUTE.type]: (r) => (type = integer(r)),
  });
  return { name, attribute: attributeOf(type, found) };
}

function attributeOf(type: number, found: { readonly f: number; readonly i: number; readonly s: string; readonly ints: readonly number[]; readonly t: Tensor | null }): RawAttribute {
  if (type === attributeTypeNumbers.int) return { kind: 'int', value: found.i, dtype: dtypeOfNumber(found.i) };
  if (type === attributeTypeNumbers.float) return { kind: 'float', value: found.f };
  if (type === attributeTypeNumbers.string) return { kind: 'string', value: found.s };
  if (type === attributeTypeNumbers.ints) return { kind: 'ints', value: found.ints };
  return type === attributeTypeNumbers.tensor && found.t !== null ? { kind: 'tensor', value: found.t } : { kind: 'unknown', value: null };
}

function readTensor(reader: PbfReader, external?: ReadTensorData): { readonly name: string; readonly tensor: Tensor } {
  let name = '';
  let number = 0;
  let location = 0;
  let raw: Uint8Array | null = null;
  const shape: number[] = [];
  const numbers: number[] = [];
  const place = new Map<string, string>();
  message(reader, {
    [TENSOR.name]: (r) => (name = string(r)),
    [TENSOR.dims]: (r) => repeated(r, shape, signed),
    [TENSOR.dataType]: (r) => (number = integer(r)),
    [TENSOR.rawData]: (r) => (raw = bytes(r)),
    [TENSOR.floatData]: (r) => repeated(r, numbers, (own) => own.readFloat()),
    [TENSOR.doubleData]: (r) => repeated(r, numbers, (own) => own.readDouble()),
    [TENSOR.int32Data]: (r) => repeated(r, numbers, signed),
    [TENSOR.int64Data]: (r) => repeated(r, numbers, signed),
    [TENSOR.dataLocation]: (r) => (location = integer(r)),
    [TENSOR.externalData]: (r) => readEntry(r, place),
  });
  const dtype = dtypeOfNumber(number);
  if (dtype === null) throw new InputError('model.unsupported', `Isogloss does not know the element type ${number} of the tensor "${name}" in the ONNX model.`);
  if (shape.some((size) => !Number.isSafeInteger(size) || size < 0)) throw new InputError('model.invalid', `The tensor "${name}" of the ONNX model has the shape [${shape.join(', ')}].`);
  const length = elementCount(shape);
  if (location !== 0) {
    if (external === undefined) throw new InputError('model.unsupported', `The tensor "${name}" of the ONNX model lies in another file; here models are read that are one file.`);
    raw = external({ name, ...externalPlace(place), neededBytes: length * dtypes[dtype].bytes });
  }
  const available = raw === null ? numbers.length : (raw as Uint8Array).byteLength / dtypes[dtype].bytes;
  if (length !== available) throw new InputError('model.invalid', `The tensor "${name}" of the ONNX model should have ${length} elements, found ${available}.`);
  return { name, tensor: raw === null ? tensorFrom(dtype, shape, numbers) : tensorFromBytes(dtype, shape, raw) };
}

/** One of the texts by key that say where a tensor lies. */
export function readEntry(reader: PbfReader, into: Map<string, string>): void {
  let [key, value] = ['', ''];
  message(reader, { [STRING_ENTRY.key]: (own) => (key = string(own)), [STRING_ENTRY.value]: (own) => (value = string(own)) });
  into.set(key, value);
}

/** Those texts as a place; numbers that are none become NaN, which no check lets through. */
export function externalPlace(entries: ReadonlyMap<string, string>): { readonly location: string; readonly offset: number; readonly length: number | null } {
  const whole = (text: string): number => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN);
  const length = entries.get('length');
  return { location: entries.get('location') ?? '', offset: whole(entries.get('offset') ?? '0'), length: length === undefined ? null : whole(length) };
}

function typedInput({ name, dtype, shape }: { readonly name: string; readonly dtype: DType | null; readonly shape: readonly Dimension[] | null }): RawValueInfo {
  if (dtype === null || shape === null) throw new InputError('model.unsupported', `The input "${name}" of the ONNX model has no shape, or an element type that Isogloss does not know.`);
  return { name, dtype, shape };
}

function readValueInfo(reader: PbfReader): { readonly name: string; readonly dtype: DType | null; readonly shape: readonly Dimension[] | null } {
  let name = '';
  let dtype: DType | null = null;
  let shape: Dimension[] | null = null;
  const readShape = (r: PbfReader): void => {
    const dimensions: Dimension[] = [];
    message(r, { [SHAPE.dim]: (own) => dimensions.push(readDimension(own, `${name}_${dimensions.length}`)) });
    shape = dimensions;
  };
  const readTensorType = (r: PbfReader): void => message(r, { [TENSOR_TYPE.elementType]: (own) => (dtype = dtypeOfNumber(integer(own))), [TENSOR_TYPE.shape]: readShape });
  message(reader, { [VALUE_INFO.name]: (r) => (name = string(r)), [VALUE_INFO.type]: (r) => message(r, { [TYPE.tensorType]: readTensorType }) });
  return { name, dtype, shape };
}

/** A size; one without number and name gets a name of its own. Names are made to fit what symbols may look like. */
function readDimension(reader: PbfReader, ownName: string): Dimension {
  let dimension: Dimension = symbolOf(ownName);
  message(reader, {
    [DIM.value]: (r) => (dimension = integer(r)),
    [DIM.param]: (r) => (dimension = symbolOf(string(r))),
  });
  return dimension;
}

const EXPRESSION = /^[A-Za-z0-9_.*+-]+$/;

function symbolOf(name: string): string {
  if (EXPRESSION.test(name) && /^[A-Za-z_]/.test(name) && !/[*+-]/.test(name)) return name;
  if (EXPRESSION.test(name) && /[*+]/.test(name) && /[A-Za-z_]/.test(name)) return name;
  return `d_${name.replaceAll(/[^A-Za-z0-9_]/g, '_')}`;
}
