/** How does a graph become the bytes of an ONNX file? */
import { PbfWriter } from 'pbf';
import type { Dimension } from '../../tensor/dimension.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { bytesOf, type Tensor } from '../../tensor/tensor.ts';
import type { Graph } from '../graph.ts';
import type { AttributeKinds } from '../operator.ts';
import { operatorTable, presentInputs, type Node } from '../operators.ts';
import type { Value } from '../value.ts';
import { ATTRIBUTE, attributeTypeNumbers, DIM, dtypeNumbers, EXTERNAL_LOCATION, GRAPH, IR_VERSION, MODEL, NODE, OPSET_ID, SHAPE, STRING_ENTRY, TENSOR, TENSOR_TYPE, TYPE, VALUE_INFO } from './schema.ts';

/**
 * The graph as an ONNX model (protobuf), ready for ONNX Runtime.
 * Values that are outputs take the output's name; an output that is also an input, or listed twice, gets an Identity node.
 * @throws ShapeError 'graph.duplicate-name' when an output has the name of another value.
 */
export function encodeModel(graph: Graph): Uint8Array {
  const parts = encodeModelParts(graph);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A weight that is written into a file beside the model's: its name there, and where its bytes begin. */
export type ExternalPlace = { readonly location: string; readonly offset: number };

/**
 * The same as parts to be written one after another: the bytes of weights are not copied, so a large model is never held twice.
 * @param external  weights (by name) whose bytes the caller writes elsewhere. ONNX files themselves hold 2 GB at most.
 */
export function encodeModelParts(graph: Graph, external: ReadonlyMap<string, ExternalPlace> = new Map()): readonly Uint8Array[] {
  const body = new PbfWriter();
  writeGraph(graph, body);
  const parts: Uint8Array[] = [body.finish()];
  for (const [value, tensor] of graph.initializers) {
    const place = external.get(value.name);
    const header = new PbfWriter();
    writeTensorHeader(tensor, header);
    header.writeStringField(TENSOR.name, value.name);
    if (place !== undefined) writePlace(place, bytesOf(tensor).length, header);
    const bytes = place === undefined ? bytesOf(tensor) : new Uint8Array();
    const rawHeader = new PbfWriter();
    if (place === undefined) {
      rawHeader.writeVarint((TENSOR.rawData << 3) | LENGTH_DELIMITED);
      rawHeader.writeVarint(bytes.length);
    }
    const [described, raw] = [header.finish(), rawHeader.finish()];
    parts.push(fieldStart(GRAPH.initializer, described.length + raw.length + bytes.length), described, raw, bytes);
  }
  const writer = new PbfWriter();
  writer.writeVarintField(MODEL.irVersion, IR_VERSION);
  writer.writeStringField(MODEL.producerName, 'isogloss');
  const start = fieldStart(MODEL.graph, parts.reduce((sum, part) => sum + part.length, 0));
  const end = new PbfWriter();
  end.writeMessage(MODEL.opsetImport, (version: number, w) => {
    w.writeStringField(OPSET_ID.domain, '');
    w.writeVarintField(OPSET_ID.version, version);
  }, graph.opset);
  return [writer.finish(), start, ...parts, end.finish()];
}

const LENGTH_DELIMITED = 2; // protobuf wire type

/** Number and length of a field whose bytes follow. */
function fieldStart(field: number, length: number): Uint8Array {
  const writer = new PbfWriter();
  writer.writeVarint((field << 3) | LENGTH_DELIMITED);
  writer.writeVarint(length);
  return writer.finish();
}

/** Where the bytes of a tensor lie: texts by key, as ONNX has them. */
function writePlace({ location, offset }: ExternalPlace, length: number, writer: PbfWriter): void {
  for (const [key, value] of [['location', location], ['offset', String(offset)], ['length', String(length)]] as const) {
    writer.writeMessage(TENSOR.externalData, (_: null, w) => {
      w.writeStringField(STRING_ENTRY.key, key);
      w.writeStringField(STRING_ENTRY.value, value);
    }, null);
  }
  writer.writeVarintField(TENSOR.dataLocation, EXTERNAL_LOCATION);
}

type Copy = { readonly from: Value; readonly to: string };

/** The written name of each value, and the copies needed for outputs that cannot simply be named. */
function nameValues(graph: Graph): { readonly names: ReadonlyMap<Value, string>; readonly copies: readonly Copy[] } {
  const names = new Map<Value, string>();
  const copies: Copy[] = [];
  const taken = new Set<string>();
  const take = (name: string): void => {
    if (taken.has(name)) throw new ShapeError('graph.duplicate-name', `Two values of graph "${graph.name}" are called "${name}".`);
    taken.add(name);
  };
  for (const value of [...graph.inputs, ...graph.initializers.keys()]) {
    names.set(value, value.name);
    take(value.name);
  }
  for (const { name, value } of graph.outputs) {
    take(name);
    if (names.has(value)) copies.push({ from: value, to: name });
    else names.set(value, name);
  }
  for (const value of graph.nodes.flatMap((node) => node.outputs)) {
    if (names.has(value)) continue;
    names.set(value, value.name);
    take(value.name);
  }
  return { names, copies };
}

/** Everything of the graph but its weights, which are appended. */
function writeGraph(graph: Graph, writer: PbfWriter): void {
  const { names, copies } = nameValues(graph);
  const read = new Set<Value>([...graph.nodes.flatMap((node) => presentInputs(node)), ...graph.outputs.map(({ value }) => value)]);
  const nameOf = (value: Value | null | undefined): string => (value === null || value === undefined ? '' : (names.get(value) ?? value.name));
  for (const node of graph.nodes) writer.writeMessage(GRAPH.node, (own: Node, w) => writeNode(own, { writer: w, nameOf, read }), node);
  for (const copy of copies) {
    writer.writeMessage(GRAPH.node, (own: Copy, w) => {
      w.writeStringField(NODE.input, nameOf(own.from));
      w.writeStringField(NODE.output, own.to);
      w.writeStringField(NODE.name, `Copy_${own.to}`);
      w.writeStringField(NODE.opType, 'Identity');
    }, copy);
  }
  writer.writeStringField(GRAPH.name, graph.name);
  for (const value of graph.inputs) writer.writeMessage(GRAPH.input, writeValueInfo, { name: value.name, value });
  for (const output of graph.outputs) writer.writeMessage(GRAPH.output, writeValueInfo, output);
}

type NodeContext = { readonly writer: PbfWriter; readonly nameOf: (value: Value | null | undefined) => string; readonly read: ReadonlySet<Value> };

function writeNode(node: Node, { writer, nameOf, read }: NodeContext): void {
  const inputs: readonly (Value | null | undefined)[] = node.inputs;
  for (const input of inputs.slice(0, inputs.findLastIndex((value) => value !== null && value !== undefined) + 1)) writer.writeStringField(NODE.input, nameOf(input));
  const row = operatorTable[node.op];
  const required = row.requiredOutputs ?? node.outputs.length;
  const last = Math.max(required - 1, node.outputs.findLastIndex((output) => read.has(output)));
  node.outputs.slice(0, last + 1).forEach((output, i) => writer.writeStringField(NODE.output, i < required || read.has(output) ? nameOf(output) : ''));
  writer.writeStringField(NODE.name, node.name);
  writer.writeStringField(NODE.opType, node.op);
  for (const [name, value] of Object.entries(node.attributes)) {
    const specs: { readonly [attribute: string]: { readonly kind: keyof AttributeKinds; readonly fallback: unknown } } = row.attributes;
    const { kind, fallback } = specs[name] ?? {};
    if (fallback !== undefined && fallback === value) continue; // the fallbacks of the table are ONNX's defaults
    if (kind === undefined) throw new ShapeError('graph.bad-attribute', `${node.name} (${node.op}) has no attribute "${name}".`);
    writer.writeMessage(NODE.attribute, (own: unknown, w) => {
      w.writeStringField(ATTRIBUTE.name, name);
      attributeWriters[kind](own as never, w); // boundary: the table of operators ties the kind to the value
      w.writeVarintField(ATTRIBUTE.type, attributeTypeNumbers[kind]);
    }, value);
  }
}

const attributeWriters: { readonly [Kind in keyof AttributeKinds]: (value: AttributeKinds[Kind], writer: PbfWriter) => void } = {
  int: (value, w) => w.writeVarintField(ATTRIBUTE.i, value),
  float: (value, w) => w.writeFloatField(ATTRIBUTE.f, value),
  string: (value, w) => w.writeStringField(ATTRIBUTE.s, value),
  dtype: (value, w) => w.writeVarintField(ATTRIBUTE.i, dtypeNumbers[value]),
  tensor: (value, w) => w.writeMessage(ATTRIBUTE.t, writeTensor, value),
  ints: (value, w) => {
    for (const item of value) w.writeVarintField(ATTRIBUTE.ints, item);
  },
};

function writeTensorHeader(tensor: Tensor, writer: PbfWriter): void {
  for (const dimension of tensor.shape) writer.writeVarintField(TENSOR.dims, dimension);
  writer.writeVarintField(TENSOR.dataType, dtypeNumbers[tensor.dtype]);
}

function writeTensor(tensor: Tensor, writer: PbfWriter): void {
  writeTensorHeader(tensor, writer);
  writer.writeBytesField(TENSOR.rawData, bytesOf(tensor));
}

function writeValueInfo({ name, value }: { readonly name: string; readonly value: Value }, writer: PbfWriter): void {
  writer.writeStringField(VALUE_INFO.name, name);
  writer.writeMessage(VALUE_INFO.type, (own: Value, w) => {
    w.writeMessage(TYPE.tensorType, (inner: Value, w2) => {
      w2.writeVarintField(TENSOR_TYPE.elementType, dtypeNumbers[inner.dtype]);
      w2.writeMessage(TENSOR_TYPE.shape, (shape: readonly Dimension[], w3) => {
        for (const dimension of shape) w3.writeMessage(SHAPE.dim, writeDimension, dimension);
      }, inner.shape);
    }, own);
  }, value);
}

function writeDimension(dimension: Dimension, writer: PbfWriter): void {
  if (typeof dimension === 'number') writer.writeVarintField(DIM.value, dimension);
  else writer.writeStringField(DIM.param, dimension);
}
