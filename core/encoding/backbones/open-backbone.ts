/** How does a folder from elsewhere become a backbone? Its plan is made, then every tensor is read and looked at. */
import type { Backbone, KeptTensor, TransformerBackbone } from '../backbone.ts';
import { DECODER_NAMES } from './families.ts';
import { findOnnx, openOnnxFolder } from './import-onnx.ts';
import { joined } from './joined.ts';
import { planBackbone, type BackbonePlan } from './plan-backbone.ts';
import { hasWeights } from './weights-folder.ts';

/**
 * Opens a folder from elsewhere: the Hugging Face or sentence-transformers layout, or one that has model.onnx and no safetensors.
 * @throws as `openTransformerFolder` and `openOnnxFolder`.
 */
export async function openBackbone(folder: string): Promise<Backbone> {
  return (await isOnnxFolder(folder)) ? openOnnxFolder(folder) : openTransformerFolder(folder);
}

/** Whether a folder is read as ONNX: it has model.onnx (or onnx/model.onnx), and no safetensors of its own. */
export async function isOnnxFolder(folder: string): Promise<boolean> {
  return !(await hasWeights(folder)) && (await findOnnx(folder)) !== null;
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
