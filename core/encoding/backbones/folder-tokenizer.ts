/** Which tokenizer does a model folder hold? tokenizer.json, or one made from the vocabulary files of older models. */
import { InputError } from '../../base/errors.ts';
import { readPretrainedTokenizer } from '../../text/pretrained/pretrained-tokenizer.ts';
import { fairseqTokenizer, readSentencePiece } from '../../text/pretrained/sentencepiece-file.ts';
import { bertPieces, readMergesFiles, readVocabularyFile, robertaPieces, type SpecialPieces } from '../../text/pretrained/vocabulary-files.ts';
import type { BackboneTokenizer } from '../backbone.ts';
import { readFolderBytes, readFolderJson } from './folder-files.ts';

type Json = Readonly<Record<string, unknown>>;

export const TOKENIZER_FILE = 'tokenizer.json';
const SENTENCEPIECE_FILES: readonly string[] = ['sentencepiece.bpe.model', 'spiece.model', 'tokenizer.model'];
/** Carried along unchanged, for other programs. */
const KEPT_FILES: readonly string[] = ['tokenizer_config.json', 'special_tokens_map.json', 'vocab.txt', 'vocab.json', 'merges.txt', ...SENTENCEPIECE_FILES];
const ROLES = { cls: ['cls_token', 'bos_token'], sep: ['sep_token', 'eos_token'], pad: ['pad_token'], unknown: ['unk_token'], mask: ['mask_token'] } as const;

/**
 * Reads the tokenizer of a folder.
 * @throws InputError 'backbone.missing-file' naming the files that would do; 'backbone.file-too-large'; those of the tokenizer readers;
 *         'tokenizer.invalid' when a special piece has no id.
 */
export async function readFolderTokenizer(folder: string): Promise<BackboneTokenizer> {
  const files = new Map<string, Uint8Array>();
  for (const name of [TOKENIZER_FILE, ...KEPT_FILES]) {
    const bytes = await readFolderBytes(folder, name);
    if (bytes !== null) files.set(name, bytes);
  }
  const config = { ...(await readFolderJson(folder, 'special_tokens_map.json')), ...(await readFolderJson(folder, 'tokenizer_config.json')) };
  if (!files.has(TOKENIZER_FILE)) {
    const made = makeTokenizer(files, config);
    if (made === null) throw new InputError('backbone.missing-file', `${folder}: the tokenizer is missing. Expected ${TOKENIZER_FILE}, or vocab.txt, or vocab.json with merges.txt, or sentencepiece.bpe.model.`, { data: { path: folder, missing: [TOKENIZER_FILE] } });
    files.set(TOKENIZER_FILE, Buffer.from(JSON.stringify(made)));
  }
  return backboneTokenizer(new Map([[TOKENIZER_FILE, files.get(TOKENIZER_FILE) ?? new Uint8Array()], ...files]), config);
}

/**
 * The tokenizer that these files make up (tokenizer.json among them).
 * @param config  tokenizer_config.json and special_tokens_map.json in one: it names the special pieces.
 */
export function backboneTokenizer(files: ReadonlyMap<string, Uint8Array>, config: Json): BackboneTokenizer {
  const tokenizer = readPretrainedTokenizer(Buffer.from(files.get(TOKENIZER_FILE) ?? []).toString('utf8'));
  const pieces = specialPieces(config, tokenizer.idOf(robertaPieces.cls) !== undefined ? robertaPieces : bertPieces);
  const idOf = (role: keyof SpecialPieces): number => {
    const id = tokenizer.idOf(pieces[role]);
    if (id === undefined) throw new InputError('tokenizer.invalid', `tokenizer.json: the special piece ${JSON.stringify(pieces[role])} (${role}) is missing. Put the tokenizer_config.json of the model into its folder.`);
    return id;
  };
  const { vocabularySize, encode, before, after, unknownId } = tokenizer;
  const ids = { cls: before[0] ?? idOf('cls'), sep: after.at(-1) ?? idOf('sep'), pad: idOf('pad'), unknown: unknownId ?? tokenizer.idOf(pieces.unknown) ?? idOf('pad'), mask: tokenizer.idOf(pieces.mask) ?? null };
  return { vocabularySize, encode, ids, files };
}

/** The names of special pieces as tokenizer_config.json or special_tokens_map.json give them (texts, or objects with `content`). */
export function specialPieces(config: Json, fallback: SpecialPieces): SpecialPieces {
  const named = (names: readonly string[]): string | undefined => {
    for (const name of names) {
      const value = config[name];
      if (typeof value === 'string') return value;
      if (typeof value === 'object' && value !== null && 'content' in value && typeof value.content === 'string') return value.content;
    }
    return undefined;
  };
  return { cls: named(ROLES.cls) ?? fallback.cls, sep: named(ROLES.sep) ?? fallback.sep, pad: named(ROLES.pad) ?? fallback.pad, unknown: named(ROLES.unknown) ?? fallback.unknown, mask: named(ROLES.mask) ?? fallback.mask };
}

function makeTokenizer(files: ReadonlyMap<string, Uint8Array>, config: Json): object | null {
  const text = (name: string): string | null => {
    const bytes = files.get(name);
    return bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
  };
  for (const name of SENTENCEPIECE_FILES) {
    const bytes = files.get(name);
    if (bytes !== undefined) return fairseqTokenizer(readSentencePiece(bytes));
  }
  const [vocabulary, merges, lines] = [text('vocab.json'), text('merges.txt'), text('vocab.txt')];
  if (vocabulary !== null && merges !== null) return readMergesFiles({ vocabulary: parsedVocabulary(vocabulary), merges, pieces: specialPieces(config, robertaPieces), addsPrefixSpace: config['add_prefix_space'] === true });
  if (lines === null) return null;
  const { do_lower_case: lowercase, strip_accents: accents, tokenize_chinese_chars: chinese } = config;
  return readVocabularyFile(lines, { pieces: specialPieces(config, bertPieces), options: { lowercase: lowercase !== false, stripAccents: typeof accents === 'boolean' ? accents : null, splitsChinese: chinese !== false } });
}

function parsedVocabulary(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json; // checked on this line
  } catch (cause) {
    throw new InputError('file.not-json', `vocab.json: expected JSON, found text that does not parse (${cause instanceof Error ? cause.message : String(cause)}).`, { cause });
  }
  throw new InputError('file.not-json', 'vocab.json: expected an object from pieces to ids.');
}
