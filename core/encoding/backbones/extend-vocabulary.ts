/** How does a backbone gain the pieces of a new language? Behind its own, with vectors that begin at what is known of them. */
import { trainIbmModel1 } from '../../alignment/ibm-model-1.ts';
import { InputError } from '../../base/errors.ts';
import { readNormaliserStep } from '../../text/pretrained/normalisers.ts';
import type { UnigramModel } from '../../text/unigram-trainer.ts';
import { extendUnigram } from '../../text/vocabulary-extension.ts';
import type { BackboneTokenizer, TransformerBackbone } from '../backbone.ts';
import { changedTokenizer, reportOf, tokenizerJson, withRows, type TokenizerObject, type VocabularyReport } from './changed-vocabulary.ts';
import { mergesOf, vocabularyOf, type Merge } from './learn-merges.ts';

/** As the rows of static models are aligned (core/training): five rounds, a weak prior, no preference for the diagonal of subwords. */
const ALIGNMENT = { iterations: 5, maximumTokens: 128, prior: 0.01, diagonal: 0 } as const;
const LEAST_PROBABILITY = 0.01;
/** A new piece is left out when protected text uses it at least this often relative to the new language. */
const PROTECTED_SHARE = 0.1;
/** Leaving pieces out lets others in their place; after this many rounds what is left is rare. */
const PROTECTION_ROUNDS = 3;
const WORD_MARK = '▁';
/** What BERT's words cannot hold: they end at spaces and punctuation. */
const ENDS_WORD = /[\s\p{P}\p{S}]/u;

/** Where the vectors of new pieces begin: the mean of the old pieces they are made of, or (where pairs teach one) of their translations. */
export type NewPieceStart = { readonly kind: 'average' } | { readonly kind: 'translations'; readonly pairs: readonly { readonly text: string; readonly pivot: string }[] };

/** What was learned of the new language: a Unigram model (`trainUnigram`), or for byte pairs further merges (`learnMerges`). */
export type LearnedPieces = UnigramModel | { readonly merges: readonly Merge[] };

export type ExtendVocabularyOptions = {
  /** For WordPiece the pieces of a Unigram model are written as that model writes them ("##" inside words). */
  readonly extra: LearnedPieces;
  readonly start: NewPieceStart;
  /** Texts of old languages: new pieces that are at home there are left out (merges have minded their own). */
  readonly protectedTexts?: Iterable<string>;
  readonly signal?: AbortSignal;
};

export type ExtendedBackbone = { readonly backbone: TransformerBackbone; readonly report: VocabularyReport; readonly newPieces: readonly string[] };

/**
 * The backbone with the pieces of a new language behind its own; ids and vectors of old pieces stay (texts in old languages may be cut
 * otherwise where a new piece is let in: protect them). New merges stand behind the old ones: a text is cut as before, then joined further.
 *
 *   average:       row(new) = mean of row(p) over the pieces p that the old tokenizer cuts it into
 *   translations:  row(new) = sum_p p(pivot piece p | new) row(p) / sum_p p(...), by IBM Model 1; pieces that no pair teaches: average
 *
 * @throws InputError 'backbone.unsupported' for another kind of vocabulary, or one that `extra` is not for; the signal's reason.
 */
export async function extendVocabulary(backbone: TransformerBackbone, { extra, start, protectedTexts, signal }: ExtendVocabularyOptions): Promise<ExtendedBackbone> {
  const { tokenizer, shape } = backbone;
  const json = tokenizerJson(tokenizer);
  const { longer, pieces } = longerVocabulary(json, { tokenizer, extra, protectedTexts: protectedTexts === undefined ? [] : [...protectedTexts] });
  const extended = changedTokenizer(tokenizer, longer, null);
  const firstRow = tokenizer.vocabularySize;
  const learnt = start.kind === 'translations' ? await translationsOf(start.pairs, { old: tokenizer, extended, signal }) : null;
  const parts = pieces.map((piece, i) => learnt?.(firstRow + i) ?? evenParts('text' in piece ? bareIds(tokenizer, piece.text) : piece.ids));
  const makeRows = (values: Float32Array, width: number): Float32Array => {
    const grown = new Float32Array((firstRow + pieces.length) * width);
    grown.set(values.subarray(0, firstRow * width));
    parts.forEach((own, i) => {
      const row = grown.subarray((firstRow + i) * width, (firstRow + i + 1) * width);
      for (const { id, weight } of own) for (let k = 0; k < width; k += 1) row[k] = (row[k] ?? 0) + weight * (values[id * width + k] ?? 0);
    });
    return grown;
  };
  const changed = withRows(backbone, { tokenizer: extended, vocabularySize: firstRow + pieces.length, rows: makeRows, padTokenId: shape.padTokenId });
  return { backbone: changed, report: reportOf(backbone, changed), newPieces: pieces.map(({ piece }) => piece) };
}

