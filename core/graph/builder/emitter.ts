/** How are nodes made? With shapes inferred at once, and two equal nodes made one. */
import { InvariantError } from '../../base/errors.ts';
import { dimensionTerms, type Dimension } from '../../tensor/dimension.ts';
import { expectValidShape } from '../../tensor/expect-shapes.ts';
import type { DType } from '../../tensor/dtype.ts';
import type { Shape } from '../../tensor/shape.ts';
import { ShapeError } from '../../tensor/shape-error.ts';
import { bytesOf, tensorFrom, type Tensor } from '../../tensor/tensor.ts';
import { OPSET, type Graph } from '../graph.ts';
import { SLICE_END } from '../operators/layout.ts';
import { operatorTable, presentInputs, type AttributesOf, type InputsOf, type Node, type NodeOf, type OpType } from '../operators.ts';
import type { Value, ValueType } from '../value.ts';

/** The smallest set of actions from which every other method of the builder is made. */
export type Emitter = {
  /** A graph input: a parameter, a batch, a temperature that changes between runs. */
  readonly input: (name: string, dtype: DType, shape: Shape) => Value;
  /** A weight carried inside the model; used when a file is read, never for training graphs. */
  readonly initializer: (name: string, tensor: Tensor) => Value;
  /** A small fixed tensor. */
  readonly constant: (tensor: Tensor) => Value;
  /** The outputs of a new node, or of an equal node made before. @throws ShapeError */
  readonly emit: <Op extends OpType>(op: Op, inputs: InputsOf<Op>, attributes: AttributesOf<Op>) => readonly Value[];
  /** The only output of such a node. */
  readonly emitOne: <Op extends OpType>(op: Op, inputs: InputsOf<Op>, attributes: AttributesOf<Op>) => Value;
  /** The node that makes a value; null for inputs and initializers. */
  readonly producerOf: (value: Value) => Node | null;
  /** The nodes so far, each after those it reads from. */
  readonly nodes: () => readonly Node[];
  /** The same value, through which `backward` lets no gradient flow. */
  readonly detach: (value: Value) => Value;
  readonly isDetached: (value: Value) => boolean;
  /** Says that rows were gathered so that gathering the result at `inverse` brings each row's gradient back (layout.ts, `rearrange`). */
  readonly setInverse: (gathered: Value, inverse: Value) => void;
  readonly inverseOf: (gathered: Value) => Value | null;
  /** An earlier value and its axis that has this symbolic size. */
  readonly axisOfSize: (size: string) => { readonly value: Value; readonly axis: number } | null;
  /** The graph of what the named outputs need; every input is kept, nodes that nothing needs are not. */
  readonly build: (outputs: { readonly [name: string]: Value }) => Graph;
};

const LARGEST_SHARED_CONSTANT_BYTES = 4096; // comparing larger constants costs more than one copy

/** A new, empty graph under construction. */
export function createEmitter(graphName: string): Emitter {
  const names = new Set<string>();
  const inputs: Value[] = [];
  const initializers = new Map<Value, Tensor>();
  const nodes: Node[] = [];
  const producers = new Map<Value, Node>();
  const known = new Map<string, readonly Value[]>();
  const sizes = new Map<string, { readonly value: Value; readonly axis: number }>();
  const detached = new Set<Value>();
  const inverses = new Map<Value, Value>();
  let counter = 0;

  const makeValue = (name: string, type: ValueType): Value => {
    if (name === '' || names.has(name)) throw new ShapeError('graph.duplicate-name', `The name "${name}" is empty or already taken in graph "${graphName}".`);
    names.add(name);
    counter += 1;
    const value: Value = { id: counter, name, dtype: type.dtype, shape: type.shape, content: type.content ?? null };
    value.shape.forEach((dimension, axis) => {
      if (typeof dimension === 'string' && !sizes.has(dimension)) sizes.set(dimension, { value, axis });
    });
    return value;
  };

  const freeName = (op: OpType): string => {
    let name = `${op}_${counter + 1}`;
    while (names.has(name)) name += '_';
    return name;
  };

  const emit = <Op extends OpType>(op: Op, nodeInputs: InputsOf<Op>, attributes: AttributesOf<Op>): readonly Value[] => {
    const row = operatorTable[op];
    const list: readonly (Value | null | undefined)[] = nodeInputs;
    const key = row.pure ? nodeKey(op, list, attributes) : null;
    const equal = key === null ? undefined : known.get(key);
    if (equal !== undefined) return equal;
    const name = freeName(op);
    const types = inferNode(op, name, nodeInputs, attributes);
    const outputs = types.map((type, i) => makeValue(i === 0 ? name : `${name}.${i}`, type));
    const node: NodeOf<Op> = { op, name, inputs: nodeInputs, attributes, outputs };
    nodes.push(node as Node); // boundary: NodeOf<Op> for one Op is a member of the union
    for (const output of outputs) producers.set(output, node as Node);
    if (key !== null) known.set(key, outputs);
    return outputs;
  };

  const emitOne = <Op extends OpType>(op: Op, nodeInputs: InputsOf<Op>, attributes: AttributesOf<Op>): Value => {
    const [output] = emit(op, nodeInputs, attributes);
    if (output === undefined) throw new InvariantError('graph.no-output', `${op} has no output.`);
    return output;
  };

  return {
    input: (name, dtype, shape) => {
      expectValidShape(shape);
      const value = makeValue(name, { dtype, shape });
      inputs.push(value);
      return value;
    },
    initializer: (name, tensor) => {
      const isInteger = tensor.dtype === 'int64' || tensor.dtype === 'int32';
      const probe = isInteger ? operatorTable.Constant.infer({ inputs: [], attributes: { value: tensor } })[0] : undefined;
      const value = makeValue(name, { dtype: tensor.dtype, shape: tensor.shape, content: probe?.content ?? null });
      initializers.set(value, tensor);
      return value;
    },
    constant: (tensor) => emitOne('Constant', [], { value: tensor }),
    emit,
    emitOne,
    producerOf: (value) => producers.get(value) ?? null,
    nodes: () => nodes,
    detach: (value) => {
      const copy = emitOne('Identity', [value], {});
      detached.add(copy);
      return copy;
    },
    isDetached: (value) => detached.has(value),
    setInverse: (gathered, inverse) => void inverses.set(gathered, inverse),
    inverseOf: (gathered) => inverses.get(gathered) ?? null,
    axisOfSize: (size) => sizes.get(size) ?? null,
    build: (outputs) => {
      const needed = new Set<Node>();
      const pending = Object.values(outputs);
      for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
        const node = producers.get(value);
        if (node === undefined || needed.has(node)) continue;
        needed.add(node);
        pending.push(...presentInputs(node));
      }
      return {
        name: graphName,
        opset: OPSET,
        inputs: [...inputs],
        initializers: new Map(initializers),
        nodes: nodes.filter((node) => needed.has(node)),
        outputs: Object.entries(outputs).map(([name, value]) => ({ name, value })),
      };
    },
  };
}

