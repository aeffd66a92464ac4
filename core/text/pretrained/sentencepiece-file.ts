/** What is the tokenizer.json of a folder that only has sentencepiece.bpe.model? Its protobuf, read piece by piece. */
import { PbfReader } from 'pbf';
import { InputError } from '../../base/errors.ts';
import { WORD_START } from '../normalise.ts';
import { LARGEST_VOCABULARY } from '../tokenizer-guards.ts';
import { frame, robertaPieces } from './vocabulary-files.ts';

/** Field numbers of sentencepiece_model.proto. */
const MODEL = { piece: 1, trainer: 2, normaliser: 3 } as const;
const PIECE = { text: 1, score: 2, type: 3 } as const;
const TRAINER = { modelType: 3, byteFallback: 35, unknownId: 40 } as const;
const NORMALISER = { charsmap: 2, addsDummyPrefix: 3, removesExtraSpaces: 4 } as const;
const PIECE_TYPES = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;
const MODEL_TYPES: { readonly [number: number]: string } = { 1: 'Unigram', 2: 'BPE', 3: 'words', 4: 'characters' };

export type SentencePieceModel = {
  readonly kind: 'Unigram' | 'BPE';
  readonly pieces: readonly { readonly piece: string; readonly score: number; readonly type: number }[];
  readonly unknownId: number;
  readonly byteFallback: boolean;
  /** SentencePiece's compiled table; empty: none. */
  readonly charsmap: Uint8Array;
  readonly addsDummyPrefix: boolean;
  readonly removesExtraSpaces: boolean;
};

/**
 * The contents of a SentencePiece model file.
 * @throws InputError 'tokenizer.not-sentencepiece' for other bytes, 'tokenizer.unsupported' for models of words or characters.
 */
export function readSentencePiece(bytes: Uint8Array): SentencePieceModel {
  const pieces: { piece: string; score: number; type: number }[] = [];
  let [type, unknownId, byteFallback, addsDummyPrefix, removesExtraSpaces] = [1, 0, false, true, true];
  let charsmap: Uint8Array = new Uint8Array();
  try {
    new PbfReader(bytes).readFields((tag, _, reader) => {
      if (tag === MODEL.piece) {
        if (pieces.length >= LARGEST_VOCABULARY) throw new RangeError(`more than ${LARGEST_VOCABULARY} pieces`);
        const found = { piece: '', score: 0, type: PIECE_TYPES.normal as number };
        reader.readMessage((field, into, own) => {
          if (field === PIECE.text) into.piece = own.readString();
          else if (field === PIECE.score) into.score = own.readFloat();
          else if (field === PIECE.type) into.type = own.readVarint();
        }, found);
        pieces.push(found);
      } else if (tag === MODEL.trainer) {
        reader.readMessage((field, __, own) => {
          if (field === TRAINER.modelType) type = own.readVarint();
          else if (field === TRAINER.byteFallback) byteFallback = own.readBoolean();
          else if (field === TRAINER.unknownId) unknownId = own.readVarint(true);
        }, null);
      } else if (tag === MODEL.normaliser) {
        reader.readMessage((field, __, own) => {
          if (field === NORMALISER.charsmap) charsmap = own.readBytes();
          else if (field === NORMALISER.addsDummyPrefix) addsDummyPrefix = own.readBoolean();
          else if (field === NORMALISER.removesExtraSpaces) removesExtraSpaces = own.readBoolean();
        }, null);
      }
    }, null);
  } catch (cause) {
    throw new InputError('tokenizer.not-sentencepiece', `Expected a SentencePiece model, found bytes that are none (${cause instanceof Error ? cause.message : String(cause)}). The file may be damaged.`, { cause });
  }
  const kind = MODEL_TYPES[type];
  if (pieces.length === 0) throw new InputError('tokenizer.not-sentencepiece', 'Expected a SentencePiece model, found a file without pieces. The file may be damaged.');
  if (kind !== 'Unigram' && kind !== 'BPE') throw new InputError('tokenizer.unsupported', `Isogloss reads SentencePiece models of kind Unigram or BPE; found one of ${kind ?? `kind ${type}`}.`);
  return { kind, pieces, unknownId, byteFallback, charsmap, addsDummyPrefix, removesExtraSpaces };
}

/**
 * The tokenizer.json of a SentencePiece model as XLM-R uses it: fairseq put <s>, <pad>, </s>, <unk> first, so every piece but the
 * first three (<unk>, <s>, </s>) has the id of SentencePiece plus one; <mask> comes last.
 *
 * @throws InputError 'tokenizer.invalid' when the first three pieces are not the special ones.
 * @see transformers, convert_slow_tokenizer.py, XLMRobertaConverter.
 */
export function fairseqTokenizer(model: SentencePieceModel): object {
  const { pieces, kind, charsmap, byteFallback } = model;
  const special = pieces.slice(0, 3).map(({ piece }) => piece);
  if (model.unknownId !== 0 || special.join(' ') !== '<unk> <s> </s>') throw new InputError('tokenizer.invalid', `sentencepiece.bpe.model: expected the pieces <unk>, <s>, </s> first, found ${special.join(', ')}. Put the tokenizer.json of the model into the folder.`);
  const vocabulary: readonly (readonly [string, number])[] = [['<s>', 0], ['<pad>', 0], ['</s>', 0], ['<unk>', 0], ...pieces.slice(3).map(({ piece, score }) => [piece, score] as const), ['<mask>', 0]];
  const ids = new Map(vocabulary.map(([piece], id) => [piece, id]));
  const steps: object[] = charsmap.length === 0 ? [] : [{ type: 'Precompiled', precompiled_charsmap: Buffer.from(charsmap).toString('base64') }];
  if (model.removesExtraSpaces) steps.push({ type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' });
  const metaspace = { type: 'Metaspace', replacement: WORD_START, prepend_scheme: model.addsDummyPrefix ? 'always' : 'never', split: true };
  return {
    ...frame('sentencepiece.bpe.model', robertaPieces, ids),
    normalizer: { type: 'Sequence', normalizers: steps },
    pre_tokenizer: { type: 'Sequence', pretokenizers: model.removesExtraSpaces ? [{ type: 'WhitespaceSplit' }, metaspace] : [metaspace] },
    decoder: metaspace,
    model: kind === 'Unigram'
      ? { type: 'Unigram', unk_id: 3, vocab: vocabulary, byte_fallback: byteFallback }
      : { type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: true, byte_fallback: byteFallback, vocab: Object.fromEntries(ids), merges: mergesOf(pieces) },
  };
}

/** Every way to join two pieces to a third, ordered by the score of the third: SentencePiece joins the best first. */
function mergesOf(pieces: SentencePieceModel['pieces']): readonly (readonly [string, string])[] {
  const known = new Map(pieces.filter(({ type }) => type === PIECE_TYPES.normal || type === PIECE_TYPES.userDefined).map(({ piece, score }) => [piece, score]));
  const merges: { readonly pair: readonly [string, string]; readonly score: number }[] = [];
  for (const [piece, score] of known) {
    const signs = [...piece];
    for (let at = 1; at < signs.length; at += 1) {
      const pair = [signs.slice(0, at).join(''), signs.slice(at).join('')] as const;
      if (known.has(pair[0]) && known.has(pair[1])) merges.push({ pair, score });
    }
  }
  return merges.toSorted((a, b) => b.score - a.score).map(({ pair }) => pair);
}