/** `piece` as the vocabulary writes it; `text` as it stands in a text, or `ids` of the old pieces that it is made of. */
type NewPiece = { readonly piece: string } & ({ readonly text: string } | { readonly ids: readonly number[] });
type Longer = { readonly longer: TokenizerObject; readonly pieces: readonly NewPiece[] };
type Growth<Extra> = { readonly tokenizer: BackboneTokenizer; readonly extra: Extra; readonly protectedTexts: readonly string[] };

function longerVocabulary(json: TokenizerObject, { extra, ...growth }: Growth<LearnedPieces>): Longer {
  const { type } = json.model;
  if ('merges' in extra && type === 'BPE') return longerBytePairs(json, extra.merges, growth.tokenizer);
  if (!('merges' in extra) && type === 'Unigram') return longerUnigram(json, { ...growth, extra });
  if (!('merges' in extra) && type === 'WordPiece') return longerWordPiece(json, { ...growth, extra });
  throw new InputError('backbone.unsupported', `Pieces of a Unigram model can be added to Unigram (XLM-R, multilingual-e5) and WordPiece vocabularies (BERT, LaBSE), merges to byte-pair ones (RoBERTa); this one is ${String(type)}. Train with the vocabulary as it is.`);
}

/** One piece for each merge. */
function longerBytePairs(json: TokenizerObject, merges: readonly Merge[], { vocabularySize }: BackboneTokenizer): Longer {
  const known = vocabularyOf(json);
  const made = new Map<string, readonly number[]>();
  const idsOf = (piece: string): readonly number[] => made.get(piece) ?? (Object.hasOwn(known, piece) ? [known[piece] ?? 0] : []);
  for (const [left, right] of merges) made.set(left + right, [...idsOf(left), ...idsOf(right)]);
  const pieces = [...made].map(([piece, ids]) => ({ piece, ids }));
  const { merges: old } = json.model;
  const isSpaced = Array.isArray(old) && typeof old[0] === 'string'; // "a b", as older files write it
  const vocab = { ...known, ...Object.fromEntries(pieces.map(({ piece }, i) => [piece, vocabularySize + i])) };
  return { longer: { ...json, model: { ...json.model, vocab, merges: [...mergesOf(json), ...merges].map((merge) => (isSpaced ? merge.join(' ') : merge)) } }, pieces };
}

/** Old scores stay as they were: only new pieces are added. */
function longerUnigram(json: TokenizerObject, { tokenizer, extra, protectedTexts }: Growth<UnigramModel>): Longer {
  const { model } = json;
  const vocabulary = model['vocab'] as readonly (readonly [string, number])[]; // boundary: readPretrainedTokenizer has checked the rows
  if (tokenizer.vocabularySize > vocabulary.length) throw new InputError('backbone.unsupported', `This tokenizer has special pieces behind its vocabulary (${tokenizer.vocabularySize} ids, ${vocabulary.length} pieces), where new ones would go. Train with the vocabulary as it is.`);
  const base: UnigramModel = { pieces: vocabulary.map(([piece]) => piece), scores: vocabulary.map(([, score]) => score), unknownId: Number(model['unk_id']) };
  const { model: joined, firstNewId } = extendUnigram(base, extra, protectedTexts.length === 0 ? {} : { protectedTexts });
  const added = joined.pieces.slice(firstNewId).map((piece, i) => [piece, joined.scores[firstNewId + i] ?? 0] as const);
  return { longer: { ...json, model: { ...model, vocab: [...vocabulary, ...added] } }, pieces: added.map(([piece]) => ({ piece, text: piece.replaceAll(WORD_MARK, ' ') })) };
}

