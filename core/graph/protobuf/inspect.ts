/** What does an ONNX file say of itself, before anything of it is believed or built? Names, sizes and places only; no weight is touched. */
import { PbfReader } from 'pbf';
import { InputError } from '../../base/errors.ts';
import { bytes, externalPlace, integer, message, readEntry, readFields, repeated, signed, string } from './read.ts';
import { ATTRIBUTE, GRAPH, MODEL, NODE, OPSET_ID, SHAPE, DIM, TENSOR, TENSOR_TYPE, TYPE, VALUE_INFO } from './schema.ts';

export type OnnxNode = { readonly name: string; readonly opType: string; readonly domain: string; readonly inputs: readonly string[]; readonly outputs: readonly string[]; readonly hasSubgraph: boolean };
export type OnnxTensor = { readonly name: string; readonly dims: readonly number[]; /** TensorProto.DataType. */ readonly dataType: number; readonly external: { readonly location: string; readonly offset: number; readonly length: number | null } | null };

export type OnnxFacts = {
  /** Version of the standard operator set; 0: none is named. */
  readonly opset: number;
  readonly nodes: readonly OnnxNode[];
  /** Weights, and constants inside nodes. */
  readonly tensors: readonly OnnxTensor[];
  readonly inputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
  readonly outputs: readonly { readonly name: string }[];
  /** Operators that the file itself defines. */
  readonly functions: number;
};

const FUNCTIONS = 25; // ModelProto.functions
const SUBGRAPHS: readonly number[] = [6, 11]; // AttributeProto.g and graphs

/** @throws InputError 'model.not-onnx' for bytes that are no such file. */
export function inspectModel(file: Uint8Array): OnnxFacts {
  const facts = { opset: 0, nodes: [] as OnnxNode[], tensors: [] as OnnxTensor[], inputs: [] as { name: string; dims: number[] }[], outputs: [] as { name: string }[], functions: 0 };
  let hasGraph = false;
  try {
    const reader = new PbfReader(file);
    readFields(reader, reader.length, {
      [MODEL.opsetImport]: (r) => {
        let [domain, version] = ['', 0];
        message(r, { [OPSET_ID.domain]: (own) => (domain = string(own)), [OPSET_ID.version]: (own) => (version = integer(own)) });
        if (domain === '' || domain === 'ai.onnx') facts.opset = version;
      },
      [FUNCTIONS]: (r) => {
        bytes(r);
        facts.functions += 1;
      },
      [MODEL.graph]: (r) => {
        hasGraph = true;
        message(r, {
          [GRAPH.node]: (own) => facts.nodes.push(readNode(own, facts.tensors)),
          [GRAPH.initializer]: (own) => facts.tensors.push(readTensor(own)),
          [GRAPH.input]: (own) => facts.inputs.push(readInput(own)),
          [GRAPH.output]: (own) => facts.outputs.push(readInput(own)),
        });
      },
    });
  } catch (cause) {
    throw new InputError('model.not-onnx', `Expected an ONNX model, found bytes that cannot be read as one (${cause instanceof Error ? cause.message : String(cause)}). The file may be damaged, cut off, or of another kind.`, { cause });
  }
  if (!hasGraph) throw new InputError('model.not-onnx', 'Expected an ONNX model, found a file without a graph.');
  return facts;
}

function readNode(reader: PbfReader, tensors: OnnxTensor[]): OnnxNode {
  const node = { name: '', opType: '', domain: '', inputs: [] as string[], outputs: [] as string[], hasSubgraph: false };
  message(reader, {
    [NODE.input]: (r) => node.inputs.push(string(r)),
    [NODE.output]: (r) => node.outputs.push(string(r)),
    [NODE.name]: (r) => (node.name = string(r)),
    [NODE.opType]: (r) => (node.opType = string(r)),
    [NODE.domain]: (r) => (node.domain = string(r)),
    [NODE.attribute]: (r) => message(r, {
      [ATTRIBUTE.t]: (own) => tensors.push(readTensor(own)),
      ...Object.fromEntries(SUBGRAPHS.map((field) => [field, (own: PbfReader) => {
        bytes(own);
        node.hasSubgraph = true;
      }])),
    }),
  });
  return { ...node, name: node.name === '' ? (node.outputs[0] ?? '') : node.name };
}

function readTensor(reader: PbfReader): OnnxTensor {
  let [name, dataType, location] = ['', 0, 0];
  const dims: number[] = [];
  const place = new Map<string, string>();
  message(reader, {
    [TENSOR.name]: (r) => (name = string(r)),
    [TENSOR.dims]: (r) => repeated(r, dims, signed),
    [TENSOR.dataType]: (r) => (dataType = integer(r)),
    [TENSOR.dataLocation]: (r) => (location = integer(r)),
    [TENSOR.externalData]: (r) => readEntry(r, place),
  });
  return { name, dims, dataType, external: location === 0 && place.size === 0 ? null : externalPlace(place) };
}

function readInput(reader: PbfReader): { name: string; dims: number[] } {
  let name = '';
  const dims: number[] = [];
  message(reader, {
    [VALUE_INFO.name]: (r) => (name = string(r)),
    [VALUE_INFO.type]: (r) => message(r, { [TYPE.tensorType]: (own) => message(own, { [TENSOR_TYPE.shape]: (shape) => message(shape, { [SHAPE.dim]: (dim) => message(dim, { [DIM.value]: (value) => dims.push(integer(value)) }) }) }) }),
  });
  return { name, dims };
}
