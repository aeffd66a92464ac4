/** Which foreign ONNX files may be used at all? Everything that could reach out, run on or blow up is refused by name. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../base/errors.ts';
import type { Graph } from '../../graph/graph.ts';
import { isOpType } from '../../graph/operators.ts';
import type { OnnxFacts, OnnxTensor } from '../../graph/protobuf/inspect.ts';
import { pathToOutput } from '../../graph/protobuf/node-paths.ts';
import { dtypeOfNumber, NEWEST_READ_OPSET, OLDEST_READ_OPSET } from '../../graph/protobuf/schema.ts';

/** Operators of other domains would need libraries of other people. */
const KNOWN_DOMAINS: ReadonlySet<string> = new Set(['', 'ai.onnx', 'com.microsoft']);
const CONTROL_FLOW: ReadonlySet<string> = new Set(['If', 'Loop', 'Scan', 'SequenceMap']);
const MOST_NODES = 100_000;
const MOST_TENSORS = 100_000;
/** Elements of one tensor: 8 GB in float32. */
const MOST_ELEMENTS = 2 ** 31;
const PLAIN_NAME = /^[^/\\:\0]+$/;
const DTYPE_NAMES: { readonly [number: number]: string } = { 10: 'float16', 16: 'bfloat16', 3: 'int8', 2: 'uint8', 17: 'float8' };
const MOST_NAMED = 5;

/** Faults of the file itself, each one error; nothing is built yet. */
export function onnxFaults(facts: OnnxFacts, place: string): readonly InputError[] {
  const faults: InputError[] = [];
  const refuse = (code: string, found: string, data: Readonly<Record<string, string | number>> = {}): void => void faults.push(new InputError(code, `${place}: ${found}`, { data: { path: place, ...data } }));
  if (facts.nodes.length > MOST_NODES || facts.tensors.length > MOST_TENSORS) refuse('onnx.too-large', `expected at most ${MOST_NODES} nodes and ${MOST_TENSORS} tensors, found ${facts.nodes.length} and ${facts.tensors.length}.`);
  if (facts.opset < OLDEST_READ_OPSET || facts.opset > NEWEST_READ_OPSET) refuse('onnx.opset', `expected operator set ${OLDEST_READ_OPSET} to ${NEWEST_READ_OPSET}, found ${facts.opset}. Export the model again with one of these.`);
  if (facts.functions > 0) refuse('onnx.custom-operator', `the file defines ${facts.functions} operators of its own, which Isogloss does not run.`);
  const foreign = facts.nodes.find(({ domain }) => !KNOWN_DOMAINS.has(domain));
  if (foreign !== undefined) refuse('onnx.custom-operator', `the operator ${foreign.domain}.${foreign.opType} (node "${foreign.name}") needs a library that Isogloss does not load. It lies on the way ${pathToOutput(facts, foreign)}.`, { operator: foreign.opType, domain: foreign.domain });
  const loop = facts.nodes.find(({ opType, hasSubgraph }) => CONTROL_FLOW.has(opType) || hasSubgraph);
  if (loop !== undefined) refuse('onnx.control-flow', `the operator ${loop.opType} (node "${loop.name}") repeats or chooses parts of the graph, which may never end; encoders do not need it. It lies on the way ${pathToOutput(facts, loop)}.`, { operator: loop.opType });
  const unknown = new Map(facts.nodes.filter(({ opType, domain }) => KNOWN_DOMAINS.has(domain) && !CONTROL_FLOW.has(opType) && (domain === 'com.microsoft' || !isOpType(opType))).map((node) => [node.opType, node]));
  if (unknown.size > 0) {
    const named = [...unknown.values()].slice(0, MOST_NAMED).map((node) => `${node.domain === '' ? '' : `${node.domain}.`}${node.opType}, on the way ${pathToOutput(facts, node)}`);
    refuse('onnx.unsupported-operator', `Isogloss cannot train through ${unknown.size === 1 ? 'this operator' : 'these operators'}: ${named.join('; ')}${unknown.size > MOST_NAMED ? '; ...' : ''}. Export the model without fusing operators (no optimisation, no quantisation).`, { operators: [...unknown.keys()].join(' ') });
  }
  for (const tensor of facts.tensors) {
    const fault = tensorFault(tensor);
    if (fault === null) continue;
    refuse(...fault);
    break;
  }
  const wide = facts.inputs.find(({ dims }) => !isBounded(dims));
  if (wide !== undefined) refuse('onnx.absurd-size', `the input "${wide.name}" has the sizes [${wide.dims.join(', ')}].`);
  return faults;
}

