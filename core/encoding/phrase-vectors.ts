/** What is the vector of a phrase? The mean of its tokens' vectors in each sentence that shows it in use, then the mean over sentences. */
import { InputError } from '../base/errors.ts';
import { findPhrase } from '../text/phrase-places.ts';
import type { Encoder, PhraseInUse } from './encoder.ts';

const LEAST_SQUARED_LENGTH = 1e-24;
/** A token that begins in a phrase ends at most so many UTF-16 units behind it. */
const MOST_CROSSED = 64;

/** The tokens `from` to before `to` of a text are those of the phrase. */
export type PhraseTokens = { readonly ids: Uint32Array; readonly from: number; readonly to: number };

/**
 * Vectors of phrases, float32 [n, width], each of length 1: as the encoder makes them from sentences; of an encoder that has no vectors of
 * tokens (an ONNX graph that gives sentence vectors alone), the vectors of the phrases as texts of their own.
 * @see Zheng et al. 2022 (XPR), section 3.1, equations 1 and 2.
 */
export async function phraseVectors(encoder: Pick<Encoder, 'phrases' | 'encode' | 'width'>, phrases: readonly PhraseInUse[], options: { readonly layer?: number } = {}): Promise<{ readonly vectors: Float32Array; readonly width: number }> {
  if (encoder.phrases === undefined) return { vectors: await encoder.encode(phrases.map(({ phrase }) => phrase), 'sentence'), width: encoder.width };
  return { vectors: await encoder.phrases.vectors(phrases, options), width: encoder.phrases.width };
}

/**
 * Where the tokens of a phrase stand in each of its sentences; sentences in which it is not found are left out, and where none is left the
 * phrase stands alone.
 * @param tokens  token ids of a text, without special ones.
 */
export function tokensInUse({ phrase, sentences }: PhraseInUse, tokens: (text: string) => Uint32Array): readonly PhraseTokens[] {
  const inSentences = sentences.flatMap((sentence) => {
    const span = findPhrase(sentence, phrase);
    if (span === null) return [];
    const found = tokensOfSpan(sentence, span, tokens);
    return found.to > found.from ? [found] : [];
  });
  if (inSentences.length > 0) return inSentences;
  const ids = tokens(phrase);
  return [{ ids, from: 0, to: ids.length }];
}

/**
 * The tokens that hold any character of a span. Exact where the text before the border is cut by itself as it is cut inside the whole
 * (always at a space, nearly always at punctuation); a token that crosses the border counts as the phrase's.
 */
export function tokensOfSpan(text: string, span: { readonly start: number; readonly end: number }, tokens: (text: string) => Uint32Array): PhraseTokens {
  const ids = tokens(text);
  const from = commonStart(ids, tokens(text.slice(0, span.start).trimEnd()));
  for (let end = span.end; end < Math.min(text.length, span.end + MOST_CROSSED); end += 1) {
    const upTo = tokens(text.slice(0, end).trimEnd());
    if (upTo.length > from && commonStart(ids, upTo) === upTo.length) return { ids, from, to: upTo.length };
  }
  return { ids, from, to: ids.length };
}

/** A part of the tokens with at most `room` of them, the phrase in its middle; a phrase that is longer is cut at its end. */
export function aroundPhrase({ ids, from, to }: PhraseTokens, room: number): PhraseTokens {
  if (ids.length <= room) return { ids, from, to };
  const end = Math.min(to, from + room);
  const start = Math.max(0, Math.min(ids.length - room, from - Math.floor((room - (end - from)) / 2)));
  return { ids: ids.subarray(start, start + room), from: from - start, to: end - start };
}

/**
 * Means of means: row p of the result is the mean of the rows of `means` that belong to phrase p, to length 1.
 * @param means  float32 [rows, width], phrase by phrase. @param counts  how many rows each phrase has.
 */
export function meansOfPhrases(means: Float32Array, counts: readonly number[], width: number): Float32Array {
  const vectors = new Float32Array(counts.length * width);
  let row = 0;
  counts.forEach((count, p) => {
    const vector = vectors.subarray(p * width, (p + 1) * width);
    for (const end = row + count; row < end; row += 1) for (let i = 0; i < width; i += 1) vector[i] = (vector[i] ?? 0) + (means[row * width + i] ?? 0) / count;
    let squares = 0;
    for (const value of vector) squares += value * value;
    const factor = squares < LEAST_SQUARED_LENGTH ? 0 : 1 / Math.sqrt(squares);
    for (let i = 0; i < width; i += 1) vector[i] = (vector[i] ?? 0) * factor;
  });
  return vectors;
}

/** A hidden layer that a model has not. @param layers how many there are; null: none. */
export function noSuchLayer(layer: number, layers: number | null): InputError {
  return new InputError('phrases.no-such-layer', `Expected ${layers === null ? 'no layer (this model has none to choose from)' : `a layer from 0 (the embeddings) to ${layers}`}, found ${layer}. ${layers === null ? 'Leave it out.' : 'Choose another.'}`);
}

function commonStart(a: Uint32Array, b: Uint32Array): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
