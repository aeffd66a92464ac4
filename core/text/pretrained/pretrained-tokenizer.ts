/** Which ids does a pretrained model expect for a text? Those that the Rust library `tokenizers` gives for its tokenizer.json. */
import { createTokenizer } from '../unigram-encoder.ts';
import { checkTree, expectObject, invalid, LARGEST_VOCABULARY, parseTokenizerText, unsupported } from '../tokenizer-guards.ts';
import { createSplitter, readAddedTokens } from './added-tokens.ts';
import { createBytePairModel } from './byte-pair.ts';
import { readNormaliserStep } from './normalisers.ts';
import type { PieceModel } from './piece-model.ts';
import { readPreTokeniser } from './pre-tokenisers.ts';
import { createWordPieceModel } from './word-piece.ts';

export type PretrainedTokenizer = {
  /** One more than the largest id. */
  readonly vocabularySize: number;
  readonly idOf: (piece: string) => number | undefined;
  /** Ids of a text with the special ids before and after it, cut at `maxTokens` in all. */
  readonly encode: (text: string, maxTokens: number) => Uint32Array;
  readonly unknownId: number | null;
  /** Special ids before and after a text. */
  readonly before: readonly number[];
  readonly after: readonly number[];
};

const MOST_REMEMBERED = 100_000;
const LONGEST_REMEMBERED = 64;
/** A mark that stands on a space belongs to it, so that words cannot be taken one by one. */
const MARK_ON_SPACE = / \p{M}/u;
const LONGEST_WORD_CHARACTERS = 100; // WordPiece's default

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a tokenizer.json (its text, or what JSON.parse made of it) of model type WordPiece, BPE or Unigram.
 * @param onUse  told the id of every piece that takes part in cutting a text, also where it is no result itself (trim.ts).
 * @throws InputError 'tokenizer.too-large', 'tokenizer.not-json', 'tokenizer.unsupported', 'tokenizer.invalid'; each names the place.
 */
export function readPretrainedTokenizer(json: unknown, onUse?: (id: number) => void): PretrainedTokenizer {
  const root = typeof json === 'string' ? parseTokenizerText(json) : json;
  checkTree(root);
  const file = expectObject(root, 'tokenizer.json');
  const added = readAddedTokens(file['added_tokens']);
  const modelJson = expectObject(file['model'], 'model');
  const { model, largestId } = readModel(modelJson, onUse ?? (() => undefined));
  const normalise = readNormaliserStep(file['normalizer']);
  const preTokenise = readPreTokeniser(file['pre_tokenizer']);
  const addedIds = new Map(added.map(({ content, id }) => [content, id]));
  const idOf = (piece: string): number | undefined => addedIds.get(piece) ?? model.idOf(piece);
  const { before, after } = readSpecials(file['post_processor'], idOf);
  const vocabularySize = added.reduce((most, { id }) => Math.max(most, id), largestId) + 1;
  if (vocabularySize > LARGEST_VOCABULARY) throw invalid('the largest id', `below ${LARGEST_VOCABULARY}`, vocabularySize - 1);

  const splitRaw = createSplitter(added.filter(({ isNormalised }) => !isNormalised));
  const splitNormalised = createSplitter(added.filter(({ isNormalised }) => isNormalised).map((token) => ({ ...token, content: normalise(token.content) })).filter(({ content }) => content !== ''));
  const hasNormalised = added.some(({ isNormalised }) => isNormalised);
  const isWordByWord = !hasNormalised && cutsAtSpaces(file['pre_tokenizer']) && keepsSpaces(file['normalizer']);
  const remembered = new Map<string, ArrayLike<number>>();
  const remember = (key: string, make: (key: string) => ArrayLike<number>): ArrayLike<number> => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (key.length <= LONGEST_REMEMBERED) {
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(key, made);
    }
    return made;
  };
  const word = (raw: string): ArrayLike<number> => {
    const ids: number[] = [];
    for (const part of preTokenise(normalise(raw), false)) append(ids, model.cut(part));
    return ids;
  };

  /** Ids of a stretch without unnormalised added tokens, until `ids` holds `room`. */
  const plain = (text: string, isFirst: boolean, ids: number[], room: number): void => {
    if (isWordByWord && !MARK_ON_SPACE.test(text)) {
      for (let from = 0; from <= text.length && ids.length < room; ) {
        const space = text.indexOf(' ', from);
        const to = space < 0 ? text.length : space;
        if (to > from) append(ids, remember(text.slice(from, to), word));
        from = to + 1;
      }
      return;
    }
    splitNormalised(normalise(text)).forEach((section, i) => {
      if (ids.length >= room) return;
      if (typeof section === 'number') ids.push(section);
      else for (const part of preTokenise(section, isFirst && i === 0)) if (ids.length < room) append(ids, remember(part, model.cut));
    });
  };

  return {
    vocabularySize,
    idOf,
    unknownId: model.unknownId,
    before,
    after,
    encode: (text, maxTokens) => {
      const room = Math.max(0, maxTokens - before.length - after.length);
      const ids: number[] = [];
      splitRaw(text.toWellFormed()).forEach((section, i) => {
        if (ids.length >= room) return;
        if (typeof section === 'number') ids.push(section);
        else plain(section, i === 0, ids, room);
      });
      return Uint32Array.of(...before, ...ids.slice(0, room), ...after);
    },
  };
}

