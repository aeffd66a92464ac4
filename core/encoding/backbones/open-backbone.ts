/** How does a folder from elsewhere become a backbone? Its plan is made, then every tensor is read and looked at. */
import { InputError } from '../../base/errors.ts';
import type { Backbone, KeptTensor, TransformerBackbone } from '../backbone.ts';
import { DECODER_NAMES } from './families.ts';
import { planBackbone, type BackbonePlan } from './plan-backbone.ts';

/**
 * Opens a folder from elsewhere: the Hugging Face or sentence-transformers layout.
 * @throws as `openTransformerFolder`.
 */
export async function openBackbone(folder: string): Promise<Backbone> {
  return openTransformerFolder(folder);
}

/**
 * Reads a Hugging Face or sentence-transformers folder.
 * @throws InputError naming the first fault, with all others in its message; 'backbone.not-finite' for weights that are no numbers.
 */
export async function openTransformerFolder(folder: string): Promise<TransformerBackbone> {
  const { plan, problems } = await planBackbone(folder);
  if (plan === null) throw joined(problems);
  return readPlan(plan);
}

/** The error of several faults: the first one's code and data, everybody's sentence. */
export function joined(problems: readonly InputError[]): InputError {
  const [first, ...others] = problems;
  if (first === undefined) return new InputError('backbone.wrong-config', 'This folder holds no model.');
  return others.length === 0 ? first : new InputError(first.code, problems.map(({ message }) => message).join('\n'), { cause: first, data: first.data });
}

async function readPlan(plan: BackbonePlan): Promise<TransformerBackbone> {
  const { weights, shape, tokenizer, pooling, prefixes, maxTokens } = plan;
  const parameters = new Map<string, Float32Array>();
  for (const [canonical, source] of plan.sources) parameters.set(canonical, await weights.read(source));
  if (plan.hasHead && !(await decoderIsTable(plan, parameters.get('embeddings.token')))) for (const name of [...parameters.keys()]) if (name.startsWith('mlm.')) parameters.delete(name);
  const kept = new Map<string, KeptTensor>();
  for (const [name, source] of plan.kept) kept.set(name, { shape: weights.tensors.get(source)?.shape ?? [], values: await weights.read(source) });
  return { kind: 'transformer', shape, parameters, tokenizer, pooling, prefixes, maxTokens, origin: { family: plan.family, config: plan.config, licence: plan.licence, kept } };
}

/** A head whose decoder is not the token table is another model than Isogloss has: it is left out. */
async function decoderIsTable({ weights }: BackbonePlan, table: Float32Array | undefined): Promise<boolean> {
  for (const name of DECODER_NAMES) {
    if (!weights.tensors.has(name)) continue;
    const decoder = await weights.read(name);
    if (decoder.length !== table?.length || decoder.some((value, i) => value !== table[i])) return false;
  }
  return true;
}
