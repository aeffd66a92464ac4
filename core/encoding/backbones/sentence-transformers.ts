/** What stands around a transformer in the sentence-transformers layout: pooling, a dense layer, normalisation, prompts? */
import { join } from 'node:path';
import { InputError } from '../../base/errors.ts';
import type { Pooling, PoolingDense, Prefixes } from '../backbone.ts';
import { readFolderBytes, readFolderJson, readFolderValue } from './folder-files.ts';
import { openWeights } from './weights-folder.ts';

export type Surroundings = {
  /** Where config.json and the weights of the transformer stand. */
  readonly transformerFolder: string;
  /** null: the folder says nothing (a plain transformer). `layer` is left to the caller. */
  readonly pooling: Omit<Pooling, 'layer'> | null;
  readonly prefixes: Prefixes;
  /** null: nothing is said. */
  readonly maxTokens: number | null;
  /** As the model card says. */
  readonly licence: string | null;
  readonly languages: readonly string[];
};

const MODULES_FILE = 'modules.json';
/** What our own model cards say where nothing is known. */
export const UNKNOWN_LICENCE = 'unknown';
/** The card is somebody else's text: only its beginning is searched for the licence. */
const LONGEST_FRONT_MATTER = 8192;
const PLAIN_PATH = /^[\w-][\w.-]*$/;
const IGNORED_MODULES: ReadonlySet<string> = new Set(['Dropout']);
const ACTIVATIONS: { readonly [name: string]: PoolingDense['activation'] } = { Tanh: 'tanh', Identity: 'identity' };

/** Reads modules.json and what it names. @throws InputError 'backbone.missing-file', 'backbone.unsupported', 'backbone.wrong-config', 'backbone.wrong-shape'. */
export async function readSurroundings(folder: string): Promise<Surroundings> {
  const modules = await readModules(folder);
  const card = (await readFolderBytes(folder, 'README.md'))?.toString('utf8') ?? '';
  const prefixes = await readPrefixes(folder, card);
  const stated = /^---\n[^]*?^licen[cs]e:[ \t]*["']?([^\n"']+?)["']?[ \t]*$[^]*?^---$/m.exec(card.slice(0, LONGEST_FRONT_MATTER))?.[1] ?? UNKNOWN_LICENCE;
  const licence = stated === UNKNOWN_LICENCE ? null : stated;
  const languages = cardLanguages(card);
  if (modules === null) return { transformerFolder: folder, pooling: null, prefixes, maxTokens: null, licence, languages };
  const [first, second, ...rest] = modules.filter(({ kind }) => !IGNORED_MODULES.has(kind));
  if (first?.kind !== 'Transformer' || second?.kind !== 'Pooling') throw unsupported(folder, `modules that begin with Transformer and Pooling; found ${modules.map(({ kind }) => kind).join(', ') || 'none'}`);
  const kinds = rest.map(({ kind }) => kind).join(' ');
  if (!['', 'Normalize', 'Dense', 'Dense Normalize'].includes(kinds)) throw unsupported(folder, `one Dense and one Normalize after Pooling, in this order; found ${kinds}`);
  const transformerFolder = join(folder, first.path);
  const mode = await readPoolingMode(folder, second.path);
  const dense = rest.find(({ kind }) => kind === 'Dense');
  return {
    transformerFolder,
    pooling: { mode, dense: dense === undefined ? null : await readDense(join(folder, dense.path)), normalise: rest.some(({ kind }) => kind === 'Normalize') },
    prefixes,
    maxTokens: await readLongest(transformerFolder),
    licence,
    languages,
  };
}

