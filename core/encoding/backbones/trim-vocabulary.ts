/** How does a backbone lose the pieces that a project never uses? Kept pieces keep their very vectors. */
import { InputError } from '../../base/errors.ts';
import { trimTokenizer } from '../../text/pretrained/trim.ts';
import type { Prefixes, TransformerBackbone } from '../backbone.ts';
import { changedTokenizer, reportOf, tokenizerJson, withRows, type VocabularyReport } from './changed-vocabulary.ts';

/**
 * The backbone with the pieces that the texts need, every character, byte and special token; every text is cut as before (`trimTokenizer`),
 * and so has the same vectors, bit by bit.
 * @param texts  all texts of the project, without the prefixes that are put before them.
 * @throws InputError 'backbone.unsupported' when the padding id would move in a family whose positions hang on it.
 */
export function trimVocabulary(backbone: TransformerBackbone, texts: Iterable<string>): { readonly backbone: TransformerBackbone; readonly report: VocabularyReport } {
  const { tokenizer, shape } = backbone;
  const { json, oldIds } = trimTokenizer(tokenizerJson(tokenizer), withPrefixes(texts, backbone.prefixes));
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

/** Texts as an encoder reads them: bare, and with the prefixes of questions and of passages. */
export function* withPrefixes(texts: Iterable<string>, { query, document }: Prefixes): Generator<string> {
  const prefixes = [...new Set([query, document])].filter((prefix) => prefix !== '');
  for (const text of texts) {
    yield text;
    for (const prefix of prefixes) yield prefix + text;
  }
}
