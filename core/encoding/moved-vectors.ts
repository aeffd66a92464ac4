/** How does an encoder become one whose vectors are moved: calibrated, rotated? Everything else stays as it was. */
import type { Encoder, TextKind } from './encoder.ts';

/** Rows float32 [n, H] of texts, moved to n rows of the same width. `texts`: one for each row, or one that all rows are of (its windows). */
export type MoveVectors = (rows: Float32Array, texts: readonly string[], kind: TextKind) => Promise<Float32Array>;

export type MovedVectorsOptions = {
  readonly move: MoveVectors;
  readonly inLanguage: (language: string | null) => Encoder;
  /** Its own fingerprint, where the vectors may be kept in an index; left out: the encoder's. */
  readonly modelId?: string;
};

/** The encoder with moved vectors; without token sums, as a moved vector is no sum over tokens, and without phrases, whose vectors are the caller's to move. */
export function withMovedVectors({ width, modelId: own, pivot, languages, windowSpans, translation, encode, encodeDocuments }: Encoder, { move, inLanguage, modelId = own }: MovedVectorsOptions): Encoder {
  return {
    width,
    modelId,
    pivot,
    languages,
    windowSpans,
    translation,
    encode: async (texts, kind) => move(await encode(texts, kind), texts, kind),
    encodeDocuments: async (texts) => {
      const found = await encodeDocuments(texts);
      return Promise.all(found.map((rows, i) => move(rows, texts.slice(i, i + 1), 'document')));
    },
    inLanguage,
  };
}