/** The languages of a card's front matter, as a list in either notation of YAML or as one word. */
export function cardLanguages(card: string): readonly string[] {
  const matter = /^---\r?\n([^]*?)^---/m.exec(card.slice(0, LONGEST_FRONT_MATTER))?.[1] ?? '';
  const found = /^language:[ \t]*(.*)\r?\n((?:[ \t]*-[ \t]+.*\r?\n)*)/m.exec(matter);
  if (found === null) return [];
  const [, beside = '', below = ''] = found;
  const words = [...beside.replace(/^\[|\]\s*$/g, '').split(','), ...below.split('\n').map((line) => line.trim().replace(/^-[ \t]+/, ''))];
  return words.map((word) => word.trim().replace(/^["']|["']$/g, '')).filter((word) => word !== '');
}

async function readModules(folder: string): Promise<readonly { readonly kind: string; readonly path: string }[] | null> {
  const list = await readFolderValue(folder, MODULES_FILE);
  if (list === null) return null;
  if (!Array.isArray(list)) throw new InputError('backbone.wrong-config', `${join(folder, MODULES_FILE)}: expected a list of modules.`, { data: { path: folder } });
  return list.map((row: unknown) => {
    const { type, path } = (typeof row === 'object' && row !== null ? row : {}) as { readonly type?: unknown; readonly path?: unknown }; // boundary: both are checked on the next line
    if (typeof type !== 'string' || typeof path !== 'string' || !(path === '' || PLAIN_PATH.test(path))) throw new InputError('backbone.wrong-config', `${join(folder, MODULES_FILE)}: each module should have a type and a folder inside this one, found ${JSON.stringify(row)}.`, { data: { path: folder } });
    return { kind: type.split('.').at(-1) ?? type, path };
  });
}

async function readPoolingMode(folder: string, path: string): Promise<Pooling['mode']> {
  const config = await needed(folder, path);
  if (config['include_prompt'] === false) throw unsupported(folder, 'pooling that includes the prompt');
  const named = config['pooling_mode'];
  const modes = typeof named === 'string' ? named.split('+') : Object.entries(config).filter(([name, value]) => name.startsWith('pooling_mode_') && value === true).map(([name]) => name.replace(/^pooling_mode_|_tokens?$/g, ''));
  const [mode, ...others] = modes;
  if ((mode === 'cls' || mode === 'mean') && others.length === 0) return mode;
  throw unsupported(folder, `pooling by cls or mean; found ${modes.join(' and ') || 'none'}`);
}

async function readDense(folder: string): Promise<PoolingDense> {
  const config = await needed(folder, '');
  const [into, out] = [config['in_features'], config['out_features']];
  const name = String(config['activation_function'] ?? 'Tanh').split('.').at(-1) ?? '';
  const activation = ACTIVATIONS[name];
  if (activation === undefined) throw unsupported(folder, `a dense layer with the activation ${Object.keys(ACTIVATIONS).join(' or ')}; found ${name}`);
  const weights = await openWeights(folder);
  const shape = weights.tensors.get('linear.weight')?.shape;
  if (typeof into !== 'number' || typeof out !== 'number' || shape?.join() !== `${out},${into}`) throw new InputError('backbone.wrong-shape', `${folder}: the tensor "linear.weight" should have the shape [${String(out)}, ${String(into)}], found ${shape === undefined ? 'none' : `[${shape.join(', ')}]`}.`, { data: { path: folder } });
  return { weight: await weights.read('linear.weight'), bias: weights.tensors.has('linear.bias') ? await weights.read('linear.bias') : new Float32Array(out), activation };
}

/** Prompts of config_sentence_transformers.json; for e5, whose files do not name them, those of its card. */
async function readPrefixes(folder: string, card: string): Promise<Prefixes> {
  const prompts = (await readFolderJson(folder, 'config_sentence_transformers.json'))?.['prompts'];
  const found = new Map(Object.entries(typeof prompts === 'object' && prompts !== null ? prompts : {}).map(([name, text]) => [name.toLowerCase(), text] as const));
  const named = (names: readonly string[]): string | undefined => {
    const text = names.map((name) => found.get(name)).find((value) => typeof value === 'string' && value !== '');
    return typeof text === 'string' ? text : undefined;
  };
  const query = named(['query', 'retrieval.query', 'search_query']);
  const document = named(['passage', 'document', 'corpus', 'retrieval.passage', 'search_document']);
  if (query !== undefined || document !== undefined) return { query: query ?? '', document: document ?? '' };
  const isE5 = (card.includes('"query: "') && card.includes('"passage: "')) || /(^|[-_/\\])e5([-_]|$)/i.test(folder);
  return isE5 ? { query: 'query: ', document: 'passage: ' } : { query: '', document: '' };
}

async function readLongest(folder: string): Promise<number | null> {
  const longest = (await readFolderJson(folder, 'sentence_bert_config.json'))?.['max_seq_length'];
  return typeof longest === 'number' && Number.isInteger(longest) && longest > 2 ? longest : null;
}

async function needed(folder: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  const place = path === '' ? folder : join(folder, path);
  const config = await readFolderJson(place, 'config.json');
  if (config === null) throw new InputError('backbone.missing-file', `${place}: config.json is missing, which modules.json names.`, { data: { path: place, missing: ['config.json'] } });
  return config;
}

function unsupported(folder: string, what: string): InputError {
  return new InputError('backbone.unsupported', `${folder}: Isogloss reads ${what}.`, { data: { path: folder } });
}

/** modules.json and the small files it names, for a transformer in the folder itself. */
export function writeSurroundings({ width, pooling, prefixes, maxTokens, lowercases }: { readonly width: number; readonly pooling: Pooling; readonly prefixes: Prefixes; readonly maxTokens: number; readonly lowercases: boolean }): ReadonlyMap<string, string> {
  const module = (name: string, path: string): { readonly type: string; readonly path: string } => ({ type: `sentence_transformers.models.${name}`, path });
  const dense = pooling.dense;
  const modules = [module('Transformer', ''), module('Pooling', '1_Pooling'), ...(dense === null ? [] : [module('Dense', '2_Dense')]), ...(pooling.normalise ? [module('Normalize', dense === null ? '2_Normalize' : '3_Normalize')] : [])];
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const files = new Map<string, string>([
    [MODULES_FILE, json(modules.map((row, idx) => ({ idx, name: String(idx), path: row.path, type: row.type })))],
    ['sentence_bert_config.json', json({ max_seq_length: maxTokens, do_lower_case: lowercases })],
    ['1_Pooling/config.json', json({ word_embedding_dimension: width, pooling_mode_cls_token: pooling.mode === 'cls', pooling_mode_mean_tokens: pooling.mode === 'mean', pooling_mode_max_tokens: false, pooling_mode_mean_sqrt_len_tokens: false, pooling_mode_weightedmean_tokens: false, pooling_mode_lasttoken: false, include_prompt: true })],
    ['config_sentence_transformers.json', json({ prompts: prefixes.query === '' && prefixes.document === '' ? {} : { query: prefixes.query, passage: prefixes.document, document: prefixes.document }, default_prompt_name: null, similarity_fn_name: 'cosine' })],
  ]);
  if (dense !== null) files.set('2_Dense/config.json', json({ in_features: width, out_features: dense.bias.length, bias: true, activation_function: dense.activation === 'tanh' ? 'torch.nn.modules.activation.Tanh' : 'torch.nn.modules.linear.Identity' }));
  return files;
}
