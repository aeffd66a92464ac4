/** How do the bytes of an ONNX file become a graph, whatever the bytes are? */
import { PbfReader } from 'pbf';
import { InputError } from '../../base/errors.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { createEmitter, type Emitter } from '../builder/emitter.ts';
import { OPSET, type Graph } from '../graph.ts';
import { isOpType, operatorTable, type AttributesOf, type InputsOf, type OpType } from '../operators.ts';
import type { Value } from '../value.ts';
import { pathToOutput } from './node-paths.ts';
import { readModel, type RawAttribute, type RawGraph, type RawNode, type ReadTensorData } from './read.ts';
import { NEWEST_READ_OPSET, OLDEST_READ_OPSET } from './schema.ts';
import { upgradeNode } from './upgrade.ts';

export type { ExternalTensor, ReadTensorData } from './read.ts';

/**
 * The graph in an ONNX model (protobuf): operator sets 13 to 22, standard operators of the operator table, tensors inside the
 * file or where `external` finds them. Older input forms (axes as attributes) become those of the operator table. Shapes are inferred anew.
 *
 * @throws InputError 'model.not-onnx' for bytes that are no such file, 'model.unsupported' for what Isogloss does not know
 *         (naming it), 'model.invalid' for a graph that contradicts itself.
 */
export function decodeModel(bytes: Uint8Array, external?: ReadTensorData): Graph {
  const model = guarded(() => readModel(new PbfReader(bytes), external));
  if (model.opset < OLDEST_READ_OPSET || model.opset > NEWEST_READ_OPSET) throw new InputError('model.unsupported', `Expected an ONNX model of operator set ${OLDEST_READ_OPSET} to ${NEWEST_READ_OPSET}, found ${model.opset}. Export it again with another opset version.`);
  return { ...guarded(() => buildGraph(model.graph, model.opset)), opset: OPSET };
}

/** Runs a step; whatever a damaged file makes it throw comes out as an InputError. */
function guarded<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (error instanceof ShapeError) throw new InputError('model.invalid', `The ONNX model contradicts itself: ${error.message}`, { cause: error });
    throw new InputError('model.not-onnx', `Expected an ONNX model, found bytes that cannot be read as one (${error instanceof Error ? error.message : String(error)}). The file may be damaged or of another kind.`, { cause: error });
  }
}

function buildGraph(raw: RawGraph, opset: number): Graph {
  const e = createEmitter(raw.name);
  const values = new Map<string, Value>();
  for (const { name, tensor } of raw.initializers) define(values, name, e.initializer(name, tensor));
  for (const { name, dtype, shape } of raw.inputs) if (!values.has(name)) define(values, name, e.input(name, dtype, shape)); // old files list initializers as inputs too
  for (const node of raw.nodes) addNode(e, { node: upgradeNode(node, opset), values, raw });
  const outputs: Record<string, Value> = Object.create(null) as Record<string, Value>; // boundary: a record without inherited keys, since the names come from a file
  for (const { name } of raw.outputs) {
    const value = values.get(name);
    if (value === undefined) throw new InputError('model.invalid', `The ONNX model names an output "${name}" that nothing computes.`);
    outputs[name] = value;
  }
  if (raw.outputs.length === 0) throw new InputError('model.not-onnx', 'Expected an ONNX model with at least one output, found none.');
  return e.build(outputs);
}

function define(values: Map<string, Value>, name: string, value: Value): void {
  if (values.has(name)) throw new InputError('model.invalid', `The ONNX model assigns "${name}" twice.`);
  values.set(name, value);
}

function addNode(e: Emitter, { node, values, raw }: { readonly node: RawNode; readonly values: Map<string, Value>; readonly raw: RawGraph }): void {
  const place = `node "${node.name}" (${node.opType})`;
  if (node.domain !== '' && node.domain !== 'ai.onnx') throw new InputError('model.unsupported', `Isogloss does not know the operators of "${node.domain}", found in ${place}, on the way ${pathToOutput(raw, node)}.`);
  if (!isOpType(node.opType)) throw new InputError('model.unsupported', `Isogloss does not know the operator ${node.opType}, found in ${place}, on the way ${pathToOutput(raw, node)}.`);
  const inputs = node.inputs.map((input) => (typeof input === 'string' ? readValue(values, input, place) : e.constant(input)));
  const absent = inputs.slice(0, operatorTable[node.opType].inputs.least).findIndex((input) => input === null);
  if (absent >= 0) throw new InputError('model.invalid', `Input ${absent + 1} of ${place} is missing.`);
  const outputs = e.emit(node.opType, inputs as unknown as InputsOf<typeof node.opType>, readAttributes(node.opType, node.attributes, place)); // boundary: arity is checked by emit, presence on the line above
  node.outputs.forEach((name, i) => {
    const output = outputs[i];
    if (output === undefined) throw new InputError('model.invalid', `Expected ${place} to have ${outputs.length} outputs at most, found ${node.outputs.length}.`);
    if (name !== '') define(values, name, output);
  });
}

function readValue(values: ReadonlyMap<string, Value>, name: string, place: string): Value | null {
  if (name === '') return null;
  const value = values.get(name);
  if (value === undefined) throw new InputError('model.invalid', `The input "${name}" of ${place} is not computed before it.`);
  return value;
}

function readAttributes<Op extends OpType>(op: Op, found: ReadonlyMap<string, RawAttribute>, place: string): AttributesOf<Op> {
  const specs: { readonly [name: string]: { readonly kind: string; readonly fallback: unknown } } = operatorTable[op].attributes;
  const result: Record<string, number | string | readonly number[] | Tensor | undefined> = {};
  for (const name of found.keys()) if (!Object.hasOwn(specs, name)) throw new InputError('model.unsupported', `Isogloss does not know the attribute "${name}" of ${place}.`);
  for (const [name, { kind, fallback }] of Object.entries(specs)) {
    const attribute = found.get(name);
    if (attribute === undefined) {
      if (fallback === undefined) throw new InputError('model.invalid', `The attribute "${name}" of ${place} is missing.`);
      result[name] = fallback as number; // boundary: the fallback of a spec has the type of its attribute
      continue;
    }
    const value = attribute.kind === kind ? attribute.value : kind === 'dtype' && attribute.kind === 'int' ? attribute.dtype : undefined;
    if (value === undefined || value === null) throw new InputError('model.invalid', `The attribute "${name}" of ${place} should be of kind ${kind}, found ${attribute.kind}.`);
    result[name] = value;
  }
  return result as AttributesOf<Op>; // boundary: every attribute of the spec was set with its kind checked above
}