/** WordPiece takes the longest piece that fits, so every new piece is used wherever it stands: those at home in protected text are left out. */
function longerWordPiece(json: TokenizerObject, { tokenizer, extra, protectedTexts }: Growth<UnigramModel>): Longer {
  const { model } = json;
  const known = model['vocab'] as Readonly<Record<string, number>>; // boundary: readPretrainedTokenizer has checked it
  const prefix = typeof model['continuing_subword_prefix'] === 'string' ? model['continuing_subword_prefix'] : '##';
  const normalise = readNormaliserStep(json['normalizer']);
  const candidates = new Map<string, { readonly piece: string; readonly text: string; readonly probability: number }>();
  extra.pieces.forEach((raw, id) => {
    const text = normalise(raw.replaceAll(WORD_MARK, ''));
    if (id === extra.unknownId || text === '' || ENDS_WORD.test(text)) return;
    const piece = raw.startsWith(WORD_MARK) ? text : prefix + text;
    if (!Object.hasOwn(known, piece) && !candidates.has(piece)) candidates.set(piece, { piece, text, probability: Math.exp(extra.scores[id] ?? 0) });
  });
  for (let round = 0; ; round += 1) {
    const pieces = [...candidates.values()];
    const firstId = tokenizer.vocabularySize;
    const longer = { ...json, model: { ...model, vocab: { ...known, ...Object.fromEntries(pieces.map(({ piece }, i) => [piece, firstId + i])) } } };
    if (round === PROTECTION_ROUNDS || protectedTexts.length === 0) return { longer, pieces };
    const { encode } = changedTokenizer(tokenizer, longer, null);
    const uses = new Float64Array(pieces.length);
    let total = 0;
    for (const text of protectedTexts) {
      for (const id of encode(text, Infinity)) {
        total += 1;
        if (id >= firstId) uses[id - firstId] = (uses[id - firstId] ?? 0) + 1;
      }
    }
    const atHome = pieces.filter(({ probability }, i) => (uses[i] ?? 0) / total > PROTECTED_SHARE * probability);
    if (atHome.length === 0) return { longer, pieces };
    for (const { piece } of atHome) candidates.delete(piece);
  }
}

type Part = { readonly id: number; readonly weight: number };

function evenParts(ids: ArrayLike<number>): readonly Part[] {
  return Array.from(ids, (id) => ({ id, weight: 1 / ids.length }));
}

/** Ids of a text without the special ones around it. */
function bareIds({ encode }: BackboneTokenizer, text: string): Uint32Array {
  const around = encode('', Infinity).length;
  const ids = encode(text, Infinity);
  return ids.subarray(Math.ceil(around / 2), ids.length - Math.floor(around / 2));
}

async function translationsOf(pairs: readonly { readonly text: string; readonly pivot: string }[], { old, extended, signal }: { readonly old: BackboneTokenizer; readonly extended: BackboneTokenizer; readonly signal: AbortSignal | undefined }): Promise<(id: number) => readonly Part[] | null> {
  const table = await trainIbmModel1({
    pairs: { sources: pairs.map(({ text }) => bareIds(extended, text)), targets: pairs.map(({ pivot }) => bareIds(old, pivot)) },
    sourceSize: extended.vocabularySize, targetSize: old.vocabularySize, ...ALIGNMENT, ...(signal === undefined ? {} : { signal }),
  });
  return (source) => {
    const parts: Part[] = [];
    for (let k = table.offsets[source] ?? 0; k < (table.offsets[source + 1] ?? 0); k += 1) {
      const weight = table.probabilities[k] ?? 0;
      if (weight >= LEAST_PROBABILITY) parts.push({ id: table.targets[k] ?? 0, weight });
    }
    const total = parts.reduce((sum, { weight }) => sum + weight, 0);
    return total === 0 ? null : parts.map(({ id, weight }) => ({ id, weight: weight / total }));
  };
}
