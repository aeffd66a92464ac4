/** How does a backbone lose the pieces that a project never uses, and gain those of a new language? Kept pieces keep their very vectors. */
import { trainIbmModel1 } from '../../alignment/ibm-model-1.ts';
import { InputError } from '../../base/errors.ts';
import { trimTokenizer } from '../../text/pretrained/trim.ts';
import type { UnigramModel } from '../../text/unigram-trainer.ts';
import { extendUnigram } from '../../text/vocabulary-extension.ts';
import type { BackboneTokenizer, TransformerBackbone } from '../backbone.ts';
import { backboneTokenizer, TOKENIZER_FILE } from './folder-tokenizer.ts';

const SMALL_FILES: readonly string[] = ['tokenizer_config.json', 'special_tokens_map.json'];
const FLOAT_BYTES = 4;
const TABLE = 'embeddings.token';
const HEAD_BIAS = 'mlm.bias';
/** As the rows of static models are aligned (core/training): five rounds, a weak prior, no preference for the diagonal of subwords. */
const ALIGNMENT = { iterations: 5, maximumTokens: 128, prior: 0.01, diagonal: 0 } as const;
const LEAST_PROBABILITY = 0.01;

export type VocabularyReport = {
  readonly piecesBefore: number;
  readonly piecesAfter: number;
  /** Of all parameters, in 32 bits. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
};

/**
 * The backbone with the pieces that the texts need, every character, byte and special token; every text is cut as before (`trimTokenizer`),
 * and so has the same vectors, bit by bit.
 * @param texts  all texts of the project, with the prefixes that are put before them.
 * @throws InputError 'backbone.unsupported' when the padding id would move in a family whose positions hang on it.
 */
export function trimVocabulary(backbone: TransformerBackbone, texts: Iterable<string>): { readonly backbone: TransformerBackbone; readonly report: VocabularyReport } {
  const { tokenizer, shape } = backbone;
  const { json, oldIds } = trimTokenizer(tokenizerJson(tokenizer), withPrefixes(texts, backbone));
  const trimmed = changedTokenizer(tokenizer, json, new Map([...oldIds].map((old, id) => [old, id])));
  if (shape.positionOffset > 0 && trimmed.ids.pad + 1 !== shape.positionOffset) throw new InputError('backbone.unsupported', `The padding id of this model would move from ${tokenizer.ids.pad} to ${trimmed.ids.pad}, on which its positions hang; its vocabulary cannot be made smaller.`);
  const padTokenId = oldIds.indexOf(shape.padTokenId);
  const rows = (values: Float32Array, width: number): Float32Array => {
    const kept = new Float32Array(oldIds.length * width);
    oldIds.forEach((old, id) => {
      kept.set(values.subarray(old * width, (old + 1) * width), id * width);
    });
    return kept;
  };
  const changed = withRows(backbone, { tokenizer: trimmed, vocabularySize: oldIds.length, rows, padTokenId: Math.max(0, padTokenId) });
  return { backbone: changed, report: reportOf(backbone, changed) };
}

/** Where the vectors of new pieces begin: the mean of the old pieces they are made of, or (where pairs teach one) of their translations. */
export type NewPieceStart = { readonly kind: 'average' } | { readonly kind: 'translations'; readonly pairs: readonly { readonly text: string; readonly pivot: string }[] };

/**
 * The backbone with the pieces of a new language behind its own; ids and vectors of old pieces stay (texts in old languages may be cut
 * otherwise where `extendUnigram` lets a new piece in: protect them).
 *
 *   average:       row(new) = mean of row(p) over the pieces p that the old tokenizer cuts it into
 *   translations:  row(new) = sum_p p(pivot piece p | new) row(p) / sum_p p(...), by IBM Model 1; pieces that no pair teaches: average
 *
 * @param extra           a Unigram model of the new language (`trainUnigram`).
 * @param protectedTexts  texts of old languages: new pieces that are at home there are left out.
 * @throws InputError 'backbone.unsupported' for vocabularies that are not Unigram; the signal's reason.
 */
export async function extendVocabulary(backbone: TransformerBackbone, { extra, start, protectedTexts, signal }: { readonly extra: UnigramModel; readonly start: NewPieceStart; readonly protectedTexts?: Iterable<string>; readonly signal?: AbortSignal }): Promise<{ readonly backbone: TransformerBackbone; readonly report: VocabularyReport; readonly newPieces: readonly string[] }> {
  const { tokenizer, shape } = backbone;
  const json = tokenizerJson(tokenizer);
  const { model } = json;
  if (model.type !== 'Unigram' || !Array.isArray(model.vocab)) throw new InputError('backbone.unsupported', `Pieces can be added to Unigram vocabularies (XLM-R, multilingual-e5); this one is ${String(model.type)}. Train with the vocabulary as it is.`);
  const vocabulary = model.vocab as readonly (readonly [string, number])[]; // boundary: readPretrainedTokenizer has checked the rows
  if (tokenizer.vocabularySize > vocabulary.length) throw new InputError('backbone.unsupported', `This tokenizer has special pieces behind its vocabulary (${tokenizer.vocabularySize} ids, ${vocabulary.length} pieces), where new ones would go. Train with the vocabulary as it is.`);
  const base: UnigramModel = { pieces: vocabulary.map(([piece]) => piece), scores: vocabulary.map(([, score]) => score), unknownId: Number(model.unk_id) };
  const { model: joined, firstNewId } = extendUnigram(base, extra, protectedTexts === undefined ? {} : { protectedTexts });
  const pieces = joined.pieces.slice(firstNewId);
  const rows = vocabulary.map((row) => row as readonly [string, number]);
  // Old scores stay as they were: only new pieces are added.
  const longer = { ...json, model: { ...model, vocab: [...rows, ...pieces.map((piece, i) => [piece, joined.scores[firstNewId + i] ?? 0] as const)] } };
  const extended = changedTokenizer(tokenizer, longer, null);
  const firstRow = vocabulary.length;
  const learnt = start.kind === 'translations' ? await translationsOf(start.pairs, { old: tokenizer, extended, signal }) : null;
  const makeRows = (values: Float32Array, width: number): Float32Array => {
    const grown = new Float32Array((firstRow + pieces.length) * width);
    grown.set(values.subarray(0, firstRow * width));
    pieces.forEach((piece, i) => {
      const parts = learnt?.(firstRow + i) ?? evenParts(tokenizer, piece);
      const row = grown.subarray((firstRow + i) * width, (firstRow + i + 1) * width);
      for (const { id, weight } of parts) for (let k = 0; k < width; k += 1) row[k] = (row[k] ?? 0) + weight * (values[id * width + k] ?? 0);
    });
    return grown;
  };
  const changed = withRows(backbone, { tokenizer: extended, vocabularySize: firstRow + pieces.length, rows: makeRows, padTokenId: shape.padTokenId });
  return { backbone: changed, report: reportOf(backbone, changed), newPieces: pieces };
}

type Part = { readonly id: number; readonly weight: number };

function evenParts(tokenizer: BackboneTokenizer, piece: string): readonly Part[] {
  const ids = bareIds(tokenizer, piece.replaceAll('▁', ' '));
  return [...ids].map((id) => ({ id, weight: 1 / ids.length }));
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

type RowChange = { readonly tokenizer: BackboneTokenizer; readonly vocabularySize: number; readonly padTokenId: number; readonly rows: (values: Float32Array, width: number) => Float32Array };

function withRows(backbone: TransformerBackbone, { tokenizer, vocabularySize, padTokenId, rows }: RowChange): TransformerBackbone {
  const parameters = new Map([...backbone.parameters].map(([name, values]) => [name, name === TABLE ? rows(values, backbone.shape.width) : name === HEAD_BIAS ? rows(values, 1) : values] as const));
  return { ...backbone, tokenizer, parameters, shape: { ...backbone.shape, vocabularySize, padTokenId } };
}

function reportOf(before: TransformerBackbone, after: TransformerBackbone): VocabularyReport {
  const bytes = ({ parameters }: TransformerBackbone): number => [...parameters.values()].reduce((sum, values) => sum + FLOAT_BYTES * values.length, 0);
  return { piecesBefore: before.shape.vocabularySize, piecesAfter: after.shape.vocabularySize, bytesBefore: bytes(before), bytesAfter: bytes(after) };
}

type TokenizerObject = Readonly<Record<string, unknown>> & { readonly model: Readonly<Record<string, unknown>> };

function tokenizerJson({ files }: BackboneTokenizer): TokenizerObject {
  return JSON.parse(Buffer.from(files.get(TOKENIZER_FILE) ?? []).toString('utf8')) as TokenizerObject; // boundary: the tokenizer was made from this very file
}

/** The tokenizer of a changed tokenizer.json; vocabulary files of older programs, which would contradict it, are left out. */
function changedTokenizer(tokenizer: BackboneTokenizer, json: object, newIds: ReadonlyMap<number, number> | null): BackboneTokenizer {
  const files = new Map<string, Uint8Array>([[TOKENIZER_FILE, Buffer.from(JSON.stringify(json))]]);
  let config: Record<string, unknown> = {};
  for (const name of SMALL_FILES) {
    const bytes = tokenizer.files.get(name);
    if (bytes === undefined) continue;
    const content = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>; // boundary: read as an object when the folder was
    const decoder = content['added_tokens_decoder'];
    const renamed = newIds !== null && typeof decoder === 'object' && decoder !== null ? { ...content, added_tokens_decoder: Object.fromEntries(Object.entries(decoder).flatMap(([id, token]) => (newIds.has(Number(id)) ? [[String(newIds.get(Number(id))), token]] : []))) } : content;
    files.set(name, renamed === content ? bytes : Buffer.from(JSON.stringify(renamed)));
    config = { ...config, ...renamed };
  }
  return backboneTokenizer(files, config);
}

function* withPrefixes(texts: Iterable<string>, { prefixes }: TransformerBackbone): Generator<string> {
  for (const text of texts) {
    yield text;
    for (const prefix of new Set([prefixes.query, prefixes.document])) if (prefix !== '') yield prefix + text;
  }
}
