/** What can every encoder do, whatever it is made of? Turn texts into vectors, for pairs and for search. */
import type { TranslationTable } from '../alignment/translation-table.ts';
import type { ModelLanguage } from './model-folder.ts';
import type { TokenSums } from './token-sums.ts';

/**
 * 'sentence': whole sentences compared with their translations (not whitened).
 * 'query' and 'document': search (whitened).
 */
export type TextKind = 'query' | 'document' | 'sentence';

export type Encoder = {
  readonly width: number;
  /** Fingerprint of the model: an index made by another model is recognised by it. */
  readonly modelId: string;
  readonly pivot: string;
  readonly languages: readonly ModelLanguage[];
  /** float32 [n, H], each row of length 1 (all zeros for a text without known tokens). */
  readonly encode: (texts: readonly string[], kind: TextKind) => Promise<Float32Array>;
  /** The vectors by which documents are found: for each text float32 [w, H], the whole text first, then its windows. Many texts at once cost less than one by one. */
  readonly encodeDocuments: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
  /** Where in the text (UTF-16 offsets) the windows of `encodeDocuments` begin and end; the first is the whole text. */
  readonly windowSpans: (text: string) => readonly { readonly start: number; readonly end: number }[];
  /** The table that translates words of `source` into words of `target`; null when the model has none. */
  readonly translation: (source: string, target: string) => TranslationTable | null;
  /** Present when document vectors are sums over tokens: an index then keeps tokens instead of vectors. */
  readonly tokenSums?: TokenSums;
  /** Present when tokens have vectors of their own: phrases then have the vectors of their tokens (phrase-vectors.ts). */
  readonly phrases?: PhraseEncoder;
  /** Present when a text's vector depends on its language: the same encoder for texts in that one; null (and unless asked): guessed from each text. */
  readonly inLanguage?: (language: string | null) => Encoder;
};

/** The encoder for text of a language (null: not known); the same one where vectors do not depend on it. */
export function encoderIn<Some extends Pick<Encoder, 'inLanguage'>>(encoder: Some, language: string | null): Some | Encoder {
  return encoder.inLanguage?.(language) ?? encoder;
}

/** A phrase, and sentences that show it in use. */
export type PhraseInUse = { readonly phrase: string; readonly sentences: readonly string[] };

export type PhraseEncoder = {
  readonly width: number;
  /** How many layers a transformer has; null where there are none to choose from. */
  readonly layers: number | null;
  /**
   * float32 [n, width], each row of length 1: the mean over sentences of the mean of the phrase's tokens, after `layer` layers (0 = the
   * embeddings; left out: the layer that the model pools). @throws InputError 'phrases.no-such-layer'.
   */
  readonly vectors: (phrases: readonly PhraseInUse[], options?: { readonly layer?: number }) => Promise<Float32Array>;
};
