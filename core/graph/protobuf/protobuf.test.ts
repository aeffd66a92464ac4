import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import { createSession } from '../../runtime/session.ts';
import { bytesOf, tensorFrom } from '../../tensor/tensor.ts';
import { createGraphBuilder, type GraphBuilder, type Value } from '../builder.ts';
import { checkGraph } from '../check.ts';
import { evaluateGraph } from '../evaluate.ts';
import { printGraph } from '../print.ts';
import { decodeModel } from './decode.ts';
import { encodeModel } from './encode.ts';
import { ATTRIBUTE, attributeTypeNumbers, DIM, GRAPH, MODEL, NODE, OPSET_ID, SHAPE, TENSOR, TENSOR_TYPE, TYPE, VALUE_INFO } from './schema.ts';

const example = (): ReturnType<GraphBuilder['build']> => {
  const g = createGraphBuilder('example');
  const x = g.input('x', 'float32', ['B', 4]);
  const mask = g.input('mask', 'bool', ['B', 4]);
  const y = g.softmax(g.where(mask, g.gelu(x, 'tanh'), g.scalar(-2.5)), { axis: 1 });
  const [first, second] = g.split(y, { axis: 1, sizes: [1, 3] });
  if (first === undefined || second === undefined) throw new Error('Split has two parts.');
  const normed = g.layerNormalization(second, { scale: g.constant(tensorFrom('float32', [3], [1, 2, 3])), bias: g.constant(tensorFrom('float32', [3], [0, 0, 1])), epsilon: 1e-3 });
  return g.build({ first: g.clip(first, { high: 0.5 }), normed, sameMask: mask, again: normed });
};

/** Names of values change; what is computed does not. */
const structure = (graph: ReturnType<typeof example>): unknown => graph.nodes.filter((node) => node.op !== 'Identity').map((node) => [node.op, Object.entries(node.attributes).map(([name, value]) => [name, typeof value === 'number' ? Math.fround(value) : value]), node.outputs.map(({ dtype, shape }) => [dtype, shape])]);

