/** What would a brought model save if its vocabulary had only the pieces that these texts use? Counted, not guessed; no weight is read. */
import { tokenizerJson } from '../../encoding/backbones/changed-vocabulary.ts';
import type { BackbonePlan } from '../../encoding/backbones/plan-backbone.ts';
import { withPrefixes } from '../../encoding/backbones/trim-vocabulary.ts';
import type { TransformerShape } from '../../modules/transformer-shape.ts';
import { trimTokenizer } from '../../text/pretrained/trim.ts';

const FLOAT_BYTES = 4;

/** `pieces` are left, `savedBytes` fewer in the model (32 bits), `memoryBytes` for a training with it. */
export type Trimming = { readonly pieces: number; readonly savedBytes: number; readonly memoryBytes: number };

/**
 * @param texts       all texts of the project.
 * @param memoryOf    what training takes with another shape, in bytes.
 * @throws InputError as `trimTokenizer`.
 */
export function trimmingOf({ tokenizer, shape, prefixes }: Pick<BackbonePlan, 'tokenizer' | 'shape' | 'prefixes'>, texts: Iterable<string>, memoryOf: (shape: TransformerShape) => number): Trimming {
  const { oldIds } = trimTokenizer(tokenizerJson(tokenizer), withPrefixes(texts, prefixes));
  const pieces = oldIds.length;
  return { pieces, savedBytes: Math.max(0, shape.vocabularySize - pieces) * shape.width * FLOAT_BYTES, memoryBytes: memoryOf({ ...shape, vocabularySize: pieces, padTokenId: Math.min(shape.padTokenId, pieces - 1) }) };
}
