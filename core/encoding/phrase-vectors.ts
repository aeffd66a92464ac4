/** What is the vector of a phrase? The mean of its tokens' vectors in each sentence that shows it in use, then the mean over sentences. */
import { InputError } from '../base/errors.ts';
import { findPhrase } from '../text/phrase-places.ts';
import type { Encoder, PhraseInUse } from './encoder.ts';
import type { PhraseReading, Projection } from './phrase-reading.ts';

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

/** What reads a phrase: a tokenizer with its special tokens, and how the phrase is spelt and marked. */
export type PhraseReader = Pick<PhraseReading, 'isLowerCased' | 'hasMarks' | 'mostSentences'> & {
  /** Token ids of a text, without special ones. */
  readonly tokens: (text: string) => Uint32Array;
  /** Special tokens around every text; of none, empty. `end` is what marks a phrase. */
  readonly begin: Uint32Array;
  readonly end: Uint32Array;
  /** Most tokens of a text, special ones included. */
  readonly maxTokens: number;
};

/**
 * Where the tokens of a phrase stand in each of its sentences, special tokens included; sentences in which it is not found are left out,
 * and where none is left the phrase stands alone. A sentence that is too long is cut around the phrase.
 */
export function tokensInUse({ phrase, sentences }: PhraseInUse, reader: PhraseReader): readonly PhraseTokens[] {
  const inSentences = sentences.slice(0, reader.mostSentences ?? sentences.length).flatMap((sentence) => {
    const span = findPhrase(sentence, phrase);
    const found = span === null ? null : tokensOfPhrase(sentence, span, reader);
    return found === null || found.to <= found.from ? [] : [framed(found, reader)];
  });
  if (inSentences.length > 0) return inSentences;
  const alone = tokensOfPhrase(phrase, { start: 0, end: phrase.length }, reader);
  return [framed(alone, reader)];
}

/** The tokens of a sentence with the phrase as the reader spells and marks it. Marked, the three pieces are cut apart (utilsWord/sentence_process.py of cwszz/XPR). */
function tokensOfPhrase(sentence: string, span: { readonly start: number; readonly end: number }, { tokens, end, isLowerCased, hasMarks }: PhraseReader): PhraseTokens {
  const [before, written, after] = [sentence.slice(0, span.start), sentence.slice(span.start, span.end), sentence.slice(span.end)];
  const phrase = isLowerCased ? written.toLowerCase() : written;
  if (!hasMarks) return phrase === written ? tokensOfSpan(sentence, span, tokens) : tokensOfSpan(before + phrase + after, { start: span.start, end: span.start + phrase.length }, tokens);
  const [left, own, right] = [tokens(before), tokens(phrase), tokens(after)];
  return { ids: Uint32Array.of(...left, ...end, ...own, ...end, ...right), from: left.length, to: left.length + own.length + 2 * end.length };
}

/** Cut to fit, between the special tokens of a text. */
function framed(found: PhraseTokens, { begin, end, maxTokens }: PhraseReader): PhraseTokens {
  const { ids, from, to } = aroundPhrase(found, Math.max(1, maxTokens - begin.length - end.length));
  return begin.length + end.length === 0 ? { ids, from, to } : { ids: Uint32Array.of(...begin, ...ids, ...end), from: from + begin.length, to: to + begin.length };
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

/** Which phrase each token belongs to, and how much it counts: 1 / (sentences of the phrase x tokens of it in this one). */
export function tokenShares(phrases: readonly (readonly Pick<PhraseTokens, 'from' | 'to'>[])[]): { readonly phraseOf: Int32Array; readonly weights: Float32Array } {
  const phraseOf: number[] = [];
  const weights: number[] = [];
  phrases.forEach((sentences, p) => {
    for (const { from, to } of sentences) {
      for (let token = from; token < to; token += 1) {
        phraseOf.push(p);
        weights.push(1 / (sentences.length * (to - from)));
      }
    }
  });
  return { phraseOf: Int32Array.from(phraseOf), weights: Float32Array.from(weights) };
}

/** Phrases whose tokens are held at once. */
const PHRASES_AT_ONCE = 256;

/**
 * Vectors of phrases, float32 [n, P], each of length 1: means over sentences of means over tokens, with the head of the reading before or
 * after them.
 * @param tokenRows  the vectors of the spans' tokens, float32 [S, width], one span after another.
 */
export async function vectorsOfPhrases(options: {
  readonly phrases: readonly PhraseInUse[];
  readonly read: (phrase: PhraseInUse) => readonly PhraseTokens[];
  readonly tokenRows: (spans: readonly PhraseTokens[]) => Promise<Float32Array>;
  readonly width: number;
  readonly reading: Pick<PhraseReading, 'head'>;
  readonly projection: Projection;
}): Promise<Float32Array> {
  const { phrases, read, tokenRows, width, reading, projection } = options;
  const { head } = reading;
  const out = head?.out ?? width;
  const vectors = new Float32Array(phrases.length * out);
  for (let start = 0; start < phrases.length; start += PHRASES_AT_ONCE) {
    const found = phrases.slice(start, start + PHRASES_AT_ONCE).map(read);
    const rows = await tokenRows(found.flat());
    const shares = tokenShares(found);
    const mapped = head?.placement === 'token' ? await projection.project(rows, head) : rows;
    const means = weightedMeans(mapped, { ...shares, phrases: found.length, width: head?.placement === 'token' ? out : width });
    vectors.set(head?.placement === 'phrase' ? await projection.project(means, head) : means, start * out);
  }
  return toLengthOne(vectors, out);
}

/** Row p of the result is the sum of w_t rows[t] over the tokens t of phrase p: float32 [phrases, width]. */
export function weightedMeans(rows: Float32Array, { phraseOf, weights, phrases, width }: { readonly phraseOf: Int32Array; readonly weights: Float32Array; readonly phrases: number; readonly width: number }): Float32Array {
  const means = new Float32Array(phrases * width);
  phraseOf.forEach((phrase, row) => {
    const weight = weights[row] ?? 0;
    for (let i = 0; i < width; i += 1) means[phrase * width + i] = (means[phrase * width + i] ?? 0) + weight * (rows[row * width + i] ?? 0);
  });
  return means;
}

/** Rows to length 1, in place; a row of zeros stays. */
export function toLengthOne(rows: Float32Array, width: number): Float32Array {
  for (let start = 0; start < rows.length; start += width) {
    let squares = 0;
    for (let i = start; i < start + width; i += 1) squares += (rows[i] ?? 0) ** 2;
    const factor = squares < LEAST_SQUARED_LENGTH ? 0 : 1 / Math.sqrt(squares);
    for (let i = start; i < start + width; i += 1) rows[i] = (rows[i] ?? 0) * factor;
  }
  return rows;
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
