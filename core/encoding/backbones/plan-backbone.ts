/** What does a Hugging Face folder hold, and what is wrong with it? Everything is looked at before any weight is read. */
import { join } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { longestSequence, type TransformerShape } from '../../modules/transformer-shape.ts';
import type { BackboneFamily, BackboneTokenizer, Pooling, Prefixes } from '../backbone.ts';
import { DECODER_NAMES, families, familyOf, headNames, readShape, tensorNames } from './families.ts';
import { readFolderJson } from './folder-files.ts';
import { readFolderTokenizer } from './folder-tokenizer.ts';
import { readSurroundings, type Surroundings } from './sentence-transformers.ts';
import { openWeights, type Weights } from './weights-folder.ts';

type Json = Readonly<Record<string, unknown>>;

/** Something that can be read: which tensor of the files is which parameter. */
export type BackbonePlan = {
  readonly family: BackboneFamily;
  readonly config: Json;
  readonly shape: TransformerShape;
  readonly tokenizer: BackboneTokenizer;
  readonly pooling: Pooling;
  readonly prefixes: Prefixes;
  readonly maxTokens: number;
  readonly licence: string | null;
  readonly languages: readonly string[];
  readonly weights: Weights;
  /** Canonical name -> name in the files; with the head of masked language modelling when it is whole. */
  readonly sources: ReadonlyMap<string, string>;
  readonly hasHead: boolean;
  /** Tensors that no parameter takes: name without prefix -> name in the files. */
  readonly kept: ReadonlyMap<string, string>;
};

const MOST_NAMED = 5;
const LONGEST_SANE = 1e6; // transformers writes 1e30 for "no limit"

/** Looks at every part, going on after a fault. `plan` is null exactly when there are problems. */
export async function planBackbone(folder: string): Promise<{ readonly plan: BackbonePlan | null; readonly problems: readonly InputError[] }> {
  const problems: InputError[] = [];
  const attempt = async <T>(step: () => Promise<T> | T): Promise<T | null> => {
    try {
      return await step();
    } catch (thrown) {
      if (!(thrown instanceof InputError)) throw thrown;
      problems.push(thrown);
      return null;
    }
  };
  const surroundings = await attempt(() => readSurroundings(folder));
  const own = surroundings?.transformerFolder ?? folder;
  const place = join(own, 'config.json');
  const config = await attempt(async () => {
    const found = await readFolderJson(own, 'config.json');
    if (found === null) throw new InputError('backbone.missing-file', `${own}: config.json is missing. Expected the folder of a model in the Hugging Face layout.`, { data: { path: own, missing: ['config.json'] } });
    return found;
  });
  const family = config === null ? null : await attempt(() => familyOf(config, place));
  const shape = config === null || family === null ? null : await attempt(() => readShape(config, family, place));
  const tokenizer = await attempt(() => readFolderTokenizer(own));
  const weights = await attempt(() => openWeights(own));
  const dense = surroundings?.pooling?.dense ?? null;
  if (shape !== null && dense !== null && dense.weight.length !== dense.bias.length * shape.width) problems.push(new InputError('backbone.wrong-shape', `${folder}: the dense layer takes vectors of ${dense.weight.length / dense.bias.length} numbers, but the model gives ${shape.width}.`, { data: { path: folder } }));
  if (shape !== null && tokenizer !== null && tokenizer.vocabularySize > shape.vocabularySize) {
    problems.push(new InputError('backbone.vocabulary-mismatch', `${own}: the tokenizer has ${tokenizer.vocabularySize} pieces, but the model only ${shape.vocabularySize} rows for them. They do not belong together; take both from the same model.`, { data: { pieces: tokenizer.vocabularySize, rows: shape.vocabularySize } }));
  }
  const sources = shape === null || family === null || weights === null ? null : await attempt(() => findTensors(weights, { shape, family, place: own }));
  if (config === null || family === null || shape === null || tokenizer === null || weights === null || sources === null || surroundings === null || problems.length > 0) return { plan: null, problems };
  return { plan: { family, config, shape, tokenizer, weights, ...sources, ...usage(surroundings, { shape, config: await readFolderJson(own, 'tokenizer_config.json') }) }, problems };
}

