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
};
