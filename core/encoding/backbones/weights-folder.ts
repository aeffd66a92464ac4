/** Which tensors does a model folder hold, in one file or in several? */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, toIsoglossError } from '../../base/errors.ts';
import { readFolderJson } from './folder-files.ts';
import { isFloatEntry, openSafetensors, readTensor, scanTensor, type SafetensorsFile, type TensorEntry } from './safetensors.ts';

export type Weights = {
  /** Of all files. */
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  readonly isFloat: (name: string) => boolean;
  /** @throws as `readTensor`. */
  readonly read: (name: string) => Promise<Float32Array>;
  /** Looks at every number without keeping any. @throws as `readTensor`. */
  readonly scan: (name: string) => Promise<void>;
};

const WHOLE_FILE = 'model.safetensors';
const INDEX_FILE = 'model.safetensors.index.json';
const MOST_SHARDS = 1000;
const SHARD_NAME = /^[\w.-]+\.safetensors$/;
/** Weights as Python pickles, which can run programs when they are read. */
const PICKLES = /^(pytorch_model.*\.bin|.*\.ckpt|.*\.pt|.*\.pth|tf_model\.h5|flax_model\.msgpack)$/;

/** Whether the folder has weights in safetensors. */
export async function hasWeights(folder: string): Promise<boolean> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.includes(WHOLE_FILE) || names.includes(INDEX_FILE);
}

/**
 * Opens model.safetensors, or the files that model.safetensors.index.json names.
 * @throws InputError 'backbone.missing-file' naming what is missing (and the pickle that stands there instead), 'backbone.missing-tensor',
 *         'backbone.wrong-index', and as `openSafetensors`.
 */
export async function openWeights(folder: string): Promise<Weights> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    throw toIsoglossError(thrown, folder);
  });
  if (names.includes(WHOLE_FILE)) return weightsOf([await openSafetensors(join(folder, WHOLE_FILE))]);
  if (names.includes(INDEX_FILE)) return openShards(folder, names);
  const pickle = names.find((name) => PICKLES.test(name));
  const instead = pickle === undefined ? '' : ` It has ${pickle}, which Isogloss does not open, because such files can run programs: convert it to safetensors, or download the model.safetensors of the same model.`;
  throw new InputError('backbone.missing-file', `${folder}: ${WHOLE_FILE} (or ${INDEX_FILE} with its parts) is missing.${instead}`, { data: { path: folder, missing: [WHOLE_FILE] } });
}

async function openShards(folder: string, names: readonly string[]): Promise<Weights> {
  const place = join(folder, INDEX_FILE);
  const index = await readFolderJson(folder, INDEX_FILE);
  const map = index?.['weight_map'];
  if (typeof map !== 'object' || map === null) throw new InputError('backbone.wrong-index', `${place}: expected a "weight_map" from tensors to files, found none.`, { data: { path: place } });
  const entries = Object.entries(map);
  const files = [...new Set(entries.map(([, file]) => String(file)))];
  const odd = files.find((file) => !SHARD_NAME.test(file));
  if (odd !== undefined || files.length > MOST_SHARDS) throw new InputError('backbone.wrong-index', `${place}: expected at most ${MOST_SHARDS} names of safetensors files in this folder, found ${odd === undefined ? files.length : JSON.stringify(odd)}.`, { data: { path: place } });
  const missing = files.filter((file) => !names.includes(file));
  if (missing.length > 0) throw new InputError('backbone.missing-file', `${folder}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Copy all ${files.length} parts of the model.`, { data: { path: folder, missing } });
  const opened: SafetensorsFile[] = [];
  for (const file of files) opened.push(await openSafetensors(join(folder, file)));
  const weights = weightsOf(opened);
  const lost = entries.find(([name]) => !weights.tensors.has(name));
  if (lost !== undefined) throw new InputError('backbone.missing-tensor', `${folder}: the tensor "${lost[0]}" should be in ${String(lost[1])}, but is not.`, { data: { path: folder, name: lost[0] } });
  return weights;
}

function weightsOf(files: readonly SafetensorsFile[]): Weights {
  const owners = new Map(files.flatMap((file) => [...file.tensors.keys()].map((name) => [name, file] as const)));
  const tensors = new Map(files.flatMap((file) => [...file.tensors]));
  const ownerOf = (name: string): SafetensorsFile => {
    const owner = owners.get(name);
    if (owner === undefined) throw new InputError('backbone.missing-tensor', `The tensor "${name}" is missing.`, { data: { name } });
    return owner;
  };
  return {
    tensors,
    isFloat: (name) => {
      const entry = tensors.get(name);
      return entry !== undefined && isFloatEntry(entry);
    },
    read: async (name) => readTensor(ownerOf(name), name),
    scan: async (name) => scanTensor(ownerOf(name), name),
  };
}