/** Element types and shapes of a node's outputs. @throws ShapeError naming the node when the inputs do not fit. */
export function inferNode<Op extends OpType>(op: Op, name: string, inputs: InputsOf<Op>, attributes: AttributesOf<Op>): readonly ValueType[] {
  const row = operatorTable[op];
  const count = (inputs as readonly unknown[]).length; // boundary: every inputs type is a tuple
  if (count < row.inputs.least || count > row.inputs.most) throw new ShapeError('graph.input-count', `${name} (${op}) takes ${row.inputs.least} to ${row.inputs.most} inputs, found ${count}.`);
  try {
    return row.infer({ inputs, attributes });
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ShapeError(error.code, `${name} (${op}): ${error.message}`, { cause: error });
  }
}

function nodeKey(op: OpType, inputs: readonly (Value | null | undefined)[], attributes: object): string | null {
  const parts = Object.entries(attributes).map(([name, value]) => `${name}=${attributeKey(value)}`);
  if (parts.some((part) => part.endsWith('=large'))) return null;
  return `${op}(${inputs.map((value) => value?.id ?? '').join(',')})${parts.join(';')}`;
}

function attributeKey(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const constant = value as Tensor; // boundary: the only object among the attribute kinds is a tensor
  const bytes = bytesOf(constant);
  return bytes.length > LARGEST_SHARED_CONSTANT_BYTES ? 'large' : `${constant.dtype}[${constant.shape.join()}]${bytes.join()}`;
}

/** An int64 vector constant. */
export function integers(e: Emitter, values: readonly number[]): Value {
  return e.constant(tensorFrom('int64', [values.length], values));
}

/** One symbolic size as an int64 vector of one element: read off an axis, or calculated from its symbols. */
function symbolicSize(e: Emitter, size: string): Value {
  const source = e.axisOfSize(size);
  if (source !== null) {
    const shape = e.emitOne('Shape', [source.value], { start: 0, end: SLICE_END });
    return e.emitOne('Gather', [shape, integers(e, [source.axis])], { axis: 0 });
  }
  const { constant, terms } = dimensionTerms(size);
  if (terms.length === 1 && terms[0]?.symbols.length === 1 && terms[0].count === 1 && constant === 0) throw new ShapeError('graph.unknown-content', `No value in the graph has an axis of size ${size}.`);
  const calculated = terms.map(({ count, symbols }) => {
    const product = symbols.map((symbol) => symbolicSize(e, symbol)).reduce((a, b) => e.emitOne('Mul', [a, b], {}));
    return count === 1 ? product : e.emitOne('Mul', [product, integers(e, [count])], {});
  });
  const sum = calculated.reduce((a, b) => e.emitOne('Add', [a, b], {}));
  return constant === 0 ? sum : e.emitOne('Add', [sum, integers(e, [constant])], {});
}

/** Sizes as an int64 vector: a constant when all are numbers, otherwise read off earlier values at run time. */
export function sizesValue(e: Emitter, sizes: readonly Dimension[]): Value {
  const parts: Value[] = [];
  let run: number[] = [];
  const flush = (): void => {
    if (run.length > 0) parts.push(integers(e, run));
    run = [];
  };
  for (const size of sizes) {
    if (typeof size === 'number') {
      run.push(size);
      continue;
    }
    flush();
    parts.push(symbolicSize(e, size));
  }
  flush();
  const [first] = parts;
  if (first === undefined) return integers(e, []);
  return parts.length === 1 ? first : e.emitOne('Concat', parts, { axis: 0 });
}