describe('protobuf', () => {
  it('reads back what it wrote: nodes, attributes, types, names', () => {
    const graph = example();
    const again = decodeModel(encodeModel(graph));
    checkGraph(again);
    expect(graph.nodes.length).toBeGreaterThan(8);
    expect(structure(again)).toEqual(structure(graph));
    expect(again.inputs.map(({ name, dtype, shape }) => [name, dtype, shape])).toEqual([['x', 'float32', ['B', 4]], ['mask', 'bool', ['B', 4]]]);
    expect(again.outputs.map(({ name }) => name)).toEqual(['first', 'normed', 'sameMask', 'again']);
    expect(encodeModel(decodeModel(encodeModel(again)))).toEqual(encodeModel(again));
  });

  it('writes what ONNX Runtime runs, also outputs that are inputs or listed twice', async () => {
    const graph = example();
    const feeds = { x: { shape: [2, 4], data: [1, -2, 0.5, 3, 0, 1, 2, -1] }, mask: { shape: [2, 4], data: [1, 0, 1, 1, 0, 1, 1, 1] } };
    const expected = evaluateGraph(graph, feeds);
    await using session = await createSession(encodeModel(graph), { threads: 1 });
    const found = await session.run({ x: tensorFrom('float32', [2, 4], feeds.x.data), mask: tensorFrom('bool', [2, 4], feeds.mask.data) });
    expect(Object.keys(expected).length).toBe(4);
    for (const [name, { data }] of Object.entries(expected)) [...data].forEach((element, i) => expect(Number(found[name]?.data[i])).toBeCloseTo(element, 5));
  });

  it('keeps random graphs of element-wise operators and reductions as they were', () => {
    const steps: readonly ((g: GraphBuilder, a: Value, b: Value) => Value)[] = [
      (g, a, b) => g.add(a, b),
      (g, a, b) => g.mul(a, b),
      (g, a) => g.tanh(a),
      (g, a, b) => g.where(g.less(a, b), a, b),
      (g, a) => g.reduceSum(a, { axis: -1, keepDims: true }),
      (g, a) => g.softmax(a, { axis: 0 }),
      (g, a) => g.transpose(g.transpose(g.concat([a, a], { axis: 0 }), [1, 0]), [0, 1]),
      (g, a) => g.mul(a, 0.25),
    ];
    const program = fc.array(fc.tuple(fc.nat(steps.length - 1), fc.nat(), fc.nat()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(program, (calls) => {
        const g = createGraphBuilder();
        const values = [g.input('x', 'float64', [2, 2]), g.input('y', 'float64', [1, 2])];
        for (const [step, left, right] of calls) {
          const [a, b] = [values[left % values.length], values[right % values.length]];
          if (a === undefined || b === undefined) continue;
          try {
            values.push(steps[step]?.(g, a, b) ?? a);
          } catch {
            continue; // shapes that do not fit are refused, and tested elsewhere
          }
        }
        const graph = g.build({ result: values.at(-1) ?? g.scalar(0) });
        const again = decodeModel(encodeModel(graph));
        checkGraph(again);
        const feeds = { x: { shape: [2, 2], data: [0.5, -1, 2, 0.25] }, y: { shape: [1, 2], data: [1.5, -0.5] } };
        expect(evaluateGraph(again, feeds)['result']).toEqual(evaluateGraph(graph, feeds)['result']);
      }),
      { numRuns: 60, seed: 5 },
    );
  });

  it('refuses two values of one name', () => {
    const g = createGraphBuilder();
    const x = g.input('x', 'float32', [2]);
    expect(() => encodeModel(g.build({ x: g.exp(x) }))).toThrow(/called "x"/);
  });
});

type Write = (writer: PbfWriter) => void;

/** A model of one node, written field by field: x float [2, 3] -> y. */
function modelOf({ opset = 17, opType, attributes = [], inputs = ['x'], domain = '', extra = () => undefined }: { readonly opset?: number; readonly opType: string; readonly attributes?: readonly Write[]; readonly inputs?: readonly string[]; readonly domain?: string; readonly extra?: Write }): Uint8Array {
  const writer = new PbfWriter();
  const nest = (w: PbfWriter, field: number, write: Write): void => w.writeMessage(field, (_: null, own) => write(own), null);
  nest(writer, MODEL.opsetImport, (w) => w.writeVarintField(OPSET_ID.version, opset));
  nest(writer, MODEL.graph, (graph) => {
    nest(graph, GRAPH.node, (node) => {
      for (const input of inputs) node.writeStringField(NODE.input, input);
      node.writeStringField(NODE.output, 'y');
      node.writeStringField(NODE.opType, opType);
      if (domain !== '') node.writeStringField(NODE.domain, domain);
      for (const attribute of attributes) nest(node, NODE.attribute, attribute);
    });
    extra(graph);
    nest(graph, GRAPH.input, (input) => {
      input.writeStringField(VALUE_INFO.name, 'x');
      nest(input, VALUE_INFO.type, (type) =>
        nest(type, TYPE.tensorType, (tensor) => {
          tensor.writeVarintField(TENSOR_TYPE.elementType, 1);
          nest(tensor, TENSOR_TYPE.shape, (shape) => {
            for (const size of [2, 3]) nest(shape, SHAPE.dim, (dim) => dim.writeVarintField(DIM.value, size));
          });
        }),
      );
    });
    nest(graph, GRAPH.output, (output) => output.writeStringField(VALUE_INFO.name, 'y'));
  });
  return writer.finish();
}

const intsAttribute = (name: string, values: readonly number[]): Write => (w) => {
  w.writeStringField(ATTRIBUTE.name, name);
  for (const value of values) w.writeVarintField(ATTRIBUTE.ints, value);
  w.writeVarintField(ATTRIBUTE.type, attributeTypeNumbers.ints);
};

describe('a file of another tool', () => {
  it('may have the axes of a reduction as an attribute, as operator sets before 18 do', () => {
    const graph = decodeModel(modelOf({ opset: 13, opType: 'ReduceMean', attributes: [intsAttribute('axes', [1])] }));
    expect(printGraph(graph)).toContain('ReduceMean(x, [1], keepdims=1');
    expect(evaluateGraph(graph, { x: { shape: [2, 3], data: [1, 2, 3, 4, 5, 6] } })['y']?.data).toEqual(Float64Array.of(2, 5));
  });

  it.each([
    ['an unknown operator', { opType: 'Einsum' }, /operator Einsum/],
    ['an operator of another domain', { opType: 'FusedGelu', domain: 'com.microsoft' }, /com\.microsoft/],
    ['an unknown attribute', { opType: 'Exp', attributes: [intsAttribute('surprise', [1])] }, /"surprise"/],
    ['an operator set that is too old', { opType: 'Exp', opset: 9 }, /13 to 22, found 9/],
    ['a missing input', { opType: 'Exp', inputs: [] }, /takes 1 to 1 inputs, found 0/],
    ['an absent input that is needed', { opType: 'Add', inputs: ['x', ''] }, /Input 2 .* is missing/],
    ['an input that nothing computes', { opType: 'Exp', inputs: ['z'] }, /"z"/],
    ['a cycle', { opType: 'Exp', inputs: ['y'] }, /"y".*not computed before/],
    ['shapes that do not fit', { opType: 'MatMul', inputs: ['x', 'x'] }, /inner sizes/],
    ['a tensor whose length is a lie', { opType: 'Exp', extra: (w: PbfWriter) => w.writeMessage(GRAPH.initializer, (_: null, t) => { t.writeStringField(TENSOR.name, 'w'); t.writeVarintField(TENSOR.dims, 2 ** 40); t.writeVarintField(TENSOR.dataType, 1); t.writeBytesField(TENSOR.rawData, new Uint8Array(4)); }, null) }, /should have 1099511627776 elements, found 1/],
    ['a tensor in another file', { opType: 'Exp', extra: (w: PbfWriter) => w.writeMessage(GRAPH.initializer, (_: null, t) => { t.writeStringField(TENSOR.name, 'w'); t.writeVarintField(TENSOR.dims, 0); t.writeVarintField(TENSOR.dataType, 1); t.writeVarintField(TENSOR.dataLocation, 1); }, null) }, /another file/],
    ['a value assigned twice', { opType: 'Exp', extra: (w: PbfWriter) => w.writeMessage(GRAPH.node, (_: null, n) => { n.writeStringField(NODE.input, 'x'); n.writeStringField(NODE.output, 'y'); n.writeStringField(NODE.opType, 'Log'); }, null) }, /"y" twice/],
  ] as const)('with %s is refused with a sentence that names it', (_, model, message) => {
    const read = (): unknown => decodeModel(modelOf(model));
    expect(read).toThrow(InputError);
    expect(read).toThrow(message);
  });

  it('that is no ONNX file is refused as such', () => {
    for (const bytes of [new Uint8Array(), new TextEncoder().encode('{"query": "hello"}\n'), new Uint8Array(100), bytesOf(tensorFrom('float32', [50], Array.from({ length: 50 }, Math.sin)))]) {
      expect(() => decodeModel(bytes)).toThrow(InputError);
    }
  });

  it('that is cut short or damaged anywhere gives a graph or an InputError, nothing else', () => {
    const whole = readFileSync(new URL('../../../test/reference/exported-encoder.onnx', import.meta.url));
    const random = seededRandom(1, 'damage');
    let refused = 0;
    const attempt = (bytes: Uint8Array): void => {
      try {
        decodeModel(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        refused += 1;
      }
    };
    for (let length = 0; length < whole.length; length += 97) attempt(whole.subarray(0, length));
    for (let round = 0; round < 400; round += 1) {
      const bytes = Uint8Array.from(whole);
      for (let flips = 1 + random.integer(4); flips > 0; flips -= 1) bytes[random.integer(bytes.length)] = random.integer(256);
      attempt(bytes);
    }
    expect(refused).toBeGreaterThan(100);
  });
});