function tensorFault({ name, dims, dataType, external }: OnnxTensor): readonly [code: string, found: string] | null {
  if (!isBounded(dims)) return ['onnx.absurd-size', `the tensor "${name}" has the sizes [${dims.join(', ')}]; expected sizes from 0 on with at most ${MOST_ELEMENTS} elements.`];
  if (external !== null && (!PLAIN_NAME.test(external.location) || external.location === '.' || external.location === '..')) return ['onnx.outside-folder', `the tensor "${name}" lies in ${JSON.stringify(external.location)}; weights may only lie in a file beside the model, named without a path.`];
  if (dtypeOfNumber(dataType) === null) return ['onnx.element-type', `the tensor "${name}" has the element type ${DTYPE_NAMES[dataType] ?? `number ${dataType}`}. Choose the file with 32-bit floats, neither halved nor quantised.`];
  return null;
}

function isBounded(dims: readonly number[]): boolean {
  return dims.every((size) => Number.isSafeInteger(size) && size >= 0) && dims.reduce((product, size) => product * size, 1) <= MOST_ELEMENTS;
}

/** Values that would have absurd sizes whatever the batch: the sizes that are known alone are too many. */
export function sizeFaults(graph: Graph, place: string): readonly InputError[] {
  const wide = graph.nodes.flatMap(({ outputs }) => outputs).find(({ shape }) => !isBounded(shape.filter((size) => typeof size === 'number')));
  return wide === undefined ? [] : [new InputError('onnx.absurd-size', `${place}: "${wide.name}" would have the sizes [${wide.shape.join(', ')}].`, { data: { path: place } })];
}

/** A file of weights that was opened only after it was found to be plain. */
export type ExternalFile = { readonly bytes: Buffer };

/**
 * The bytes of the files beside a model in which its weights lie, each read once, through one handle: a plain file with one name in
 * this very folder, no link of any kind, and large enough for every tensor.
 * @throws InputError 'onnx.outside-folder', 'onnx.link', 'backbone.missing-file', 'backbone.truncated'.
 */
export async function readExternalFiles(folder: string, facts: OnnxFacts): Promise<ReadonlyMap<string, ExternalFile>> {
  const files = new Map<string, ExternalFile>();
  for (const location of new Set(facts.tensors.flatMap(({ external }) => (external === null ? [] : [external.location])))) files.set(location, await readPlainFile(folder, location));
  for (const { name, external } of facts.tensors) {
    if (external === null) continue;
    const size = files.get(external.location)?.bytes.length ?? 0;
    const end = external.offset + (external.length ?? 0);
    if (!(external.offset >= 0 && end <= size)) throw new InputError('backbone.truncated', `${join(folder, external.location)}: the tensor "${name}" should end at byte ${end}, found a file of ${size}. Copy it again.`, { data: { path: folder, name } });
  }
  return files;
}

/** Reads a file beside a model. @throws InputError as `readExternalFiles`. */
export async function readPlainFile(folder: string, name: string): Promise<ExternalFile> {
  const path = join(folder, name);
  if (!PLAIN_NAME.test(name) || name === '.' || name === '..') throw new InputError('onnx.outside-folder', `${folder}: weights may only lie in a file beside the model, found ${JSON.stringify(name)}.`, { data: { path: folder } });
  const found = await lstat(path).catch(() => null);
  if (found === null) throw new InputError('backbone.missing-file', `${folder}: ${name} is missing, in which weights of the model lie.`, { data: { path: folder, missing: [name] } });
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((cause: unknown) => {
    throw linkFault(path, cause);
  });
  const own = await file.stat();
  if (found.isSymbolicLink() || !own.isFile() || own.nlink > 1 || own.ino !== found.ino) throw linkFault(path);
  return { bytes: await file.readFile() };
}

function linkFault(path: string, cause?: unknown): InputError {
  return new InputError('onnx.link', `${path}: expected a plain file, found a link or something else. Copy the model's files themselves into one folder.`, { cause, data: { path } });
}
