/** How does an ONNX file from elsewhere become a backbone? Checked as bytes, decoded, checked again, its weights lifted to inputs. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { sha256 } from '../../base/hashing.ts';
import type { Graph } from '../../graph/graph.ts';
import { decodeModel, type ReadTensorData } from '../../graph/protobuf/decode.ts';
import { inspectModel } from '../../graph/protobuf/inspect.ts';
import type { OnnxBackbone, Pooling } from '../backbone.ts';
import { readFolderJson } from './folder-files.ts';
import { readFolderTokenizer } from './folder-tokenizer.ts';
import { onnxFaults, readExternalFiles, readPlainFile, sizeFaults } from './onnx-checks.ts';
import { liftParameters } from './onnx-graph.ts';
import { joined } from './joined.ts';
import { readSurroundings } from './sentence-transformers.ts';

const ONNX_FILE = 'model.onnx';
const ONNX_FOLDERS: readonly string[] = ['', 'onnx'];
const NEEDED_INPUTS: readonly string[] = ['input_ids', 'attention_mask'];
const KNOWN_INPUTS: ReadonlySet<string> = new Set([...NEEDED_INPUTS, 'token_type_ids']);
const OUTPUTS: readonly OnnxBackbone['output'][] = ['last_hidden_state', 'sentence_embedding'];
const USUAL_LONGEST = 512;
/** Tables with fewer rows are those of token types. */
const FEWEST_POSITIONS = 4;
const ROBERTA_OFFSET = 2;
const LONGEST_SANE = 1e6;

/** The folder in which model.onnx stands: this one or its "onnx"; null when there is none. */
export async function findOnnx(folder: string): Promise<string | null> {
  for (const inner of ONNX_FOLDERS) {
    const names: readonly string[] = await readdir(join(folder, inner)).catch(() => []);
    if (names.includes(ONNX_FILE)) return join(folder, inner);
  }
  return null;
}

/**
 * Reads model.onnx with the tokenizer (and pooling, prompts) beside it. The file is read once, and only the graph that was decoded and
 * checked is ever run: onnxruntime never sees the foreign bytes.
 * @throws InputError naming every fault: 'onnx.custom-operator', 'onnx.control-flow', 'onnx.unsupported-operator' (with the path of nodes),
 *         'onnx.absurd-size', 'onnx.outside-folder', 'onnx.link', 'onnx.opset', 'onnx.element-type', 'onnx.inputs', 'onnx.outputs',
 *         'backbone.truncated', 'backbone.missing-file', 'backbone.not-finite', 'backbone.vocabulary-mismatch', 'model.not-onnx'.
 */