function append(ids: number[], more: ArrayLike<number>): void {
  for (let i = 0; i < more.length; i += 1) ids.push(more[i] ?? 0);
}

/** Whether white space always ends a part, and a part does not depend on its neighbours. */
function cutsAtSpaces(value: unknown): boolean {
  const { type, pretokenizers } = (value ?? {}) as { readonly type?: unknown; readonly pretokenizers?: unknown }; // boundary: read once more after readPreTokeniser accepted it
  if (type === 'BertPreTokenizer' || type === 'WhitespaceSplit' || type === 'Whitespace') return true;
  return type === 'Sequence' && Array.isArray(pretokenizers) && cutsAtSpaces(pretokenizers[0]) && JSON.stringify(pretokenizers).includes('"first"') === false;
}

const LOCAL_NORMALISERS: ReadonlySet<unknown> = new Set(['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'BertNormalizer', 'Precompiled', 'Nmt', 'Strip']);

/** Whether words may be normalised one by one. */
function keepsSpaces(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  const step = expectObject(value, 'normalizer');
  if (step['type'] === 'Sequence') return Array.isArray(step['normalizers']) && step['normalizers'].every(keepsSpaces);
  if (step['type'] === 'Replace') return expectObject(step['pattern'], 'normalizer.pattern')['Regex'] === ' {2,}' && step['content'] === ' ';
  return LOCAL_NORMALISERS.has(step['type']);
}

/** The models by their `type`. To add one: a row. */
const models: { readonly [type: string]: (json: Json, onUse: (id: number) => void) => { readonly model: PieceModel; readonly largestId: number } } = {
  WordPiece: (json, onUse) => {
    const { ids, largestId } = readIds(json['vocab']);
    const longestWord = json['max_input_chars_per_word'] ?? LONGEST_WORD_CHARACTERS;
    if (typeof longestWord !== 'number') throw invalid('model.max_input_chars_per_word', 'a number', longestWord);
    return { model: createWordPieceModel({ ids, unknownPiece: textOr(json['unk_token'], '[UNK]'), prefix: textOr(json['continuing_subword_prefix'], '##'), longestWord, onUse }), largestId };
  },
  BPE: (json, onUse) => {
    for (const name of ['continuing_subword_prefix', 'end_of_word_suffix']) if (textOr(json[name], '') !== '') throw unsupported(`model.${name}`, 'empty', json[name]);
    const { ids, largestId } = readIds(json['vocab']);
    const unknownPiece = json['unk_token'] === null || json['unk_token'] === undefined ? null : textOr(json['unk_token'], '');
    if (unknownPiece !== null && !ids.has(unknownPiece)) throw invalid('model.unk_token', 'one of the pieces', unknownPiece);
    const merges = readMerges(json['merges'], ids);
    return { model: createBytePairModel({ ids, merges, unknownPiece, byteFallback: json['byte_fallback'] === true, fuseUnknown: json['fuse_unk'] === true, ignoreMerges: json['ignore_merges'] === true, onUse }), largestId };
  },
  Unigram: (json, onUse) => {
    if (json['byte_fallback'] === true) throw unsupported('model.byte_fallback', 'false', true);
    const vocabulary = json['vocab'];
    if (!Array.isArray(vocabulary) || vocabulary.length > LARGEST_VOCABULARY) throw invalid('model.vocab', `a list of at most ${LARGEST_VOCABULARY} [piece, score]`, Array.isArray(vocabulary) ? vocabulary.length : vocabulary);
    const pieces: string[] = [];
    const scores: number[] = [];
    vocabulary.forEach((row: unknown, i) => {
      const [piece, score]: readonly unknown[] = Array.isArray(row) ? row : [];
      if (typeof piece !== 'string' || typeof score !== 'number') throw invalid(`model.vocab[${i}]`, '[piece, score]', row);
      pieces.push(piece);
      scores.push(score);
    });
    const unknownId = json['unk_id'];
    if (typeof unknownId !== 'number') throw invalid('model.unk_id', 'a number', unknownId);
    const { idOf, cut } = createTokenizer({ pieces, scores, unknownId }, (text) => text);
    const told = (preToken: string): Uint32Array => {
      const ids = cut(preToken);
      ids.forEach((id) => onUse(id));
      return ids;
    };
    return { model: { idOf, cut: told, unknownId }, largestId: pieces.length - 1 };
  },
};

function readModel(json: Json, onUse: (id: number) => void): { readonly model: PieceModel; readonly largestId: number } {
  const type = json['type'] ?? (Array.isArray(json['vocab']) ? 'Unigram' : json['merges'] === undefined ? 'WordPiece' : 'BPE'); // old files leave it out
  const row = typeof type === 'string' && Object.hasOwn(models, type) ? models[type] : undefined;
  if (row === undefined) throw unsupported('model.type', Object.keys(models).join(', '), type);
  return row(json, onUse);
}

/** The ids of a vocabulary written as an object. */
function readIds(value: unknown): { readonly ids: ReadonlyMap<string, number>; readonly largestId: number } {
  const entries = Object.entries(expectObject(value, 'model.vocab'));
  if (entries.length === 0 || entries.length > LARGEST_VOCABULARY) throw invalid('model.vocab', `1 to ${LARGEST_VOCABULARY} pieces`, entries.length);
  const ids = new Map<string, number>();
  const owners = new Map<number, string>();
  for (const [piece, id] of entries) {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= LARGEST_VOCABULARY) throw invalid(`model.vocab[${JSON.stringify(piece)}]`, `a whole number from 0 to ${LARGEST_VOCABULARY - 1}`, id);
    const other = owners.get(id);
    if (other !== undefined) throw invalid(`model.vocab[${JSON.stringify(piece)}]`, `an id of its own (${JSON.stringify(other)} has it too)`, id);
    owners.set(id, piece);
    ids.set(piece, id);
  }
  let largestId = 0;
  for (const id of owners.keys()) largestId = Math.max(largestId, id);
  return { ids, largestId };
}

function readMerges(value: unknown, ids: ReadonlyMap<string, number>): readonly (readonly [string, string])[] {
  if (!Array.isArray(value) || value.length > LARGEST_VOCABULARY) throw invalid('model.merges', `a list of at most ${LARGEST_VOCABULARY} pairs`, Array.isArray(value) ? value.length : value);
  return value.map((row: unknown, i) => {
    const [left, right, ...rest]: readonly unknown[] = typeof row === 'string' ? row.split(' ') : Array.isArray(row) ? row : [];
    if (typeof left !== 'string' || typeof right !== 'string' || rest.length > 0) throw invalid(`model.merges[${i}]`, 'a pair of pieces', row);
    for (const piece of [left, right, left + right]) if (!ids.has(piece)) throw invalid(`model.merges[${i}]`, 'pieces of the vocabulary', piece);
    return [left, right] as const;
  });
}

/** The ids that a post-processor puts around a single text. */
function readSpecials(value: unknown, idOf: (piece: string) => number | undefined): { readonly before: readonly number[]; readonly after: readonly number[] } {
  if (value === null || value === undefined) return { before: [], after: [] };
  const step = expectObject(value, 'post_processor');
  const known = (piece: unknown): number => {
    const id = typeof piece === 'string' ? idOf(piece) : undefined;
    if (id === undefined) throw invalid('post_processor', 'pieces of the vocabulary', piece);
    return id;
  };
  switch (step['type']) {
    case 'ByteLevel':
      return { before: [], after: [] };
    case 'BertProcessing':
    case 'RobertaProcessing': {
      const [cls, sep] = [step['cls'], step['sep']];
      return { before: [known(Array.isArray(cls) ? cls[0] : cls)], after: [known(Array.isArray(sep) ? sep[0] : sep)] };
    }
    case 'Sequence': {
      const list = step['processors'];
      if (!Array.isArray(list)) throw invalid('post_processor.processors', 'a list', list);
      const parts = list.map((part) => readSpecials(part, idOf));
      return { before: parts.toReversed().flatMap(({ before }) => before), after: parts.flatMap(({ after }) => after) };
    }
    case 'TemplateProcessing': {
      const list = step['single'];
      if (!Array.isArray(list)) throw invalid('post_processor.single', 'a list', list);
      const items = list.map((item) => expectObject(item, 'post_processor.single'));
      const at = items.findIndex((item) => item['Sequence'] !== undefined);
      if (at < 0) throw invalid('post_processor.single', 'a place for the text', list);
      const ids = (some: readonly Json[]): readonly number[] => some.map((item) => known(expectObject(item['SpecialToken'], 'post_processor.single')['id']));
      return { before: ids(items.slice(0, at)), after: ids(items.slice(at + 1)) };
    }
    default:
      throw unsupported('post_processor.type', 'TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or Sequence', step['type']);
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