function usage(surroundings: Surroundings, { shape, config }: { readonly shape: TransformerShape; readonly config: Json | null }): Pick<BackbonePlan, 'pooling' | 'prefixes' | 'maxTokens' | 'licence' | 'languages'> {
  const longest = config?.['model_max_length'];
  const limits = [longestSequence(shape), surroundings.maxTokens, typeof longest === 'number' && longest > 2 && longest < LONGEST_SANE ? longest : null].filter((limit) => limit !== null);
  return {
    pooling: { ...(surroundings.pooling ?? { mode: 'mean', dense: null, normalise: true }), layer: shape.layers },
    prefixes: surroundings.prefixes,
    maxTokens: Math.min(...limits),
    licence: surroundings.licence,
    languages: surroundings.languages,
  };
}

/** Finds each parameter among the tensors, whatever prefix they have. @throws InputError 'backbone.missing-tensor', 'backbone.wrong-shape'. */
function findTensors(weights: Weights, { shape, family, place }: { readonly shape: TransformerShape; readonly family: BackboneFamily; readonly place: string }): Pick<BackbonePlan, 'sources' | 'hasHead' | 'kept'> {
  const names = tensorNames(shape, family);
  const anchor = names.get('embeddings.token')?.name ?? '';
  const anchored = [...weights.tensors.keys()].find((name) => name === anchor || name.endsWith(`.${anchor}`));
  const prefix = anchored?.slice(0, anchored.length - anchor.length) ?? families[family].prefix;
  const stored = (name: string): string | undefined => [name, oldName(name)].find((some) => weights.tensors.has(some));
  const sources = new Map<string, string>();
  const missing: string[] = [];
  for (const [canonical, { name, shape: expected }] of names) {
    const source = stored(prefix + name);
    if (source === undefined) {
      missing.push(prefix + name);
      continue;
    }
    checkEntry(weights, { source, expected, place });
    sources.set(canonical, source);
  }
  if (missing.length > 0) {
    const named = missing.slice(0, MOST_NAMED).map((name) => `"${name}"`).join(', ');
    throw new InputError('backbone.missing-tensor', `${place}: ${missing.length} of ${names.size} tensors are missing: ${named}${missing.length > MOST_NAMED ? ', ...' : ''}. The files belong to another kind of model, or are not whole.`, { data: { path: place, missing } });
  }
  const head = [...headNames(shape, family)].map(([canonical, { name, shape: expected }]) => ({ canonical, source: stored(name), expected }));
  const hasHead = head.every(({ source }) => source !== undefined) && isTied(weights, { table: sources.get('embeddings.token') ?? '' });
  if (hasHead) {
    for (const { canonical, source = '', expected } of head) {
      checkEntry(weights, { source, expected, place });
      sources.set(canonical, source);
    }
  }
  const taken = new Set(sources.values());
  const kept = [...weights.tensors.keys()].filter((name) => !taken.has(name) && !DECODER_NAMES.includes(name) && weights.isFloat(name) && name.startsWith(`${prefix}pooler.`));
  return { sources, hasHead, kept: new Map(kept.map((name) => [name.slice(prefix.length), name])) };
}

/** Models of 2018 and 2019 call the scale gamma and the shift beta. */
function oldName(name: string): string {
  return name.replace(/LayerNorm\.weight$/, 'LayerNorm.gamma').replace(/LayerNorm\.bias$/, 'LayerNorm.beta');
}

function checkEntry(weights: Weights, { source, expected, place }: { readonly source: string; readonly expected: readonly number[]; readonly place: string }): void {
  const shape = weights.tensors.get(source)?.shape ?? [];
  if (shape.join() !== expected.join()) throw new InputError('backbone.wrong-shape', `${place}: the tensor "${source}" should have the shape [${expected.join(', ')}], as config.json says, found [${shape.join(', ')}].`, { data: { path: place, name: source, expected: expected.map(String), found: shape.map(String) } });
  if (!weights.isFloat(source)) throw new InputError('backbone.unsupported', `${place}: expected floats in the tensor "${source}", found ${weights.tensors.get(source)?.dtype ?? 'none'}. Choose the model that is not quantised.`, { data: { path: place, name: source } });
}

/** A decoder beside the token table counts only where it has the same shape; readers compare the numbers. */
function isTied(weights: Weights, { table }: { readonly table: string }): boolean {
  const shape = weights.tensors.get(table)?.shape.join();
  return DECODER_NAMES.every((name) => !weights.tensors.has(name) || weights.tensors.get(name)?.shape.join() === shape);
}