export async function openOnnxFolder(folder: string): Promise<OnnxBackbone> {
  const own = await findOnnx(folder);
  if (own === null) throw new InputError('backbone.missing-file', `${folder}: ${ONNX_FILE} is missing.`, { data: { path: folder, missing: [ONNX_FILE] } });
  const place = join(own, ONNX_FILE);
  const { bytes } = await readPlainFile(own, ONNX_FILE);
  const facts = inspectModel(bytes);
  const output = OUTPUTS.find((name) => facts.outputs.some((found) => found.name === name));
  const faults = [...onnxFaults(facts, place)];
  const weightNames = new Set(facts.tensors.map(({ name }) => name));
  const inputs = facts.inputs.map(({ name }) => name).filter((name) => !weightNames.has(name));
  const [missing, odd] = [NEEDED_INPUTS.filter((name) => !inputs.includes(name)), inputs.filter((name) => !KNOWN_INPUTS.has(name))];
  if (missing.length > 0 || odd.length > 0) faults.push(new InputError('onnx.inputs', `${place}: expected the inputs ${[...KNOWN_INPUTS].join(', ')} (the last may be absent), found ${inputs.join(', ') || 'none'}.`, { data: { path: place } }));
  if (output === undefined) faults.push(new InputError('onnx.outputs', `${place}: expected an output ${OUTPUTS.join(' or ')}, found ${facts.outputs.map(({ name }) => name).join(', ') || 'none'}.`, { data: { path: place } }));
  if (faults.length > 0 || output === undefined) throw joined(faults);
  const files = await readExternalFiles(own, facts);
  const readData: ReadTensorData = ({ name, location, offset, length, neededBytes }) => {
    const data = files.get(location)?.bytes;
    if (data === undefined || (length !== null && length !== neededBytes) || !(offset + neededBytes <= data.length)) throw new InputError('backbone.truncated', `${place}: the tensor "${name}" should have ${neededBytes} bytes in ${location}, found ${length ?? 'too few'}.`, { data: { path: place, name } });
    return data.subarray(offset, offset + neededBytes);
  };
  const decoded = decodeModel(bytes, readData);
  const sizes = sizeFaults(decoded, place);
  if (sizes.length > 0) throw joined(sizes);
  const { graph, parameters } = liftParameters(decoded, output);
  requireFinite(parameters, place);
  const surroundings = await readSurroundings(folder);
  const tokenizer = await readFolderTokenizer(folder);
  requireFit(decoded, tokenizer.vocabularySize, place);
  const width = graph.outputs[0]?.value.shape.at(-1);
  if (typeof width !== 'number') throw new InputError('onnx.outputs', `${place}: the width of ${output} should be a number in the file, found ${String(width)}.`, { data: { path: place } });
  const pooling: Pooling = output === 'sentence_embedding' ? { mode: 'mean', layer: 0, dense: null, normalise: false } : { ...(surroundings.pooling ?? { mode: 'mean', dense: null, normalise: true }), layer: 0 };
  return { kind: 'onnx', graph, parameters, output, width, sha256: sha256(bytes), licence: surroundings.licence, tokenizer, pooling, prefixes: surroundings.prefixes, maxTokens: Math.min(surroundings.maxTokens ?? Infinity, await longest(folder, decoded)) };
}

function requireFinite(parameters: ReadonlyMap<string, Float32Array>, place: string): void {
  for (const [name, values] of parameters) {
    const at = values.findIndex((value) => value - value !== 0);
    if (at >= 0) throw new InputError('backbone.not-finite', `${place}: expected numbers in the tensor "${name}", found ${values[at] ?? Number.NaN} at position ${at}. The training that wrote it failed, or the file is damaged; choose another copy.`, { data: { path: place, name } });
  }
}

/** The table that input_ids look things up in has to have a row for every piece. */
function requireFit(graph: Graph, pieces: number, place: string): void {
  for (const node of graph.nodes) {
    if (node.op !== 'Gather') continue;
    const [table, ids] = node.inputs;
    const rows = table.shape[0];
    if (ids.name === 'input_ids' && typeof rows === 'number' && rows < pieces) throw new InputError('backbone.vocabulary-mismatch', `${place}: the tokenizer has ${pieces} pieces, but the model only ${rows} rows for them. They do not belong together; take both from the same model.`, { data: { pieces, rows } });
  }
}

/** The longest text by the small files beside the model, and by the rows of the tables that are looked up by position. */
async function longest(folder: string, graph: Graph): Promise<number> {
  const [tokenizer, config] = [await readFolderJson(folder, 'tokenizer_config.json'), await readFolderJson(folder, 'config.json')];
  const positions = config?.['max_position_embeddings'];
  const offset = String(config?.['model_type']).includes('roberta') ? Number(config?.['pad_token_id'] ?? 1) + 1 : 0;
  const tables = graph.nodes.flatMap((node) => (node.op === 'Gather' && graph.initializers.has(node.inputs[0]) && node.inputs[0].dtype === 'float32' && !KNOWN_INPUTS.has(node.inputs[1].name) ? [node.inputs[0].shape[0]] : [])).filter((rows) => typeof rows === 'number' && rows > FEWEST_POSITIONS);
  const skipped = graph.nodes.some(({ op }) => op === 'CumSum') ? ROBERTA_OFFSET : 0; // positions counted from the mask begin after the padding id
  const limits = [...tables.map((rows) => Number(rows) - skipped), tokenizer?.['model_max_length'], typeof positions === 'number' ? positions - offset : null].filter((limit) => typeof limit === 'number' && limit > 2 && limit < LONGEST_SANE).map(Number);
  return limits.length === 0 ? USUAL_LONGEST : Math.min(...limits);
}
