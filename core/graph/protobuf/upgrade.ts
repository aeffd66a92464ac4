/** How do nodes of older operator sets become those of the operator table? Mostly: axes move from an attribute to an input. */
import { tensorFrom, type Tensor } from '../../tensor/tensor.ts';
import { InputError } from '../../base/errors.ts';
import type { RawAttribute, RawNode } from './read.ts';

const AXES_AS_INPUT_SINCE = 18; // for these; ReduceSum, Squeeze and Unsqueeze changed in 13 already
const AXES_REDUCTIONS = new Set(['ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceSumSquare', 'ReduceL2', 'ReduceLogSumExp', 'ReduceProd']);
/** Attributes that say what is done anyway. */
const HARMLESS: { readonly [opType: string]: readonly string[] } = { LayerNormalization: ['stash_type'], Split: ['num_outputs'], Cast: ['saturate'] };

/** The node as the operator table has it. @throws InputError for forms that cannot be carried over. */
export function upgradeNode(node: RawNode, opset: number): RawNode {
  const attributes = new Map(node.attributes);
  let inputs = node.inputs;
  const axes = attributes.get('axes');
  if (AXES_REDUCTIONS.has(node.opType) && opset < AXES_AS_INPUT_SINCE && axes?.kind === 'ints') {
    attributes.delete('axes');
    inputs = [inputs[0] ?? '', integers(axes.value)];
  }
  if (node.opType === 'Constant') constantForms(attributes);
  if (node.opType === 'ConstantOfShape' && !attributes.has('value')) attributes.set('value', { kind: 'tensor', value: tensorFrom('float32', [1], [0]) });
  if (node.opType === 'Max' || node.opType === 'Min') needBinary(node);
  for (const name of HARMLESS[node.opType] ?? []) attributes.delete(name);
  return { ...node, inputs, attributes };
}

function integers(values: readonly number[]): Tensor {
  return tensorFrom('int64', [values.length], values);
}

/** Constants written as a bare number or list become tensors. */
function constantForms(attributes: Map<string, RawAttribute>): void {
  const [number, list, real] = [attributes.get('value_int'), attributes.get('value_ints'), attributes.get('value_float')];
  const tensor = number?.kind === 'int' ? tensorFrom('int64', [], [number.value]) : list?.kind === 'ints' ? integers(list.value) : real?.kind === 'float' ? tensorFrom('float32', [], [real.value]) : null;
  if (tensor === null) return;
  for (const name of ['value_int', 'value_ints', 'value_float']) attributes.delete(name);
  attributes.set('value', { kind: 'tensor', value: tensor });
}

function needBinary(node: RawNode): void {
  if (node.inputs.length !== 2) throw new InputError('model.unsupported', `Isogloss reads ${node.opType} of two inputs, found ${node.inputs.length} in node "${node.name}".`);
}
