/** Which pieces of a large vocabulary do these texts need, and what is the tokenizer with those alone? It cuts the texts as before. */
import { InputError } from '../../base/errors.ts';
import { WORD_START } from '../normalise.ts';
import { expectObject } from '../tokenizer-guards.ts';
import { readPretrainedTokenizer } from './pretrained-tokenizer.ts';

type Json = Readonly<Record<string, unknown>>;

export type TrimmedTokenizer = {
  /** The object of the smaller tokenizer.json. */
  readonly json: Json;
  /** The old id of each new one, ascending: order is kept, so specials at the front stay where they are. */
  readonly oldIds: Uint32Array;
};

/**
 * Keeps the pieces that take part in cutting the texts, every piece of one character (with or without a mark of word beginning or
 * continuation; these include the 256 bytes), every added token, and the unknown piece. Then each of the texts is cut into the same
 * pieces as before: what is left out was never chosen, and the score of unknown signs, which hangs on the rarest piece, is kept with it.
 *
 * @param json   a tokenizer.json as an object.
 * @throws InputError 'tokenizer.invalid', 'tokenizer.unsupported' as `readPretrainedTokenizer`.
 */
export function trimTokenizer(json: object, texts: Iterable<string>): TrimmedTokenizer {
  const used = new Set<number>();
  const tokenizer = readPretrainedTokenizer(json, (id) => void used.add(id));
  for (const text of texts) for (const id of tokenizer.encode(text, Infinity)) used.add(id);
  const file = expectObject(json, 'tokenizer.json');
  const model = expectObject(file['model'], 'model');
  for (const id of [...tokenizer.before, ...tokenizer.after, tokenizer.unknownId]) if (id !== null) used.add(id);
  for (const { id } of addedTokens(file)) used.add(id);
  for (const [piece, id] of pieceIds(model)) if (isSmall(piece)) used.add(id);
  const rarest = rarestId(model);
  if (rarest !== null) used.add(rarest);
  const oldIds = Uint32Array.from(used).sort();
  return { json: renumbered(file, new Map([...oldIds].map((old, id) => [old, id]))), oldIds };
}

/** One character, whatever is written before it; also "<0x41>". */
function isSmall(piece: string): boolean {
  const bare = piece.replace(WORD_START, '').replace(/^##(?=.)/su, '');
  return [...bare].length <= 1 || /^<0x[0-9A-F]{2}>$/.test(piece);
}

function addedTokens(file: Json): readonly { readonly id: number; readonly content: string }[] {
  return (file['added_tokens'] ?? []) as readonly { readonly id: number; readonly content: string }[]; // boundary: readPretrainedTokenizer has checked the list
}

function pieceIds(model: Json): readonly (readonly [string, number])[] {
  const vocabulary = model['vocab'];
  if (Array.isArray(vocabulary)) return vocabulary.map((row: readonly [string, number], id) => [row[0], id] as const);
  return Object.entries(expectObject(vocabulary, 'model.vocab')).map(([piece, id]) => [piece, Number(id)] as const);
}

/** Of a Unigram model: the piece with the least score. */
function rarestId(model: Json): number | null {
  const vocabulary = model['vocab'];
  if (!Array.isArray(vocabulary)) return null;
  let least = 0;
  vocabulary.forEach((row: readonly [string, number], id) => {
    if (row[1] < (vocabulary[least] as readonly [string, number])[1]) least = id; // boundary: rows were checked by the reader
  });
  return least;
}

/** The file with the kept pieces only, under their new ids. */
function renumbered(file: Json, newIds: ReadonlyMap<number, number>): Json {
  const model = expectObject(file['model'], 'model');
  const newId = (id: unknown): number => {
    const found = newIds.get(Number(id));
    if (found === undefined) throw new InputError('tokenizer.invalid', `tokenizer.json: the id ${String(id)} is named, but belongs to no piece.`);
    return found;
  };
  const kept = pieceIds(model).filter(([, id]) => newIds.has(id));
  const known = new Set(kept.map(([piece]) => piece));
  const vocabulary = model['vocab'];
  const vocab = Array.isArray(vocabulary) ? kept.map(([, id]) => vocabulary[id] as unknown) : Object.fromEntries(kept.map(([piece, id]) => [piece, newId(id)]));
  const merges = model['merges'];
  const keptMerges = Array.isArray(merges) ? merges.filter((merge: string | readonly string[]) => {
    const [left = '', right = ''] = typeof merge === 'string' ? merge.split(' ') : merge;
    return known.has(left) && known.has(right) && known.has(left + right);
  }) : undefined;
  const padding = file['padding'];
  return {
    ...file,
    added_tokens: addedTokens(file).map((token) => ({ ...token, id: newId(token.id) })),
    post_processor: renumberedPostProcessor(file['post_processor'], newId),
    ...(typeof padding === 'object' && padding !== null && 'pad_id' in padding ? { padding: { ...padding, pad_id: newId(padding.pad_id) } } : {}),
    model: { ...model, vocab, ...(keptMerges === undefined ? {} : { merges: keptMerges }), ...(model['unk_id'] === undefined || model['unk_id'] === null ? {} : { unk_id: newId(model['unk_id']) }) },
  };
}

function renumberedPostProcessor(value: unknown, newId: (id: unknown) => number): unknown {
  if (value === null || value === undefined) return value;
  const step = expectObject(value, 'post_processor');
  const pair = (entry: unknown): unknown => (Array.isArray(entry) ? [entry[0], newId(entry[1])] : entry);
  switch (step['type']) {
    case 'BertProcessing':
    case 'RobertaProcessing':
      return { ...step, sep: pair(step['sep']), cls: pair(step['cls']) };
    case 'Sequence':
      return { ...step, processors: (Array.isArray(step['processors']) ? step['processors'] : []).map((part: unknown) => renumberedPostProcessor(part, newId)) };
    case 'TemplateProcessing': {
      const declared = Object.entries(expectObject(step['special_tokens'] ?? {}, 'post_processor.special_tokens'));
      return { ...step, special_tokens: Object.fromEntries(declared.map(([name, token]) => {
        const { ids, ...rest } = expectObject(token, 'post_processor.special_tokens');
        return [name, { ...rest, ids: (Array.isArray(ids) ? ids : []).map(newId) }];
      })) };
    }
    default:
      return value;
  }
}
