/** What is the tokenizer.json of a folder that only has vocab.txt, or vocab.json with merges.txt? */
import { InputError } from '../../base/errors.ts';
import { LARGEST_VOCABULARY } from '../tokenizer-guards.ts';

/** The names of the special pieces. */
export type SpecialPieces = { readonly cls: string; readonly sep: string; readonly pad: string; readonly unknown: string; readonly mask: string };

export const bertPieces: SpecialPieces = { cls: '[CLS]', sep: '[SEP]', pad: '[PAD]', unknown: '[UNK]', mask: '[MASK]' };
export const robertaPieces: SpecialPieces = { cls: '<s>', sep: '</s>', pad: '<pad>', unknown: '<unk>', mask: '<mask>' };

/** What tokenizer_config.json says about a BERT tokenizer. */
export type BertOptions = { readonly lowercase: boolean; readonly stripAccents: boolean | null; readonly splitsChinese: boolean };

/**
 * BERT's tokenizer from vocab.txt: one piece a line, its id the number of the line from 0.
 * @throws InputError 'tokenizer.invalid' naming the line of a piece that repeats, or the special piece that is missing.
 */
export function readVocabularyFile(text: string, { pieces, options }: { readonly pieces: SpecialPieces; readonly options: BertOptions }): object {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  if (lines.length > LARGEST_VOCABULARY) throw new InputError('tokenizer.invalid', `vocab.txt: expected at most ${LARGEST_VOCABULARY} lines, found ${lines.length}.`);
  const ids = new Map<string, number>();
  lines.forEach((piece, id) => {
    const before = ids.get(piece);
    if (before !== undefined && piece !== '') throw new InputError('tokenizer.invalid', `vocab.txt: line ${id + 1} repeats the piece ${JSON.stringify(piece)} of line ${before + 1}.`);
    ids.set(piece, id);
  });
  return {
    ...frame('vocab.txt', pieces, ids),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: options.splitsChinese, strip_accents: options.stripAccents, lowercase: options.lowercase },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: { type: 'WordPiece', unk_token: pieces.unknown, continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab: Object.fromEntries(ids) },
  };
}

/**
 * RoBERTa's byte-level tokenizer from vocab.json (piece to id) and merges.txt (two pieces a line; a first line "#version" is skipped).
 * @throws InputError 'tokenizer.invalid' when a special piece is missing.
 */
export function readMergesFiles({ vocabulary, merges, pieces, addsPrefixSpace }: { readonly vocabulary: Readonly<Record<string, unknown>>; readonly merges: string; readonly pieces: SpecialPieces; readonly addsPrefixSpace: boolean }): object {
  const ids = new Map<string, number>();
  for (const [piece, id] of Object.entries(vocabulary)) if (typeof id === 'number') ids.set(piece, id);
  const pairs = merges.split('\n').map((line) => line.replace(/\r$/, '')).filter((line, i) => line !== '' && !(i === 0 && line.startsWith('#version')));
  return {
    ...frame('vocab.json', pieces, ids),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: addsPrefixSpace, trim_offsets: true, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: '', end_of_word_suffix: '', fuse_unk: false, byte_fallback: false, vocab: Object.fromEntries(ids), merges: pairs.map((line) => line.split(' ')) },
  };
}

/** The parts that every tokenizer.json of this kind shares: special pieces, found whole in texts and put around them. */
export function frame(file: string, pieces: SpecialPieces, ids: ReadonlyMap<string, number>): object {
  const idOf = (piece: string): number => {
    const id = ids.get(piece);
    if (id === undefined) throw new InputError('tokenizer.invalid', `${file}: the special piece ${JSON.stringify(piece)} is missing.`);
    return id;
  };
  const isRoberta = pieces.cls === robertaPieces.cls;
  const added = Object.entries(pieces).filter(([role, piece]) => role !== 'mask' || ids.has(piece)).map(([role, content]) => ({ id: idOf(content), content, single_word: false, lstrip: role === 'mask' && isRoberta, rstrip: false, normalized: false, special: true }));
  const special = (piece: string): object => ({ SpecialToken: { id: piece, type_id: 0 } });
  const declared = (piece: string): object => ({ id: piece, ids: [idOf(piece)], tokens: [piece] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.toSorted((a, b) => a.id - b.id),
    post_processor: {
      type: 'TemplateProcessing',
      single: [special(pieces.cls), { Sequence: { id: 'A', type_id: 0 } }, special(pieces.sep)],
      pair: [special(pieces.cls), { Sequence: { id: 'A', type_id: 0 } }, special(pieces.sep), ...(isRoberta ? [special(pieces.sep)] : []), { Sequence: { id: 'B', type_id: isRoberta ? 0 : 1 } }, isRoberta ? special(pieces.sep) : { SpecialToken: { id: pieces.sep, type_id: 1 } }],
      special_tokens: { [pieces.cls]: declared(pieces.cls), [pieces.sep]: declared(pieces.sep) },
    },
  };
}
